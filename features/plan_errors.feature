Feature: What went wrong with a plan
  `plan errors` and `plan status` tell what failed, where the files are now, and the commands that
  make sense next; what makes no sense for the plan is not offered.

  Scenario: a failed step, after what it did was taken back
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: echo 1 > v}}
      - {name: bad, tool: shell, with: {command: "echo 2 > v; echo went wrong; exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents plan errors @ --format json"
    Then the exit code is 0
    And the status in the envelope is "warn"
    And the data holds
      | field         | value             |
      | state         | "errored"         |
      | error.message | "exit code 3"     |
      | error.step    | "bad"             |
      | error.detail  | ["went wrong"]    |
      | error.files   | "restored to cp2" |
      | tool          | "shell"           |
      | exit_code     | 3                 |
      | left          | "cp3"             |
      | not_undone    | []                |
    And "data.next" counts 3
    When I run "agents plan errors"
    Then the output says
      """
      What failed
      exit code 3
      restored to cp2; cp3 holds what the step left
      went wrong
      All output
      """
    And the error says "# what the failed step left"
    When I run "agents plan status @"
    Then the output says
      """
      step bad failed: exit code 3
        went wrong
        files: restored to cp2; cp3 holds what the step left
      """
    And the error says
      """
      --reload    # once action.yaml is mended
      # tries it again as it is
      # what the failed step left
      """
    When I run "agents plan rollback @ 3 --yes"
    Then the plan's file "v" holds "2"
    When I run "agents plan errors @"
    Then the exit code is 0
    And the error says "nothing has failed"

  Scenario Outline: where the files are after a failure follows from the policy: <policy>
    Given a plain folder
    And the action
      """
      name: policy
      rollback: {on_failure: <policy>}
      steps:
        - {name: first, tool: shell, with: {command: echo 1 > v}}
        - {name: bad, tool: shell, with: {command: "echo 2 > v; exit 1"}}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents plan errors @ --format json"
    Then the data holds
      | field       | value     |
      | error.files | "<files>" |
    And the checkpoints hold one of type "error"
    And the plan is at step <step>

    Examples:
      | policy    | files                        | step |
      | last_good | restored to cp2              | 1    |
      | start     | restored to cp1              | 0    |
      | keep      | as the failed step left them | 1    |

  Scenario: without checkpoints nothing is offered that needs one
    Given a plain folder
    And the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: bad, tool: shell, with: {command: 'test -e "$GATE"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents plan errors @"
    Then the exit code is 0
    And the output says "as the failed step left them"
    And the error says "rollback is off for this plan: it runs without checkpoints"
    And the error says "agents plan execute"
    And the error does not say "agents plan rollback"
    And the error does not say "checkpoint list"
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the error does not say "agents plan rollback"
    When I run "agents plan status @"
    Then the error says "rollback is off for this plan: it runs without checkpoints"
    And the error does not say "agents plan rollback"

  Scenario: a plan that was refused
    Given a plain folder
    And the action
      """
      name: refused
      tools:
        - {name: deploy, command: "true", side_effects: [network]}
      steps:
        - {tool: deploy}
      """
    And I have run "agents plan use ACTION" in vain
    When I run "agents plan errors @"
    Then the exit code is 0
    And the output says
      """
      the plan cannot be taken back
      step 0 (deploy): tool 'deploy' has effects that cannot be taken back (network)
      nothing has run yet
      """
    And the error says "agents plan use ACTION    # once the action is mended"

  Scenario: an undo that failed is told until the call is undone or counts again
    Given a plain folder
    And the action
      """
      name: release
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: 'test -e "$GATE"', pass_env: [GATE]}
      steps:
        - {tool: deploy}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 1 --yes"
    When I run "agents plan errors @ --format json"
    Then the exit code is 0
    And the data holds
      | field      | value                                                                                       |
      | error      | null                                                                                        |
      | not_undone | [{"step": "deploy", "tool": "deploy", "status": "failed", "summary": "exit code 1"}]        |
    When I run "agents plan errors @"
    Then the output says "Not undone"
    When I run "agents plan status @ --format json"
    Then a message is "step deploy: the undo of deploy failed: exit code 1"
    And the status in the envelope is "warn"
    When I run "agents plan rollback @ 2 --yes"
    And I run "agents plan errors @"
    Then the error says "nothing has failed"
    When the gate opens
    And I run "agents plan rollback @ 1 --yes"
    And I run "agents plan errors @"
    Then the error says "nothing has failed"
