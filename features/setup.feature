Feature: A checkout that several people use
  `./agents` and `./dev` set a checkout up on first use. One that is set up just runs, also for who may
  not write to it; one that is not says in a sentence what to do.

  Scenario: a checkout that somebody else has set up just runs
    Given a checkout that is set up, and that others may only read
    When somebody else runs "./agents --version" there
    Then the exit code is 0
    And the output is exactly "ran --version"

  Scenario Outline: one that is not set up says what to do
    Given a checkout that is not set up, and that others may only read
    When somebody else runs "<line>" there
    Then the exit code is 1
    And the error is one line that says "is not set up, and you may not write to it"
    And the error is one line that says "<way> in it once, or use a clone of your own"

    Examples:
      | line             | way                  |
      | ./agents plan    | run ./agents --version |
      | ./dev test       | run ./dev setup      |

  Scenario: one that was set up with a Python of their own says so
    Given a checkout that is set up, and that others may only read
    And its Python is one that nobody else may run
    When somebody else runs "./agents --version" there
    Then the exit code is 1
    And the error is one line that says "mine, which you may not run"
