Feature: Faults
  A few of the faults that the nox session `faults` injects, other ones with every commit. An
  independent judge holds what they leave, after one more command, against what is promised.

  Scenario: H51 killed at any system call, every operation leaves all or nothing
    When the suite "kills" tries 3 operations with --points 3
    Then at least 7 faults have happened
    And the suite found nothing wrong

  Scenario: H49 H50 whatever system call fails, no operation is torn and no success is untrue
    When the suite "errors" tries 2 operations with --points 1
    Then at least 6 faults have happened
    And the suite found nothing wrong

  Scenario: a file that was not put in its place although the system said so is noticed
    When the suite "lies" tries "rollback" at "renameat.*staged" with --points 3
    Then at least 3 faults have happened
    And the suite found nothing wrong

  Scenario: H53 whatever a later write relies on is synced before it
    When the suite "order" looks at whole commands
    Then the suite found nothing wrong

  Scenario: every precaution that a mutant takes out is still where it says
    Then each of the mutants can be made
