Feature: What a killed run leaves running
  A daemon may shed the mark and the session of its step. If it began while the step ran, works in the
  sandbox and has no terminal, whoever comes next ends it; whom else it finds there it names and leaves.

  Background:
    Given a plain folder
    And the action
      """
      name: daemons
      steps:
        - {tool: shell, pass_env: [GATE], with: {command: 'touch first; while [ ! -e "$GATE" ]; do sleep 0.02; done'}}
        - {tool: shell, with: {command: "setsid env -i /bin/sh -c 'echo $$ > daemon; DAEMON' > /dev/null 2>&1 < /dev/null & touch started; sleep 1000"}}
      """

  Scenario Outline: a daemon that shed everything is ended before anything goes back: <user>, <how>
    Given the daemon <how>
    And <user> has run the plan until it was killed in its second step
    When as <user> "agents plan rollback @ 1 --yes" is run afterwards
    Then the exit code is 0
    And the command has ended the daemon
    And the command has named all others
    And the plan's files are
      | file  | content |
      | a.txt | one     |

    Examples:
      | user             | how                                     |
      | root             | writes into the sandbox                 |
      | an ordinary user | writes into the sandbox                 |
      | root             | works elsewhere, with a file open there |

  Scenario: who came after the step was last seen running is named, not ended
    Given the daemon works elsewhere, with a file open there
    And root has run the plan until it was killed in its second step
    And the shell has run "touch -d @0 ../data/output/*/leader" in the project
    When as root "agents plan rollback @ 1 --yes" is run afterwards
    Then the exit code is 0
    And the command has named the daemon

  Scenario: a daemon that cannot be ended in time is told, and ended with more time
    Then whoever is at work in a directory and does not end in time is told, and then ended
