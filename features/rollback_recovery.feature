Feature: Rollbacks that go wrong
  Damaged content is found before anything changes. A rollback that was interrupted is finished or
  taken back by the next command that changes the plan, and that command says so.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v; echo w1 > w1"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v; echo w2 > w2"}}
      - {name: third, tool: shell, with: {command: "echo 3 > v; echo w3 > w3"}}
      """
    And I have run "agents run ACTION"

  # --- Damage ------------------------------------------------------------------------------------

  Scenario: going to a checkpoint whose files are damaged is refused with the paths
    Given the stored content of "v" in checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 1
    And the envelope is that of the error "damaged" of "plan rollback"
    And the problems are
      """
      v
      """
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | v     | 3       |
      | w1    | w1      |
      | w2    | w2      |
      | w3    | w3      |
    And the plan is "execute/complete"
    And the plan is at step 3

  Scenario: a refusal for damaged files changes nothing at all
    Given the stored content of "v" in checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 1
    And there are 5 checkpoints

  Scenario: a refusal for damaged files names the nearest good checkpoint
    Given the stored content of "v" in checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 1
    And a suggestion says "nearest intact checkpoint: agents plan rollback"

  Scenario: going to a checkpoint whose record is damaged is refused
    Given the stored record of checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 1
    And the error message says "the snapshot of cp3 cannot be read"
    And there are 5 checkpoints
    And the plan is "execute/complete"

  Scenario: a refusal for a damaged record names the nearest good checkpoint
    Given the stored record of checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 1
    And a suggestion says "nearest intact checkpoint: agents plan rollback"

  Scenario: what is left of a damaged checkpoint can be written beside
    Given the stored content of "v" in checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --to ../left --format json"
    Then the exit code is 1
    And the data holds
      | field   | value |
      | damaged | ["v"] |
      | written | 3     |
    And the folder "left" beside the project holds
      | file  | content |
      | a.txt | one     |
      | w1    | w1      |
      | w2    | w2      |
    And the plan is "execute/complete"
    When I run "agents plan rollback @ 3 --to ../left"
    Then the exit code is 4
    And the error says "exists already"

  Scenario: a dry run writes nothing beside, either
    When I run "agents plan rollback @ 1 --dry-run --to beside"
    Then the exit code is 2
    And the error says "--to changes no plan"
    And in the project "! test -e beside" holds

  Scenario: writing a damaged checkpoint beside says what was written and what was not
    Given the stored content of "v" in checkpoint 3 is damaged
    When I run "agents plan rollback @ 3 --to ../left"
    Then the exit code is 1
    And the output says "cp3 is damaged: 3 paths written to ../left, 1 damaged and not written"
    And the error says "damaged, not written: v"

  Scenario: an intact checkpoint can be written beside as a whole
    When I run "agents plan rollback @ 2 --to ../whole"
    Then the exit code is 0
    And the output says "cp2 written to ../whole"
    And the folder "whole" beside the project holds
      | file  | content |
      | a.txt | one     |
      | v     | 1       |
      | w1    | w1      |

  Scenario Outline: what a rollback takes away can be had back though the store was damaged: <damage>
    Given <damage>
    When I run "agents plan rollback @ 3 --yes"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | v     | 2       |
      | w1    | w1      |
      | w2    | w2      |
    When I run "agents plan rollback @ <back> --yes"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | v     | 3       |
      | w1    | w1      |
      | w2    | w2      |
      | w3    | w3      |

    Examples:
      | damage                                                      | back |
      | the stored content of "v" is damaged                        | 5    |
      | the stored top directory of the newest checkpoint is damaged | 5    |
      | the stored record of checkpoint 5 is damaged                | 6    |
      | the pack of checkpoint 5 is cut short                       | 6    |

  Scenario: damage that a rollback meets is told and healed
    Given the stored content of "v" is damaged
    When I run "agents plan rollback @ 3 --yes"
    Then the exit code is 0
    And the error says "what was stored of 1 path was damaged; it was stored again from the files: v"
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0

  Scenario: the failure of a step whose checkpoint is damaged names the nearest good one
    Given the stored record of checkpoint 3 is damaged
    Then going back to checkpoint 3 for a failed step is refused, naming checkpoint 2

  Scenario: where every checkpoint is damaged none is named
    Given the stored record of every checkpoint is damaged
    Then going back to checkpoint 3 for a failed step is refused, naming no other

  Scenario: a record that is not that of its row is refused
    Given the row of checkpoint 3 names the snapshot of checkpoint 2
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 1
    And the error message is "the snapshot of cp3 does not match its state hash"

  # --- Crashes -----------------------------------------------------------------------------------

  Scenario: a rollback that crashed before it touched a file is finished by the next command
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field                 | value        |
      | unfinished_operations | ["rollback"] |
      | state                 | "complete"   |
    And a message is "an interrupted rollback is finished by the next command that changes the plan"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error says "note: an interrupted rollback to cp1 was finished"
    And the error says "1/3 first"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value      |
      | unfinished_operations | []         |
      | state                 | "complete" |

  Scenario: a rollback that crashed half-way is finished by the next command
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    And the plan's file "w1" is removed
    And the plan's file "v" is changed to "torn"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    And the plan is "execute/queued"
    And the plan is at step 0
    And no step counts

  Scenario: a rollback that crashed after the last file is finished by the next command
    Given a rollback to checkpoint 1 has crashed after its files were restored
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the error says "note: an interrupted rollback to cp1 was finished"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | v     | 1       |
      | w1    | w1      |
    And the checkpoints are
      | seq | type         | reason                      |
      | 1   | pre_execute  | before the plan runs        |
      | 2   | tool         | after shell in step first   |
      | 3   | tool         | after shell in step second  |
      | 4   | tool         | after shell in step third   |
      | 5   | post_execute | after the last step         |
      | 6   | rollback     | rolled back to cp1          |
      | 7   | rollback     | rolled back to cp2          |

  Scenario Outline: every command that finishes a rollback says so: agents <line>
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    When I run "agents <line>"
    Then the exit code is 0
    And the error says "an interrupted rollback to cp1 was finished"

    Examples:
      | line                           |
      | plan checkpoint create @       |
      | plan checkpoint delete @ 3 -y  |

  Scenario: programs are told as well that a rollback was finished
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the exit code is 0
    And a message says "an interrupted rollback to cp1 was finished"

  Scenario: a rollback whose target cannot be read any more is taken back
    Given the plan's file "v" is changed to "by hand"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    And the plan's file "w1" is removed
    And the plan's file "v" is changed to "torn"
    And the stored record of checkpoint 1 is damaged
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error says "an interrupted rollback could not be finished and was taken back"
    And the error says "the plan is complete already"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | v     | by hand |
      | w1    | w1      |
      | w2    | w2      |
      | w3    | w3      |
    And the plan is "execute/complete"
    And the plan is at step 3
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value |
      | unfinished_operations | []    |

  Scenario: a rollback that can be neither finished nor taken back is not told as taken back
    Given the plan's file "v" is changed to "by hand"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    And the plan's file "v" is changed to "torn"
    And the stored record of checkpoint 1 is damaged
    And the stored record of checkpoint 6 is damaged
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "an interrupted rollback of this plan cannot be finished"
    And the error does not say "was taken back"

  Scenario: an interrupted rollback in a lost sandbox does not lock the plan for ever
    Given a rollback to checkpoint 1 has crashed after its intent was recorded
    And the sandbox directory is lost
    When I run "agents plan rollback @ 2 --rebuild --yes"
    Then the exit code is 0
    And the plan's file "v" holds "1"

  Scenario: a rebuilding that is killed before its intent is recorded leaves no empty sandbox
    Given the sandbox directory is lost
    And "agents plan rollback @ 2 --rebuild --yes" has crashed before its intent was recorded
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                    | value     |
      | execution.sandbox.status | "missing" |

  # --- Whatever happened in between --------------------------------------------------------------

  # Deleting it would delete its only copy, so the plan stops and says what is in the way.
  Scenario: a step that makes what no checkpoint can hold stops the plan, and nothing is deleted
    Given the steps
      """
      - {name: deep, tool: shell, with: {command: "i=0; while [ $i -lt 210 ]; do mkdir d; cd d; i=$((i+1)); done; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "directories are nested deeper than 200"
    And the error says "hint: remove them"
    And the plan is "execute/errored"
