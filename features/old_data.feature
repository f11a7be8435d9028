Feature: What an earlier version kept goes on working
  The data directories were made by those versions themselves (`features/support/old_data.py` makes them again): a
  fork, decisions after a rollback, subplans, a plan that was applied and taken back twice, one whose
  rollback was killed, and one that is applied; a line that the first version broke; steps that
  version 0.2.0 took back and a path that it forgot; what an agent did in a directory under version 0.3.0;
  steps that version 0.4.0 confined.

  Scenario Outline: <version>, unpacked <where>
    Given the data directory of <version>, unpacked <where>
    Then every plan of it is listed
    When I run "agents plan checkpoint verify --all --format json"
    Then the exit code is 0
    When the doctor has repaired what it found
    Then it has <mended>
    And the plan "applied" is taken out of the project, which is as it was
    And going back to <which> checkpoint of each plan brings back what was there
    And the plan "choices" can be corrected

    Examples:
      | version           | where             | which      | mended                                        |
      | the first version | where it was made | the newest | mended the broken line, finished the rollback |
      | the first version | in another place  | every      | mended the broken line, finished the rollback |
      | version 0.2.0     | in another place  | every      | finished the rollback                         |
      | version 0.3.0     | in another place  | the newest | finished the rollback                         |
      | version 0.4.0     | in another place  | the newest | finished the rollback                         |

  Scenario: what version 0.2.0 took back is done again, and what it forgot stays forgotten
    Given the data directory of version 0.2.0, unpacked where it was made
    Then the plan "undone" has 2 of its steps
    When I run "agents redo --plan undone --yes"
    Then the exit code is 0
    And the plan "undone" has 3 of its steps
    When I run "agents undo --plan undone --yes"
    Then the exit code is 0
    And the plan "undone" has 2 of its steps
    When I run "agents plan rollback leaky 2 --yes --rebuild"
    Then the exit code is 0
    And the plan "leaky" has no ".env"

  Scenario Outline: what an agent did under version 0.3.0 is done again, and taken back turn by turn, unpacked <where>
    Given the data directory of version 0.3.0, unpacked <where>
    When I take "agents redo --yes" where the agent worked
    Then all is there as "after 3" in it
    When I take "agents undo --yes" where the agent worked
    Then all is there as "after 2" in it
    When I take "agents undo --yes" where the agent worked
    And I take "agents undo --yes" where the agent worked
    Then what the user wrote there is all that differs from before
    When I take "agents plan checkpoint verify @chat" where the agent worked
    Then the exit code is 0

    Examples:
      | where             |
      | where it was made |
      | in another place  |

  @needs_namespaces
  Scenario: how version 0.4.0 confined steps is told, and so they are again
    Given the data directory of version 0.4.0, unpacked in another place
    Then the steps of the plan "confined" were confined to "project, write, strict"
    When I run "agents plan rollback confined 1 --yes --rebuild"
    Then the exit code is 0
    When I run "agents plan execute confined"
    Then the exit code is 0
    And the steps of the plan "confined" were confined to "project, write, strict"
