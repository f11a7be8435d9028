Feature: What a checkpoint and a rollback cost
  Time is the machine's; what makes it is counted. A number that grows is a change to this table.

  Background:
    Given a project of 200 files in 8 folders
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And a process that has made 56 checkpoints, each of ten changed files

  # What objects are differences to is remembered until packs go: then it is searched for again, once.
  Scenario: a checkpoint in a running process, beyond the limit
    When it makes one more
    Then it takes at most
      | what                                           | count |
      | looks                                          | 1     |
      | objects read                                   | 0     |
      | searches for what an object is a difference to | 70    |
      | statements                                     | 20    |
      | commits                                        | 2     |

  Scenario: a rollback in a running process
    When it goes back to the latest after ten files were changed
    Then it takes at most
      | what                                           | count |
      | looks                                          | 3     |
      | looks at everything                            | 1     |
      | objects read                                   | 100   |
      | objects hashed                                 | 120   |
      | statements                                     | 37    |
      | commits                                        | 7     |

  Scenario: what an act remembers of a store is bounded
    Then of 40 objects of 500000 bytes that an act reads, it remembers the last ones, at most 16777216 bytes
