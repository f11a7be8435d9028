Feature: Finding what broke
  `agents plan bisect` finds the first checkpoint at which a command fails. It tries states in a
  throw-away directory, with processes and environment like those of steps, and changes nothing.

  Background:
    Given a git repository
    And the action
      """
      name: counts
      steps:
        - {name: one, tool: shell, with: {command: "echo 1 > v"}}
        - {name: two, tool: shell, with: {command: "echo 2 > v"}}
        - {name: nothing, tool: shell, with: {command: "true"}}
        - {name: three, tool: shell, with: {command: "echo 3 > v; echo new > n; rm a.txt"}}
        - {name: four, tool: shell, with: {command: "echo 4 > v"}}
        - {name: five, tool: shell, with: {command: "echo 5 > v"}}
      """
    And I have run "agents run ACTION"
    And the sandbox is remembered

  # --- What it finds -----------------------------------------------------------------------------

  Scenario: the first bad checkpoint, the last good one, the step between them and what changed
    When I run "agents plan bisect @ -- 'echo it is $(cat v); test 0$(cat v) -lt 3'"
    Then the exit code is 0
    And the output says
      """
      Broken by     three (shell)
      Fails since   cp5
      after shell in step three (exit code 1)
      Passes until  cp4
      deleted   a.txt
      added     n
      modified  v
      it is 3
      """
    And the error says "✗ cp5"
    And the error says "agents plan checkpoint diff"
    And the sandbox is exactly as it was
    And there are 8 checkpoints
    And no throw-away directory is left

  Scenario: it is told to programs, and not every checkpoint was tried
    When I run "agents plan bisect @ --format json -- sh -c 'test 0$(cat v) -lt 4'"
    Then the exit code is 0
    And the envelope is that of a success of "plan bisect"
    And the keys of "data" are "plan, command, good, bad, output, steps, subplans, changes, tried"
    And the data holds
      | field         | value                                                                       |
      | command       | "sh -c 'test 0$(cat v) -lt 4'"                                              |
      | good.seq      | 5                                                                           |
      | bad.seq       | 6                                                                           |
      | bad.exit_code | 1                                                                           |
      | steps.0.step  | "four"                                                                      |
      | changes       | [{"path": "v", "status": "modified", "insertions": 1, "deletions": 1}]      |
      | tried.0.seq   | 7                                                                           |
      | tried.1.seq   | 1                                                                           |
    And "data.tried" counts 5

  Scenario: a limit that ends the command is no verdict
    When I run "agents plan bisect @ --set sandbox.limits.cpu=1 -- 'while :; do :; done'"
    Then the exit code is 1
    And the error says "at cp7 the command was kept from its end, which tells nothing: it took more than 1 s of processor time (sandbox.limits.cpu)"
    And the sandbox is exactly as it was

  Scenario: no try sees what another one left, and none reaches the plan's git
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "cache"
    And I have run "agents plan checkpoint create @"
    When I run "agents plan bisect @ -- 'test ! -e cache && mkdir cache && git add -A && git -c user.name=a -c user.email=a@x commit -q --allow-empty -m tried && test 0$(cat v) -lt 2'"
    Then the exit code is 0
    And the output says "Broken by     two (shell)"
    And the sandbox is exactly as it was

  Scenario: a line that a rollback left behind is searched to where it is told
    Given I have run "agents plan rollback @ 2 --yes"
    When I run "agents plan bisect @ -- 'test 0$(cat v) -lt 3'"
    Then the exit code is 4
    And the error says "the command does not fail at cp9, where the search ends"
    And the error says "--to CHECKPOINT"
    When I run "agents plan bisect @ --from 3 --to 7 -- 'test 0$(cat v) -lt 3'"
    Then the exit code is 0
    And the output says "Fails since   cp5"
    When I run "agents plan bisect @ --from 5 -- false"
    Then the exit code is 2
    And the error says "cp5 does not lead to cp9"

  Scenario: what was changed by hand has no step, here in a plain folder
    Given the shell has run "rm -rf .git" in the project
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And I have run "agents plan checkpoint create @"
    When I run "agents plan bisect @ -- '! grep -q hand v'"
    Then the exit code is 0
    And the output says "Broken by     no step: the files were changed in another way"

  Scenario: what the merge of a subplan broke
    Given the action
      """
      name: parent
      steps:
        - {name: one, tool: shell, with: {command: "echo 1 > v"}}
        - name: fan
          subplans:
            plans:
              - {name: harmless, steps: [{tool: shell, with: {command: "echo x > x"}}]}
              - {name: breaker, steps: [{tool: shell, with: {command: "echo 9 > v"}}]}
        - {name: last, tool: shell, with: {command: "echo end > end"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan bisect @ --format json -- 'test 0$(cat v) -lt 5'"
    Then the exit code is 0
    And the data holds
      | field              | value     |
      | steps              | []        |
      | subplans.0.name    | "breaker" |
    When I run "agents plan bisect @ -- 'test 0$(cat v) -lt 5'"
    Then the output says "the merge of subplan breaker ("

  Scenario: it needs nobody's leave: the plan may be running
    Given somebody else owns the plan
    When I run "agents plan bisect @ -- 'test 0$(cat v) -lt 3'"
    Then the exit code is 0

  # --- Where there is nothing to find ------------------------------------------------------------

  Scenario: a command that fails from the start
    When I run "agents plan bisect @ --format json -- 'echo nonesuch; exit 7'"
    Then the exit code is 4
    And the error message is "the command fails at cp1 already, where the search starts: exit code 7"
    And the problems are
      """
      nonesuch
      """
    And a suggestion says "--from CHECKPOINT"

  Scenario: checkpoints that all hold the same
    When I run "agents plan bisect @ --from 7 -- false"
    Then the exit code is 4
    And the error says "the checkpoints all hold the same files"

  Scenario: a plan that has not run
    Given I have run "agents plan use ACTION"
    When I run "agents plan bisect @ -- false"
    Then the exit code is 1
    And the error says "the plan has no checkpoint yet"

  Scenario: a checkpoint that is damaged
    Given the stored record of checkpoint 4 is damaged
    When I run "agents plan bisect @ -- 'test 0$(cat v) -lt 3'"
    Then the exit code is 1
    And the error says "the snapshot of cp4 cannot be read"
    And no throw-away directory is left

  # --- Stopping it -------------------------------------------------------------------------------

  Scenario: an interrupt ends the command and leaves nothing
    Given the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "GATE"
    And a process of its own has started "agents plan bisect @ -- 'echo $$ > $GATE.pid; touch started; sleep 600'"
    And its step has made "started"
    When the process gets an interrupt
    Then the exit code is 130
    And the error says "nothing was changed"
    And nothing that the killed step started is left
    And no throw-away directory is left

  Scenario Outline: what a killed one left goes with <line>
    Given the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "GATE"
    And a process of its own has started "agents plan bisect @ -- 'chmod 0 .; echo $$ > $GATE.pid; sleep 600'"
    And its command has started
    When I run "agents doctor --format json"
    Then the doctor finds nothing of "sandboxes"
    Given the process is killed
    When I run "agents doctor --format json"
    Then the doctor notes "an interrupted command left" of "sandboxes"
    When I run "agents sandbox list"
    Then the output says "left by an interrupted command"
    And what the killed step started is still there
    When I run "agents <line>"
    Then the exit code is 0
    And nothing that the killed step started is left
    And no throw-away directory is left

    Examples:
      | line                                       |
      | sandbox prune --yes                        |
      | plan bisect @ -- 'test 0$(cat v) -lt 3'    |
