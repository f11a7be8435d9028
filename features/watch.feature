Feature: Watching a plan that another process runs
  What its rows tell is shown as `execute` shows it; the plan is left alone.

  Scenario: to its end, with decisions, subplans, a retry and a rollback
    Given a plain folder
    And the action
      """
      name: long
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: "exit 1"}
      steps:
        - {name: one, tool: write_file, with: {path: b.txt, content: b}}
        - name: pick
          decide: {question: Which one, options: {a: [{tool: deploy}], b: []}, choose: a}
        - subplans:
            plans:
              - {name: sub, steps: [{tool: write_file, with: {path: s, content: s}}]}
        - {name: slow, tool: shell, with: {command: "echo begun; touch begun; while [ ! -e \"$GATE\" ]; do sleep 0.05; done; exit 3"}, retries: 1, pass_env: [GATE]}
      rollback: {on_failure: start}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "begun"
    When somebody on a terminal watches it until it says "begun", and the gate opens
    Then the exit code is 1
    And the terminal has said, in this order
      | text                                       |
      | cp1  before the plan runs                  |
      | ✓ 1/4 one (write_file)                     |
      | ? pick  → a                                |
      | sub ✓ 1/1 write_file                       |
      | ⇐ subplan sub  1 path merged               |
      | ✗ 4/4 slow (shell)  exit code 3            |
      | ✗ 4/4 slow (shell, attempt 2)  exit code 3 |
      | back to cp1                                |
      | step slow failed: exit code 3              |

  Scenario: a subplan that fails is told
    Given a plain folder
    And the steps
      """
      - {name: slow, tool: shell, pass_env: [GATE], with: {command: "echo begun; touch begun; while [ ! -e \"$GATE\" ]; do sleep 0.05; done"}}
      - subplans: {plans: [{name: bad, steps: [{tool: shell, with: {command: "exit 3"}}]}]}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "begun"
    When somebody on a terminal watches it until it says "begun", and the gate opens
    Then the exit code is 1
    And the terminal has said, in this order
      | text                            |
      | ✓ 1/2 slow (shell)  exit code 0 |
      | ✗ subplan bad  exit code 3      |
      | subplans did not succeed: bad   |

  Scenario: the other process is killed
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, pass_env: [GATE], with: {command: "touch started; while [ ! -e \"$GATE\" ]; do sleep 0.05; done"}}
      """
    And a run waits in its step
    When somebody watches it, and the run is killed
    Then the exit code is 1
    And the error says "the plan is interrupted: the process that ran it is gone"
    And the error says "resume it: agents plan resume @"
    When I run "agents plan watch --format json"
    Then the exit code is 1
    And the error message says "the process that ran it is gone"

  Scenario: Ctrl-C leaves the plan alone
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, pass_env: [GATE], with: {command: "touch started; while [ ! -e \"$GATE\" ]; do sleep 0.05; done"}}
      """
    And a run waits in its step
    When somebody watches it, and presses Ctrl-C
    Then the exit code is 130
    And the error says "you watch no longer; the plan goes on"
    When the gate opens
    And the process comes to its end
    Then the exit code is 0
    When I run "agents plan watch --format json"
    Then the exit code is 0
    And a message is "the plan does not run; it is execute/complete"

  Scenario Outline: a plan that does not run: <stage>
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents plan use ACTION"
    And I have run "agents plan <act>
    When I run "agents plan watch @"
    Then the exit code is <code>
    And the error says "the plan does not run; it is <stage>"

    Examples:
      | stage               | act                | code |
      | strategize/complete | status @"          | 0    |
      | execute/errored     | execute @" in vain | 1    |
      | execute/cancelled   | cancel @"          | 130  |
