Feature: Hard cases of what is kept
  What happens to the database, its place and its history. The numbers are those of the list of hard
  cases.

  Scenario: H46 the clock goes back between two processes, and order stays
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And I remember the plan
    And every time that is stored lies an hour ahead
    When I run "agents plan checkpoint create @ --label later"
    Then the exit code is 0
    When I run "agents plan use ACTION"
    And I run "agents plan list --format json"
    Then the latest plan is the second one
    When I run "agents plan checkpoint show PLAN @ --format json"
    Then the data holds
      | field | value   |
      | label | "later" |

  Scenario: H47 processes that write at the same time lose nothing
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    When 4 processes run "agents plan use ACTION" at the same time
    Then all of them end with exit code 0
    And the plans of the project are numbered 1, 2, 3, 4

  Scenario: H47 reading does not wait for somebody who is writing
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    And somebody else is at work on the database
    When I run "agents plan list"
    Then the exit code is 0
    When I run "agents plan checkpoint list @"
    Then the exit code is 0
    When I run "agents plan status @"
    Then the exit code is 0

  Scenario Outline: H53 what could not be made durable is not told as done: <operation>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When "agents <line>" runs on a system that fails every <call>
    Then the exit code is 1
    And the error says "<said>"
    And the plan is "execute/complete"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value  |
      | unfinished_operations | <open> |
    When I run "agents plan checkpoint create @"
    Then the exit code is 0

    Examples:
      | operation  | line                     | call   | said                                                                | open         |
      | rollback   | plan rollback @ 1 --yes  | syncfs | the rollback could not be finished: Input/output error; it stays open | ["rollback"] |
      | checkpoint | plan checkpoint create @ | fsync  | Input/output error                                                  | []           |

  Scenario: H58 an older database is copied, then brought up to date in one go
    Given a plain folder
    And a database of the first version with a project
    When I run "agents plan list"
    Then the exit code is 0
    And it is of the schema this program knows
    And the project is still known
    And a copy of the database as it was is kept

  Scenario: H58 a migration that fails leaves the database as it was
    Given a plain folder
    And a database of the first version with a project
    And the database was told "CREATE TABLE undo_runs (x)"
    When I run "agents plan list"
    Then the exit code is 1
    And the error says "already exists"
    And it is of the schema "0001"
    And the project is still known
    And a copy of the database as it was is kept

  Scenario: H59 a newer database is refused, whatever its settings, and left alone
    Given a plain folder
    And a database of a newer version
    And the database was told "PRAGMA journal_mode=WAL"
    And the database is remembered
    When I run "agents plan list"
    Then the exit code is 4
    And the error says "written by a newer version"
    And the database is what it was, byte for byte

  Scenario: H61 a step that was found running is not run again by itself
    Given a plain folder
    And the action
      """
      name: deploying
      tools:
        - {name: deploy, command: 'echo call >> "$GATE.calls"; touch started; sleep 600', side_effects: [network], undo: "true", pass_env: [GATE]}
      steps:
        - {name: go live, tool: deploy}
      """
    And a run has been killed in its step
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "step go live (network)"
    And the outside has been reached 1 times

  Scenario: H62 a plan that is applied is not rolled back
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 4
    And the error says "unapply"
    And the project's file "v" holds "1"

  Scenario: H63 rollback twice, to itself, to a pruned checkpoint
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the error says "there was nothing to do"
    When I run "agents plan rollback @ @ --yes"
    Then the exit code is 0
    And the error says "there was nothing to do"
    When I run "agents plan checkpoint delete @ 3 --yes"
    And I run "agents plan rollback @ 3 --yes"
    Then the exit code is 3

  Scenario: a rollback can be taken back again and again, with its steps and decisions
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: storage, decide: {question: which, options: {a: [{name: in a, tool: shell, with: {command: "echo a > v"}}], b: []}, choose: a}}
      - {name: last, tool: shell, with: {command: "echo last > w"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And no step counts
    And the decisions that count are "plan"
    When I follow the hint that takes it back
    Then the exit code is 0
    And the plan is as it was before the rollback
    When I follow the hint that takes it back
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    And no step counts
    And the decisions that count are "plan"
    When I follow the hint that takes it back
    Then the exit code is 0
    And the plan is as it was before the rollback

  Scenario: H68 a data directory on a network file system is refused
    Given a plain folder
    When "agents plan list" runs on a system that takes every file system for NFS
    Then the exit code is 4
    And the error says "the data directory is on a network file system (NFS)"
    And the error says "--data-dir"

  Scenario: H69 an old copy of the database is only read until the doctor has looked
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "cp ../data/cleveragents.db ../copy.db" in the project
    And I have run "agents plan checkpoint create @"
    And the shell has run "cp ../copy.db ../data/cleveragents.db" in the project
    When I run "agents plan checkpoint list @"
    Then the exit code is 0
    When I run "agents plan checkpoint create @"
    Then the exit code is 4
    And the error says "the database is older than what is kept beside it; it can only be read"
    When I run "agents plan use ACTION"
    Then the exit code is 4
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "the database is older than what is kept beside it" of "head"
    When I run "agents doctor --repair"
    Then the exit code is 0
    And there are 4 checkpoints
    When I run "agents plan checkpoint create @"
    Then the exit code is 0

  @needs_root
  Scenario: H70 what belongs to another user is only read
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "chown 4711 ../data" in the project
    When I run "agents plan list"
    Then the exit code is 0
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 4
    And the error says "the data directory belongs to user 4711, not to you"
    And the plan's file "v" holds "1"
    When I run "agents plan use ACTION"
    Then the exit code is 4

  Scenario: plans that were interrupted are marked in lists
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "touch started; sleep 600"}}
      """
    And a run has been killed in its step
    When I run "agents plan list"
    Then the output says "execute/processing (interrupted: run)"
    Given I have run "agents plan rollback @ 1 --yes"
    And a rollback to checkpoint 2 has crashed after its intent was recorded
    When I run "agents plan list --format json"
    Then the data holds
      | field              | value        |
      | plans.0.unfinished | ["rollback"] |
