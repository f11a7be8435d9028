Feature: Settings
  Every setting has one key, one type, one default and one variable. The environment beats the
  project's file, that beats the user's, and that beats the default; what is wrong is refused.

  Background:
    Given a plain folder

  # --- Levels ------------------------------------------------------------------------------------

  Scenario: defaults
    When I run "agents config list --format json"
    Then the exit code is 0
    And the envelope is that of a success of "config list"
    And every setting is declared with key, value, source, variable and help
    And the setting "sandbox.strategy" is auto from the default
    And the setting "sandbox.base" is worktree from the default
    And the setting "sandbox.copy-ignored" is empty from the default
    And the setting "sandbox.pass-env" is empty from the default
    And the setting "sandbox.checkpoint.exclude" is empty from the default
    And the setting "sandbox.checkpoint.auto-create-on" is before_step,before_tool_execute,after_tool_execute,on_subplan_spawn,after_subplan,on_error from the default
    And the setting "sandbox.checkpoint.max-checkpoints-per-plan" is 50 from the default
    And the setting "chat.max-file" is 512 MiB from the default
    And the setting "chat.hook-budget" is 2 from the default

  Scenario: people see key, value and where it comes from
    Given the variable CLEVERAGENTS_SANDBOX_COPY_IGNORED is ".env, *.key"
    When I run "agents config list"
    Then the exit code is 0
    And the output says
      """
      sandbox.copy-ignored
      .env,*.key
      environment
      sandbox.strategy
      default
      """

  Scenario: each level beats the one below it
    Given the user's settings
      """
      [sandbox]
      strategy = "filesystem_copy"
      base = "head"
      copy-ignored = ["user"]
      pass-env = ["EDITOR"]
      """
    And the project's settings
      """
      sandbox.base = "worktree"
      sandbox.copy-ignored = ["project"]
      """
    And the variable CLEVERAGENTS_SANDBOX_COPY_IGNORED is "variable"
    When I run "agents config list --format json"
    Then the exit code is 0
    And the setting "sandbox.strategy" is filesystem_copy from the user
    And the setting "sandbox.pass-env" is EDITOR from the user
    And the setting "sandbox.base" is worktree from the project
    And the setting "sandbox.copy-ignored" is variable from the environment

  Scenario: the user's file may be another one, by flag or by variable
    Given the user's settings
      """
      sandbox.base = "head"
      """
    And the settings file "other.toml"
      """
      sandbox.strategy = "filesystem_copy"
      """
    And the settings file "third.toml"
      """
      sandbox.strategy = "git_worktree"
      """
    And the variable CLEVERAGENTS_CONFIG_PATH is "other.toml"
    When I run "agents config list --format json"
    Then the setting "sandbox.strategy" is filesystem_copy from the user
    And the setting "sandbox.base" is worktree from the default
    When I run "agents --config-path third.toml config list --format json"
    Then the setting "sandbox.strategy" is git_worktree from the user

  Scenario: the data directory may be named by flag or by variable
    Given the variable CLEVERAGENTS_DATA_DIR is "../elsewhere"
    When I run exactly "agents plan list"
    Then the exit code is 0
    And there is a database in "elsewhere"
    When I run exactly "agents --data-dir ../flagged plan list"
    Then there is a database in "flagged"

  Scenario: without flag and variable it is the user's data directory
    Given the variable CLEVERAGENTS_DATA_DIR is empty
    And the user's data directory is "xdg data"
    When I run exactly "agents plan list"
    Then the exit code is 0
    And there is a database in "xdg data/cleveragents"

  Scenario: the settings of the project one stands in count, also below its top
    Given the shell has run "git init -q . && mkdir sub" in the project
    And the project's settings
      """
      sandbox.base = "head"
      """
    When I run "agents config list --format json" below sub
    Then the setting "sandbox.base" is head from the project

  # --- Values ------------------------------------------------------------------------------------

  Scenario Outline: a wrong value in a file is refused: <written>
    Given the project's settings
      """
      [sandbox]
      <written>
      """
    When I run "agents config list --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "config list"
    And the error message says "config.toml: <message>"

    Examples:
      | written                                      | message                                                                                                                                                                    |
      | base = "heads"                               | sandbox.base must be one of worktree, head; did you mean 'head'?                                                                                                           |
      | base = 7                                     | sandbox.base must be one of worktree, head                                                                                                                                 |
      | strategy = "git-worktree"                    | sandbox.strategy must be one of auto, git_worktree, filesystem_copy, copy_on_write; did you mean 'git_worktree'?                                                            |
      | copy-ignored = 7                             | sandbox.copy-ignored must be a list of texts                                                                                                                               |
      | checkpoint.exclude = true                    | sandbox.checkpoint.exclude must be a list of texts                                                                                                                         |
      | checkpoint.auto-create-on = ["before_stop"]  | sandbox.checkpoint.auto-create-on must be one of before_step, before_tool_execute, after_tool_execute, on_subplan_spawn, after_subplan, on_error; did you mean 'before_step'? |
      | checkpoint.max-checkpoints-per-plan = 1      | sandbox.checkpoint.max-checkpoints-per-plan must be a whole number of at least 2                                                                                           |
      | checkpoint.max-checkpoints-per-plan = -3     | sandbox.checkpoint.max-checkpoints-per-plan must be a whole number of at least 2                                                                                           |
      | bass = "head"                                | unknown setting 'sandbox.bass'; did you mean 'sandbox.base'?                                                                                                               |
      | checkpoint.auto-create = []                  | unknown setting 'sandbox.checkpoint.auto-create'; did you mean 'sandbox.checkpoint.auto-create-on'?                                                                        |
      | zzz = 1                                      | unknown setting 'sandbox.zzz'                                                                                                                                              |
      | pass-env = ["HOME"]                          | a project may not set sandbox.pass-env                                                                                                                                     |

  Scenario Outline: a limit that is no number is refused in our words: <written>
    Given the project's settings
      """
      sandbox.checkpoint.max-checkpoints-per-plan = <written>
      """
    When I run "agents config list --format json"
    Then the exit code is 2
    And the error message says "must be a whole number of at least 2"

    Examples:
      | written |
      | "many"  |
      | 2.5     |
      | true    |

  Scenario: a list that holds more than texts is refused
    Given the project's settings
      """
      sandbox.copy-ignored = [1, true]
      """
    When I run "agents config list --format json"
    Then the exit code is 2

  Scenario: triggers that are no list are refused
    Given the project's settings
      """
      sandbox.checkpoint.auto-create-on = 7
      """
    When I run "agents config list --format json"
    Then the exit code is 2
    And the error message says "sandbox.checkpoint.auto-create-on must be a list of texts"

  Scenario: a project may not set what belongs to the user, under an old name either
    Given the project's settings
      """
      core.checkpoints.auto_create_on = ["on_error"]
      """
    When I run "agents config list --format json"
    Then the exit code is 2
    And the error message says "a project may not set core.checkpoints.auto_create_on"

  Scenario Outline: a wrong variable is refused: <name>
    Given the variable <name> is "<value>"
    When I run "agents plan list --format json"
    Then the exit code is 2
    And the error message says "<name>: <message>"

    Examples:
      | name                                                     | value       | message                                                        |
      | CLEVERAGENTS_SANDBOX_BASE                                | tree        | sandbox.base must be one of worktree, head                     |
      | CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON           | on_eror     | sandbox.checkpoint.auto-create-on must be one of               |
      | CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN | 0           | sandbox.checkpoint.max-checkpoints-per-plan must be            |

  Scenario Outline: a file that cannot be read is refused: <what>
    Given the settings file "<name>"
      """
      [sandbox
      """
    And the settings file "bad.toml" is not UTF-8
    When I run "agents --config-path <path> config list"
    Then the exit code is 2
    And the error says "cannot be read"
    And the error says "mend it, or take it away: rm "

    Examples:
      | what         | name      | path      |
      | broken TOML  | x.toml    | x.toml    |
      | not UTF-8    | x.toml    | bad.toml  |
      | a directory  | d/x.toml  | d         |

  Scenario: a file that is asked for must be there
    When I run "agents --config-path nowhere.toml config list"
    Then the exit code is 2
    And the error says "nowhere.toml"

  Scenario: no trigger at all turns automatic checkpoints off
    Given the project's settings
      """
      sandbox.checkpoint.auto-create-on = []
      """
    When I run "agents config list --format json"
    Then the setting "sandbox.checkpoint.auto-create-on" is empty from the project
    Given the steps
      """
      - {tool: shell, with: {command: "echo x > x"}}
      """
    When I run "agents plan use ACTION"
    Then the error says "automatic checkpoints are off: a crash starts again from pre_execute or the latest decision"

  Scenario: a setting of the project shapes its plans
    Given the project's settings
      """
      [sandbox.checkpoint]
      auto-create-on = ["after_tool_execute"]
      max-checkpoints-per-plan = 3
      exclude = ["*.log", ".cleveragents"]
      """
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v; echo l > x.log"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         |
      | 1   | pre_execute  |
      | 3   | tool         |
      | 4   | post_execute |
    And checkpoint 4 has no file "x.log"

  Scenario: the strategy setting and its alias
    Given the shell has run "git init -q ." in the project
    And the variable CLEVERAGENTS_SANDBOX_STRATEGY is "copy_on_write"
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION --format json"
    Then the data holds
      | field                      | value             |
      | execution.sandbox.strategy | "filesystem_copy" |
      | execution.sandbox.branch   | null              |

  # --- Old spellings -----------------------------------------------------------------------------

  Scenario Outline: the old spelling <old> is accepted with a warning
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "<old>"
    When I run "agents config list --format json"
    Then the exit code is 0
    And the setting "sandbox.checkpoint.auto-create-on" is <new> from the environment
    And a message says "<old>"

    Examples:
      | old                    | new                 |
      | on_tool_write          | before_tool_execute |
      | on_tool_write_complete | after_tool_execute  |

  Scenario Outline: the old key <old> is accepted
    Given the user's settings
      """
      <old> = <value>
      """
    When I run "agents config list --format json"
    Then the exit code is 0
    And the setting "<key>" is <shown> from the user

    Examples:
      | old                                         | value          | key                                         | shown    |
      | core.checkpoints.auto_create_on             | ["on_error"]   | sandbox.checkpoint.auto-create-on           | on_error |
      | core.checkpoints.auto-create-on             | ["on_error"]   | sandbox.checkpoint.auto-create-on           | on_error |
      | sandbox.checkpoint.max_checkpoints_per_plan | 7              | sandbox.checkpoint.max-checkpoints-per-plan | 7        |

  Scenario: the short variable for the triggers
    Given the variable CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON is "on_error,before_step"
    When I run "agents config list --format json"
    Then the setting "sandbox.checkpoint.auto-create-on" is on_error,before_step from the environment
