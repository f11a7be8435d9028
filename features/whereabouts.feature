Feature: Where the files of a sandbox are
  What is there though something of it is gone is saved before it is replaced. What only stands in the
  place of a sandbox, or belongs to another data directory, is left alone, and the way out is named.

  Background:
    Given a git repository
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "manual"
    And the action
      """
      name: change
      steps:
        - {name: first, tool: shell, with: {command: "echo plan > new"}}
      """

  Scenario: a step that removes the git directory of its sandbox loses nothing
    Given the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo 1 > first"}}
        - {tool: shell, with: {command: "echo 2 > second; rm -rf \"$(git rev-parse --git-dir)\"; echo 3 > third"}}
        - {tool: shell, with: {command: "echo 4 > fourth"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's file "third" holds "3"
    And some checkpoint holds the file "third" with "3"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan has no file "third"
    Given the shell has run "git log -1" in its sandbox

  Scenario Outline: files beside a git directory that is gone are saved before "<act>"
    Given I have run "agents <run>"
    And the plan's file "hand" is changed to "by hand"
    And the sandbox's git is lost
    When I run "agents plan <act> --yes"
    Then the exit code is 0
    And the hand-made file is in the sandbox or in a checkpoint

    Examples:
      | run                      | act                    |
      | run ACTION               | rollback @ 1 --rebuild |
      | run ACTION               | rollback @ 1           |
      | run ACTION               | refresh @              |
      | run ACTION --apply --yes | unapply @              |

  Scenario: a preview tells that the git directory is gone, and how its files are saved
    Given I have run "agents run ACTION"
    And the sandbox's git is lost
    When I run "agents plan rollback @ 1 --dry-run"
    Then the exit code is 4
    And the error says "the git directory of the sandbox is gone"
    When the first hint is pasted as a command
    And I run "agents plan rollback @ 1 --dry-run"
    Then the exit code is 0

  Scenario: what was written into a sandbox that was being rebuilt is kept
    Given I have run "agents run ACTION"
    And the shell has run "rm -rf ../data/sandboxes/*" in the project
    And a rebuild to checkpoint 2 was killed before it was done
    And the plan's file "hand" is changed to "by hand"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "holds what was there before the rollback went on"
    And some checkpoint holds the file "hand" with "by hand"

  Scenario: the status of a plan whose sandbox was removed leads to one that works
    Given I have run "agents run ACTION"
    And I have run "agents sandbox prune --discard --yes"
    When I run "agents plan status @"
    Then the error says "--rebuild    # makes its sandbox again"
    And the error does not say "agents plan apply"

  Scenario: what was written where a sandbox was removed is kept beside
    Given I have run "agents run ACTION"
    And a removal was killed before it moved anything
    And the plan's file "hand" is changed to "by hand"
    When I run "agents plan rollback @ 1 --rebuild --yes"
    Then the exit code is 0
    And the error says "what somebody wrote where the sandbox was is kept"
    And what is kept beside holds the file "hand"

  Scenario: what was written there is kept beside as well if nobody can tell what was saved
    Given I have run "agents run ACTION"
    And a removal was killed before it moved anything
    And the plan's file "hand" is changed to "by hand"
    And the stored record of the newest checkpoint is damaged
    When I run "agents plan rollback @ 1 --rebuild --yes"
    Then the error says "what somebody wrote where the sandbox was is kept"
    And what is kept beside holds the file "hand"

  Scenario Outline: <what> in the place of a sandbox is told, and what is printed leads out
    Given I have run "agents run ACTION"
    And the sandbox's tree is moved away from <what>
    When I run "agents plan checkpoint pin @ 2"
    Then the exit code is 0
    When I run "agents plan rollback @ 1 --rebuild --yes"
    Then the exit code is 4
    And the error says "<what> stands where the sandbox was"
    And no operation is open or stuck
    When the first hint is pasted into the shell
    And I run "agents plan rollback @ 1 --rebuild --yes"
    Then the exit code is 0
    And the plan has no file "new"

    Examples:
      | what   |
      | a link |
      | a file |

  Scenario: a copy of a data directory leaves the sandboxes of the first one alone
    Given I have run "agents run ACTION"
    And the plan's file "hand" is changed to "by hand"
    And the data directory was copied
    When each of these is run with the copy
      | command                           |
      | plan rollback @ 1 --yes           |
      | plan checkpoint create @          |
      | plan apply @ --yes                |
      | plan execute @                    |
    Then each was refused, because the sandbox lies in another data directory
    When "agents sandbox prune --discard --yes" is run with the copy
    Then the plan's file "hand" holds "by hand"
    When "agents run ACTION" is run with the copy
    Then the exit code is 0

  Scenario: a copy of a data directory leaves what was interrupted to the first one
    Given I have run "agents run ACTION"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    And the data directory was copied
    When "agents doctor --repair" is run with the copy
    Then the output says "could not be recovered"
    When I run "agents doctor --repair"
    Then the exit code is 0
    And the output says "what was interrupted is finished"

  Scenario: a data directory that was moved is told where it was, and works there again
    Given I have run "agents run ACTION"
    And the plan's file "hand" is changed to "by hand"
    And the data directory was moved
    When "agents doctor" is run with it
    Then the output says "was copied or moved from"
    When "agents plan rollback @ 1 --rebuild --yes" is run with it
    Then the exit code is 4
    And the error says "move it back: mv"
    When the first hint is pasted into the shell
    And I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And some checkpoint holds the file "hand" with "by hand"
