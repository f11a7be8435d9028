Feature: Stopping a plan
  A running plan can be cancelled from another shell, or stopped by a signal. Its step's processes are
  ended, nothing is torn, and the plan can be resumed.

  # --- Cancel ------------------------------------------------------------------------------------

  Scenario: a running plan is cancelled from another shell
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - {name: second, tool: shell, with: {command: 'echo half >> log; test -e "$GATE" || { sleep 600 & echo $! > "$GATE.pid"; touch started; wait; }'}, pass_env: [GATE]}
      """
    And a run waits in its step
    When another process runs "agents plan cancel @ --format json"
    Then the exit code is 0
    And the data holds
      | field | value       |
      | phase | "execute"   |
      | state | "cancelled" |
    When the process comes to its end
    Then the exit code is 130
    And the error says "the plan was cancelled"
    And the error says "agents plan execute"
    And nothing that the killed step started is left
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | log   | run     |
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "log" holds "run\nhalf"

  Scenario: a step that never pauses is cancelled as well
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'touch started; exec yes'}}
      """
    And a run waits in its step
    When another process runs "agents plan cancel @"
    Then the exit code is 0
    And the plan is "execute/cancelled"

  Scenario: what a cancelled step left is kept if the policy says so, and is not gone on from
    Given a plain folder
    And the action
      """
      name: keeping
      rollback: {on_failure: keep}
      steps:
        - {name: only, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { touch started; sleep 600; }'}, pass_env: [GATE]}
      """
    And a run waits in its step
    When another process runs "agents plan cancel @"
    Then the exit code is 0
    And the plan is "execute/cancelled"
    And the plan's file "log" holds "try"
    When the process comes to its end
    And the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "log" holds "try"

  Scenario: finished steps are not taken back by a cancel
    Given a plain folder
    And the variable CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo run >> log"}}
      - {name: second, tool: shell, with: {command: 'touch started; sleep 600'}}
      """
    And a run waits in its step
    When another process runs "agents plan cancel @"
    Then the exit code is 0
    And the plan is "execute/cancelled"
    And the plan's file "log" holds "run"

  Scenario: a plan that does not run is cancelled at once
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "echo run >> log"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan cancel @"
    Then the exit code is 0
    And the output says "execute/cancelled"
    When I run "agents plan cancel @"
    Then the exit code is 0
    When I run "agents plan resume @"
    Then the exit code is 0
    And the plan is "execute/complete"

  Scenario: a plan that is complete is not cancelled by a slip, and can be made complete again
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "echo run >> log"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan cancel @"
    Then the exit code is 2
    And the error says "this needs a confirmation"
    And the plan is "execute/complete"
    When I type on a terminal "agents plan cancel @"
      | question                                        | answer |
      | Every step of the plan has run. Cancel it       | n      |
    Then the exit code is 1
    And the plan is "execute/complete"
    When I run "agents plan cancel @ --yes"
    Then the exit code is 0
    And the plan is "execute/cancelled"
    And the error says "# every step has run: completes the plan"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan is "execute/complete"
    And the plan's file "log" holds "run"

  Scenario: a dead run is cancelled
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'sleep 600 & echo $! > "$GATE.pid"; echo half > log; touch started; wait'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    When I run "agents plan cancel @"
    Then the exit code is 0
    And the plan is "execute/cancelled"
    And nothing that the killed step started is left
    And the plan's files are
      | file  | content |
      | a.txt | one     |

  Scenario Outline: a plan in <stage> cannot be cancelled
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    And the plan is set to "<stage>" by hand
    When I run "agents plan cancel @"
    Then the exit code is 4
    And the error says "a plan in <stage> cannot be cancelled"
    And no request to cancel is left

    Examples:
      | stage              |
      | apply/applied      |
      | strategize/errored |

  Scenario: a request that comes too late changes nothing
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    Then a plan that completes while somebody asks to cancel it stays complete
    And no request to cancel is left

  Scenario: an owner that does not answer is named
    Given a plain folder
    And a run is stopped in its step
    And the limit of seconds for who is asked to cancel is 0.2
    When I run "agents plan cancel @ --format json"
    Then the exit code is 4
    And the error names the stopped process
    And the error message says "is executing"
    And the error message says "it was asked to cancel"

  # --- Signals -----------------------------------------------------------------------------------

  Scenario Outline: H52 <signal> ends the step and leaves the plan to be resumed
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'echo try >> log; test -e "$GATE" || { sleep 600 & echo $! > "$GATE.pid"; touch started; wait; }'}, pass_env: [GATE]}
      """
    And a run waits in its step
    When the process gets <signal>
    And the process comes to its end
    Then the exit code is 130
    And the error says "stopping where it is safe; once more ends it at once"
    And the error says "interrupted; the plan stays where it is"
    And it says how to resume the very plan
    And nothing that the killed step started is left
    And the plan is "execute/processing"
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "log" holds "try"

    Examples:
      | signal  |
      | SIGINT  |
      | SIGTERM |
      | SIGHUP  |

  Scenario: H52 a signal where nothing is under way, and a second one
    Then a signal where nothing is under way interrupts at once
    And a second signal ends the process and the steps it runs

  Scenario: H52 a second signal ends everything at once, and the plan can be resumed
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'trap "" TERM; echo try >> log; test -e "$GATE" || { echo $$ > "$GATE.pid"; touch started; while :; do sleep 1; done; }'}, pass_env: [GATE]}
      """
    And a run waits in its step
    When the process gets SIGINT
    And it has said "once more ends it at once"
    And the process gets SIGINT
    And the process comes to its end
    Then the exit code is 130
    And the error does not say "agents plan resume"
    And nothing that the killed step started is left
    When the gate opens
    And I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "log" holds "try"

  Scenario: H52 a signal that the caller ignores stays ignored
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'touch started; until test -e "$GATE"; do sleep 0.05; done'}, pass_env: [GATE]}
      """
    And a run that ignores SIGHUP waits in its step
    When the process gets SIGHUP
    And the gate opens
    And the process comes to its end
    Then the exit code is 0
    And the plan is "execute/complete"

  Scenario: H52 an undo that is under way comes to its end, and the next command finishes the rollback
    Given a plain folder
    And the action
      """
      name: undoing
      tools:
        - {name: deploy, command: "echo 1 > v", side_effects: [network], undo: 'echo undone >> "$GATE.log"; touch started; until test -e "$GATE"; do sleep 0.05; done', pass_env: [GATE]}
      steps:
        - {name: go live, tool: deploy}
      """
    And I have run "agents run ACTION"
    And a process of its own has started "agents plan rollback @ 1 --yes"
    And its step has made "started"
    When the process gets SIGINT
    And it has said "once more ends it at once"
    And the gate opens
    And the process comes to its end
    Then the exit code is 130
    And the error says "interrupted; the next command that changes the plan finishes the rollback"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "an interrupted rollback to cp1 was finished"
    And the plan is "execute/queued"
    And the undo has run once
