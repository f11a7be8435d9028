Feature: Correcting decisions around subplans
  A correction cancels the subplans that hang on the decision; the results of all others are merged again
  and nothing of them runs twice. A decision inside a subplan is corrected there, and merged again.

  Background:
    Given a plain folder
    And the steps
      """
      - name: pick
        decide:
          question: which
          options:
            x: [{tool: shell, with: {command: "echo x > picked"}}, {name: inner, subplans: {plans: [{name: of-x, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo of-x >> $GATE.log; echo i > inner"}}]}]}}]
            y: [{tool: shell, with: {command: "echo y > picked"}}]
          choose: x
      - name: fan
        subplans:
          mode: parallel
          plans:
            - name: a
              steps:
                - {tool: shell, pass_env: [GATE], with: {command: "echo a >> $GATE.log; echo a > a"}}
                - {name: deep, decide: {question: how, options: {one: [{tool: shell, with: {command: "echo 1 > deep"}}], two: [{tool: shell, with: {command: "echo 2 > deep; echo 2 > two"}}]}, choose: one}}
            - {name: b, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo b >> $GATE.log; echo b > b"}}]}
      - {name: after, tool: shell, with: {command: "cat picked a b deep > all"}}
      """
    And I have run "agents run ACTION"

  Scenario: a look before
    When with the options --dry-run --choose y --format json I correct "pick" by saying "no"
    Then the exit code is 0
    And "data.subplans" counts 1
    And "data.merged_again" counts 2
    When with the options --dry-run --choose y I correct "pick" by saying "no"
    Then the output says
      """
      cancel subplan
      of-x
      merge again
      a
      """

  Scenario: subplans outside of what is affected are merged again, not run again
    When I choose "y" for "pick" by saying "the other one"
    Then the exit code is 0
    And the log of what ran is "of-x a b"
    And the plan's file "all" holds "y\na\nb\n1"
    And the plan has no file "inner"
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | b    | execute/complete | yes    |
    And every subplan that was taken back is "execute/cancelled"
    And the subplan "of-x" has no files

  Scenario: a decision inside a subplan
    When in the subplan "a" I choose "two" for "deep" by saying "deeper"
    Then the exit code is 0
    And the log of what ran is "of-x a b"
    And the plan's file "deep" holds "2"
    And the plan's file "two" holds "2"
    And the plan's file "all" holds "x\na\nb\n1"
    And the subplans are
      | name | state            | merged |
      | of-x | execute/complete | yes    |
      | a    | execute/complete | yes    |
      | b    | execute/complete | yes    |

  Scenario: a subplan that went back alone and ran again is merged again
    Given the subplan "b" has been rolled back to checkpoint 1
    And the plan's file "b" is removed
    When on the subplan "b" I run "agents plan execute CHILD"
    Then the exit code is 0
    And the log of what ran is "of-x a b b"
    And the plan has no file "b"

  Scenario: the tree shows subplans with their decisions
    When I run "agents plan tree @"
    Then the exit code is 0
    And the output says
      """
      which
      of-x
      how
      """
