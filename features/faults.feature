Feature: Faults
  A few of the faults that the nox session `faults` injects, other ones with every commit. An
  independent judge holds what they leave, after one more command, against what is promised. They run
  with one worker: most of the time of a few points goes into preparing each worker's room.

  Scenario: H51 killed at any system call, every operation leaves all or nothing
    When the suite "kills" runs with --some 3 --points 3 --offset COMMIT --workers 1
    Then at least 7 faults have happened
    And the suite found nothing wrong

  Scenario: H49 H50 whatever system call fails, no operation is torn and no success is untrue
    When the suite "errors" runs with --some 2 --points 1 --offset COMMIT --workers 1
    Then at least 6 faults have happened
    And the suite found nothing wrong

  Scenario: asked to end at any system call, an operation stops where it is safe and says so
    When the suite "signals" runs with --operation rollback --points 3 --offset COMMIT --workers 1
    Then at least 3 faults have happened
    And the suite found nothing wrong

  Scenario: an undo in the user's directory is whole or not done, and a save between any two of its calls stays
    When the suite "chat" runs with --operation "undo chat" --operation "undo while saving" --some 3 --points 1 --offset COMMIT
    Then at least 7 faults have happened
    And the suite found nothing wrong

  Scenario: after a power cut in an undo the next command finishes it or takes it back, and no file is torn
    When the suite "chat-power" runs with --operation "undo chat" --points 1 --offset COMMIT
    Then at least 2 faults have happened
    And the suite found nothing wrong

  Scenario: a file that was not put in its place although the system said so is noticed
    When the suite "lies" runs with --operation rollback --at renameat.*staged --points 3 --workers 1
    Then at least 3 faults have happened
    And the suite found nothing wrong

  Scenario: H53 whatever a later write relies on is synced before it
    When the suite "order" runs with no options
    Then the suite found nothing wrong

  Scenario: every precaution that a mutant takes out is still where it says
    Then each of the mutants can be made
