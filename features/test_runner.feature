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
