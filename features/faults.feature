Feature: Faults
  A few of the faults that the nox session `faults` injects, other ones with every commit. An
  independent judge holds what they leave, after one more command, against what is promised.

  Scenario: H51 killed at any system call, every operation leaves all or nothing
    When 1 point of the suite "kills" is tried
    Then at least 8 faults have happened
    And the suite found nothing wrong

  Scenario: H49 H50 whatever system call fails, no operation is torn and no success is untrue
    When 1 point of the suite "errors" is tried
    Then at least 24 faults have happened
    And the suite found nothing wrong
