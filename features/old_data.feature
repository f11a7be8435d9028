Feature: What an earlier version kept goes on working
  The data directory was made by that version itself (`features/support/old_data.py` makes it again): a line
  that it broke, a fork, decisions after a rollback, subplans, a plan that was applied and taken back
  twice, one whose rollback was killed, and one that is applied.

  Scenario Outline: unpacked <where>
    Given the data directory of the earlier version, unpacked <where>
    Then every plan of it is listed
    When I run "agents plan checkpoint verify --all --format json"
    Then the exit code is 0
    When the doctor has repaired what it found
    Then it has mended the broken line and finished the rollback
    And the plan "applied" is taken out of the project, which is as it was
    And going back to <which> checkpoint of each plan brings back what was there
    And the plan "choices" can be corrected

    Examples:
      | where             | which      |
      | where it was made | every      |
      | in another place  | the newest |
