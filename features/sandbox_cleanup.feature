Feature: Sandboxes that lie around
  What is on the disk and what it costs is listed; what may go goes, and unapplied work only if that is
  asked for, and even then it can be built again.

  Background:
    Given a git repository
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "manual"
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And I have run "agents run ACTION"

  Scenario: nothing lies around
    Given I have run "agents sandbox prune --discard --yes"
    When I run "agents sandbox list"
    Then the exit code is 0
    And the error says "this project has no sandbox"
    When I run "agents sandbox prune --yes"
    Then the error says "there is nothing to remove"

  Scenario: what is applied may go
    Given I have run "agents plan apply @ --yes"
    And I have run "agents run ACTION"
    When I run "agents sandbox list --format json"
    Then "data.sandboxes" counts 2
    And the data holds
      | field                 | value                |
      | sandboxes.0.stage     | "apply/applied"      |
      | sandboxes.0.unapplied | false                |
      | sandboxes.1.stage     | "execute/complete"   |
      | sandboxes.1.unapplied | true                 |
    When I run "agents sandbox prune --dry-run"
    Then the output says "apply/applied"
    And the error says "1 sandbox with unapplied work stays"
    When I run "agents sandbox prune"
    Then the exit code is 2
    When I run "agents sandbox prune --yes"
    Then the exit code is 0
    When I run "agents sandbox list --format json"
    Then "data.sandboxes" counts 1

  Scenario: unapplied work can be built again after it was discarded
    Given the plan's file "new" is changed to "by hand"
    When I run "agents sandbox prune --discard --yes"
    Then the exit code is 0
    And the error says "--rebuild"
    And no files of a sandbox are left
    When I run "agents plan rollback @ @ --rebuild --yes"
    Then the exit code is 0
    And the plan's file "new" holds "by hand"

  Scenario Outline: the sandbox of a cancelled plan, with <policy>
    Given the variable CLEVERAGENTS_SANDBOX_CLEANUP is "<policy>"
    When I run "agents plan cancel @ --yes"
    Then the exit code is 0
    And <left> files of a sandbox are left

    Examples:
      | policy      | left |
      | on_terminal | no   |
      | on_apply    | some |

  Scenario: what an interrupted removal left goes too
    Given a sandbox was half removed
    When I run "agents sandbox list"
    Then the output says "left by an interrupted command"
    When I run "agents sandbox prune --yes"
    Then the exit code is 0
    And no files of a sandbox are left

  Scenario: a sandbox that was rebuilt after an interrupted removal can be removed again
    Given a sandbox was half removed
    And I have run "agents plan rollback @ 1 --rebuild --yes"
    When I run "agents sandbox prune --discard --yes"
    Then the exit code is 0
    And no files of a sandbox are left

  Scenario: what nobody could bring back and came while the question stood is not removed
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.tmp"
    When the sandbox gets the file "late.tmp" while the question of "agents sandbox prune --discard" stands
    Then the exit code is 4
    And the output says "has changed since you were shown this"
    And some files of a sandbox are left

  # --- nothing that is nowhere else goes with a sandbox ------------------------------------------

  Scenario: what was edited after an apply is saved before it goes
    Given I have run "agents plan apply @ --yes"
    And the plan's file "new" is changed to "edited later"
    When I run "agents sandbox prune --yes"
    Then the exit code is 0
    And the error says "--to DIR    # what was edited"
    And no files of a sandbox are left
    And the latest checkpoint of the plan holds the file "new" with "edited later"

  Scenario: what is as it was applied needs no other checkpoint
    Given I have run "agents plan apply @ --yes"
    When I run "agents plan checkpoint list @ --format json"
    Then "data.checkpoints" counts 4
    When I run "agents sandbox prune --yes"
    And I run "agents plan checkpoint list @ --format json"
    Then "data.checkpoints" counts 4

  Scenario Outline: what no checkpoint would hold stays until it is discarded, and is named: <why>
    Given the action
      """
      name: bare
      rollback: {enabled: <enabled>}
      steps:
        - {tool: shell, with: {command: "echo p > built"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "<excluded>"
    And I have run "agents sandbox prune --discard --yes"
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And the plan's file "built" is changed to "edited later"
    When I run "agents sandbox prune --yes --format json"
    Then the exit code is 0
    And the data holds
      | field            | value     |
      | removed          | []        |
      | kept             | 1         |
      | in_no_checkpoint | ["built"] |
    And a message is "bare: its sandbox stays: no checkpoint holds built; to remove it: agents sandbox prune --discard"
    And the plan's file "built" holds "edited later"
    When I run "agents sandbox prune --discard"
    Then the exit code is 2
    And the error says "bare: gone for good with its sandbox, in no checkpoint: built"
    When I run "agents sandbox prune --discard --yes"
    Then the exit code is 0
    And no files of a sandbox are left

    Examples:
      | enabled | excluded | why                         |
      | false   | nothing  | the plan has no checkpoints |
      | true    | built    | it is excluded              |

  Scenario: what a plan without checkpoints has applied may go
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "git log > log; echo p > built"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "on_apply"
    And I have run "agents sandbox prune --discard --yes"
    And I have run "agents run ACTION"
    When I run "agents sandbox prune --discard --dry-run"
    Then the error says "bare: gone for good with its sandbox, in no checkpoint: "
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And no files of a sandbox are left

  Scenario: other times and an empty directory alone keep no sandbox
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "echo p > built"}}
      """
    And I have run "agents sandbox prune --discard --yes"
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And the shell runs "touch -d 2001-01-01 built; mkdir empty" in the sandbox
    When I run "agents sandbox prune --yes"
    Then the exit code is 0
    And no files of a sandbox are left

  Scenario Outline: no act removes by itself what checkpoints leave out: <act>
    Given the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo mine > mine"}}
        - subplans: {plans: [{name: child, steps: [{tool: shell, with: {command: "echo built > built"}}]}]}
      """
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "built"
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "on_terminal"
    And I have run "agents sandbox prune --discard --yes"
    And I have run "agents run ACTION"
    And the shell runs "echo by hand > built" in the sandbox
    When I run "agents plan <act> --yes"
    Then the exit code is 0
    And the error says "<said>"
    And the subplan "child" has a sandbox in which "built" holds "built"

    Examples:
      | act          | said                                         |
      | cancel @     | its sandbox stays: no checkpoint holds built |
      | apply @      | its sandbox stays: no checkpoint holds built |
      | rollback @ 1 | back to cp1                                  |

  Scenario: what was edited in a subplan after its merge is saved before it goes
    Given the action
      """
      name: group
      steps:
        - subplans: {plans: [{name: child, steps: [{tool: shell, with: {command: "echo 1 > one"}}]}]}
      """
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "on_apply"
    And I have run "agents sandbox prune --discard --yes"
    And I have run "agents run ACTION"
    And the subplan's file "one" is changed to "edited later"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And no files of a sandbox are left
    And the latest checkpoint of the subplan holds the file "one" with "edited later"

  Scenario: what a removal that was killed at once has left goes too
    Given a removal was killed before it moved anything
    When I run "agents sandbox prune --yes"
    Then the exit code is 0
    And no files of a sandbox are left
    When I run "agents plan rollback @ @ --rebuild --yes"
    Then the plan's file "new" holds "plan"

  Scenario: a plan without checkpoints whose files were discarded does not run on nothing
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "echo p > built; test -e HOME"}}
      """
    And I have run "agents run ACTION" in vain
    And I have run "agents sandbox prune --discard --yes"
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "it has no checkpoint to make them from"

  # --- run and apply in one go, and what an applied plan changed ---------------------------------

  Scenario: run and apply in one go
    When I run "agents run ACTION --apply"
    Then the exit code is 2
    And the error says "--apply --yes"
    When I run "agents run ACTION --apply --yes"
    Then the exit code is 0
    And the project's file "new" holds "plan"
    And the plan is "apply/applied"

  Scenario: what an applied plan changed is still shown
    Given the variable CLEVERAGENTS_SANDBOX_CLEANUP is "on_apply"
    And I have run "agents plan apply @ --yes"
    When I run "agents plan diff @"
    Then the exit code is 0
    And the output says "+plan"
    When I run "agents plan diff @ --name-only"
    Then the output is
      """
      new
      """

  Scenario: what a plan applied as a branch changed is still shown
    Given I have run "agents plan apply @ --yes --as branch"
    When I run "agents plan diff @ --name-only"
    Then the output says "new"

  Scenario: on a terminal a patch goes through the pager
    Given the variable PAGER is "cat -n"
    And the variable LINES is "3"
    When I type on a terminal "agents plan diff @"
      | question | answer |
    Then the exit code is 0
    And the output says "+plan"
    And the output says "     1"
    Given the variable PAGER is "nothing-of-the-kind"
    When I type on a terminal "agents plan diff @ --format plain"
      | question | answer |
    Then the output says "+plan"
