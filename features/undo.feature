Feature: Undo
  A tool that changes something outside the sandbox may declare how a call of it is undone. A
  rollback undoes such calls before it restores a file, the newest first. They stand outside its
  all-or-nothing: each is recorded, shown, and never run twice unless it may be.

  Background:
    Given a plain folder
    And the action
      """
      name: release
      tools:
        - name: deploy
          command: 'echo "deploy $WHERE" >> "$GATE"; echo "id of $WHERE"'
          side_effects: [network]
          undo: 'cat > "$GATE.told"; echo "undo $WHERE $(cat v 2> /dev/null)" >> "$GATE"'
          pass_env: [GATE]
        - name: announce
          command: 'echo announce >> "$GATE"'
          side_effects: [mail]
          checkpointable: true
          pass_env: [GATE]
      steps:
        - {name: first, tool: shell, with: {command: echo 1 > v}}
        - {name: north, tool: deploy, with: {place: [1, "ä"]}, env: {WHERE: north}}
        - {name: south, tool: deploy, env: {WHERE: south}}
        - {name: mail, tool: announce}
        - {name: last, tool: shell, with: {command: echo 2 > v}}
      """

  # --- What an undo does -------------------------------------------------------------------------

  Scenario: calls after the checkpoint are undone, the newest first, before a file is restored
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And outside there is
      """
      deploy north
      deploy south
      announce
      undo south 2
      undo north 2
      """
    And the data holds
      | field                      | value                                                                                      |
      | impact.tool_calls_after_cp | "5 undone"                                                                                 |
      | undo.0                     | {"step": "south", "tool": "deploy", "status": "succeeded", "summary": "exit code 0"}       |
      | undo.1.step                | "north"                                                                                    |
    And a message is "undo calls stand outside the all-or-nothing of files and plan: what they did stays done"
    And a message is "taking the rollback back does not make the undone calls again"
    And a message is "step mail: announce cannot be undone: mail"
    And the plan's files are
      | file  | content |
      | a.txt | one     |

  Scenario: an undo is told the input and the output of its call
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the undo was told
      """
      {"tool": "deploy", "step": "north", "status": "succeeded", "exit_code": 0,
       "input": {"place": [1, "ä"]}, "output": "id of north\n"}
      """
    And the output says
      """
      Undo Calls
      deploy: succeeded (exit code 0)
      """

  Scenario: only what comes after the checkpoint is undone
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 3 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                      | value      |
      | impact.tool_calls_after_cp | "3 undone" |
    And outside there is
      """
      deploy north
      deploy south
      announce
      undo south 2
      """

  Scenario: a rollback that has nothing to undo says nothing of it
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 5 --yes --format json"
    Then the exit code is 0
    And the keys of "data" are "rollback_summary, changes_reverted, impact, post_rollback_state"

  @python_step
  Scenario: an undo may be a Python function
    Given the project's file "cloud.py" holds
      """
      import json, os

      def remove(given, printed):
          open(os.environ["GATE"], "a").write(json.dumps([given, printed]) + "\n")
      """
    And the action
      """
      name: release
      tools:
        - {name: deploy, command: echo 7, side_effects: [network], undo: "cloud:remove", pass_env: [GATE]}
      steps:
        - {tool: deploy, with: {place: here}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And outside there is
      """
      [{"place": "here"}, "7\n"]
      """

  Scenario: an undo sees what its step sees, has its time, and leaves nothing behind
    Given the variable SECRET is "hidden"
    And the action
      """
      name: release
      tools:
        - name: deploy
          command: "true"
          side_effects: [network]
          undo: 'env >> "$GATE"; sleep 600 & echo $! > "$GATE.pid"; wait'
      steps:
        - {tool: deploy, env: {OWN: own}, pass_env: [GATE], timeout: 0.5}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the error says "step deploy: the undo of deploy failed: stopped after 0.5 s"
    And nothing that the killed step started is left
    And outside there is a line "OWN=own"
    And outside there is no line "SECRET=hidden"

  # --- What is told before -----------------------------------------------------------------------

  Scenario: a dry run tells what would be undone and what cannot be, and undoes nothing
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 3 --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field              | value                                                             |
      | undo.0.step        | "south"                                                           |
      | undo.0.tool        | "deploy"                                                          |
      | cannot_be_undone   | [{"step": "mail", "tool": "announce", "effects": "mail"}]         |
    And "data.undo" counts 1
    And outside there is
      """
      deploy north
      deploy south
      announce
      """

  Scenario: who is asked is told first
    Given I have run "agents run ACTION"
    When I type on a terminal "agents plan rollback @ 1"
      | question | answer |
      | [y/N]    | n      |
    Then the exit code is 1
    And the output says
      """
      Would undo
      south
      Cannot be undone
      announce: mail
      undo calls stand outside the all-or-nothing of files and plan
      taking the rollback back does not make the undone calls again
      """
    And outside there is
      """
      deploy north
      deploy south
      announce
      """

  # --- What goes wrong ---------------------------------------------------------------------------

  Scenario: an undo that fails stops nothing else and is told loudly
    Given the action
      """
      name: release
      tools:
        - name: deploy
          command: 'echo "deploy $WHERE" >> "$GATE"'
          side_effects: [network]
          undo: 'echo "undo $WHERE" >> "$GATE"; test "$WHERE" = north || { echo no route; exit 3; }'
          pass_env: [GATE]
      steps:
        - {name: north, tool: deploy, env: {WHERE: north}}
        - {name: south, tool: deploy, env: {WHERE: south}}
        - {name: last, tool: shell, with: {command: echo 2 > v}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the status in the envelope is "warn"
    And a message is "step south: the undo of deploy failed: exit code 3: no route"
    And the data holds
      | field                      | value      |
      | impact.tool_calls_after_cp | "2 undone" |
      | undo.0.status              | "failed"   |
      | undo.1.status              | "succeeded" |
    And the plan has no file "v"
    And the plan is "execute/queued"
    And outside there is
      """
      deploy north
      deploy south
      undo south
      undo north
      """
    # What failed is tried again by the next rollback over it, what worked is not.
    When I run "agents plan rollback @ 3 --yes"
    And I run "agents plan rollback @ 1 --yes"
    Then the undo runs are
      | step  | status    |
      | south | failed    |
      | north | succeeded |
      | south | failed    |

  Scenario: a failing undo of an automatic rollback is told by the command and afterwards
    Given the action
      """
      name: release
      rollback: {on_failure: start}
      tools:
        - {name: deploy, command: 'echo deploy >> "$GATE"', side_effects: [network], undo: 'echo no; exit 1', pass_env: [GATE]}
        - {name: book, command: 'echo book >> "$GATE"', side_effects: [hotel], undo: 'echo cancel >> "$GATE"', pass_env: [GATE]}
      steps:
        - {tool: deploy}
        - {tool: book}
        - {name: bad, tool: shell, with: {command: exit 1}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And a message is "step deploy: the undo of deploy failed: exit code 1: no"
    And outside there is
      """
      deploy
      book
      cancel
      """
    And the plan is "execute/errored"

  Scenario: a call that failed is undone as well, and its undo is told so
    Given the action
      """
      name: release
      tools:
        - {name: deploy, command: 'echo deploy >> "$GATE"; echo half; exit 4', side_effects: [network], undo: 'cat > "$GATE.told"', pass_env: [GATE]}
      steps:
        - {tool: deploy}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the undo was told
      """
      {"tool": "deploy", "step": "deploy", "status": "failed", "exit_code": 4,
       "input": {}, "output": "half\n"}
      """

  Scenario: what failed and was tried again before a checkpoint is not undone by going to it
    Given the action
      """
      name: release
      tools:
        - {name: deploy, command: 'echo deploy >> "$GATE"; test "$(wc -l < "$GATE")" -gt 1', side_effects: [network], undo: 'echo undo >> "$GATE"', pass_env: [GATE]}
      steps:
        - {tool: deploy, retries: 2}
        - {name: last, tool: shell, with: {command: echo 2 > v}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the data holds
      | field                      | value      |
      | impact.tool_calls_after_cp | "1 undone" |
    And outside there is
      """
      deploy
      deploy
      """
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the data holds
      | field                      | value      |
      | impact.tool_calls_after_cp | "2 undone" |
    And outside there is
      """
      deploy
      deploy
      undo
      undo
      """

  Scenario: a call without a change to a file can be taken back after its failure was kept
    Given the action
      """
      name: release
      rollback: {on_failure: keep}
      tools:
        - {name: deploy, command: 'echo deploy >> "$GATE"; exit 1', side_effects: [network], undo: 'echo undo >> "$GATE"', pass_env: [GATE]}
      steps:
        - {tool: deploy}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan is "execute/queued"
    And outside there is
      """
      deploy
      undo
      """

  Scenario: what a tool did that is not known any more is told, and stops nothing
    Given I have run "agents run ACTION"
    And the tool "deploy" is gone from the plan's action
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And a message is "step north: deploy cannot be undone: unknown tool 'deploy'"

  Scenario: an undo whose directory is lost fails, and the sandbox is rebuilt all the same
    Given the action
      """
      name: release
      tools:
        - {name: deploy, command: "echo x > undo.sh", side_effects: [network], undo: . ./undo.sh}
      steps:
        - {tool: deploy}
      """
    And I have run "agents run ACTION"
    And the sandbox directory is lost
    When I run "agents plan rollback @ 1 --rebuild --yes --format json"
    Then the exit code is 0
    And a message says "step deploy: the undo of deploy failed"
    And the plan's files are
      | file  | content |
      | a.txt | one     |

  Scenario: an undo that cannot even be started is one that failed
    Given an action whose undo is longer than the system takes
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And a message says "step deploy: the undo of deploy failed: Argument list too long"
    And the plan is "execute/queued"

  Scenario: a call inside an option of a decision is undone as well
    Given the action
      """
      name: release
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: 'cat > "$GATE.told"', pass_env: [GATE]}
      steps:
        - name: where
          decide:
            question: Where?
            options: {north: [{tool: deploy, with: {place: north}}], south: []}
            choose: north
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the undo was told
      """
      {"tool": "deploy", "step": "where > north > deploy", "status": "succeeded", "exit_code": 0,
       "input": {"place": "north"}, "output": ""}
      """

  # --- Taking the rollback back ------------------------------------------------------------------

  Scenario: taking a rollback back makes no call again, and no later one undoes it twice
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    And I follow the hint that takes it back
    Then the exit code is 0
    And the plan's file "v" holds "2"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                      | value      |
      | impact.tool_calls_after_cp | "5 undone" |
    And outside there is
      """
      deploy north
      deploy south
      announce
      undo south 2
      undo north 2
      """

  # --- Crashes -----------------------------------------------------------------------------------

  Scenario: an undo that had started when its process died is not run again
    Given an action whose undo of the second of three steps waits, and which is not idempotent
    And I have run "agents run ACTION"
    When a process of its own that rolls back to checkpoint 1 is killed inside an undo
    And I run "agents plan checkpoint create @ --format json"
    Then the exit code is 0
    And a message is "an interrupted rollback to cp1 was finished"
    And a message is "step two: the undo of deploy may not have worked: it had started when its process died, and is not run twice"
    And nothing that the killed step started is left
    And outside there is
      """
      undo three
      undo two
      undo one
      """
    And the undo runs are
      | step  | status    |
      | three | succeeded |
      | two   | unknown   |
      | one   | succeeded |
    And the plan is "execute/queued"
    # Nobody knows whether it worked, so no later rollback tries it either.
    When I run "agents plan rollback @ 4 --yes"
    And I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And a message says "step two: deploy cannot be undone: it had started when its process died"
    And outside there is
      """
      undo three
      undo two
      undo one
      """

  Scenario: an undo that had started when its process died is run again if its tool is idempotent
    Given an action whose undo of the second of three steps waits, and which is idempotent
    And I have run "agents run ACTION"
    When a process of its own that rolls back to checkpoint 1 is killed inside an undo
    And I run "agents plan checkpoint create @ --format json"
    Then the exit code is 0
    And nothing that the killed step started is left
    And outside there is
      """
      undo three
      undo two
      undo two
      undo one
      """
    And the undo runs are
      | step  | status    |
      | three | succeeded |
      | two   | started   |
      | two   | succeeded |
      | one   | succeeded |

  Scenario: a rollback that crashed before its first undo undoes everything when it is finished
    Given I have run "agents run ACTION"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the undo runs are
      | step  | status    |
      | south | succeeded |
      | north | succeeded |

  Scenario: what cannot be finished undoes nothing
    Given I have run "agents run ACTION"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    And the stored content of "a.txt" is damaged
    And the plan's file "a.txt" is removed
    When I run "agents plan checkpoint create @"
    Then outside there is
      """
      deploy north
      deploy south
      announce
      """

  Scenario: what was undone is told when the rollback had to be taken back
    Given an action whose undo of the second of three steps waits, and which is not idempotent
    And I have run "agents run ACTION"
    When a process of its own that rolls back to checkpoint 1 is killed inside an undo
    Given the stored record of checkpoint 1 is damaged
    When I run "agents plan checkpoint create @ --format json"
    Then the exit code is 0
    And a message says "could not be finished and was taken back"
    And nothing that the killed step started is left
    And the undo runs are
      | step  | status    |
      | three | succeeded |
      | two   | unknown   |

  Scenario: what is written into the sandbox while calls are undone is kept
    Given the action
      """
      name: calls
      tools:
        - {name: call, command: "echo plan > a.txt", side_effects: [network], undo: "echo mine > notes; echo mine > a.txt"}
      steps:
        - {name: first, tool: call}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the error says "holds what was there before the rollback went on"
    And some checkpoint holds the file "notes" with "mine"
    And some checkpoint holds the file "a.txt" with "mine"
    And the plan has no file "notes"
