Feature: The history of a plan
  `agents plan log` tells the whole story of a plan, in order: how it was made, where it moved, every
  attempt at a step, every checkpoint, every rollback, and why. It is told from what is stored.

  Scenario: a plan that fails, is taken back by itself, and is tried again
    Given a plain folder
    And the action
      """
      name: two-tries
      description: Fails first
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
        - {name: shaky, tool: shell, with: {command: "echo half > half; test -e \"$GATE\""}, pass_env: [GATE], retries: 1}
      """
    And I have run "agents run ACTION" in vain
    And the gate is open
    And I have run "agents plan execute @"
    When I run "agents plan log @"
    Then the exit code is 0
    And the story is
      """
      made       two-tries: Fails first (2 steps)
      decided    What is to be done? Fails first
      moved      to strategize/complete
      moved      to execute/processing (run 1)
      cp1        pre_execute: before the plan runs
      step 1     first (write_file): wrote b.txt (1 byte), N s, from cp1
      cp2        tool: after write_file in step first
      step 2     shaky (shell): failed: exit code 1, N s, from cp2 (taken back by rollback)
      step 2     shaky (shell, attempt 2): failed: exit code 1, N s, from cp2 (taken back by rollback)
      cp3        error: step shaky failed
      rollback   to cp2: 1 file put back, 2 calls taken back
      cp4        rollback: rolled back to cp2
      moved      to execute/errored: exit code 1
      moved      to execute/processing (run 2)
      cp5        pre_execute: before the plan runs
      step 2     shaky (shell): exit code 0, N s, from cp5
      cp6        tool: after shell in step shaky
      cp7        post_execute: after the last step
      moved      to execute/complete
      """

  Scenario: rollbacks by hand, pins, and what has been forgotten since
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "4"
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}, checkpoint: mine}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint unpin @ 2"
    And I have run "agents plan rollback @ 1 --yes"
    When I run "agents plan log @"
    Then the story says
      """
      cp2        manual: mine: named by step s1
      cp3        tool: after shell in step s1 (forgotten since)
      step 3     s3 (shell): exit code 0, N s, from cp4 (taken back by rollback)
      prune      cp3, cp4 forgotten, N bytes freed
      unpinned   cp2
      rollback   to cp1: 1 file put back, 3 calls taken back
      """

  Scenario: what a crash left is told as it is
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v; touch started; sleep 600"}}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "started"
    And the process is killed
    When I run "agents plan log @"
    Then the exit code is 0
    And the story says
      """
      step 1     s1 (shell): begun, no end recorded, from cp1
      """
    When I run "agents plan log @ --format json"
    Then the envelope is that of a success of "plan log"
    And the keys of "data" are "plan_id, events"
    And the numbers of the events are 1 and up

  Scenario: an interrupted rollback is unfinished until it is finished
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    When I run "agents plan log @"
    Then the story says
      """
      rollback   to cp1 (unfinished)
      """

  Scenario: programs read facts, not sentences
    Given a plain folder
    And the steps
      """
      - {name: "odd\e[31m name", tool: shell, with: {command: "echo 1 > v; exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents plan log @ --format json"
    Then the facts of the last event of each kind are
      | kind       | fact           | value                   |
      | made       | steps          | 1                       |
      | moved      | from           | "execute/processing"    |
      | moved      | to             | "execute/errored"       |
      | moved      | error          | "exit code 3"           |
      | decided    | type           | "prompt_definition"     |
      | step       | status         | "failed"                |
      | step       | exit_code      | 3                       |
      | step       | attempt        | 1                       |
      | step       | tool           | "shell"                 |
      | step       | started_from   | "cp1"                   |
      | checkpoint | type           | "rollback"              |
      | checkpoint | is_kept        | true                    |
      | operation  | operation      | "rollback"              |
      | operation  | status         | "done"                  |
      | operation  | target         | "cp1"                   |
    When I run "agents plan log @"
    Then the output holds no character that acts on a terminal

  Scenario: a clock that goes backwards changes no order
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When the database is changed by hand
      """
      UPDATE journal SET at = '2001-01-01 00:00:00.000000' WHERE seq > 6
      UPDATE checkpoints SET created_at = '2001-01-01 00:00:00.0' WHERE seq > 1
      """
    And I run "agents plan log @"
    Then the story says
      """
      cp1        pre_execute: before the plan runs
      step 1     s1 (shell): exit code 0, N s, from cp1
      cp2        tool: after shell in step s1
      cp3        post_execute: after the last step
      """

  Scenario: plans from before there was a journal have one made of what they left
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 1 --yes"
    And the database is changed by hand
      """
      DROP TABLE journal
      ALTER TABLE step_runs DROP COLUMN level
      ALTER TABLE step_runs DROP COLUMN way
      ALTER TABLE step_runs ADD COLUMN pid INTEGER
      ALTER TABLE step_runs ADD COLUMN pid_started TEXT
      DROP TABLE plan_steps
      DROP TABLE moments
      DROP TABLE chats
      ALTER TABLE plans DROP COLUMN kind
      UPDATE alembic_version SET version_num = '0009'
      """
    When I run "agents plan log @"
    Then the exit code is 0
    And the story is
      """
      made       plan (1 step)
      decided    What is to be done? plan
      cp1        pre_execute: before the plan runs
      step 1     s1 (shell): exit code 0, N s (taken back by rollback)
      cp2        tool: after shell in step s1
      cp3        post_execute: after the last step
      rollback   to cp1: 1 file put back, 1 call taken back
      cp4        rollback: rolled back to cp1
      """

  Scenario: undone calls, merges of subplans and applies are part of the story
    Given a git repository
    And the action
      """
      name: deploying
      validate: ["true"]
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: "true"}
        - {name: notify, command: "true", side_effects: [mail], undo: "echo nobody there; exit 3"}
      steps:
        - {name: fan out, subplans: {plans: [{name: docs, steps: [{tool: shell, with: {command: "echo d > docs"}}]}]}}
        - {name: ship, tool: deploy}
        - {name: tell, tool: notify}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 3 --yes"
    And I have run "agents plan execute @"
    And I have run "agents plan apply @ --yes"
    And I have run "agents plan unapply @ --yes"
    And the shell has run "echo mine > mine" in the project
    And I have run "agents plan refresh @ --yes"
    And I have run "agents plan restore @ 1 --path docs --yes"
    When I run "agents plan log @"
    Then the story says
      """
      merge      docs: 1 path merged
      rollback   to cp3: 0 files put back, 2 calls taken back
      undo       step tell: the undo of notify failed: exit code 3: nobody there
      undo       step ship: deploy undone
      validate   1 validation in the sandbox
      apply      1 path to the project
      unapply    1 path taken back from the project
      refresh    1 path of the project merged
      restore    docs from cp1: 1 file put back
      """
    When I run "agents plan log @ --format json"
    Then the facts of the last event of each kind are
      | kind | fact   | value       |
      | undo | step   | "ship"      |
      | undo | tool   | "deploy"    |
      | undo | status | "succeeded" |
