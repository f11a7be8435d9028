Feature: Storage
  All facts are in one SQLite database beside the content. It is made by the script that migrations
  lead to, an older one is brought up to date by them, one transaction holds what belongs together, and what goes wrong with it is told.

  # --- The database ------------------------------------------------------------------------------

  Scenario Outline: <what> has the tables as they are declared
    Given <what>
    Then it has exactly the tables that are declared, column by column
    And it is of the schema this program knows

    Examples:
      | what                                |
      | a new database                      |
      | a database that migrations have led |

  Scenario: a new database is what migrations lead to, word for word
    Given a database that migrations have led
    Then a new one is made by the very statements that made it

  Scenario: the settings of the database
    Given a new database
    Then it keeps its promises after a power cut, as this version of SQLite can
    When a transaction tries this
      """
      INSERT INTO sandboxes (sandbox_id, plan_id, strategy, path, status, notes_json, created_at) VALUES ('s', 'nobody', 'x', 'x', 'x', '[]', '2024-01-31')
      """
    Then it was refused with
      | part    | says        |
      | message | FOREIGN KEY |
    And the database answers "SELECT count(*) FROM sandboxes" with 0

  Scenario: a database of a newer version is refused and left alone
    Given a plain folder
    And a database of a newer version
    When I run "agents plan list --format json"
    Then the exit code is 4
    And the error message says "the database was written by a newer version (schema 9999, this program knows"
    And a suggestion says "update cleveragents"
    And the database is what it was, byte for byte

  Scenario: a file that is no database
    Given a plain folder
    And the database file holds "this is not a database at all, sorry"
    When I run "agents plan list --format json"
    Then the exit code is 1
    And the envelope is that of the error "failed" of "plan list"
    And the error message says "the database cannot be used: file is not a database"
    And the detail says "cleveragents.db"
    And a suggestion says "agents doctor --repair"

  Scenario: a transaction that fails leaves nothing
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    When a transaction tries this
      """
      UPDATE plans SET name = 'torn'
      UPDATE plans SET project_id = 'nobody'
      """
    Then it was refused with
      | part    | says        |
      | message | FOREIGN KEY |
    And the database answers "SELECT count(*) FROM plans WHERE name = 'torn'" with 0

  Scenario: several processes may open a new data directory at once
    Given a plain folder
    When 3 processes run "agents plan list" at the same time
    Then all of them end with exit code 0

  Scenario Outline: broken metadata of one checkpoint is told there and hurts no other: <text>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the metadata of checkpoint 2 is "<text>"
    When I run "agents plan checkpoint list @ --format json"
    Then the exit code is 0
    And the status in the envelope is "warn"
    And a message says "cp2: the metadata cannot be read: "
    And the data holds
      | field                              | value                  |
      | checkpoints.0.metadata_json.reason | "before the plan runs" |
      | checkpoints.2.metadata_json.reason | "after the last step"  |
    When I run "agents plan checkpoint list @"
    Then the error says "note: cp2: the metadata cannot be read"
    When I run "agents plan checkpoint show @ 2"
    Then the output says "the metadata cannot be read"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0

    Examples:
      | text        |
      | {broken     |
      | [1, 2]      |
      | null        |

  Scenario: unknown keys in the metadata are no problem
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the metadata of checkpoint 2 is "{"reason": "old", "from the future": [1]}"
    When I run "agents plan checkpoint show @ 2 --format json"
    Then the data holds
      | field                         | value |
      | metadata_json.reason          | "old" |
      | metadata_json.from the future | [1]   |
    When I run "agents plan checkpoint show @ 2"
    Then the output says "From the future"

  Scenario: what is recorded twice, and what loses what it points at
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When checkpoint 2 is recorded a second time
    Then it was refused with
      | part    | says                               |
      | message | checkpoint cp2 cannot be recorded: |
      | message | UNIQUE                             |
    When a transaction does this
      """
      UPDATE checkpoints SET decision_id = (SELECT decision_id FROM decisions) WHERE seq = 2
      """
    Then the database answers "SELECT decision_id IS NULL FROM checkpoints WHERE seq = 2" with 0
    When a transaction does this
      """
      DELETE FROM decisions
      """
    Then the database answers "SELECT decision_id FROM checkpoints WHERE seq = 2" with null

  Scenario: a change that does not fit says how much is free
    Given a new database
    When a transaction tries this
      """
      PRAGMA max_page_count=1
      CREATE TABLE large AS SELECT randomblob(1000000)
      """
    Then it was refused with
      | part    | says                                                                 |
      | message | disk is full                                                         |
      | detail  | free in DATA                                                         |
      | hints   | free some space and try again, for example with: agents sandbox prune |
    And the database answers "SELECT count(*) FROM sqlite_master WHERE name = 'large'" with 0

  # --- Times and identifiers ---------------------------------------------------------------------

  Scenario: times are stored and returned in UTC, and never without a zone
    Given a new database
    Then a time comes back from the database in UTC
      | stored                    | comes back                                                       |
      | 2024-01-31T12:00:00+09:00 | 2024-01-31T03:00:00+00:00                                        |
      | 2024-01-31T12:00:00+00:00 | 2024-01-31T12:00:00+00:00                                        |
      | none                      | none                                                             |
      | 2024-01-31T12:00:00       | refused: a time without a zone cannot be stored                  |

  Scenario: ids only go up, whatever the clock does
    Then 1000 ids that are made one right after the other ascend
    And 3 ids that are made after the clock was set back by an hour ascend

  Scenario Outline: <text> is <answer> id
    Then "<text>" is <answer> id

    Examples:
      | text                        | answer |
      | 01JABCDEFGHJKMNPQRSTVWXYZ0  | an     |
      | 01jabcdefghjkmnpqrstvwxyz0  | an     |
      | 01JABCDEFGHJKMNPQRSTVWXYZ   | no     |
      | 01JABCDEFGHJKMNPQRSTVWXYZ00 | no     |
      | 01JABCDEFGHIJKLMNOPQRSTUVW  | no     |
      | 81JABCDEFGHJKMNPQRSTVWXYZ0  | no     |
      | 01JABCDEFGHJKMNPQRſTVWXYZ0  | no     |
      | @                           | no     |

  Scenario: an id tells when it was made, whichever version made it
    Then the ids of earlier versions tell when they were made
      | id                         | made at                       |
      | 000000000028T5CY4GNF6YY4HM | 1970-01-01T00:00:00.000+00:00 |
      | 01ARYZ6S4128T5CY4GNF6YY4HM | 2016-07-30T22:36:16.385+00:00 |
      | 01KA99DJKK28T5CY4GNF6YY4HM | 2025-11-17T16:12:27.123+00:00 |
      | 76EZ91ZPZZ28T5CY4GNF6YY4HM | 9999-12-31T23:59:59.998+00:00 |
      | 01ka99djkk0000000000000007 | 2025-11-17T16:12:27.123+00:00 |
    And "01JABCDEFGHJKMNPQRSTVWXYZ" tells no time: it is no id

  # --- Locks -------------------------------------------------------------------------------------

  Scenario: only a full disk keeps an owner from being named
    Then the system's ENOSPC to the signing of a lock is borne
    But the system's EBADF to the signing of a lock is an error

  # --- The data directory ------------------------------------------------------------------------

  Scenario: the data directory is made for its owner alone
    Given a plain folder
    When I run "agents plan list"
    Then the exit code is 0
    And its own mode is 700

  Scenario: a data directory below a file
    Given a plain folder
    And the shell has run "touch ../file" in the project
    When I run "agents --data-dir ../file/x plan list --format json"
    Then the exit code is 1
    And the error message says "the data directory cannot be used: Not a directory"
    And a suggestion says "choose another one with --data-dir or CLEVERAGENTS_DATA_DIR"

  Scenario: a data directory that cannot be written to
    Given a plain folder
    And the data directory cannot be written to
    When I run "agents plan list"
    Then the exit code is 1
    And the error says "the data directory cannot be used: "
    And opening it in the library tells the same

  Scenario: a data directory inside the project
    Given a plain folder
    When I run "agents --data-dir inside plan list"
    Then the exit code is 4
    And the error says "lie inside each other"

  @needs_root
  Scenario: a disk that is too small from the start
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And a data directory on a disk of 1m
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "not enough space"
    And the error says "hint: free some space and try again"
    When the disk is resized to 64m
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "b.txt" holds "b"

  @needs_root
  Scenario: a rollback for which there is no space is not begun
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "head -c 10000000 /dev/urandom > big"}}
      - {name: second, tool: shell, with: {command: "rm big"}}
      """
    And a data directory on a disk of 64m
    And I have run "agents run ACTION"
    When the disk is resized to 21m
    And I run "agents plan rollback @ 2 --yes"
    Then the exit code is 1
    And the error says "not enough space"
    When I run "agents doctor --format json"
    Then the doctor finds nothing of "operations"
    When the disk is resized to 64m
    And I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0

  @needs_root
  Scenario: a disk that fills up in the middle of a plan
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: 'test -e "$GATE" || head -c 40000000 /dev/urandom > big'}, pass_env: [GATE]}
      - {name: third, tool: write_file, with: {path: c.txt, content: "c"}}
      """
    And a data directory on a disk of 24m
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error does not say "Traceback"
    And the error says "space"
    When the gate opens
    And the disk is resized to 256m
    And I run "agents plan execute @"
    Then the exit code is 0
    And what is stored is whole
    And the plan is "execute/complete"
    And the plan's file "b.txt" holds "b"
    And the plan's file "c.txt" holds "c"

  @needs_root
  Scenario: what a step left behind on a full disk is not worked on
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: 'test -e "$GATE" || head -c 40000000 /dev/urandom > big'}, pass_env: [GATE]}
      """
    And a data directory on a disk of 24m
    And I have run "agents run ACTION" in vain
    And the gate is open
    When the disk is resized to 256m
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
