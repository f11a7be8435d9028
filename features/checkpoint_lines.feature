Feature: Whatever is forgotten, the line of checkpoints is right
  Which checkpoints lead to the present follows from what each of them went on from. When some go,
  those that went on from them are linked to the nearest one that stays.

  @unmeasured
  Scenario: random lives of plans whose checkpoints come and go
    Then 4 random lives of checkpoints go as the model says

  # cp1 to cp7 are made by a run, cp8 by the way back, cp9 to cp12 by what follows.
  Scenario Outline: a line that an older version broke is mended: <what>
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      - {name: s4, tool: shell, with: {command: "echo 4 > v"}}
      - {name: s5, tool: shell, with: {command: "echo 5 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "<back>"
    And I have run "agents plan execute @"
    And an older version has pruned the checkpoints "<pruned>" in one act
    And the journal "<journal>"
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 1
    And the doctor finds the problem "the line of its checkpoints is broken before <torn>" of "lines"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "the line that leads to <torn> is mended"
    And the doctor finds nothing of "lines"
    And checkpoint <child> goes on from checkpoint <parent>
    When I run "agents plan rollback @ <parent> --yes"
    Then the exit code is 0

    Examples:
      | what                                   | back                                             | pruned  | journal        | torn      | child | parent |
      | neighbours                             | agents plan rollback @ 3 --yes                   | 4 5 6   | tells all      | cp7       | 7     | 3      |
      | a way back and what followed           | agents plan rollback @ 3 --yes                   | 8 9     | tells all      | cp10      | 10    | 3      |
      | where the way back led to is gone, too | agents plan rollback @ 3 --yes                   | 2 3 8 9 | tells all      | cp4, cp10 | 10    | 1      |
      | planned anew                           | agents plan revert --to-phase strategize @ --yes | 8 9 10  | tells all      | cp11      | 11    | 1      |
      | nothing but numbers is known           | agents plan rollback @ 3 --yes                   | 8 9     | knows no names | cp10      | 10    | 7      |

  Scenario: of a line that nothing is left of, the first that stays begins it anew
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And an older version has pruned the checkpoints "1 2" in one act
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "the line that leads to cp3 is mended"
    And the doctor finds nothing of "lines"
    And checkpoint 3 goes on from none

  Scenario: what a prune lets go is judged by a line that is whole
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - name: which
        decide: {question: "Which?", options: {a: [{tool: shell, with: {command: "echo a > v"}}]}, choose: a}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      - {name: s4, tool: shell, with: {command: "echo 4 > v"}}
      """
    And I have run "agents run ACTION"
    And an older version has pruned the checkpoints "4 5" in one act
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "3"
    When I run "agents plan checkpoint create @ --no-pin --label more"
    Then the exit code is 0
    And no checkpoint is left behind
    And the decision "which" can be corrected

  Scenario: a line is not mended while somebody else is at work with the plan
    Given a plain folder
    And the steps
      """
      - {name: s1, tool: shell, with: {command: "echo 1 > v"}}
      - {name: s2, tool: shell, with: {command: "echo 2 > v"}}
      - {name: s3, tool: shell, with: {command: "echo 3 > v"}}
      """
    And I have run "agents run ACTION"
    And an older version has pruned the checkpoints "2 3" in one act
    And somebody else owns the plan
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor says it has done "the line was not mended: busy"
