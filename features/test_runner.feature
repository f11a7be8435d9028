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

  Scenario Outline: a test that fails is run once more, alone, and named either way: <suite>
    Given a suite "<suite>" of tests of which "one [a]" fails <one> times and "two" <two> times
    When its tests are run and may stand still for 60 seconds
    And the results are summed up
    Then the sum is "<sum>", told "<told>"

    Examples:
      | suite             | one | two | sum                            | told                          |
      | unit_tests        | 1   | 0   | 2 passed, 0 failed, 0 skipped  | unsteady one [a]              |
      | unit_tests        | 1   | 9   | 1 passed, 1 failed, 0 skipped  | unsteady one [a], failed two  |
      | integration_tests | 1   | 0   | 2 passed, 0 failed, 0 skipped  | unsteady one [a]              |
      | integration_tests | 0   | 9   | 1 passed, 1 failed, 0 skipped  | failed two                    |

  Scenario: more than a few tests that fail are no accident, and not run once more
    Given a suite "unit_tests" of 4 tests that fail once
    When its tests are run and may stand still for 60 seconds
    And the results are summed up
    Then the sum is "0 passed, 4 failed, 0 skipped", told "failed 0, failed 1, failed 2, failed 3"

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
