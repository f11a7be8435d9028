Feature: Attempts to correct
  Every attempt is kept: what it corrects, what was said, what it replaced and how it came out.

  Background:
    Given a plain folder
    And a chooser that takes the first option, and the last one once it has guidance

  Scenario: a choice that is written in the action needs another one
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: [{tool: shell, with: {command: "echo a > f"}}], b: []}, choose: a}}
      """
    And I have run "agents run ACTION"
    When I correct "one" by saying "no"
    Then the exit code is 2
    And the error says "the choice of 'one' is written in the action"
    And the error says "--choose b"
    When I choose "b" for "one" by saying "no"
    Then the exit code is 0
    And the plan has no file "f"

  Scenario: a plan without checkpoints has nothing to go back to
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: one, decide: {question: q, options: {a: [], b: []}, choose: a}}
      """
    And I have run "agents run ACTION"
    When I choose "b" for "one" by saying "no"
    Then the exit code is 4
    And the error says "no checkpoint before the decision leads to the present state"

  Scenario: an error is corrected from the last checkpoint before it
    Given the action
      """
      name: plan
      rollback: {on_failure: keep}
      steps:
        - {name: first, tool: shell, with: {command: "echo first > log"}}
        - {name: bad, tool: shell, with: {command: 'echo bad >> log; test -e "$GATE"'}, pass_env: [GATE]}
        - {name: how, decide: {question: q, options: {a: [], b: []}, chooser: '"$CHOOSER" how'}, pass_env: [CHOOSER]}
      """
    And I have run "agents run ACTION" in vain
    And the plan's log is "first bad"
    When the gate opens
    And I run "agents plan correct @ --yes --guidance 'try b'"
    Then the exit code is 0
    And the plan's log is "first bad"
    And the decisions that count are "plan, try b, b"
    And the corrections are
      | corrects | state    | guidance | chosen | replaced |
      |          | complete | try b    |        |          |

  Scenario: a correction whose steps fail has failed, and goes on when the plan does
    Given the steps
      """
      - name: one
        decide:
          question: q
          options:
            a: []
            b: [{name: try, tool: shell, with: {command: 'test -e "$GATE"'}, pass_env: [GATE]}]
          choose: a
      """
    And I have run "agents run ACTION"
    When I choose "b" for "one" by saying "no"
    Then the exit code is 1
    And the corrections are
      | corrects | state  | guidance | chosen | replaced |
      | one      | failed | no       | b      | a        |
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the corrections are
      | corrects | state    | guidance | chosen | replaced |
      | one      | complete | no       | b      | a        |

  Scenario: a correction that a rollback takes back has failed
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: [], b: [{tool: shell, with: {command: "false"}}]}, choose: a}}
      """
    And I have run "agents run ACTION"
    When I choose "b" for "one" by saying "no"
    Then the exit code is 1
    When I run "agents plan rollback @ 1 --yes"
    And I run "agents plan execute @"
    Then the exit code is 0
    And the decisions that count are "plan, a"
    And the corrections are
      | corrects | state  | guidance | chosen | replaced |
      | one      | failed | no       | b      | a        |

  Scenario: killed at any transaction, a correction is all there or not at all
    Given the steps
      """
      - name: one
        decide:
          question: q
          options: {a: [{tool: write_file, with: {path: f, content: "a"}}], b: [{tool: write_file, with: {path: f, content: "b"}}]}
          choose: a
      - name: other
        decide: {question: q2, options: {x: [{tool: write_file, with: {path: g, content: "x"}}]}, choose: x}
      """
    And I have run "agents run ACTION"
    When a correction of "one" to "b" is killed at each of its transactions in turn
    Then it was killed at least 8 times
    And each time the next run came to "a x" with the decisions "plan, a, x" or to "b x" with the decisions "plan, x, otherwise, b"
    And both have happened

  Scenario: a correction that was killed is told by the command that finishes it
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: [{tool: write_file, with: {path: f, content: "a"}}], b: []}, choose: a}}
      """
    And I have run "agents run ACTION"
    And a correction of "one" to "b" has crashed after its intent was recorded
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value       |
      | unfinished_operations | ["correct"] |
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error says "note: an interrupted correction to cp"
    And the plan has no file "f"
    And the corrections are
      | corrects | state    | guidance  | chosen | replaced |
      | one      | complete | otherwise | b      | a        |

  Scenario: a correction that nobody can finish or take back is given up and has failed
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: [{tool: write_file, with: {path: f, content: "a"}}], b: []}, choose: a}}
      """
    And I have run "agents run ACTION"
    And a correction of "one" to "b" has crashed after its intent was recorded
    And the stored record of checkpoint 5 is damaged
    And the stored record of the newest checkpoint is damaged
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "an interrupted correction of this plan cannot be finished"
    When I run "agents doctor --repair"
    Then the output says "the interrupted correction was given up"
    And the corrections are
      | corrects | state  | guidance  | chosen | replaced |
      | one      | failed | otherwise | b      | a        |

  Scenario: a correction whose state cannot be read any more is taken back and has failed
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: [{tool: write_file, with: {path: f, content: "a"}}], b: []}, choose: a}}
      """
    And I have run "agents run ACTION"
    And a correction of "one" to "b" has crashed after its intent was recorded
    And the stored record of the newest checkpoint is damaged
    When I run "agents plan execute @"
    Then the error says "an interrupted correction could not be finished and was taken back"
    And the plan's file "f" holds "a"
    And the decisions that count are "plan, a"
    And the corrections are
      | corrects | state  | guidance  | chosen | replaced |
      | one      | failed | otherwise | b      | a        |
