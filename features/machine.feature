@unmeasured
Feature: Whatever a step does, every checkpoint comes back
  A state machine writes, appends, truncates, renames, exchanges, links, writes through links that are
  gone again, changes modes, times and kinds, closes directories, makes them anew, floods the watcher,
  deletes, checkpoints, makes sandboxes while it is written to, restores any checkpoint, forgets some and begins again in a new process; an
  oracle that shares no code with the product judges every restore.

  Scenario Outline: random trees of <user>, found by <tracking>
    Then <examples> random lives of a tree of <user> found by "<tracking>" are restored exactly

    Examples:
      | user             | tracking | examples |
      | root             | watch    | 150      |
      | an ordinary user | watch    | 150      |
      | root             | scan     | 60       |
      | an ordinary user | scan     | 60       |
