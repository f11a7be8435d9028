Feature: Reading checkpoints back
  Stored content is read back and compared with its hashes: of one checkpoint, of a plan, or of every
  plan of the project. What is damaged is told by checkpoint and path.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v; echo w1 > w1"}}
      - {name: second, tool: shell, with: {command: "mkdir d; echo w2 > d/w2; echo w3 > w3"}}
      - {name: third, tool: shell, with: {command: "echo 3 > v"}}
      """
    And I have run "agents run ACTION"

  Scenario: nothing to complain about
    When I run "agents plan checkpoint verify @ --format json"
    Then the exit code is 0
    And "data.verified" counts 5
    And "data.damaged" counts 0
    When I run "agents plan checkpoint verify @ 2"
    Then the exit code is 0
    And the output says "1 checkpoint verified"

  Scenario: damaged files are found in every checkpoint that has them
    Given the stored content of "w3" is damaged
    When I run "agents plan checkpoint verify @ --format json"
    Then the exit code is 1
    And the status in the envelope is "warn"
    And the keys of "data" are "verified, damaged"
    And the keys of "data.damaged.0" are "plan_id, checkpoint_id, seq, problem, paths"
    And the data holds
      | field                | value |
      | damaged.0.seq        | 3     |
      | damaged.0.problem    | null  |
      | damaged.0.paths.0.path | "w3"  |
      | damaged.1.seq        | 4     |
      | damaged.2.seq        | 5     |
    And "data.verified" counts 2
    And a message says "3 of 5 checkpoints are damaged"
    When I run "agents plan checkpoint verify @ 2"
    Then the exit code is 0
    When I run "agents plan checkpoint verify @ 4"
    Then the exit code is 1
    And the output says "w3"
    And the error says "agents doctor --repair"
    And the error says "--to DIR"

  Scenario: a directory that is lost is one path
    Given the stored content of "d" is damaged
    When I run "agents plan checkpoint verify @ 5 --format json"
    Then the exit code is 1
    And the data holds
      | field           | value           |
      | damaged.0.paths | [{"path": "d"}] |

  Scenario: a snapshot that is lost as a whole
    Given the stored record of checkpoint 3 is damaged
    When I run "agents plan checkpoint verify @ --format json"
    Then the exit code is 1
    And "data.damaged" counts 1
    And "data.damaged.0.paths" counts 0
    When I run "agents plan checkpoint verify @"
    Then the output says "the snapshot of cp3 cannot be read: object"

  Scenario: a damaged pack loses what only it holds
    Given the pack of checkpoint 3 is cut short
    When I run "agents plan checkpoint verify @ 3"
    Then the exit code is 1
    And the output says "is missing"

  Scenario: a row that names another snapshot does not match
    Given the row of checkpoint 2 names the snapshot of checkpoint 4
    When I run "agents plan checkpoint verify @ 2"
    Then the exit code is 1
    And the output says "the snapshot of cp2 does not match its state hash"

  Scenario: all plans of the project, and no other
    Given I have run "agents run ACTION"
    When I run "agents plan checkpoint verify --all --format json"
    Then the exit code is 0
    And "data.verified" counts 10
    Given the stored content of "w1" in checkpoint 2 is damaged
    When I run "agents plan checkpoint verify --all --format json"
    Then the exit code is 1
    And "data.damaged" counts 8
    And the damage is told of 2 plans

  Scenario: a plan beside --all is refused
    When I run "agents plan checkpoint verify @ 2 --all"
    Then the exit code is 2
    And the error says "--all is about every plan of the project"

  Scenario: each object is read once, however many checkpoints share it
    Given the shell has run "head -c 9M /dev/urandom > large" in the sandbox of the plan
    And I have run "agents plan checkpoint create @ --label one"
    And I have run "agents plan checkpoint create @ --label two"
    Then reading all checkpoints back reads each object once
