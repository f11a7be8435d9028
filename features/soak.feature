Feature: Soak
  A slice of what the nox session `soak` does with 10,000 checkpoints: programs under `ulimit -n 256`,
  one of them killed, hold session after session in one project.

  Scenario: descriptors, packs and statements do not grow with the checkpoints there are
    When the soak makes 160 checkpoints over 8 plans, 1 program killed
    Then nothing has grown, and every checkpoint reads back
