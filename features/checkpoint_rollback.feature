Feature: Going back to a checkpoint
  Everything after a checkpoint is taken back, as one act, and that act can be taken back as well.

  Background:
    Given a git repository
    And the action
      """
      name: two files
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
        - {name: second, tool: shell, with: {command: "echo two > a.txt; rm b.txt; mkdir -p d; echo c > d/c"}}
      """
    And I have run "agents run ACTION"

  # --- What returns ------------------------------------------------------------------------------

  Scenario: files, decisions, step results and the plan itself return
    Given a decision "sqlite" has been recorded
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | b       |
    And the plan has no file "d"
    And the plan is "execute/queued"
    And the plan is at step 1
    And the steps that count are
      | step  | attempt |
      | first | 1       |
    And the decisions that count are "two files"
    And the project is as it was

  Scenario: programs get exactly these keys
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan rollback"
    And the keys of "data" are "rollback_summary, changes_reverted, impact, post_rollback_state"
    And the keys of "data.rollback_summary" are "plan, checkpoint, label, files_reverted"
    And the keys of "data.changes_reverted.0" are "file, action"
    And the keys of "data.impact" are "child_plans_invalidated, sandbox, decisions_after_cp, tool_calls_after_cp"
    And the keys of "data.post_rollback_state" are "phase, state, checkpoints_remaining"
    And the data holds
      | field                                     | value                                                                              |
      | rollback_summary.label                    | null                                                                               |
      | rollback_summary.files_reverted           | 2                                                                                  |
      | changes_reverted                          | [{"file": "a.txt", "action": "restored"}, {"file": "d/c", "action": "removed"}]    |
      | impact.child_plans_invalidated            | 0                                                                                  |
      | impact.sandbox                            | "restored to cp1"                                                                  |
      | impact.decisions_after_cp                 | "0 discarded"                                                                      |
      | impact.tool_calls_after_cp                | "2 undone"                                                                         |
      | post_rollback_state.phase                 | "execute"                                                                          |
      | post_rollback_state.state                 | "queued (awaiting input)"                                                          |
      | post_rollback_state.checkpoints_remaining | 2                                                                                  |
    And the summary names the plan and checkpoint 1

  Scenario: a label and discarded decisions are told
    Given a decision "sqlite" has been recorded
    And I have run "agents plan checkpoint create @ --label nice"
    And a decision "postgres" has been recorded
    When I run "agents plan rollback @ cp5 --yes --format json"
    Then the data holds
      | field                     | value         |
      | rollback_summary.label    | "nice"        |
      | impact.decisions_after_cp | "1 discarded" |
      | changes_reverted          | []            |
    And the decisions that count are "two files, sqlite"

  Scenario: people get four headings and a last line
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the output says
      """
      Rollback Summary     
      Changes Reverted     restored  a.txt
                           removed   d/c
      Impact               sandbox restored to cp1, 2 tool calls undone
      Post-Rollback State  execute/queued (awaiting input), 2 checkpoints lead here
      ✓ OK Rollback complete
      """
    And the error says "agents plan execute @"
    And the error says "# takes this one back"

  Scenario Outline: the same is told with --format <format>
    When I run "agents plan rollback @ 1 --yes --format <format>"
    Then the exit code is 0
    And the output says
      """
      Rollback Summary
      Changes Reverted
      restored  a.txt
      Impact
      2 tool calls undone
      Post-Rollback State
      queued (awaiting input)
      ✓ OK Rollback complete
      """
    And the output does not say "╭"

    Examples:
      | format |
      | rich   |
      | plain  |
      | color  |
      | table  |

  Scenario: YAML holds what JSON does
    When I run "agents plan rollback @ 1 --yes --format yaml"
    Then the envelope is that of a success of "plan rollback"
    And the keys of "data" are "rollback_summary, changes_reverted, impact, post_rollback_state"
    And the data holds
      | field                           | value |
      | rollback_summary.files_reverted | 2     |

  Scenario Outline: wherever a plan stands, it is queued afterwards: <stage>
    Given the plan is set to "<stage>" by hand
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan is "execute/queued"

    Examples:
      | stage              |
      | execute/complete   |
      | execute/errored    |
      | execute/queued     |
      | execute/cancelled  |
      | execute/processing |

  Scenario: the plan goes on from the step after the checkpoint
    Given I have run "agents plan rollback @ 2 --yes"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error does not say "1/2 first"
    And the error says "2/2 second"
    And the plan's files are
      | file  | content |
      | a.txt | two     |
      | d/c   | c       |
    And the runs of steps are
      | step   | attempt | status    |
      | first  | 1       | succeeded |
      | second | 1       | succeeded |
      | second | 1       | succeeded |

  Scenario Outline: what is written after the rollback had looked at the files is taken back as well
    When a rollback to checkpoint 2 meets a write to "<path>" <moment>
    Then the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | b       |
    And the plan has no file "late.txt"
    And the plan has no file "d"
    And some checkpoint holds the file "<path>" with "late"

    Examples:
      | path     | moment                         |
      | late.txt | just after its intent          |
      | a.txt    | just after its intent          |
      | a.txt    | as the first file is put aside |
      | a.txt    | as the first file is placed    |

  Scenario: a rollback that was written to on its way tells all that it has changed
    When a rollback to checkpoint 2 meets a write to "a.txt" as the first file is placed
    Then the rollback has changed "a.txt, b.txt, d/c"

  Scenario: a rollback that meets a write each time stays open, and is finished when that has ended
    When a rollback to checkpoint 2 meets a write to "a.txt" each time a file is put aside
    Then it was refused, saying "a.txt was written to while it was to be replaced"
    And some checkpoint holds the file "a.txt" with "late"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "an interrupted rollback to cp2 was finished"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | b       |

  Scenario: modes, links, empty directories and the sandbox's own git return as well
    Given the steps
      """
      - name: make
        tool: shell
        with: {command: "echo s > run; chmod 750 run; ln -s run link; mkdir -m 711 empty; git add -A; git -c user.name=T -c user.email=t@x commit -qm second"}
      - name: break
        tool: shell
        with: {command: "chmod 644 run; rm -r link empty; ln -s nowhere link; git reset -q --hard HEAD~1; git branch other; rm -f run link"}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field            | value                                                                                                                                                                                  |
      | changes_reverted | [{"file": "empty/", "action": "restored"}, {"file": "link", "action": "restored"}, {"file": "run", "action": "restored"}, {"file": ".git/", "action": "restored"}] |
    And "stat -c %a run empty; readlink link; git log --format=%s; git branch --format='%(refname:short)' | wc -l" in the sandbox prints
      """
      750
      711
      run
      second
      first
      1
      """

  Scenario: many changes are counted for people and listed for programs
    Given the steps
      """
      - {name: many, tool: shell, with: {command: "for i in $(seq 10 40); do echo $i > f$i; done"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --dry-run --format json"
    Then "data.changes" counts 31
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the output says "f29"
    And the output does not say "f30"
    And the output says "and 11 more"

  Scenario: a directory that holds excluded files is kept, and that is told
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.log"
    And the steps
      """
      - {name: only, tool: shell, with: {command: "mkdir logs; echo l > logs/x.log; echo y > logs/y"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the error says "note: kept, because it holds excluded files: logs"
    And the plan's files are
      | file       | content |
      | a.txt      | one     |
      | logs/x.log | l       |

  Scenario: what is excluded by now and was not then is saved before it is replaced
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "echo old > x.log"}}
      - {name: second, tool: shell, with: {command: "echo new > x.log"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "x.log" is changed to "by hand"
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.log"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan's file "x.log" holds "old"
    When I run "agents plan rollback @ 5 --yes"
    Then the exit code is 0
    And the plan's file "x.log" holds "by hand"

  Scenario: the sandbox directory itself is not told as /
    Given the steps
      """
      - {name: only, tool: shell, with: {command: "chmod 711 ."}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field            | value                                      |
      | changes_reverted | [{"file": "./", "action": "restored"}]     |

  # --- History is kept ---------------------------------------------------------------------------

  Scenario: later checkpoints stay listed, and are marked
    Given I have run "agents plan rollback @ 2 --yes"
    When I run "agents plan checkpoint list @ --format json"
    Then the data holds
      | field                               | value                |
      | checkpoints.0.marked                | false                |
      | checkpoints.1.marked                | false                |
      | checkpoints.2.marked                | true                 |
      | checkpoints.3.marked                | true                 |
      | checkpoints.4.marked                | false                |
      | checkpoints.4.checkpoint_type       | "rollback"           |
      | checkpoints.4.metadata_json.reason  | "rolled back to cp2" |
    When I run "agents plan checkpoint list @"
    Then the output says "after shell in step second (left behind)"
    And the output does not say "after write_file in step first (left behind)"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value |
      | execution.checkpoints | 5     |

  Scenario: taking a rollback back restores files, cursor, step results and decisions
    Given the plan's file "a.txt" is changed to "by hand"
    And a decision "sqlite" has been recorded
    And I have run "agents plan rollback @ 1 --yes"
    Then the checkpoints are
      | seq | type         | reason                         |
      | 1   | pre_execute  | before the plan runs           |
      | 2   | tool         | after write_file in step first |
      | 3   | tool         | after shell in step second     |
      | 4   | post_execute | after the last step            |
      | 5   | safety       | before the rollback to cp1     |
      | 6   | rollback     | rolled back to cp1             |
    And no step counts
    When I run "agents plan rollback @ 5 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                                     | value                                                                            |
      | changes_reverted                          | [{"file": "a.txt", "action": "restored"}, {"file": "d/c", "action": "restored"}] |
      | post_rollback_state.checkpoints_remaining | 6                                                                                |
    And the plan's files are
      | file  | content |
      | a.txt | by hand |
      | d/c   | c       |
    And the plan is at step 2
    And the plan is "execute/queued"
    And the steps that count are
      | step   | attempt |
      | first  | 1       |
      | second | 1       |
    And the decisions that count are "two files, sqlite"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan is "execute/complete"

  Scenario: the hint after a rollback takes it back
    Given the plan's file "a.txt" is changed to "by hand"
    When I run "agents plan rollback @ 1 --yes"
    And I follow the hint that takes it back
    Then the exit code is 0
    And the plan's file "a.txt" holds "by hand"

  Scenario: a rollback of a complete plan that is taken back leaves nothing to run, and says so
    When I run "agents plan rollback @ 1 --yes"
    Then the error does not say "completes the plan"
    When I follow the hint that takes it back
    Then the plan is "execute/queued"
    And the error says "# every step has run: completes the plan"
    When I run "agents plan status @"
    Then the error says "# every step has run: completes the plan"
    When I run "agents plan execute @"
    Then the plan is "execute/complete"

  Scenario: to the present state there is nothing to do
    When I run "agents plan rollback @ 4 --yes"
    Then the exit code is 0
    And the error says "the plan is in this state already; there was nothing to do"
    And the output says "✓ OK Rollback complete"
    When I run "agents plan rollback @ @ --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                           | value |
      | rollback_summary.files_reverted | 0     |
      | changes_reverted                | []    |
    And a message is "the plan is in this state already; there was nothing to do"
    And the plan is "execute/complete"
    And there are 4 checkpoints

  Scenario: the same files with another history are not the present state
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                      | value      |
      | changes_reverted           | []         |
      | impact.tool_calls_after_cp | "1 undone" |
    And the plan is at step 0

  # --- Dry run -----------------------------------------------------------------------------------

  Scenario: a dry run tells what would change and changes nothing
    When I run "agents plan rollback @ 1 --dry-run --format json"
    Then the exit code is 0
    And the keys of "data" are "plan, checkpoint, changes, moving, undo, cannot_be_undone, subplans, decisions, checkpoints_left_behind, counts"
    And the data holds
      | field   | value                                                                           |
      | changes | [{"file": "a.txt", "action": "restored"}, {"file": "d/c", "action": "removed"}] |
    And a message is "dry run: nothing was changed"
    When I run "agents plan rollback @ 1 --dry-run --yes"
    Then the exit code is 0
    And the output says "Would change"
    And the plan's file "a.txt" holds "two"
    And the plan is "execute/complete"
    And there are 4 checkpoints

  Scenario: a dry run of nothing
    When I run "agents plan rollback @ 4 --dry-run"
    Then the exit code is 0
    And the output says "nothing"

  Scenario: a dry run changes nothing with --rebuild either
    When I run "agents plan rollback @ 1 --rebuild --dry-run --yes"
    Then the plan's file "a.txt" holds "two"
    And the plan is "execute/complete"
    And there are 4 checkpoints
