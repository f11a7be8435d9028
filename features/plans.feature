Feature: Plans
  A plan is one use of an action on a project. It moves along one table of phases and states, runs
  its steps in a sandbox, and is found again by whoever comes next, however the last run ended.

  # --- Lifecycle ---------------------------------------------------------------------------------

  Scenario Outline: from <stage> only the moves of the table are legal
    Then a plan in "<stage>" may go to "<targets>" and nowhere else

    Examples:
      | stage                 | targets                                                                                                 |
      | strategize/processing | strategize/processing, strategize/complete, strategize/errored                                          |
      | strategize/complete   | execute/processing, execute/cancelled, strategize/processing, execute/queued                            |
      | strategize/errored    | strategize/processing                                                                                   |
      | execute/queued        | execute/queued, execute/processing, execute/cancelled, strategize/processing, execute/complete, execute/errored |
      | execute/processing    | execute/processing, execute/complete, execute/errored, execute/cancelled, execute/queued, strategize/processing |
      | execute/errored       | execute/errored, execute/processing, execute/queued, execute/cancelled, strategize/processing           |
      | execute/cancelled     | execute/processing, execute/queued, execute/complete, strategize/processing                             |
      | execute/complete      | execute/queued, apply/processing, strategize/processing, execute/cancelled                              |
      | apply/processing      | apply/applied, execute/complete                                                                         |
      | apply/applied         | apply/processing                                                                                        |

  Scenario: pairs of phase and state that mean nothing are in no move
    Then no plan can ever be in "strategize/applied, execute/applied, apply/queued, apply/errored, apply/complete, apply/cancelled"

  # --- Using an action ---------------------------------------------------------------------------

  Scenario: using an action makes a plan that is ready to run, and runs nothing
    Given a git repository
    And the action
      """
      name: add auth
      description: Add session handling
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan use"
    And the data holds
      | field     | value        |
      | name      | "add auth"   |
      | phase     | "strategize" |
      | state     | "complete"   |
      | attempt   | 0            |
      | steps     | 1            |
      | next_step | 0            |
    And the decisions that count are "Add session handling"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field             | value                                  |
      | progress          | [{"step": "first", "status": "pending", "level": null, "way": null}] |
      | execution.sandbox | null                                   |
      | interrupted       | false                                  |

  Scenario: that steps are not confined is told when a plan runs first, and to those who ask for more
    Given a plain folder
    And steps are not confined
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    When I run "agents plan use ACTION --format json"
    Then no message says "not confined"
    When I run "agents plan execute @ --format json"
    Then a message is "steps are not confined, as sandbox.confinement says: an absolute path in a step reaches your own files, and the data directory with all checkpoints"
    When I run "agents plan status @ --format json"
    Then no message says "not confined"
    When I run "agents plan status @ --verbose --format json"
    Then a message says "and the data directory with all checkpoints"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then no message says "not confined"
    When I run "agents plan execute @ --format json"
    Then no message says "not confined"
    When I run "agents doctor --format json"
    Then the finding "confinement" says "and the data directory with all checkpoints"

  Scenario: people get the id and what to type next
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    When I run "agents plan use ACTION"
    Then the exit code is 0
    And the error says "next:"
    And the error says "agents plan execute @"
    And the decisions that count are "plan"

  Scenario: plans of a project are numbered in order, and listed with where they stand
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents plan use ACTION"
    And I have run "agents plan use ACTION"
    And I have run "agents plan execute @" in vain
    When I run "agents plan list --format json"
    Then the exit code is 0
    And "data.plans" counts 2
    And the keys of "data.plans.0" are "plan_id, kind, name, phase, state, attempt, steps, next_step, created_at, parent_plan_id, merged, unfinished, conflicts, conflict_files"
    And the data holds
      | field             | value        |
      | plans.0.phase     | "execute"    |
      | plans.0.state     | "errored"    |
      | plans.0.attempt   | 1            |
      | plans.0.next_step | 1            |
      | plans.1.phase     | "strategize" |
      | plans.1.state     | "complete"   |
      | plans.1.next_step | 0            |
    And the plans of the project are numbered 1, 2
    When I run "agents plan list"
    Then the output says "execute/errored"
    And the output says "1/2"

  Scenario: what is told of the steps of a plan without making objects of them is what those say
    Given a plain folder
    And the steps
      """
      - {tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "true"}}
      - decide:
          question: Which way?
          choose: long
          options:
            short: []
            long:
              - {tool: shell, with: {command: "true"}}
              - {name: again, decide: {question: "Really?", choose: "no", options: {"no": [{name: deep, tool: shell, with: {command: "true"}}]}}}
      - subplans:
          plans:
            - {name: left, steps: [{tool: shell, with: {command: "true"}}]}
            - {name: right, steps: [{tool: shell, with: {command: "true"}}]}
      """
    And I have run "agents plan use ACTION"
    Then the outline of the plan tells of 7 steps what its action tells

  Scenario: a project without plans
    Given a plain folder
    When I run "agents plan list"
    Then the exit code is 0
    And the output is empty
    And the error says "this project has no plan yet; write a first action: agents init, or run one that you have: agents run ACTION"
    When I run "agents plan status"
    Then the exit code is 3
    And the error says "this project has no plan yet"

  # --- Naming a plan -----------------------------------------------------------------------------

  Scenario: a plan is named by @, by its id in any case, or by a prefix
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents plan use ACTION"
    And I remember the plan as the other one
    And I have run "agents plan use ACTION"
    And I remember the plan
    When I run "agents plan status @ --format json"
    Then the latest plan is the one I remember
    When I look for the plan by the first 26 characters of its id with "agents plan status PREFIX --format json"
    Then the latest plan is the one I remember
    When I look for the plan by the first 25 characters of its id with "agents plan status PREFIX --format json"
    Then the latest plan is the one I remember
    When I look for the plan by the first 4 characters of its id with "agents plan status PREFIX --format json"
    Then the exit code is 2
    And the error message says "names 2 plans"
    And the detail says "PLAN"
    And the detail says "OTHER"

  Scenario Outline: a plan that does not exist: <name>
    Given a plain folder
    When I run "agents plan status <name> --format json"
    Then the exit code is 3
    And the envelope is that of the error "not_found" of "plan status"
    And a suggestion says "<suggestion>"

    Examples:
      | name                       | suggestion                        |
      | @                          | write a first action: agents init |
      | 01J0                       | see: agents plan list             |
      | nonsense%                  | see: agents plan list             |
      | ''                         | see: agents plan list             |
      | 01JABCDEFGHJKMNPQRSTVWXYZ0 | see: agents plan list             |

  Scenario: @ means the plan of the project one stands in, also below its top
    Given a git repository
    And the shell has run "mkdir -p sub/deep ../elsewhere" in the project
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents plan use ACTION"
    And I remember the plan
    When I run "agents plan status @ --format json" below sub/deep
    Then the latest plan is the one I remember
    When I run "agents plan status @" below ../elsewhere
    Then the exit code is 3

  # --- Preflight ---------------------------------------------------------------------------------

  Scenario: a step that cannot be taken back is refused before anything runs
    Given a plain folder
    And the action
      """
      name: deploy
      tools:
        - {name: deploy, command: ./deploy.sh, side_effects: [network, billing]}
        - {name: burn, command: ./burn.sh, checkpointable: false}
        - {name: look, command: ls, read_only: true, side_effects: [logs]}
        - {name: tidy, command: rm -f x, side_effects: [cache], checkpointable: true}
      steps:
        - {name: release, tool: deploy}
        - {name: harmless, tool: look}
        - {tool: burn}
        - {tool: tidy}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 1
    And the envelope is that of the error "failed" of "plan use"
    And the problems are
      """
      step 0 (release): tool 'deploy' has effects that cannot be taken back (network, billing); declare its undo, or set rollback.enabled to false
      step 2 (burn): tool 'burn' has effects that cannot be taken back (not checkpointable); declare its undo, or set rollback.enabled to false
      """
    And the plan is "strategize/errored"
    When I run "agents plan execute @ --format json"
    Then the exit code is 4
    And the error message says "a plan in strategize/errored cannot be executed"
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field         | value                           |
      | error.message | "the plan cannot be taken back" |

  Scenario: with rollback off the same plan runs, without checkpoints, and every output says so
    Given a plain folder
    And the action
      """
      name: deploy
      rollback: {enabled: false}
      tools:
        - {name: deploy, command: echo deployed > log, side_effects: [network]}
      steps:
        - {name: named, tool: deploy, checkpoint: before, retries: 1}
        - {name: second, tool: shell, with: {command: "exit 1"}, retries: 1}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 0
    And a message is "rollback is off for this plan: it runs without checkpoints"
    When I run "agents plan execute @ --format json"
    Then the exit code is 1
    And the detail says "files: as the failed step left them"
    And the plan's file "log" holds "deployed"
    And the plan is "execute/errored"
    And the plan is at step 1
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value |
      | execution.checkpoints | 0     |
    And a message is "rollback is off for this plan: it runs without checkpoints"
    When I run "agents plan status @"
    Then the error says "note: rollback is off for this plan: it runs without checkpoints"

  Scenario Outline: that rollback is off is also said by "agents <line>"
    Given a plain folder
    And the action
      """
      name: deploy
      rollback: {enabled: false}
      steps:
        - {name: only, tool: shell, with: {command: "exit 1"}}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents <line>"
    Then the error says "rollback is off for this plan"

    Examples:
      | line           |
      | plan execute @ |
      | plan diff @    |
      | plan list      |
      | plan status @  |
      | plan errors @  |
      | plan tree @    |
      | plan conflicts @ |
      | plan checkpoint list @ |
      | plan checkpoint create @ |
      | plan checkpoint verify @ |
      | plan checkpoint show @ 1 |
      | plan rollback @ 1 --yes |

  # --- Running -----------------------------------------------------------------------------------

  Scenario: a plan runs to its end, in its sandbox alone
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan execute @ --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan execute"
    And the data holds
      | field                        | value                                                                            |
      | phase                        | "execute"                                                                        |
      | state                        | "complete"                                                                       |
      | attempt                      | 1                                                                                |
      | progress.0.step              | "first"      |
      | progress.0.status            | "done"       |
      | progress.1.step              | "second"     |
      | progress.1.status            | "done"       |
      | execution.sandbox.strategy   | "git_worktree"                                                                   |
      | execution.sandbox.status     | "ready"                                                                          |
      | execution.tool_calls         | 2                                                                                |
      | execution.files_modified     | 2                                                                                |
      | execution.child_plans        | 0                                                                                |
      | execution.checkpoints        | 4                                                                                |
      | unfinished_operations        | []                                                                               |
    And "data.checkpoints" counts 4
    And the keys of "data.execution" are "sandbox, tool_calls, files_modified, child_plans, checkpoints"
    And the keys of "data.execution.sandbox" are "strategy, path, branch, status"
    And the plan's files are
      | file  | content |
      | a.txt | two     |
      | b.txt | b       |
    And the project is as it was

  Scenario: people see each step, each checkpoint and what to do next
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {tool: shell, with: {command: "echo two > a.txt"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the error says
      """
      sandbox  git_worktree, 1 file
      cp1  before the plan runs
      ✓ 1/2 first (write_file)  wrote b.txt (1 byte)
      cp2  after write_file in step first
      ✓ 2/2 shell (shell)  exit code 0
      cp3  after shell in step shell
      cp4  after the last step
      agents plan diff
      agents plan checkpoint list
      agents plan rollback
      """
    And the output says "execute/complete"
    And the output says "Files modified"

  Scenario: what a sandbox cannot take along is told
    Given a plain folder
    And the shell has run "mkdir sub; echo 'gitdir: /elsewhere' > sub/.git; echo s > sub/s" in the project
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the error says "note: sub/.git: leads to a git directory outside the sandbox"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | sub/s | s       |
    When I run "agents plan refresh @ --dry-run"
    Then the exit code is 0
    And the output does not say ".git"

  Scenario: executing a complete plan changes nothing and says so
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "a.txt" is changed to "mine"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error says "note: the plan is complete already; nothing was run"
    And the plan's files are
      | file  | content |
      | a.txt | mine    |
      | log   | run     |
    And the runs of steps are
      | step  | attempt | status    |
      | first | 1       | succeeded |
    And the plan is "execute/complete"

  Scenario: programs are told as well that nothing was run
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan execute @ --format json"
    Then the exit code is 0
    And a message says "the plan is complete already; nothing was run"

  Scenario: a failed plan goes on from the failed step, and finished steps are not run again
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - {name: second, tool: shell, with: {command: 'echo try > tried; test -e "$GATE"'}, pass_env: [GATE]}
      - {name: third, tool: shell, with: {command: "echo third >> log"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message is "step second failed: exit code 1"
    And the detail says "files: restored to cp2"
    And the plan is "execute/errored"
    And the plan is at step 1
    And the plan has no file "tried"
    And the plan's steps are
      | step   | status  |
      | first  | done    |
      | second | failed  |
      | third  | pending |
    When I run "agents plan status @ --format json"
    Then the status in the envelope is "warn"
    And the keys of "data.error" are "message, step, step_index, cursor, detail, files"
    And the data holds
      | field            | value             |
      | error.message    | "exit code 1"     |
      | error.step       | "second"          |
      | error.step_index | 1                 |
      | error.files      | "restored to cp2" |
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's files are
      | file  | content    |
      | a.txt | one        |
      | log   | run\nthird |
      | tried | try        |
    And the runs of steps are
      | step   | attempt | status    |
      | first  | 1       | succeeded |
      | second | 1       | failed    |
      | second | 1       | succeeded |
      | third  | 1       | succeeded |
    When I run "agents plan status @ --format json"
    Then the data holds
      | field   | value      |
      | state   | "complete" |
      | attempt | 2          |

  Scenario: the last lines of a failed step are shown
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "seq 1 30; echo went wrong >&2; exit 7"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says
      """
      ✗ 1/1 only (shell)  exit code 7
      ↶ back to cp1, 0 files
      error: step only failed: exit code 7
      went wrong
      files: restored to cp1
      hint: agents plan execute
      """
    And the error does not say "  20"

  Scenario: a plan of a project that is gone
    Given a git repository
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    And I remember the plan
    And the shell has run "mkdir ../elsewhere && rm -rf ../project/* ../project/.git && rmdir ../project" in the project
    When I run "agents plan execute PLAN" below ../elsewhere
    Then the exit code is 1
    And the error says "the project is gone"

  # --- Interruptions -----------------------------------------------------------------------------

  Scenario: a run that was killed is shown as interrupted, and the next one goes on from its checkpoint
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - name: second
        tool: shell
        with:
          command: |
            echo half > a.txt; echo partial > partial
            sleep 600 & echo $! > "$GATE.pid"
            touch started
            test -e "$GATE" || sleep 600
            kill %1; rm started; echo whole > result
        pass_env: [GATE]
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    And the process is killed
    Then what the killed step started is still there
    When I run "agents plan status @"
    Then the exit code is 0
    And the output says "execute/processing (interrupted)"
    And the error says "the run was interrupted; `plan resume` goes on from its checkpoint"
    When I run "agents plan status @ --format json"
    Then the status in the envelope is "warn"
    And the data holds
      | field       | value                                                                              |
      | interrupted | true                                                                               |
      | progress.0.status | "done"        |
      | progress.1.status | "interrupted" |
    When the gate opens
    And a process of its own runs "agents plan execute @"
    Then the exit code is 0
    And the error says "the last run was interrupted; going on from cp2"
    And nothing that the killed step started is left
    And the plan's files are
      | file    | content |
      | a.txt   | half    |
      | log     | run     |
      | partial | partial |
      | result  | whole   |
    And the steps that count are
      | step   | attempt |
      | first  | 1       |
      | second | 1       |
    And the plan is "execute/complete"

  Scenario: what a killed step had done is kept as a safety checkpoint
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'test -e "$GATE" || { echo precious > partial; touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    And the process is killed
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan has no file "partial"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan's file "partial" holds "precious"

  Scenario: an interrupted run without checkpoints goes on with the files as they are, and says so
    Given a plain folder
    And the action
      """
      name: unsafe
      rollback: {enabled: false}
      steps:
        - {name: only, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    And the process is killed
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "log" holds "try\ntry"
    And the error says "the last run was interrupted"

  Scenario Outline: a kill just after <moment> does not make the dead step's files the start
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    And the process is killed
    And a checkpoint of type "<type>" was the last thing it saved
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | log   | try     |

    Examples:
      | moment                              | type   |
      | a failed step was kept              | error  |
      | the next run had saved what it found | safety |

  Scenario: a run that was killed before its first checkpoint starts anew
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "echo run >> log"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan use ACTION"
    And the plan is set to "execute/processing" by hand
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "log" holds "run"
    And the plan is "execute/complete"

  Scenario: two processes on one plan: the second is told who is at work, reading goes on
    Given a git repository
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'touch started; until test -e "$GATE"; do sleep 0.05; done'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    When I run "agents plan execute @ --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "plan execute"
    And the error message says "is executing the plan since"
    And a suggestion says "wait for it to finish"
    And a suggestion says "watch it: agents plan watch 0"
    And a suggestion says "or stop the run: agents plan cancel 0"
    And a suggestion says "--take-over"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 4
    And the error says "busy: process"
    When I run "agents plan checkpoint create @"
    Then the exit code is 4
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field       | value                                   |
      | state       | "processing"                            |
      | interrupted | false                                   |
      | progress.0.status | "running" |
    When I run "agents plan list"
    Then the exit code is 0
    When I run "agents plan checkpoint list @"
    Then the exit code is 0
    When I run "agents plan diff @"
    Then the exit code is 0
    When the gate opens
    And the process comes to its end
    Then the exit code is 0
    And the plan is "execute/complete"

  Scenario: an interrupt ends the step and leaves a plan that can be resumed
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'test -e "$GATE" || { sleep 600 & echo $! > "$GATE.pid"; touch started; wait; }'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    When the process gets an interrupt
    Then the exit code is 130
    And the error does not say "Traceback"
    And nothing that the killed step started is left
    When I run "agents plan status @"
    Then the output says "(interrupted)"
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan has no file "started"

  Scenario: an interrupt is told with how to go on
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "touch started; sleep 600"}}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    When the process gets an interrupt
    Then the exit code is 130
    And the error says "interrupted; the plan stays where it is"
    And the error says "hint: resume it: agents plan resume"

  Scenario: Ctrl-C on a terminal leaves it as it was
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "touch started; sleep 600"}}
      """
    And I have run "agents plan use ACTION"
    When I press Ctrl-C on a terminal while "agents plan execute @" runs a step
    Then the exit code is 130
    And the terminal has its cursor back
