Feature: What a sandbox costs
  Time is the machine's; what makes it is counted. A number that grows is a change to this table.

  Background:
    Given a project of 400 files in 8 folders
    And files are trusted as soon as they are captured
    And the steps
      """
      - {name: first, tool: read_file, with: {path: d0/f0.txt}}
      """

  # A file is read and hashed to be stored, and again to be copied: whoever writes to it meanwhile, the
  # sandbox is what was stored.
  Scenario: the first plan of a project
    When a plan of the project is run in this process
    Then it takes at most
      | what                | count |
      | hashes              | 840   |
      | opened              | 1300  |
      | asked for by name   | 600   |
      | asked for when open | 1350  |

  Scenario: a later plan
    Given a plan of the project has been run in this process
    When a plan of the project is run in this process
    Then it takes at most
      | what                | count |
      | hashes              | 440   |
      | opened              | 900   |
      | asked for by name   | 150   |
      | asked for when open | 950   |

  Scenario: a fork takes the files that the plan has not changed from the project
    Given a plan of the project has been run in this process
    When it is forked
    Then it takes at most
      | what                | count |
      | objects read        | 30    |
      | hashes              | 430   |
      | opened              | 900   |
      | asked for by name   | 100   |
      | asked for when open | 900   |
