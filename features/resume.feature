Feature: Resume
  A plan that stopped, however it did, goes on from its latest checkpoint with the same loop as a
  first run. What the files hold beyond that checkpoint is kept. Nothing that reaches outside the
  sandbox happens twice by itself.

  # --- Going on ----------------------------------------------------------------------------------

  Scenario: a killed run goes on from before the step that was cut off
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - {name: second, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { echo done > half; touch started; sleep 600; }'}, pass_env: [GATE]}
      - {name: third, tool: shell, with: {command: "echo third >> log"}}
      """
    And a run has been killed in its step
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the error says "the last run was interrupted; going on from cp2; no finished step runs again"
    And the plan's files are
      | file  | content         |
      | a.txt | one             |
      | log   | run\ntry\nthird |
    And the steps that count are
      | step   | attempt |
      | first  | 1       |
      | second | 1       |
      | third  | 1       |
    And checkpoint 3 holds the file "half" with "done"
    And the plan is "execute/complete"

  Scenario: without automatic checkpoints finished steps run again, and that is said
    Given a plain folder
    And the variable CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - {name: second, tool: shell, with: {command: "echo run >> log"}}
      - {name: third, tool: shell, with: {command: 'test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    When the gate opens
    And I run "agents plan resume @ --dry-run --format json"
    Then the data holds
      | field                | value               |
      | finished_steps_again | ["first", "second"] |
      | next_step            | 0                   |
      | steps_left           | 3                   |
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error says "going on from cp1; 2 finished steps run again: first, second"
    And the plan's file "log" holds "run\nrun"

  Scenario: a plan that has not started is executed
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "echo run >> log"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "log" holds "run"
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error says "the plan is complete already; nothing was run"

  Scenario: what was changed by hand is kept and does not count
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "cat v >> log"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 2 --yes"
    And the plan's file "v" is changed to "by hand"
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error says "note: going on from cp5"
    And the plan's file "log" holds "1"
    And checkpoint 6 holds the file "v" with "by hand"

  Scenario: nothing is restored where nothing has changed
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "cat v >> log"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 2 --yes"
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error does not say "going on from"
    And the plan's file "log" holds "1"

  Scenario: a failed step whose files were kept is tried again from before it
    Given a plain folder
    And the action
      """
      name: keeping
      rollback: {on_failure: keep}
      steps:
        - {name: only, tool: shell, with: {command: 'echo try >> log; test -e "$GATE"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION" in vain
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "log" holds "try"

  Scenario: what a user saves of a killed run is not gone on from
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    And I have run "agents plan checkpoint create @ --label half"
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "log" holds "try"

  Scenario: without rollback the interrupted step runs on the files as they are
    Given a plain folder
    And the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: first, tool: shell, with: {command: "echo run >> log"}}
        - {name: second, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    When I run "agents plan status @"
    Then the error says "the run was interrupted; `plan resume` goes on with the files as they are"
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the error says "the last run was interrupted; it continues with the files as they are"
    And the plan's file "log" holds "run\ntry\ntry"

  # --- Looking first -----------------------------------------------------------------------------

  Scenario: a dry run tells what would happen and changes nothing
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - {name: second, tool: shell, with: {command: 'echo half > log; test -e "$GATE" || { sleep 600 & echo $! > "$GATE.pid"; touch started; wait; }'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    And everything that is stored is remembered
    When I run "agents plan resume @ --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field                 | value                                                                                |
      | interrupted           | true                                                                                 |
      | unfinished_operations | []                                                                                   |
      | changes               | [{"file": "log", "action": "restored"}, {"file": "started", "action": "removed"}] |
      | next_step             | 1                                                                                    |
      | steps_left            | 1                                                                                    |
      | finished_steps_again  | []                                                                                   |
      | unsafe_steps          | []                                                                                   |
    And a message is "dry run: nothing was changed"
    And nothing that is stored has changed
    And what the killed step started is still there
    When I run "agents plan resume @ --dry-run"
    Then the output says
      """
      cp2
      2/2 second
      """
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And nothing that the killed step started is left

  Scenario: a dry run says that an interrupted rollback comes first, and what finishes it
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And a rollback to checkpoint 2 has crashed after its intent was recorded
    And the plan is set to "execute/queued" by hand
    When I run "agents plan resume @ --dry-run"
    Then the exit code is 4
    And the error says "interrupted, and not finished yet: rollback"
    And the error says "hint: finish it: agents doctor --repair"
    Given I have run "agents doctor --repair"
    When I run "agents plan resume @ --dry-run"
    Then the exit code is 0
    And the output says "2/2 second"

  Scenario: a dry run of a complete plan
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan resume @ --dry-run"
    Then the exit code is 0
    And the error says "there is nothing to run"

  # --- Side effects ------------------------------------------------------------------------------

  Scenario Outline: <command> does not repeat the side effects of a step that was cut off
    Given a plain folder
    And the action
      """
      name: deploying
      tools:
        - {name: deploy, command: 'echo call >> "$GATE.calls"; test -e "$GATE" || { touch started; sleep 600; }', side_effects: [network], checkpointable: true, pass_env: [GATE]}
      steps:
        - {name: go live, tool: deploy}
      """
    And a run has been killed in its step
    And the gate is open
    When I run "agents plan <command> @ --format json"
    Then the exit code is 4
    And the error message is "side effects would happen a second time: step go live (network)"
    And a suggestion says "--retry-unsafe"
    And the plan is "execute/processing"
    And the outside has been reached 1 times
    When I run "agents plan <command> @ --retry-unsafe"
    Then the exit code is 0
    And the outside has been reached 2 times

    Examples:
      | command |
      | resume  |
      | execute |

  Scenario: a dry run names the side effects that would be repeated
    Given a plain folder
    And the action
      """
      name: deploying
      tools:
        - {name: deploy, command: 'touch started; sleep 600', side_effects: [network], checkpointable: true}
      steps:
        - {name: go live, tool: deploy}
      """
    And a run has been killed in its step
    When I run "agents plan resume @ --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field        | value                       |
      | unsafe_steps | ["step go live (network)"] |
    And a message says "it needs --retry-unsafe"

  Scenario: a tool that may be called twice is called again by itself
    Given a plain folder
    And the action
      """
      name: deploying
      tools:
        - {name: deploy, command: 'echo call >> "$GATE.calls"; test -e "$GATE" || { touch started; sleep 600; }', side_effects: [network], idempotent: true, checkpointable: true, pass_env: [GATE]}
      steps:
        - {name: go live, tool: deploy}
      """
    And a run has been killed in its step
    And the gate is open
    When I run "agents plan resume @"
    Then the exit code is 0
    And the outside has been reached 2 times

  Scenario: a failed step with side effects is not tried again by itself, unless it was taken back
    Given a plain folder
    And the action
      """
      name: deploying
      tools:
        - {name: deploy, command: 'echo call >> "$GATE.calls"; test -e "$GATE"', side_effects: [network], checkpointable: true, pass_env: [GATE]}
      steps:
        - {name: prepare, tool: shell, with: {command: "true"}}
        - {name: go live, tool: deploy}
      """
    And I have run "agents run ACTION" in vain
    And the gate is open
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "step go live (network)"
    And the outside has been reached 1 times
    When I run "agents plan rollback @ 1 --yes"
    And I run "agents plan execute @"
    Then the exit code is 0
    And the outside has been reached 2 times

  Scenario: a finished step with side effects is not repeated when its files were not saved yet
    Given a plain folder
    And the variable CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON is "before_step"
    And the action
      """
      name: deploying
      tools:
        - {name: deploy, command: 'echo call >> "$GATE.calls"; echo done > deployed; mkdir -p $(yes d | head -n 250 | tr "\n" /)', side_effects: [network], checkpointable: true, pass_env: [GATE]}
      steps:
        - {name: go live, tool: deploy}
        - {name: tell, tool: shell, with: {command: "cat deployed > told"}}
      """
    And I have run "agents run ACTION" in vain
    And the plan's directory "d" is removed
    When I run "agents plan resume @"
    Then the exit code is 0
    And the outside has been reached 1 times
    And the plan's file "told" holds "done"

  # --- The definition ----------------------------------------------------------------------------

  Scenario: H60 the plan keeps the steps it has
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: 'test -e "$GATE"; echo old >> log; test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    And the gate is open
    And the steps
      """
      - {name: other, tool: shell, with: {command: "echo new >> log"}}
      """
    When I run "agents plan resume @ --dry-run"
    Then the error says "the action file has changed since"
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error says "the action file has changed since; the plan keeps the steps it has"
    And the plan's file "log" holds "old"
    When I run "agents run ACTION"
    Then the error does not say "has changed since"

  Scenario: an action file that is gone is no matter
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "echo run >> log"}}
      """
    And I have run "agents plan use ACTION"
    And the shell has run "rm ../action.yaml" in the project
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error does not say "has changed since"
