Feature: Examples
  What stands in examples/ works as it stands there.

  Scenario: a wrong choice is corrected, and only what followed from it is decided again
    When the example "correct/run.sh" is run
    Then the exit code is 0
    And the output says
      """
      storage: Which storage? → files
      decide again
      Which schema? → lines
      let stand
      Which colour? → green
      storage: Which storage? → sqlite
      schema: Which schema? → tables
      +storage: sqlite
      +schema: tables
      """
    And the last lines of the output are
      """
      asked: storage
      asked: schema
      asked: schema
      """
    And the error says "? colour  → green  as decided before"

  Scenario Outline: a loop in Python prints what its page shows
    When the example "<example>/loop.py" is run
    Then the exit code is 0
    And the page of the example "<example>" shows just that output

    Examples:
      | example      |
      | agent_loop   |
      | chooser_loop |
