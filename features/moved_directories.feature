Feature: Protected directories that were moved, and settings that are wrong
  One directory by two paths is one. After it was moved hooks take it for what it was, whatever path an agent
  tells; who types a command first is told how to let what was recorded follow. Nothing that an agent tells is lost
  meanwhile, nor while the settings cannot be read.

  Background:
    Given a plain folder
    And a home directory of its own
    And a protected project with a keeper that records

  Scenario Outline: the agent goes on in a directory that was moved, and tells the path that it <tells>
    When an agent works here
    And the project is moved to "elsewhere"
    And an agent works in "elsewhere" and tells the path that it <tells>
    Then 8 moments of 1 chat are recorded, none of them late
    And 1 directories are protected, the last one is "elsewhere"
    When I run "agents undo --yes" below ../elsewhere
    Then the exit code is 0
    When I run "agents undo --yes" below ../elsewhere
    Then the exit code is 0
    And "elsewhere" holds what was there before any agent came
    When I run "agents doctor" below ../elsewhere
    Then the exit code is 0

    Examples:
      | tells     |
      | had       |
      | has       |
      | is not in |

  Scenario Outline: who types first is told where it was and what to do: <line>
    When an agent works here
    And the project is moved to "elsewhere"
    And I run "agents <line> --format json" below ../elsewhere
    Then the exit code is <code>
    And the error names the path it had and "agents project move"
    When I run "agents project move --yes" below ../elsewhere
    And I run "agents <line> --format json" below ../elsewhere
    Then the exit code is 0

    Examples:
      | line                 | code |
      | timeline             | 3    |
      | undo --dry-run       | 3    |
      | protect claude --yes | 4    |

  Scenario: a check and a list tell it as well, and it can be unprotected where it is
    When an agent works here
    And the project is moved to "elsewhere"
    And I run "agents protect --check" below ../elsewhere
    Then the exit code is 4
    When I run "agents plan list --kind chat" below ../elsewhere
    Then the error says "let them follow: agents project move"
    When I run "agents unprotect" below ../elsewhere
    Then the exit code is 0
    And no directory is protected

  Scenario: another directory in the old place is another one
    When an agent works here
    And the project is moved to "elsewhere"
    And there is another directory in its old place
    And an agent works in "elsewhere" and tells the path that it had
    Then 4 moments of 1 chat are recorded, none of them late

  Scenario: a directory that was made anew is told to be unprotected, and then goes on as another chat
    When an agent works here
    And the project is moved to "elsewhere"
    And there is another directory in its old place
    And the shell runs "rm -r ../elsewhere" in the project
    And an agent works here
    Then 4 moments of 1 chat are recorded, none of them late
    When I run "agents timeline"
    Then the exit code is 0
    And the error says "this is another directory than was protected here"
    When I run "agents plan status @chat"
    Then the exit code is 0
    And the error says "this is another directory than was protected here"
    When I run "agents undo --dry-run"
    Then the exit code is 4
    And the error says "this is another directory than was protected here"
    When I run "agents protect claude --yes"
    And I run "agents timeline"
    Then the error does not say "this is another directory"
    When an agent works here
    Then 8 moments of 2 chat are recorded, none of them late
    When I run "agents undo --yes"
    Then the exit code is 0
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "another directory than the one that this chat was recorded in"
    And the error says "agents plan fork"
    When I run the fork that the error names
    Then the exit code is 0

  Scenario: a directory that no chat was recorded of begins anew
    When an agent works here
    And the project is moved to "elsewhere"
    And the chats of the project are those of another directory
    And an agent works in "elsewhere" and tells the path that it has
    Then 8 moments of 2 chat are recorded, none of them late

  Scenario: what agents did follows from another disk, where the directory is another one, once that is said
    When an agent works here
    And the directory is copied to "elsewhere", and gone here
    And I run "agents project move --from ../project --yes" below ../elsewhere
    Then the exit code is 0
    When I run "agents undo --yes" below ../elsewhere
    Then the exit code is 0
    And the output says "Taken back"

  Scenario: what waits in the spool waits until it is known where its directory is
    When an agent works here
    And an event of this directory lies in the spool
    And the project is moved to "elsewhere"
    And I run "agents timeline" below ../elsewhere
    Then 1 events lie in the spool, each for its owner alone
    When I run "agents project move --yes" below ../elsewhere
    And I run "agents timeline" below ../elsewhere
    Then nothing lies in the spool
    And the last moment is a prompt that came late

  Scenario Outline: while settings are wrong nothing is lost, and it is told: <wrong>
    Given the settings of the project are "<wrong>"
    When an agent works here
    Then 4 events lie in the spool, each for its owner alone
    When I run "agents timeline"
    Then the exit code is 2
    And the error says "config.toml"
    When I run "agents undo --dry-run"
    Then the exit code is 2
    When I run "agents protect --check"
    Then the exit code is 2
    And the error says "config.toml"
    Given the settings of the project are ""
    When I run "agents timeline"
    Then nothing lies in the spool
    And moments are recorded once each, 4 of them, and 4 of them late

    Examples:
      | wrong               |
      | [chat               |
      | chat.exclude = 3    |
      | chat.excluded = 'x' |

  Scenario: who tells a directory that is gone, from one that is gone, is not heard
    When an agent tells of a directory that is gone, and is in it
    Then nothing lies in the spool
    And no moment is recorded
