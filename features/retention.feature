Feature: Retention
  A plan keeps so many checkpoints and no more. Which ones go is decided by a pure function that
  also says why it keeps each of the others; what goes takes its content with it.

  # --- The rules ---------------------------------------------------------------------------------

  # A row is its number, with p if it is pinned, s if it is a safety checkpoint, n if something
  # else needs it.
  Scenario Outline: H57 <rule>
    When the checkpoints "<rows>" are judged with a limit of <limit>
    Then the verdicts are "<verdicts>"

    Examples:
      | rule                                            | rows             | limit | verdicts                                                                                              |
      | nothing goes within the limit                   | 1 2 3            | 3     | the first, within the limit, the newest                                                               |
      | the oldest go first                             | 1 2 3 4 5        | 3     | the first, beyond the limit, beyond the limit, within the limit, the newest                           |
      | the first and the newest stay at the least      | 1 2 3 4          | 2     | the first, beyond the limit, beyond the limit, the newest                                             |
      | a pinned one stays                              | 1 2p 3 4         | 3     | the first, pinned, beyond the limit, the newest                                                       |
      | the latest safety stays, older ones do not      | 1 2s 3s 4 5      | 3     | the first, beyond the limit, the latest safety checkpoint, beyond the limit, the newest               |
      | what is needed stays, for the reason given      | 1 2n 3 4         | 3     | the first, needed, beyond the limit, the newest                                                       |
      | what is kept may exceed the limit               | 1 2p 3p 4p 5     | 2     | the first, pinned, pinned, pinned, the newest                                                         |
      | numbers may have gaps                           | 3 7 9            | 2     | the first, beyond the limit, the newest                                                               |
      | one alone                                       | 1                | 2     | the first                                                                                             |
      | none                                            | none             | 2     | nothing                                                                                               |

  Scenario: the limit is 50 unless somebody says otherwise
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When 55 more checkpoints are made by the service
    Then there are 50 checkpoints
    And the checkpoints left are 1, 10 to 58

  # --- In a plan ---------------------------------------------------------------------------------

  Scenario: a long plan keeps the first and the newest, and frees what the others held
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "4"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "head -c 30000 /dev/urandom > big"}}
      - {name: s2, tool: shell, with: {command: "head -c 30000 /dev/urandom > big"}}
      - {name: s3, tool: shell, with: {command: "head -c 30000 /dev/urandom > big"}}
      - {name: s4, tool: shell, with: {command: "head -c 30000 /dev/urandom > big"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         | reason               |
      | 1   | pre_execute  | before the plan runs |
      | 4   | tool         | after shell in step s3 |
      | 5   | tool         | after shell in step s4 |
      | 6   | post_execute | after the last step  |
    And no checkpoint is left behind
    And the error says once "the limit of 4 checkpoints is reached: cp2 went, and from here on the oldest one goes"
    And the store holds two of the four contents of "big"
    When I run "agents plan status @"
    Then the output says "4, 2 more are gone"
    When I run "agents plan checkpoint list @ --format json"
    Then a message is "2 checkpoints are gone: deleted, or let go by the limit"
    And the data holds
      | field     | value |
      | forgotten | 2     |
    When I run "agents plan rollback @ 4 --yes"
    Then the exit code is 0
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value |
      | unfinished_operations | []    |

  Scenario: the least limit keeps a plan going
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}, retries: 1}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         |
      | 1   | pre_execute  |
      | 4   | post_execute |
    And no checkpoint is left behind

  Scenario: named, manual and safety checkpoints outlive the others
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "4"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}, checkpoint: named}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And I have run "agents plan rollback @ 1 --yes"
    When I run "agents plan checkpoint create @ --label mine"
    Then the exit code is 0
    And the checkpoints are
      | seq | type        | label |
      | 1   | pre_execute |       |
      | 2   | manual      | named |
      | 7   | safety      |       |
      | 9   | manual      | mine  |

  Scenario: more kept ones than the limit are warned of
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}, checkpoint: one}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}, checkpoint: two}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And there are 4 checkpoints
    And the error says "limit"

  Scenario: nothing is pruned inside a rollback
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And there are 6 checkpoints

  Scenario: H57 what an unfinished rollback needs is not pruned
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And a rollback to checkpoint 2 has crashed after its intent was recorded
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    Then pruning in the middle of it keeps checkpoints 1, 2, 5

  Scenario: H57 content goes when the store is free, not before
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "3"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "head -c 30000 /dev/urandom > big"}}
      - {name: s2, tool: shell, with: {command: "head -c 30000 /dev/urandom > big"}}
      """
    And I have run "agents plan use ACTION"
    And somebody else is at work on the store
    And I have run "agents run ACTION"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value     |
      | unfinished_operations | ["prune"] |
    And a message is "an interrupted prune is finished by the next command that changes the plan"
    And the store holds two of the two contents of "big"
    When nobody else is at work on it any more
    And I run "agents plan rollback @ @ --yes"
    Then the exit code is 0
    And the store holds one of the two contents of "big"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value |
      | unfinished_operations | []    |

  Scenario: a checkpoint made by hand frees what it prunes
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "3"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint create @"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value |
      | unfinished_operations | []    |

  Scenario: what the decisions of a plan need for a correction stays
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - name: which
        decide: {question: "Which?", options: {a: [{tool: shell, with: {command: "echo a > v"}}]}, choose: a}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         |
      | 1   | pre_execute  |
      | 3   | decision     |
      | 8   | post_execute |
    And the checkpoints are kept because
      | seq | kept                                        |
      | 1   | the first                                   |
      | 3   | an active decision can be corrected to it   |
      | 8   | the newest                                  |
    When I run "agents plan rollback @ 1 --yes"
    And I run "agents plan checkpoint create @"
    Then the checkpoints are kept because
      | seq | kept       |
      | 1   | the first  |
      | 10  | the newest |

  Scenario: the state before an applied plan was applied stays
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "50"
    And the plan's file "v" is changed to "2"
    And a checkpoint of type "pre_apply" was the last thing it saved
    And the plan's file "v" is changed to "3"
    And a checkpoint of type "pre_apply" was the last thing it saved
    And the plan's file "v" is changed to "4"
    And a checkpoint of type "step" was the last thing it saved
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    When the plan counts as "execute/complete"
    Then it would keep the checkpoints "1 6" of "1 3 4 5 6"
    When the plan counts as "apply/applied"
    Then it would keep the checkpoints "1 5 6" of "1 3 4 5 6"

  Scenario: each checkpoint is listed with the reason why it is kept
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}, checkpoint: named}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And I have run "agents plan rollback @ 3 --yes"
    When I run "agents plan checkpoint list @ --verbose"
    Then the exit code is 0
    And the lines of the output hold
      """
      WHY KEPT
      before the plan runs the first
      named: named by step s1 pinned
      after shell in step s1 within the limit
      """
    And the checkpoints are kept because
      | seq | kept                         |
      | 1   | the first                    |
      | 2   | pinned                       |
      | 3   | within the limit             |
      | 4   | within the limit             |
      | 5   | within the limit             |
      | 6   | the latest safety checkpoint |
      | 7   | the newest                   |
    When I run "agents plan checkpoint list @ --set sandbox.checkpoint.max-checkpoints-per-plan=2 --format json"
    Then the data holds
      | field              | value              |
      | checkpoints.2.kept | "beyond the limit" |
    And there are 7 checkpoints

  # --- Space -------------------------------------------------------------------------------------

  Scenario: a long run frees space as it goes
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When 200 checkpoints of a changing file of 400000 bytes are made in one go
    Then there are 50 checkpoints
    And the store was never larger than twice what its checkpoints need
    And the space was freed in few sweeps, not in one for each checkpoint
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0

  # --- Pinning -----------------------------------------------------------------------------------

  Scenario: a pinned checkpoint stays until it is unpinned
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "3"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint pin @ 2"
    Then the exit code is 0
    And the output is exactly "cp2 is pinned"
    And the error says "# takes it back"
    When I run "agents plan checkpoint pin @ cp2"
    Then the output is exactly "cp2 is pinned already"
    And the error does not say "# takes it back"
    When I run "agents plan checkpoint create @ --no-pin --label loose"
    And I run "agents plan checkpoint create @ --no-pin"
    Then the checkpoints are
      | seq | pinned | label |
      | 1   | False  |       |
      | 2   | True   |       |
      | 5   | False  |       |
    When I run "agents plan checkpoint unpin @ 2 --format json"
    Then the envelope is that of a success of "plan checkpoint unpin"
    And the data holds
      | field  | value |
      | seq    | 2     |
      | pinned | false |
    When I run "agents plan checkpoint create @ --pin --label mine"
    Then the checkpoints are
      | seq | pinned | label |
      | 1   | False  |       |
      | 5   | False  |       |
      | 6   | True   | mine  |
    When I run "agents plan checkpoint unpin @ 9"
    Then the exit code is 3

  # --- Deleting by hand --------------------------------------------------------------------------

  Scenario: a checkpoint is deleted for ever, and the line closes around it
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 2 --yes"
    When I run "agents plan checkpoint delete @ 2 --yes --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan checkpoint delete"
    And the keys of "data" are "deleted, seq"
    And the data holds
      | field | value |
      | seq   | 2     |
    When I run "agents plan checkpoint list @ --format json"
    Then "data.checkpoints" counts 4
    And the data holds
      | field                | value |
      | checkpoints.0.marked | false |
      | checkpoints.1.marked | true  |
      | checkpoints.2.marked | true  |
      | checkpoints.3.marked | false |
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 3
    When I run "agents plan rollback @ 5 --yes"
    Then the exit code is 0
    And the plan's file "v" holds "1"
    When I run "agents plan checkpoint delete @ 1 -y"
    Then the exit code is 0
    And the output says "deleted cp1"

  Scenario: what became of a checkpoint that is gone, and what is near
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "4"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      - {name: s4, tool: shell, with: {command: "echo 4 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint delete @ 5 --yes"
    When I run "agents plan rollback @ 3 --yes"
    Then the exit code is 3
    And it is told that "cp3 was removed by the limit" on that day, and "nearest: cp1, cp4"
    When I run "agents plan checkpoint show @ cp5"
    Then the exit code is 3
    And it is told that "cp5 was deleted by hand" on that day, and "nearest: cp4, cp6"
    When the checkpoint that was made as "cp3" is asked for by its id
    Then the exit code is 3
    And it is told that "cp3 was removed by the limit" on that day, and "nearest: cp1, cp4"
    When I run "agents plan checkpoint show @ 9"
    Then the exit code is 3
    And the error says "no checkpoint '9' in plan"
    Given the database was told "UPDATE operations SET intent_json = json_remove(intent_json, '$.by_hand') WHERE kind = 'prune'"
    When I run "agents plan checkpoint show @ 3"
    Then it is told that "cp3 was removed" on that day, and "nearest: cp1, cp4"
    Given the database was told "DELETE FROM operations WHERE kind = 'prune'"
    When I run "agents plan checkpoint show @ 3"
    Then the error says "cp3 is gone; nearest: cp1, cp4"

  Scenario: the newest checkpoint is never deleted
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint delete @ @ --yes --format json"
    Then the exit code is 4
    And the error message says "cp3 is the newest checkpoint; it always stays"
    And a suggestion says "agents plan checkpoint create"
    And there are 3 checkpoints

  Scenario: what an unfinished operation needs is not deleted
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And a rollback to checkpoint 2 has crashed after its intent was recorded
    When I run "agents plan checkpoint delete @ 2 --yes"
    Then the exit code is 4
    And the error says "cp2 stays: an unfinished operation needs it"
    And there are 4 checkpoints

  Scenario: a dry run deletes nothing, and what would be missed is told
    Given a plain folder
    And the steps
      """
      - name: which
        decide: {question: "Which?", options: {a: [{tool: shell, with: {command: "echo a > v"}}]}, choose: a}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint delete @ 2 --dry-run --format json"
    Then the exit code is 0
    And a message is "dry run: cp2 (before the decision which; an active decision can be corrected to it) would be deleted for ever"
    And there are 5 checkpoints
    When I run "agents plan checkpoint delete @ 5 --dry-run"
    Then the exit code is 4

  Scenario: deleting asks, and without a terminal does nothing
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint delete @ 1 --format json"
    Then the exit code is 2
    And a suggestion says "agents plan checkpoint delete"
    When I run "agents plan checkpoint delete @ 9 --yes"
    Then the exit code is 3
    When I type on a terminal "agents plan checkpoint delete @ 1"
      | question                                          | answer |
      | Delete cp1 (before the plan runs) for ever? [y/N] | n      |
    Then the exit code is 1
    And there are 3 checkpoints
    When I type on a terminal "agents plan checkpoint delete @ 1"
      | question                                          | answer |
      | Delete cp1 (before the plan runs) for ever? [y/N] | YES    |
    Then the exit code is 0
    And there are 2 checkpoints

  Scenario: what was forgotten earlier does not hold up what is freed later
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "head -c 300000 /dev/urandom > gone"}}
      - {name: s2, tool: shell, with: {command: "head -c 100000 /dev/urandom > stays"}}
      - {name: s3, tool: shell, with: {command: "rm gone"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint delete @ 2 --yes"
    And I have run "agents plan checkpoint delete @ 3 --yes"
    Then in the project "test $(cat ../data/projects/*/store/packs/*.pack | wc -c) -le 150000" holds
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0
