Feature: What is kept is private
  Database, output of steps and sandboxes are for their owner alone, whatever the mode of the directory
  that holds them. What else is in there stays as it is.

  Scenario Outline: a data directory that is there already and <what>
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo secret; echo s > b.txt; chmod 644 b.txt"}}
      """
    And a data directory of mode 755 that <what>
    When I run "agents run ACTION"
    Then the exit code is 0
    And what is kept in it is for its owner alone
    And its own mode is <mode>
    And the plan's file "b.txt" has mode 644
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor tells of "privacy" <times> times

    Examples:
      | what                       | mode | times |
      | is empty                   | 700  | 0     |
      | has other things           | 755  | 1     |

  Scenario: what was open is closed by the next command that writes, and by none that reads
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "chmod -R go+rX ../data" in the project
    When I run "agents plan status @"
    Then the exit code is 0
    And what is kept in it is open to others
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And what is kept in it is for its owner alone
    And its own mode is 700
    When I run "agents sandbox prune --discard --yes"
    And I run "agents plan rollback @ 1 --rebuild --yes"
    Then the exit code is 0
    And what is kept in it is for its owner alone

  Scenario: what another process puts in its place meanwhile is not missed
    Given a data directory of mode 755 that is empty
    And it has 3 unfinished files, which go as soon as one of them is to be closed
    When what is ours in it is closed
    Then no unfinished file is left, and what is kept in it is for its owner alone

  Scenario: a umask that would keep us from our own files is not followed so far
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "mkdir d; echo b > d/b.txt"}}
      """
    When with the umask 777 an ordinary user's process runs "agents run ACTION"
    Then the exit code is 0
    And the plan's file "d/b.txt" holds "b"
    And what is kept in it is for its owner alone
    And its own mode is 700
