Feature: The command line
  Every command answers people and programs alike: one envelope, one set of exit codes, data on
  standard output, everything else on standard error, and nothing that could act on a terminal.

  # --- The envelope ------------------------------------------------------------------------------

  Scenario: every command answers programs with the same envelope, in JSON and in YAML
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    Then each of these answers with its envelope, in JSON and in YAML
      | line                                   | command                |
      | run ACTION                             | run                    |
      | plan use ACTION                        | plan use               |
      | plan execute @                         | plan execute           |
      | plan list                              | plan list              |
      | plan status                            | plan status            |
      | plan log                               | plan log               |
      | plan diff                              | plan diff              |
      | plan checkpoint create @ --label ok    | plan checkpoint create |
      | plan checkpoint list                   | plan checkpoint list   |
      | plan checkpoint show @ 1               | plan checkpoint show   |
      | plan checkpoint diff @ 1 2             | plan checkpoint diff   |
      | plan checkpoint verify                 | plan checkpoint verify |
      | plan rollback @ 1 --yes                | plan rollback          |
      | plan restore @ 1 --path a.txt -y       | plan restore           |
      | plan checkpoint pin @ 2                | plan checkpoint pin    |
      | plan checkpoint unpin @ 2              | plan checkpoint unpin  |
      | plan errors                            | plan errors            |
      | plan tree                              | plan tree              |
      | plan conflicts                         | plan conflicts         |
      | plan resume @ --dry-run                | plan resume            |
      | plan revert -y --to-phase strategize @ | plan revert            |
      | run ACTION --apply --yes               | run                    |
      | sandbox list                           | sandbox list           |
      | sandbox prune --dry-run                | sandbox prune          |
      | config list                            | config list            |
      | doctor                                 | doctor                 |
      | config get sandbox.base                | config get             |
      | config set sandbox.base head           | config set             |
      | config unset sandbox.base              | config unset           |
      | tool list                              | tool list              |
      | tool show shell                        | tool show              |
      | completion bash                        | completion             |

  Scenario: every error is told to programs on standard output
    Given a plain folder
    And the steps
      """
      - {tool: nonesuch}
      """
    Then each of these answers with its envelope, in JSON and in YAML
      | line                          | command               | code          | exit code |
      | plan use ACTION               | plan use              | invalid_input | 2         |
      | plan status                   | plan status           | not_found     | 3         |
      | plan execute @                | plan execute          | not_found     | 3         |
      | plan rollback                 | plan rollback         | invalid_input | 2         |
      | plan checkpoint list nonesuch | plan checkpoint list  | not_found     | 3         |
      | plan nonesuch                 | plan nonesuch         | invalid_input | 2         |
      | plan list --nonesuch          | plan list             | invalid_input | 2         |
      | tool show nonesuch            | tool show             | not_found     | 3         |
      | nonesuch                      |                       | invalid_input | 2         |
      | plan list --project nonesuch  | plan list             | invalid_input | 2         |

  Scenario: the published schema of the envelope knows every kind of error
    Then the schema of the envelope names exactly the codes of the error tree

  Scenario Outline: the format may be named before, within and after the command: agents <line>
    Given a plain folder
    When I run "agents <line>"
    Then the exit code is <code>
    And the output says "<text>"

    Examples:
      | line                                   | code | text                 |
      | --format json tool list                | 0    | "command": "tool     |
      | --format=json tool list                | 0    | "command": "tool     |
      | tool list --format json                | 0    | "command": "tool     |
      | --format yaml tool list --format json  | 0    | "command": "tool     |
      | --format json tool list --format yaml  | 0    | command: tool list   |
      | tool --format json list                | 0    | "command": "tool     |
      | plan checkpoint --format json list     | 3    | "command": "plan che |
      | plan --format json checkpoint list     | 3    | "command": "plan che |
      | --format json tool --format yaml list  | 0    | command: tool list   |
      | --format json nonesuch                 | 2    | "code": "invalid_inp |
      | nonesuch --format=yaml                 | 2    | code: invalid_input  |

  Scenario: an unknown format is a usage error
    Given a plain folder
    When I run "agents plan list --format xml"
    Then the exit code is 2
    And the output is empty
    And the error says "error: Invalid value for '--format'"
    And the error says "hint: see: agents plan list --help"

  Scenario: an unknown command or option names the help
    Given a plain folder
    When I run "agents nonesuch"
    Then the exit code is 2
    And the error says "No such command 'nonesuch'"
    And the error says "hint: see: agents --help"
    When I run "agents plan status --bogus"
    Then the exit code is 2
    And the error says "No such option: --bogus"
    And the error says "hint: see: agents plan status --help"

  Scenario Outline: the value of an option is not taken for the command: agents <line>
    Given a plain folder
    And the shell has run "mkdir plan run" in the project
    When I run "agents <line>"
    Then the exit code is 0
    And the output says "sandbox.base"

    Examples:
      | line                         |
      | --project plan config list   |
      | --project run config list    |

  # --- Version and help --------------------------------------------------------------------------

  Scenario Outline: the version is told: agents <line>
    When I run exactly "agents <line>"
    Then the exit code is 0
    And the output says "cleveragents 0."

    Examples:
      | line                |
      | --version           |
      | --version plan list |

  Scenario: the version is told whatever else is given
    When I run exactly "agents --format json --version"
    Then the exit code is 0
    And the output says "cleveragents 0."

  Scenario Outline: without a command there is help: agents<line>
    When I run exactly "agents <line>"
    Then the exit code is 0
    And the output says "Usage: agents"
    And the output says "<text>"

    Examples:
      | line            | text       |
      |                 | checkpoint |
      | plan            | rollback   |
      | plan checkpoint | verify     |
      | tool            | show       |
      | config          | list       |
      | plan -v         | rollback   |
      | --format json   | sandbox    |

  Scenario: the help of every command has examples before its options, and each can be typed
    Then the help of every command shows its examples before its options
    And the help of every command names all of its arguments and options
    And every example is a command line that can be read

  Scenario: a command is carried out by a function with its arguments and options
    Then what carries out a command takes exactly what the table says of it

  # --- Where it is written -----------------------------------------------------------------------

  Scenario: with JSON nothing but the envelope is written
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo printed"}}
      """
    When I run "agents run ACTION --format json -v"
    Then the exit code is 0
    And the error is empty
    And the envelope is that of a success of "run"

  Scenario: a reader that leaves is no error to shout about
    Given a plain folder
    When nobody reads what "agents tool list" prints
    Then the error is empty

  Scenario Outline: a reader that leaves is no failure: agents <line>
    Given a plain folder
    When nobody reads what "agents <line>" prints
    Then the exit code is 0

    Examples:
      | line                    |
      | tool list               |
      | tool list --format json |

  Scenario Outline: what the system denies is told in its own words: <name>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    And the shell has run "rm -r ../data/<name>; touch ../data/<name>" in the project
    When I run "agents plan execute @"
    Then the exit code is 1
    And the error says "error: File exists: "
    And the error says "data/<name>"
    Given the shell has run "rm ../data/<name>" in the project
    When I run "agents plan execute @"
    Then the exit code is 0

    Examples:
      | name   |
      | locks  |
      | output |

  # --- Terminals ---------------------------------------------------------------------------------

  Scenario: on a terminal there is colour and a spinner that shows the latest line
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo the latest line; sleep 0.4"}}
      """
    When I type on a terminal "agents run ACTION"
    Then the exit code is 0
    And the terminal shows colour
    And the output says "the latest line"
    And the terminal has its cursor back

  Scenario: NO_COLOR is respected
    Given a plain folder
    And the variable NO_COLOR is "1"
    And the steps
      """
      - {name: first, tool: shell, with: {command: "exit 1"}}
      """
    When I type on a terminal "agents run ACTION"
    Then the exit code is 1
    And the terminal shows no escape sequence

  Scenario: plain on a terminal is nothing but text
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    When I type on a terminal "agents plan status @ --format plain"
    Then the exit code is 0
    And the terminal shows no escape sequence

  Scenario: names and output are escaped before they reach a terminal
    Given a plain folder
    And the action
      """
      name: "plan\e[31m\nof [bold]two[/bold] lines"
      steps:
        - name: "step\e[2J \u202ereversed"
          tool: shell
          with: {command: "printf 'out\\033[31m\\007\\n'; echo x > \"$(printf 'file\\033[0m')\"; printf 'in\\033[7m' > 'in'; exit 1"}
          checkpoint: "label\e[1A"
      """
    And I have run "agents run ACTION" in vain
    Then none of these writes a character that acts on a terminal
      | line                              | shown             |
      | plan execute @ -v                 | step\x1b[2J      |
      | plan list                         | plan\x1b[31m\nof |
      | plan status @ --format plain      | step\x1b[2J      |
      | plan checkpoint list @            | label\x1b[1A     |
      | plan checkpoint show @ 2          | label\x1b[1A     |
      | plan checkpoint diff @ 1 3        | in\x1b[7m        |
      | plan checkpoint diff @ 1 3 --stat | file\x1b[0m      |
      | plan rollback @                   | label\x1b[1A     |
      | plan rollback @ 3 --dry-run       | file\x1b[0m      |

  Scenario Outline: a plan's name cannot act on the panel it is the title of: <name>
    Given a plain folder
    And the action
      """
      name: "<name>"
      steps:
        - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan status @"
    Then the exit code is 0
    And the output says "<shown>"
    And the output holds no character that acts on a terminal

    Examples:
      | name            | shown           |
      | fix [/etc] now  | fix [/etc] now  |
      | list [red] ones | list [red] ones |
      | red\e[31m       | red\x1b[31m     |

  Scenario: a checkpoint of another day is shown with its day
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint list @"
    Then the output does not say "2024-01-31"
    Given the database was told "UPDATE checkpoints SET created_at = '2024-01-31 12:00:00.000000' WHERE seq = 1"
    When I run "agents plan checkpoint list @"
    Then the output says "2024-01-31 "

  # --- The library -------------------------------------------------------------------------------

  Scenario: the library is reached through one name
    When this program runs
      """
      from cleveragents import App, __version__
      assert App.__name__ == "App" and __version__[0].isdigit()
      import cleveragents.__main__, cleveragents.tools.python_call
      assert callable(cleveragents.__main__.main)
      assert callable(cleveragents.tools.python_call.main)
      """
    Then the library has no name "Nonesuch"

  Scenario: whoever listens is told what happens, in order
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo printed > b"}}
      - {name: second, tool: shell, with: {command: "echo wrong; exit 1"}, retries: 1}
      """
    When the library uses and executes the action
    Then the events are
      | event           | about                                          |
      | PlanMoved       | strategize/complete                            |
      | SandboxReady    | filesystem_copy, 1 files                       |
      | PlanMoved       | execute/processing                             |
      | CheckpointSaved | cp1: before the plan runs                      |
      | CheckpointSame  | cp1: before step first                         |
      | StepStarted     | 1/2 first, attempt 1                           |
      | StepFinished    | first: exit code 0                             |
      | CheckpointSaved | cp2: after shell in step first                 |
      | CheckpointSame  | cp2: before step second                        |
      | StepStarted     | 2/2 second, attempt 1                          |
      | StepOutput      | wrong                                          |
      | StepFailed      | second: exit code 1, 1 left                    |
      | StepStarted     | 2/2 second, attempt 2                          |
      | StepOutput      | wrong                                          |
      | StepFailed      | second: exit code 1, 0 left                    |
      | CheckpointSame  | cp2: step second failed                        |
      | CheckpointSame  | cp2: before the rollback to cp2                |
      | PlanMoved       | execute/errored                               |
      | RolledBack      | cp2: 0 files                                  |

  Scenario: every move of a plan is told
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "exit 1"}}
      """
    When the library uses and executes the action
    Then an event is "PlanMoved" about "execute/errored"
    Given the plan's file "a.txt" is changed to "changed"
    When the service goes back to checkpoint 1
    Then an event is "PlanMoved" about "execute/queued"
    And an event is "RolledBack" about "cp1: 1 files"

  Scenario: a listener may be none
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    When this program runs
      """
      app.execute.run(app.use("../action.yaml", {}).plan_id)
      """
    Then the plan is "execute/complete"

  Scenario: a reader that leaves does not stop a plan
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > one"}}
      - {name: second, tool: shell, with: {command: "echo 2 > two"}}
      """
    When nobody reads what "agents run ACTION" tells
    Then the exit code is 0
    And the plan is "execute/complete"
