Feature: Reading what cannot be changed
  Whoever may read a data directory can look at everything in it and take files out of it, on a disk that
  cannot be written to and as another user. Nothing is left behind there, and acts are refused.

  Scenario Outline: everything can be read <how>
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "one"}}
      - name: storage
        decide:
          question: Which storage?
          options: {sqlite: [], files: []}
          choose: sqlite
      - {name: second, tool: write_file, with: {path: b.txt, content: "two"}}
      """
    And I have run "agents run ACTION"
    And what is kept is read <how>
    Then these say what they say to its owner, and leave everything as it is
      | command                      |
      | plan list                    |
      | plan status @                |
      | plan log @                   |
      | plan diff @                  |
      | plan tree @                  |
      | plan explain DECISION        |
      | plan errors @                |
      | plan conflicts @             |
      | plan checkpoint list @       |
      | plan checkpoint show @ 2     |
      | plan checkpoint diff @ 1 2   |
      | plan checkpoint verify --all |
      | sandbox list                 |
      | config list                  |
      | doctor                       |
    And the doctor does not say how steps would be confined there, where none can run
    And files can be taken out of checkpoint 2
    And these are refused, naming the data directory
      | command                       |
      | plan rollback @ 1 --yes       |
      | plan execute @                |
      | plan checkpoint create @      |
      | plan use ACTION               |
      | doctor --repair               |

    @needs_root
    Examples:
      | how                                  |
      | from a disk that cannot be written   |
      | as somebody else                     |
      | by root, whose it is not             |

    Examples:
      | how                                  |
      | from directories that are closed     |

  Scenario: a database that was being written when its disk became read-only
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "one"}}
      """
    And I have run "agents run ACTION"
    And the database was left in the middle of a change
    And what is kept is read from directories that are closed
    When the reader runs "agents plan list --format json"
    Then the exit code is 1
    And the error message says "a change of the database was interrupted"
    And the detail says "cannot be written to"
    When I run "agents plan list" once it is open again
    Then the exit code is 0

  Scenario Outline: a database that was left <how> is <read> where nothing can be written
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "one"}}
      """
    And I have run "agents run ACTION"
    And the database was left <how>
    And what is kept is read from directories that are closed
    When the reader runs "agents plan list --format json"
    Then the exit code is <code>

    Examples:
      | how                  | read    | code |
      | with another journal | read    | 0    |
      | in an older version  | refused | 4    |

  Scenario: who owns a plan is known without a look into its lock
    Then of a lock the kernel tells who has it
      | had by                         | told         |
      | this thread                    | this process |
      | one for whom another one waits | this process |
      | nobody any more                | nobody       |
      | nobody ever                    | nobody       |

  Scenario: a store that was never made is empty to a reader
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "one"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "rm -r ../data/projects/*/store" in the project
    And what is kept is read from directories that are closed
    When the reader runs "agents plan checkpoint verify --all --format json"
    Then the exit code is 1
    When the shell runs "test ! -e ../data/projects/*/store" in the project
