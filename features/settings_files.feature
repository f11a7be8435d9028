Feature: Settings files
  `config set` and `config unset` change one key of one file and nothing else in it: comments and
  order stay. `config get` tells the value in force and what every level says about it.

  Background:
    Given a plain folder

  # --- Reading -----------------------------------------------------------------------------------

  Scenario: one value, for people and for programs
    When I run "agents config get sandbox.base"
    Then the exit code is 0
    And the output is exactly "worktree"
    When I run "agents config get sandbox.base --format json"
    Then the envelope is that of a success of "config get"
    And the keys of "data" are "key, value, source, levels"
    And the data holds
      | field          | value          |
      | key            | "sandbox.base" |
      | value          | "worktree"     |
      | source         | "default"      |
      | levels.0.level | "flag"         |
      | levels.0.value | null           |
      | levels.4.level | "default"      |
      | levels.4.wins  | true           |

  Scenario: what all levels say, and which one wins
    Given the user's settings
      """
      sandbox.checkpoint.max_checkpoints_per_plan = 5
      """
    And the project's settings
      """
      [sandbox.checkpoint]
      max-checkpoints-per-plan = 6
      """
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "7"
    When I run "agents --set sandbox.checkpoint.max-checkpoints-per-plan=8 config get sandbox.checkpoint.max-checkpoints-per-plan --verbose"
    Then the exit code is 0
    And the lines of the output hold
      """
      sandbox.checkpoint.max-checkpoints-per-plan
      LEVEL VALUE WHERE
      flag (wins) 8 --set sandbox.checkpoint.max-checkpoints-per-plan
      environment 7 CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN
      project 6
      user 5
      default 50
      """

  Scenario: a level that says nothing is shown as such
    When I run "agents config get sandbox.pass-env -v"
    Then the lines of the output hold
      """
      flag -
      environment -
      project -
      user -
      default (wins) (empty)
      """

  # --- The flag ----------------------------------------------------------------------------------

  Scenario: a flag beats all other levels, before and after the command, the last one wins
    Given the variable CLEVERAGENTS_SANDBOX_BASE is "head"
    When I run "agents --set sandbox.base=head config list --set sandbox.base=worktree --set sandbox.copy-ignored=a,b --format json"
    Then the exit code is 0
    And the setting "sandbox.base" is worktree from the flag
    And the setting "sandbox.copy-ignored" is a,b from the flag

  Scenario Outline: a wrong flag is refused: <flag>
    When I run "agents plan list --set <flag> --format json"
    Then the exit code is 2
    And the error message says "<message>"

    Examples:
      | flag                                          | message                                                                             |
      | sandbox.bass=head                             | --set: unknown setting 'sandbox.bass'; did you mean 'sandbox.base'?                 |
      | sandbox.base                                  | --set sandbox.base: write it as KEY=VALUE                                           |
      | sandbox.base=heads                            | --set sandbox.base: sandbox.base must be one of worktree, head; did you mean 'head'? |
      | sandbox.checkpoint.auto-create-on=before_stop | did you mean 'before_step'?                                                         |

  Scenario: a flag shapes the plan it is given to, and no later one
    Given the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    When I run "agents run ACTION --set sandbox.checkpoint.auto-create-on= --format json"
    Then the exit code is 0
    And a message is "automatic checkpoints are off: a crash starts again from pre_execute or the latest decision"
    And there are 2 checkpoints
    When I run "agents run ACTION"
    Then there are 3 checkpoints

  # --- The environment ---------------------------------------------------------------------------

  Scenario Outline: a variable of ours that means nothing is refused: <name>
    Given the variable <name> is "x"
    When I run "agents plan list --format json"
    Then the exit code is 2
    And the error message is "unknown variable <name><near>"

    Examples:
      | name                                   | near                                          |
      | CLEVERAGENTS_SANDBOX_BASS              | ; did you mean 'CLEVERAGENTS_SANDBOX_BASE'? |
      | CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_OM | ; did you mean 'CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON'? |
      | CLEVERAGENTS_DATADIR                   | ; did you mean 'CLEVERAGENTS_DATA_DIR'? |
      | CLEVERAGENTS_WEATHER                   |                                               |

  Scenario: what steps are given is no setting
    Given the variable CLEVERAGENTS_STEP is "x"
    And the variable CLEVERAGENTS_INPUT is "{}"
    When I run "agents plan list"
    Then the exit code is 0

  Scenario: a list in a variable may be written as in a file
    Given the variable CLEVERAGENTS_SANDBOX_COPY_IGNORED is "["a,b", "c"]"
    When I run "agents config get sandbox.copy-ignored --format json"
    Then the data holds
      | field | value        |
      | value | ["a,b", "c"] |
    When I run "agents config get sandbox.copy-ignored"
    Then the output is exactly "["a,b", "c"]"

  Scenario: a glob may begin with a bracket
    Given the variable CLEVERAGENTS_SANDBOX_COPY_IGNORED is "[ab]*, [1]"
    When I run "agents config get sandbox.copy-ignored --format json"
    Then the data holds
      | field | value           |
      | value | ["[ab]*","[1]"] |

  # --- Setting -----------------------------------------------------------------------------------

  Scenario: a setting is written to the user's file, which is made with its folder
    When I run "agents config set sandbox.base head"
    Then the exit code is 0
    And the output is exactly "sandbox.base = head (from the user)"
    And the error says "agents config unset sandbox.base    # takes it back"
    And the user's file is
      """
      [sandbox]
      base = "head"
      """
    And the project has no settings file
    When I run "agents config set sandbox.base worktree --format json"
    Then the envelope is that of a success of "config set"
    And the keys of "data" are "key, value, source, file"
    When I run "agents config set sandbox.base head"
    Then the error says "agents config set sandbox.base worktree    # takes it back"

  Scenario: comments, order and everything else in the file stay
    Given the user's settings
      """
      # my settings
      [sandbox]  # where plans work
      # old habit
      base = "head"   # because

      copy-ignored = [
          ".env",  # secrets
      ]

      [sandbox.checkpoint]
      # not too many
      max-checkpoints-per-plan = 7 # seven
      """
    When I run "agents config set sandbox.base worktree"
    And I run "agents config set sandbox.checkpoint.max-checkpoints-per-plan 9"
    And I run "agents config set sandbox.checkpoint.auto-create-on on_error,before_step"
    And I run "agents config set sandbox.pass-env EDITOR"
    Then the exit code is 0
    And the user's file is
      """
      # my settings
      [sandbox]  # where plans work
      # old habit
      base = "worktree"   # because

      copy-ignored = [
          ".env",  # secrets
      ]
      pass-env = ["EDITOR"]

      [sandbox.checkpoint]
      # not too many
      max-checkpoints-per-plan = 9 # seven
      auto-create-on = ["on_error", "before_step"]
      """
    When I run "agents config unset sandbox.base"
    Then the output is exactly "sandbox.base = worktree (from the default)"
    And the error says "agents config set sandbox.base worktree    # takes it back"
    And the user's file is
      """
      # my settings
      [sandbox]  # where plans work
      # old habit

      copy-ignored = [
          ".env",  # secrets
      ]
      pass-env = ["EDITOR"]

      [sandbox.checkpoint]
      # not too many
      max-checkpoints-per-plan = 9 # seven
      auto-create-on = ["on_error", "before_step"]
      """

  Scenario Outline: however a file is written, a key finds its place: <form>
    Given the user's settings
      """
      <line>
      <other>
      """
    When I run "agents config set sandbox.checkpoint.tracking scan"
    Then the exit code is 0
    When I run "agents config set sandbox.strategy filesystem_copy"
    Then the exit code is 0
    When I run "agents config list --format json"
    Then the setting "sandbox.base" is head from the user
    And the setting "sandbox.checkpoint.tracking" is scan from the user
    And the setting "sandbox.strategy" is filesystem_copy from the user
    And the setting "sandbox.pass-env" is A from the user
    When I run "agents config unset sandbox.checkpoint.tracking"
    And I run "agents config list --format json"
    Then the setting "sandbox.checkpoint.tracking" is auto from the default
    And the setting "sandbox.base" is head from the user

    Examples:
      | form          | line                                            | other                    |
      | dotted        | sandbox.base = "head" # why                     | sandbox.pass-env = ["A"] |
      | inline        | sandbox = {base = "head", pass-env = ["A"]}     |                          |
      | one table     | [sandbox] # box                                 | pass-env = ["A"]\nbase = "head" |
      | quoted        | "sandbox".'base' = "head"                       | sandbox.pass-env = ["A"] |

  Scenario: a file in which the key has no place is left alone
    Given the user's settings
      """
      sandbox = "mine"
      """
    When I run "agents config set sandbox.base head"
    Then the exit code is 1
    And the error says "cannot be changed without changing more than that"
    And the user's file is
      """
      sandbox = "mine"
      """

  Scenario: in the project's file, for everybody who works on it
    When I run "agents config set --project-level sandbox.checkpoint.exclude *.log,build"
    Then the exit code is 0
    And the output is exactly "sandbox.checkpoint.exclude = *.log,build (from the project)"
    And the error says "agents config unset sandbox.checkpoint.exclude --project-level    # takes it back"
    And the project's file is
      """
      [sandbox.checkpoint]
      exclude = ["*.log", "build"]
      """
    When I run "agents config unset --project-level sandbox.checkpoint.exclude"
    Then the output is exactly "sandbox.checkpoint.exclude = (empty) (from the default)"

  Scenario: a level above that still wins is named
    Given the variable CLEVERAGENTS_SANDBOX_BASE is "worktree"
    When I run "agents config set sandbox.base head"
    Then the exit code is 0
    And the output is exactly "sandbox.base = worktree (from the environment)"
    And the error says "environment wins: CLEVERAGENTS_SANDBOX_BASE"

  Scenario Outline: what is wrong is refused and nothing is written: <line>
    When I run "agents config set <line> --format json"
    Then the exit code is 2
    And the error message says "<message>"
    And the user has no settings file
    And the project has no settings file

    Examples:
      | line                                             | message                                                      |
      | sandbox.bass head                                | unknown setting 'sandbox.bass'; did you mean 'sandbox.base'? |
      | sandbox.base heads                               | heads: sandbox.base must be one of worktree, head; did you mean 'head'? |
      | sandbox.checkpoint.auto-create-on on_eror        | did you mean 'on_error'?                                     |
      | sandbox.checkpoint.max-checkpoints-per-plan 1    | must be a whole number of at least 2                         |
      | sandbox.checkpoint.max-checkpoints-per-plan many | must be a whole number of at least 2                         |
      | chat.max-file 5                                  | must be a size such as 512 MiB or 1 GiB                      |
      | chat.max-file "5 cubits"                         | must be a size such as 512 MiB or 1 GiB                      |
      | chat.strict perhaps                              | must be true or false                                        |
      | chat.keep-turns 0                                | must be a whole number of at least 1                         |
      | --project-level chat.strict true                 | a project may not set chat.strict                            |
      | --project-level sandbox.pass-env HOME            | a project may not set sandbox.pass-env                       |
      | --project-level core.checkpoints.auto_create_on on_error | a project may not set core.checkpoints.auto_create_on |

  Scenario Outline: an empty list turns automatic checkpoints off: <written>
    When I run "agents config set sandbox.checkpoint.auto-create-on <written>"
    Then the exit code is 0
    And the output is exactly "sandbox.checkpoint.auto-create-on = (empty) (from the user)"

    Examples:
      | written |
      | []      |
      | ''      |

  Scenario: sizes and yes or no are shown as they are typed
    When I run "agents config set chat.strict true"
    Then the output is exactly "chat.strict = true (from the user)"
    When I run "agents config set chat.max-bytes '2 GiB'"
    Then the output is exactly "chat.max-bytes = 2 GiB (from the user)"
    When I run "agents config list --format json"
    Then the setting "chat.strict" is True from the user
    And the library reads "chat.strict" as true, and "chat.max-bytes" as 2147483648 bytes

  Scenario: a project may name more that chats leave out, not less
    Given the user's settings
      """
      chat.exclude = ["*.iso"]
      """
    And the project's settings
      """
      chat.exclude = ["data"]
      """
    When I run "agents config list --format json"
    Then the setting "chat.exclude" is data,*.iso from the project

  Scenario: a file that is a link stays one, and keeps its mode
    Given the settings file "../dotfiles/agents.toml"
      """
      sandbox.base = "head"
      """
    And the shell has run "chmod 640 ../dotfiles/agents.toml; mkdir -p ../xdg/cleveragents; ln -s ../../dotfiles/agents.toml ../xdg/cleveragents/config.toml" in the project
    When I run "agents config set sandbox.base worktree"
    Then the exit code is 0
    And the user's file is
      """
      sandbox.base = "worktree"
      """
    When the shell runs "test -L ../xdg/cleveragents/config.toml && test $(stat -c %a ../dotfiles/agents.toml) = 640 && test $(ls -A ../dotfiles | wc -l) = 1" in the project

  Scenario: a project's file that leads elsewhere is not written to
    Given the shell has run "mkdir .cleveragents ../other; touch ../other/x.toml; ln -s ../../other/x.toml .cleveragents/config.toml" in the project
    When I run "agents config set --project-level sandbox.base head"
    Then the exit code is 4
    And the error says "leads out of the project"
    When the shell runs "test ! -s ../other/x.toml" in the project

  Scenario: a named file is made
    When I run "agents --config-path mine.toml config set sandbox.base head"
    Then the exit code is 0
    When I run "agents --config-path mine.toml config get sandbox.base"
    Then the output is exactly "head"

  Scenario: a folder that cannot be written to is told, and no piece of a file is left
    Given the user's settings
      """
      sandbox.base = "head"
      """
    And an ordinary user owns the project
    And the shell has run "chmod -R a+rX,a-w ../xdg" in the project
    When without the rights of root "agents config set sandbox.base worktree" is run
    Then the exit code is 1
    And the error says "Permission denied"
    And the user's file is
      """
      sandbox.base = "head"
      """

  Scenario: several processes change the same file and no change is lost
    Given the user's settings
      """
      # mine
      """
    When these run at the same time
      | command                                                         |
      | agents config set sandbox.base head                             |
      | agents config set sandbox.strategy filesystem_copy              |
      | agents config set sandbox.pass-env EDITOR                       |
      | agents config set sandbox.checkpoint.max-checkpoints-per-plan 9 |
    Then all of them end with exit code 0
    When I run "agents config list --format json"
    Then the setting "sandbox.base" is head from the user
    And the setting "sandbox.strategy" is filesystem_copy from the user
    And the setting "sandbox.pass-env" is EDITOR from the user
    And the setting "sandbox.checkpoint.max-checkpoints-per-plan" is 9 from the user

  # --- Unsetting ---------------------------------------------------------------------------------

  Scenario: what is not set there needs no unsetting
    When I run "agents config unset sandbox.base"
    Then the exit code is 0
    And the error says "nothing was changed"
    And the error does not say "takes it back"
    And the user has no settings file

  Scenario: what no setting is called is refused, unless the file has it
    When I run "agents config unset sandbox.bass"
    Then the exit code is 2
    Given the user's settings
      """
      sandbox.base = "head" # mine
      sandbox.bass = "low"
      """
    When I run "agents config list"
    Then the exit code is 2
    When I run "agents config unset sandbox.bass"
    Then the exit code is 0
    And the output says "sandbox.bass was unknown and is gone"
    When I run "agents config get sandbox.base"
    Then the output is exactly "head"
    Given the user's settings
      """
      sandbox.bass = "low"
      """
    When I run "agents config unset sandbox.bass --format json"
    Then the data holds
      | field | value          |
      | key   | "sandbox.bass" |

  # --- Old spellings -----------------------------------------------------------------------------

  Scenario Outline: old spellings of key and triggers are accepted with exactly one warning: <level>
    Given the user's settings
      """
      <user>
      """
    And the variable <variable> is "<value>"
    When I run "agents config get sandbox.checkpoint.auto-create-on --format json"
    Then the exit code is 0
    And the data holds
      | field  | value                                         |
      | value  | ["before_tool_execute", "after_tool_execute"] |
      | source | "<level>"                                     |
    And exactly one message says "old spelling"
    When I run "agents config get sandbox.checkpoint.auto-create-on"
    Then the error says once "old spelling"

    Examples:
      | level       | user                                                                          | variable                                       | value                                |
      | user        | core.checkpoints.auto_create_on = ["on_tool_write", "on_tool_write_complete"] | LANG                                           | C                                    |
      | user        | core.checkpoints.auto-create-on = ["on_tool_write", "after_tool_execute"]     | LANG                                           | C                                    |
      | environment |                                                                               | CLEVERAGENTS_CORE_CHECKPOINTS_AUTO_CREATE_ON   | on_tool_write,on_tool_write_complete |
      | environment |                                                                               | CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON | on_tool_write,after_tool_execute     |

  Scenario: an old spelling in a flag
    When I run "agents config list --set core.checkpoints.auto_create_on=on_tool_write --format json"
    Then the setting "sandbox.checkpoint.auto-create-on" is before_tool_execute from the flag
    And exactly one message says "old spelling"

  Scenario: the spelling of today beats an old one beside it
    Given the user's settings
      """
      sandbox.checkpoint.auto-create-on = ["on_error"]
      core.checkpoints.auto_create_on = ["before_step"]
      """
    When I run "agents config list --format json"
    Then the setting "sandbox.checkpoint.auto-create-on" is on_error from the user
    When I run "agents config set core.checkpoints.auto_create_on on_tool_write"
    Then the exit code is 0
    And the error says once "old spelling"
    And the user's file is
      """
      sandbox.checkpoint.auto-create-on = ["before_tool_execute"]
      """

  Scenario: an alias is no old spelling
    Given the user's settings
      """
      max_checkpoints_per_plan = 7
      """
    When I run "agents config get max_checkpoints_per_plan --format json"
    Then the data holds
      | field  | value  |
      | value  | 7      |
      | source | "user" |
    And no message says "old spelling"
