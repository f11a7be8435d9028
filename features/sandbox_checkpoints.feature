Feature: Checkpoints of a sandbox
  While a plan runs it is checkpointed by itself: before it, at the milestones the settings name,
  and after it. A failed step is taken back as the plan's policy says. Without its checkpoint a
  tool that writes does not run.

  # --- Milestones --------------------------------------------------------------------------------

  Scenario: a plan is checkpointed before it, after every tool that writes, and after it
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: look, tool: read_file, with: {path: b.txt}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         | step | trigger            | source_tool | phase   | reason                            | label | pinned |
      | 1   | pre_execute  | 0    |                    |             | execute | before the plan runs              |       | False  |
      | 2   | tool         | 1    | after_tool_execute | write_file  | execute | after write_file in step first    |       | False  |
      | 3   | step         | 2    | before_step        |             | execute | before step second                |       | False  |
      | 4   | tool         | 3    | after_tool_execute | shell       | execute | after shell in step second        |       | False  |
      | 5   | post_execute | 3    |                    |             | execute | after the last step               |       | False  |
    And checkpoint 1 has no file "b.txt"
    And checkpoint 2 holds the file "b.txt" with "b"
    And checkpoint 3 holds the file "a.txt" with "one"
    And checkpoint 4 holds the file "a.txt" with "two"

  Scenario Outline: the trigger <trigger> makes the checkpoints it names, and no other
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "<trigger>"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | type         | step | trigger   | source_tool | reason               |
      | pre_execute  | 0    |           |             | before the plan runs |
      | <type>       | 1    | <trigger> | <tool>      | <reason>             |
      | <last type>  | 2    | <last>    | <last tool> | <last reason>        |

    Examples:
      | trigger             | type | tool  | reason                      | last type    | last | last tool | last reason         |
      | before_step         | step |       | before step second          | post_execute |      |           | after the last step |
      | before_tool_execute | tool | shell | before shell in step second | post_execute |      |           | after the last step |

  Scenario: the trigger after_tool_execute alone
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "after_tool_execute"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the checkpoints are
      | type        | step | trigger            | source_tool | reason                         |
      | pre_execute | 0    |                    |             | before the plan runs           |
      | tool        | 1    | after_tool_execute | write_file  | after write_file in step first |
      | rollback    | 1    |                    |             | rolled back to cp2             |

  Scenario: the trigger on_error keeps what a failed step left
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "on_error"
    And the steps
      """
      - {name: bad, tool: shell, with: {command: "echo half > half; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the checkpoints are
      | type        | step | trigger  | source_tool | phase   | reason               |
      | pre_execute | 0    |          |             | execute | before the plan runs |
      | error       | 0    | on_error | shell       | execute | step bad failed      |
      | rollback    | 0    |          |             | execute | rolled back to cp1   |
    And checkpoint 2 holds the file "half" with "half"
    And the plan has no file "half"

  Scenario: without any trigger only the two ends are checkpointed, and every output says so
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 0
    And a message is "automatic checkpoints are off: a crash starts again from pre_execute or the latest decision"
    And the checkpoints are
      | type         | reason               |
      | pre_execute  | before the plan runs |
      | post_execute | after the last step  |
    And each of these says "automatic checkpoints are off: a crash starts again from pre_execute or the latest decision"
      | command                  |
      | plan status @            |
      | plan diff @              |
      | plan list                |
      | plan execute @           |
      | plan checkpoint list @   |
      | plan checkpoint create @ |
      | plan rollback @ 1 --yes  |

  Scenario Outline: triggers together: <triggers>
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "<triggers>"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: look, tool: read_file, with: {path: b.txt}}
      - {name: bad, tool: shell, with: {command: "echo half > half; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the triggers that made checkpoints are "<made>"

    Examples:
      | triggers                                                        | made                                                  |
      | before_step,on_error                                            | before_step before_step on_error                      |
      | before_tool_execute,after_tool_execute                          | after_tool_execute before_tool_execute                |
      | before_step,before_tool_execute                                 | before_step before_step                               |
      | after_tool_execute,on_error                                     | after_tool_execute on_error                           |
      | on_subplan_spawn,after_subplan                                  |                                                       |
      | before_step,before_tool_execute,after_tool_execute,on_subplan_spawn,after_subplan,on_error | after_tool_execute before_step on_error |

  Scenario Outline: one trigger by itself, where each kind of step begins, ends and fails: <trigger>
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "<trigger>"
    And the steps
      """
      - {name: one, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: two, tool: shell, with: {command: "echo two > a.txt"}}
      - {name: look, tool: read_file, with: {path: b.txt}}
      - {name: choose, decide: {question: "which?", options: {x: [{name: in, tool: write_file, with: {path: c.txt, content: "c"}}]}, choose: x}}
      - {name: group, subplans: {mode: sequential, plans: [{name: p, steps: [{tool: shell, with: {command: "echo p > p"}}]}]}}
      - {name: bad, tool: shell, with: {command: "echo half > half; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the checkpoints that "<trigger>" made are "<made>", and no other trigger made one

    Examples:
      | trigger             | made                                                                                  |
      | before_step         | before step two; before step look; before step in; before step group; before step bad |
      | before_tool_execute | before shell in step two; before write_file in step in; before shell in step bad      |
      | after_tool_execute  | after write_file in step one; after shell in step two; after write_file in step in    |
      | on_subplan_spawn    | before spawning p                                                                     |
      | after_subplan       | merged p                                                                              |
      | on_error            | step bad failed                                                                       |

  Scenario Outline: the service makes a checkpoint for <trigger> if the settings name it, and only then
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "b.txt" is changed to "c"
    Then the service makes no checkpoint for "<trigger>"
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "<trigger>"
    Then the service makes a checkpoint of type "<type>" for "<trigger>"
    And the service makes the same checkpoint again for "<trigger>"

    Examples:
      | trigger             | type    |
      | before_step         | step    |
      | before_tool_execute | tool    |
      | after_tool_execute  | tool    |
      | on_subplan_spawn    | subplan |
      | after_subplan       | subplan |
      | on_error            | error   |

  Scenario: a tool that only reads makes no checkpoint
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "before_tool_execute,after_tool_execute"
    And the action
      """
      name: look
      tools:
        - {name: look, command: ls, read_only: true}
      steps:
        - {tool: read_file, with: {path: a.txt}}
        - {tool: look}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | type         |
      | pre_execute  |
      | post_execute |

  Scenario: a state that is saved already is not saved again
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION -v"
    Then the exit code is 0
    And the error says
      """
      before step first: same as cp1
      before step second: same as cp2
      """
    And the checkpoints are
      | seq | reason                         |
      | 1   | before the plan runs           |
      | 2   | after write_file in step first |
      | 3   | after shell in step second     |
      | 4   | after the last step            |
    When I run "agents run ACTION"
    Then the error does not say "same as"

  Scenario: each milestone of the second try is checkpointed as well
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'test -e "$GATE"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION" in vain
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the checkpoints are
      | type         | reason                   |
      | pre_execute  | before the plan runs     |
      | rollback     | rolled back to cp1       |
      | pre_execute  | before the plan runs     |
      | tool         | after shell in step only |
      | post_execute | after the last step      |

  # --- Rollback on failure -----------------------------------------------------------------------

  Scenario: on_failure last_good, which is the default, goes back to before the failed step
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "rm a.txt; echo x > b.txt; mkdir d; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "↶ back to cp2, 3 files"
    And the plan is "execute/errored"
    And the plan is at step 1
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | b       |
    And the steps that count are
      | step  | attempt |
      | first | 1       |
    And the checkpoints are
      | type        | reason                         |
      | pre_execute | before the plan runs           |
      | tool        | after write_file in step first |
      | error       | step second failed             |
      | rollback    | rolled back to cp2             |

  Scenario: on_failure start goes back to before the first step
    Given a git repository
    And the action
      """
      name: all or nothing
      rollback: {on_failure: start}
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
        - {name: second, tool: shell, with: {command: "echo x > c; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "files: restored to cp1"
    And the plan is at step 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    And no step counts

  Scenario: on_failure keep leaves the files as the failed step left them
    Given a git repository
    And the action
      """
      name: keep it
      rollback: {on_failure: keep}
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
        - {name: second, tool: shell, with: {command: "echo x > c; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "files: as the failed step left them"
    And the plan is "execute/errored"
    And the plan is at step 1
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | b       |
      | c     | x       |
    And the checkpoints are
      | type        | reason                         |
      | pre_execute | before the plan runs           |
      | tool        | after write_file in step first |
      | error       | step second failed             |

  Scenario: with rollback off a plan has no checkpoint, whatever the settings say
    Given a plain folder
    And the action
      """
      name: unsafe
      rollback: {enabled: false}
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}, checkpoint: named}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's file "b.txt" holds "b"
    When I run "agents plan checkpoint list @"
    Then the exit code is 0
    And the output is empty
    And the error says "the plan has no checkpoint yet"

  Scenario Outline: the checkpoint a failed step goes back to is never pruned
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "<limit>"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}, checkpoint: <name>}
      - {name: second, tool: shell, with: {command: "echo x > b.txt; exit 1"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the plan is "execute/errored"
    And the plan's file "b.txt" holds "b"

    Examples:
      | limit | name  |
      | 2     | null  |
      | 3     | named |

  # --- Fail closed -------------------------------------------------------------------------------

  Scenario: a store that cannot be written keeps the tool from running
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'test -e "$GATE" && echo ran > "$GATE.ran"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION" in vain
    And the store of the project cannot be written to
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 1
    And the error does not say "Traceback"
    And the step has not run
    And the plan is "execute/errored"

  @needs_root
  Scenario: a state that cannot be saved keeps the tool from running
    Given a plain folder
    And steps are not confined
    And the steps
      """
      - {name: first, tool: shell, with: {command: "mknod null c 1 3"}}
      - {name: second, tool: shell, with: {command: 'echo ran > "$GATE.ran"'}, pass_env: [GATE]}
      """
    When I run "agents run ACTION"
    Then the error says "null is a device"
    And the error says "hint: remove it, or leave it out with sandbox.checkpoint.exclude"
    And the step has not run
    And the plan is "execute/errored"
    And the plan is at step 1

  @needs_root
  Scenario: a plan that stopped for such a reason can still be looked at
    Given a plain folder
    And steps are not confined
    And the steps
      """
      - {name: first, tool: shell, with: {command: "mknod null c 1 3"}}
      """
    When I run "agents run ACTION"
    And I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field       | value                                |
      | error.files | "as they were when the plan stopped" |

  @needs_root
  Scenario: a checkpoint that could not be made is a failed run
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "mknod null c 1 3"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1

  # --- What a row holds --------------------------------------------------------------------------

  Scenario: a checkpoint tells everything about itself
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint list @ --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan checkpoint list"
    And "data.checkpoints" counts 3
    And the keys of "data.checkpoints.0" are "checkpoint_id, plan_id, seq, decision_id, checkpoint_type, resource_id, sandbox_ref, filesystem_path, size_bytes, created_at, label, step_index, state_hash, parent_id, pinned, metadata_json, marked, kept"
    And the data holds
      | field                                   | value                            |
      | checkpoints.1.seq                       | 2                                |
      | checkpoints.1.checkpoint_type           | "tool"                           |
      | checkpoints.1.step_index                | 1                                |
      | checkpoints.1.decision_id               | null                             |
      | checkpoints.1.label                     | null                             |
      | checkpoints.1.marked                    | false                            |
      | checkpoints.1.metadata_json.reason      | "after write_file in step first" |
      | checkpoints.1.metadata_json.source_tool | "write_file"                     |
      | checkpoints.1.metadata_json.phase       | "execute"                        |
      | checkpoints.1.metadata_json.trigger     | "after_tool_execute"             |
      | checkpoints.1.metadata_json.not_captured | []                              |
    And every checkpoint has its place and a time in UTC, and they ascend

  Scenario: a checkpoint tells which filter it was made with
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.log"
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint show @ 1 --format json"
    Then the data holds
      | field                | value     |
      | metadata_json.filter | ["*.log"] |

  Scenario: the state hash is that of files and plan document, nothing else
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: 'echo x > "x$(cat "$GATE" 2>/dev/null)"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    And I run "agents plan execute @"
    Then the exit code is 0
    And checkpoints 1, 4, 5 have the same state hash
    And checkpoints 2, 3 have the same state hash
    And checkpoints 1, 2 have different state hashes
    And checkpoints 2, 6 have different state hashes

  Scenario: what is excluded is neither saved nor restored
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.log, /keep/, "
    And the steps
      """
      - {name: first, tool: shell, with: {command: "mkdir keep; echo k > keep/k; echo l > x.log; echo b > b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint show @ 2 --format json"
    Then the data holds
      | field                      | value                                 |
      | metadata_json.not_captured | ["keep: excluded", "x.log: excluded"] |
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan's files are
      | file   | content |
      | a.txt  | one     |
      | keep/k | k       |
      | x.log  | l       |

  # --- Durability --------------------------------------------------------------------------------

  Scenario: checkpoints outlive the process that made them
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    When a process of its own runs "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         | step |
      | 1   | pre_execute  | 0    |
      | 2   | tool         | 1    |
      | 3   | post_execute | 1    |
    When a process of its own runs "agents plan checkpoint list @ --format json"
    Then "data.checkpoints" counts 3
    When a process of its own runs "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan has no file "b.txt"

  # --- By hand -----------------------------------------------------------------------------------

  Scenario: a checkpoint made by hand has a label, is pinned, and is made even if nothing changed
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint create @ --label nice --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan checkpoint create"
    And the data holds
      | field           | value    |
      | seq             | 4        |
      | checkpoint_type | "manual" |
      | label           | "nice"   |
      | pinned          | true     |
    When I run "agents plan checkpoint create"
    Then the exit code is 0
    And the output says "cp5  0"
    And the error says "agents plan rollback"
    When I run "agents plan checkpoint list @"
    Then the output says "nice: made by hand"
    When I run "agents plan checkpoint show @ 4"
    Then the output says "Checkpoint cp4"
    And the output says "made by hand"

  Scenario: a plan that has not run has nothing to save
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan checkpoint create @"
    Then the exit code is 4
    And the error says "the plan has no sandbox yet"
    And the error says "hint: run it first: agents plan execute"

  Scenario: what each checkpoint added is told in units people read
    Given a plain folder
    And the steps
      """
      - {name: small, tool: shell, with: {command: "head -c 5000 /dev/urandom > small"}}
      - {name: large, tool: shell, with: {command: "head -c 2000000 /dev/urandom > large"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint list @ -v"
    Then the output says "ADDED"
    And the output says " B "
    And the output says " KiB "
    And the output says " MiB "

  # --- The service -------------------------------------------------------------------------------

  Scenario: a checkpoint is found by its number, its id, a prefix, or @
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then the service finds checkpoint 2 as "2"
    And the service finds checkpoint 2 as "cp2"
    And the service finds checkpoint 2 as "ID"
    And the service finds checkpoint 2 as "cp_ID"
    And the service finds checkpoint 2 as "id"
    And the service finds checkpoint 2 as "PREFIX"
    And the service finds checkpoint 3 as "@"
    And the service refuses "cp9" as "not_found"
    And the service refuses "9" as "not_found"
    And the service refuses "cp" as "not_found"
    And the service refuses "@@" as "not_found"
    And the service refuses the prefix that all of them share as "invalid_input"

  Scenario: the service makes a checkpoint of a milestone only if the settings ask for it
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is "before_step,on_subplan_spawn"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "b.txt" is changed to "new"
    Then the service makes no checkpoint for "before_tool_execute"
    And the service makes a checkpoint of type "step" for "before_step"
    And the service makes the same checkpoint again for "on_subplan_spawn"

  Scenario: the service makes, prunes, deletes and goes back
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "4"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When the service makes a checkpoint labelled "mine"
    And the service deletes checkpoint 2
    And the plan's file "b.txt" is changed to "new"
    And the service goes back to checkpoint 1
    Then the plan has no file "b.txt"
    And the service tells what became of each checkpoint
      | seq | why                |
      | 1   | the first          |
      | 3   | beyond the limit   |
      | 4   | pinned             |
      | 5   | the latest safety checkpoint |
      | 6   | the newest         |
