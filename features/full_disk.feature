Feature: A full disk
  What frees space is always possible. What does not fit is refused before anything changes, and the
  refusal says where, how much is free and how much is needed.

  @needs_root
  Scenario Outline: with <free> free, "<command>" frees space
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "head -c 4000000 /dev/urandom > big; head -c 300000 /dev/urandom > keep"}}
      - {name: second, tool: shell, with: {command: "head -c 4000000 /dev/urandom > big"}}
      """
    And a data directory on a disk of 32m
    When a process of its own runs "agents run ACTION"
    Then the exit code is 0
    Given all but <free> of its disk is taken
    When another process runs "agents <command>"
    Then the exit code is 0
    And at least <freed> of its disk are free now
    When what took its disk is gone
    Then what is stored is whole
    When I run "agents plan rollback @ 3 --yes --rebuild"
    Then the exit code is 0

    Examples:
      | free | command                          | freed |
      | 600k | plan rollback @ 1 --yes          | 4000k |
      | 0k   | plan rollback @ 1 --yes          | 3000k |
      | 0k   | sandbox prune --discard --yes    | 4000k |
      | 0k   | plan checkpoint delete @ 2 --yes | 0k    |

  @needs_root
  Scenario: a sandbox that cannot be saved goes if it is to be discarded, and what is lost is told before
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "head -c 500000 /dev/urandom > one"}}
      - {name: second, tool: shell, with: {command: "head -c 500000 /dev/urandom > two"}}
      - {name: third, tool: shell, with: {command: "head -c 700000 /dev/urandom > three"}}
      """
    And a data directory on a disk of 3m
    When a process of its own runs "agents run ACTION"
    Then the exit code is 1
    When I run "agents plan errors @"
    Then the output says "No space left on device"
    And the output does not say "Errno"
    When I run "agents plan checkpoint delete @ 2 --yes --format json"
    Then the exit code is 0
    And a message says "no space was freed by deleting cp2: other checkpoints hold the same content"
    When all but 0k of its disk is taken
    And I run "agents sandbox prune --discard"
    Then the exit code is 2
    And the error says "gone for good if there is no room to save it first: three"
    When another process runs "agents sandbox prune --discard --yes --format json"
    Then the exit code is 0
    And a message says "gone for good, there was no room to save it: three"
    And at least 1600k of its disk are free now
    And no files of a sandbox are left
    When what took its disk is gone
    Then what is stored is whole
    When I run "agents plan rollback @ 3 --to ../extracted"
    Then the exit code is 0

  @needs_root
  Scenario Outline: what does not fit is refused with nothing changed: <what>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "head -c 4000000 /dev/urandom > big"}}
      - {name: second, tool: shell, with: {command: "rm big"}}
      """
    And a data directory on a disk of 32m
    And I have run "agents run ACTION"
    And the shell has run "head -c <new> /dev/urandom > new" in the sandbox of the plan
    And all but 700k of its disk is taken
    And the sandbox is remembered
    When I run "agents plan rollback @ <target> --yes --format json"
    Then the exit code is 1
    And the error says where, that 700k or less is free, and <needed>
    And the sandbox is exactly as it was
    And there are 4 checkpoints
    And no operation is open or stuck
    When what took its disk is gone
    And I run "agents plan rollback @ <target> --yes"
    Then the exit code is 0

    Examples:
      | what                         | new     | target | needed                    |
      | the target                   | 10      | 2      | that 5.8 MiB needed       |
      | what is there before it goes | 3000000 | 1      | how to go on              |

  Scenario: a cache that cannot be written is told and no error
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "cd ../data/sandboxes/* && mkdir tree.stat.new" in the project
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And a message says "what is known of the files could not be kept: Is a directory"
    And the plan has no file "b.txt"
