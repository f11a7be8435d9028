Feature: Edits between a crash and its recovery
  An interrupted act is finished by the next command that changes the plan. What somebody has written
  into the sandbox since is in neither of its ends: it is saved before the act replaces it.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; echo k > keep; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {name: first, tool: shell, with: {command: "sed -i 1d text; echo plan > new"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "echo 0 > text; echo mine > mine" in the project

  Scenario Outline: <act>, interrupted after its <moment>, keeps what was edited since
    Given <act> has crashed after its <moment>
    And the plan's file "new" is changed to "by hand"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "holds what was there before the"
    And some checkpoint holds the file "new" with "by hand"

    Examples:
      | act                               | moment              |
      | a rollback to checkpoint 1 | intent was recorded |
      | a rollback to checkpoint 1 | files were restored |
      | a restore of "new" from checkpoint 1 | intent was recorded |
      | a restore of "new" from checkpoint 1 | files were restored |
      | a refresh                         | intent was recorded |
      | a refresh                         | files were restored |

  Scenario: a resolve that was interrupted keeps what was edited since
    Given I have run "agents plan refresh @ --yes"
    And a resolve of "text" with "parent" has crashed after its files were restored
    And the plan's file "text" is changed to "by hand"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the plan's file "text" holds "0"
    And some checkpoint holds the file "text" with "by hand"

  Scenario Outline: what cannot be compared with <end> is saved as a whole
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    And the plan's file "new" is changed to "by hand"
    And the stored record of <end> is damaged
    When I run "agents plan checkpoint create @"
    Then some checkpoint holds the file "new" with "by hand"

    Examples:
      | end                   |
      | checkpoint 1          |
      | the newest checkpoint |

  Scenario: an act that nobody has come in between adds no checkpoint of its own
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    When I run "agents plan checkpoint create @ --format json"
    Then the exit code is 0
    And the error does not say "holds what was there"
