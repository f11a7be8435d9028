Feature: Whatever a step does, every checkpoint comes back
  A state machine writes, appends, truncates, renames, links, changes modes and kinds, deletes,
  checkpoints, restores any checkpoint, forgets some and begins again in a new process; an oracle
  that shares no code with the product judges every restore.

  Scenario Outline: random trees, found by <tracking>
    Then <examples> random lives of a tree found by "<tracking>" are restored exactly

    Examples:
      | tracking | examples |
      | auto     | 1200     |
      | scan     | 300      |
