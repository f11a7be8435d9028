Feature: What may be typed
  A command line is read by one table. Options that every command has may stand anywhere, all else
  is where its command says; a mistake is told in our words, with what was meant and where the help is.

  # --- What is read ------------------------------------------------------------------------------

  Scenario Outline: the same is said in several ways: agents <line>
    Given a plain folder
    When I run "agents <line>"
    Then the exit code is <code>
    And the output says "<text>"

    Examples: options that every command has
      | line                                              | code | text                 |
      | -v config get sandbox.base                        | 0    | LEVEL                |
      | config -v get sandbox.base                        | 0    | LEVEL                |
      | config get sandbox.base --verbose                 | 0    | LEVEL                |
      | config get -vv sandbox.base                       | 0    | LEVEL                |
      | --set sandbox.base=head config get sandbox.base   | 0    | head                 |
      | config get --set=sandbox.base=head sandbox.base   | 0    | head                 |

    Examples: letters together, words after --, a dash that is a word
      | line                                              | code | text                 |
      | sandbox prune -yv --format json                   | 0    | "removed"            |
      | -- tool --format json -- list                     | 0    | "command": "tool lis |
      | tool show --format json -- -shell                 | 3    | unknown tool '-shell |
      | tool show - --format json                         | 3    | unknown tool '-'     |

    Examples: given several times, the last counts or all do
      | line                                              | code | text                 |
      | --set sandbox.base=head --set sandbox.cleanup=manual config list | 0 | manual        |
      | config get --set sandbox.base=head --set sandbox.base=worktree sandbox.base | 0 | worktree |

  Scenario: the value of an option is the next word, whatever it looks like
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint create @ --no-pin --label --pin --format json"
    Then the exit code is 0
    And the data holds
      | field  | value   |
      | label  | "--pin" |
      | pinned | false   |
    When I run "agents plan checkpoint create --no-pin --pin --label=-1 --format json"
    Then the exit code is 0
    And the data holds
      | field  | value   |
      | label  | "-1"    |
      | pinned | true    |

  Scenario Outline: the only phase to go back to need not be named: agents <line>
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents <line> --dry-run --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan revert"

    Examples:
      | line                                   |
      | plan revert @                          |
      | plan revert --to-phase strategize @    |

  # --- What cannot be read -----------------------------------------------------------------------

  Scenario Outline: a mistake is told with the way out: agents <line>
    Given a plain folder
    When I run "agents <line> --format json"
    Then the exit code is 2
    And the error message is "<message>"
    And a suggestion says "see: agents <help> --help"

    Examples:
      | line                        | message                                                                | help             |
      | plan status a b             | Got unexpected extra argument (b)                                      | plan status      |
      | plan list a b               | Got unexpected extra arguments (a b)                                   | plan list        |
      | plan rollback               | Missing argument 'PLAN'.                                               | plan rollback    |
      | plan bisect @               | Missing argument 'COMMAND...'.                                         | plan bisect      |
      | plan restore @ 1            | Missing option '--path'.                                               | plan restore     |
      | plan cancel @ --yes=1       | Option '--yes' does not take a value.                                  | plan cancel      |
      | plan list --help=1          | Option '--help' does not take a value.                                 | plan list        |
      | plan status -1              | No such option: -1                                                     | plan status      |
      | sandbox prune -yx           | No such option: -x                                                     | sandbox prune    |
      | plan list --version         | No such option: --version                                              | plan list        |
      | completion tcsh             | Invalid value for 'shell': 'tcsh' is not one of 'bash', 'zsh', 'fish'. | completion       |
      | plan revert @ --to-phase x  | Invalid value for '--to-phase': 'x' is not one of 'strategize'.        | plan revert      |

  Scenario: an option without its value
    Given a plain folder
    When I run "agents --format json plan fork @ 1 --name"
    Then the exit code is 2
    And the error message is "Option '--name' requires an argument."

  Scenario: options after -- are those of the command that is run
    Given a plain folder
    When a process of its own runs "agents plan bisect @ -- check --format json"
    Then the exit code is 3
    And the output is empty
    And the error says "error: "

  # --- Help --------------------------------------------------------------------------------------

  Scenario: help names what is needed and what may be left out, and breaks no word
    Given the variable COLUMNS is "50"
    When I run exactly "agents plan restore --help"
    Then the exit code is 0
    And the output begins with
      """
      Usage: agents plan restore [OPTIONS] --path PATH PLAN CHECKPOINT

      Take single files or directories back from a
      checkpoint; all else stays as it is.

      Examples:
        agents plan restore @ 3 --path src/auth.py
        agents plan restore @ 3 --path src --path README.md --dry-run

      A path that the checkpoint does not hold is
      removed. Only the sandbox changes. The present
      state is saved first; the output says how to take
      it back.

      Arguments:
        PLAN        A name, an id or its beginning, @
                    (the latest) or @- (before it).
        CHECKPOINT  A number, a label, an id, or @.

      Options:
        --path PATH  A file or directory, from the
                     project's top. Needed.
        -y, --yes    Do not ask.
        --dry-run    Only show what would happen.

      Options of every command:
        --format rich|color|table|plain|json|yaml
                            How to write the result.
      """
    When I run exactly "agents plan rollback --help"
    Then the output says "Usage: agents plan rollback [OPTIONS] PLAN [CHECKPOINT]"
    And the output says "  [CHECKPOINT]  A number"

  Scenario: what a command says beyond its sentence stands below its examples
    When I run exactly "agents demo --help"
    Then the output begins with
      """
      Usage: agents demo [OPTIONS]

      Show how a plan, or an agent in your own files, is taken back.

      Examples:
        agents demo
        agents demo --chat

      It tells the story on a throw-away repository and leaves nothing behind.
      """

  Scenario: help is asked for before mistakes that follow, and after those that went before
    When I run exactly "agents plan --help nonesuch"
    Then the exit code is 0
    And the output says "Usage: agents plan [OPTIONS] COMMAND ..."
    When I run exactly "agents plan nonesuch --help"
    Then the exit code is 2

  Scenario: help on a terminal has bold heads and nothing else
    Given a plain folder
    When I type on a terminal "agents plan status --help"
    Then the exit code is 0
    And the terminal shows bold text
    When I type on a terminal "agents plan status --help --format plain"
    Then the terminal shows no escape sequence
    Given the terminal is "dumb"
    When I type on a terminal "agents plan status --help"
    Then the terminal shows no escape sequence

  Scenario: nobody reads the help
    Given a plain folder
    When nobody reads what "agents --help" prints
    Then the exit code is 0
    And the error is empty

  # --- Who sees colours --------------------------------------------------------------------------

  Scenario Outline: whoever asks for colours in a pipe gets them: <variable>=<value>
    Given a plain folder
    And the variable TERM is "xterm"
    And the variable <variable> is "<value>"
    When I run "agents plan status nonesuch"
    Then the exit code is 3
    And the error <shows> "<text>"

    Examples:
      | variable       | value | shows        | text   |
      | FORCE_COLOR    | 1     | says         | [31m   |
      | TTY_COMPATIBLE | 1     | says         | [31m   |
      | TTY_COMPATIBLE | 0     | does not say | [31m   |
      | NO_COLOR       | 1     | does not say | [31m   |
