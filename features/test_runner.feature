Feature: The runner of the tests
  A suite takes as long as it takes. Only a test in which nothing happens is ended.

  Scenario Outline: a test that hangs is ended with all it started, and named: <suite>
    Given a suite "<suite>" whose test "never ends" starts a daemon and hangs
    When its tests are run and may stand still for 2 seconds
    Then the run has failed and names "never ends" as where nothing happened
    And the daemon that the test started has ended

    Examples:
      | suite             |
      | unit_tests        |
      | integration_tests |

  Scenario: a module below the threshold fails the report if it misses more than a few lines
    Given a package that is measured, whose modules miss
      | module | lines |
      | whole  | 0     |
      | short  | 4     |
    When its coverage is checked
    Then the check has passed, and tells of "cleveragents.short", but not of "cleveragents.whole"
    Given a package that is measured, whose modules miss
      | module | lines |
      | whole  | 0     |
      | short  | 4     |
      | poor   | 5     |
    When its coverage is checked
    Then the check has failed for "cleveragents.poor", and not for "cleveragents.short"
