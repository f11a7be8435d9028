Feature: Forks
  A second plan from any checkpoint of a first one, to try another way beside it; the first is only
  read.

  Background:
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo first >> log"}}
      - {name: storage, decide: {question: q, options: {a: [{name: make, tool: shell, with: {command: "echo a >> log"}}], b: []}, choose: a}}
      - {name: user, decide: {question: q2, options: {x: []}, choose: x, uses: [storage]}}
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    And I have run "agents run ACTION"
    And I remember the plan as the other one

  Scenario: a fork goes on from the checkpoint, beside the first plan
    When I fork the checkpoint "before step last" as "another way"
    Then the exit code is 0
    And the plan is "execute/queued"
    And the plan's log is "first a"
    And the plan's steps are
      | step               | status  |
      | first              | done    |
      | storage            | done    |
      | storage > a > make | done    |
      | user               | done    |
      | last               | pending |
    And the decisions that count are "plan, a, x"
    And the decision 3 is influenced by "2"
    When I run "agents plan status @"
    Then the output says "none yet, the first is made when it runs"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan's log is "first a last"
    When I run "agents plan list"
    Then the output says "another way"
    When I run "agents plan diff OTHER @"
    Then the output is empty
    Given the plan's file "log" is changed to "by hand"
    When I run "agents plan diff OTHER @"
    Then the output says "+by hand"
    When I run "agents plan status OTHER --format json"
    Then the data holds
      | field | value      |
      | state | "complete" |

  Scenario: applying a fork applies all that it holds
    When I fork the checkpoint "before step last"
    Then the exit code is 0
    Given I have run "agents plan execute @"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "log" holds "first\na\nlast"

  Scenario: a fork says where it came from, and knows the checkpoint it went on from
    Given I remember checkpoint 3
    And I have run "agents plan fork @ 3 --name aside"
    When I run "agents plan log @"
    Then the output says "aside (4 steps), forked from cp3 of"
    When I run "agents plan log @ --format json"
    Then the data holds
      | field                                | value |
      | events.0.forked_from.checkpoint_name | "cp3" |
    When I go back to the checkpoint I remember
    Then the exit code is 3
    And the error says "belongs to another plan"
    Given I have run "agents plan execute @"
    And the plan's file "log" is changed to "by hand"
    When I go back to the checkpoint I remember
    Then the exit code is 0
    And the plan's log is "first"
    When I run "agents plan checkpoint show @ @ --format json"
    Then the data holds
      | field                | value                |
      | metadata_json.reason | "rolled back to cp1" |
    When I run "agents plan rollback OTHER 2 --dry-run"
    Then the exit code is 0

  Scenario: a checkpoint before the one a fork went on from is in the other plan
    Given I remember checkpoint 1
    When I fork the checkpoint "before step last"
    Then the exit code is 0
    Given I have run "agents plan execute @"
    When I go back to the checkpoint I remember
    Then the exit code is 3
    And the error says "belongs to another plan"
    And the error says "go back to it there: agents plan rollback"
    And the error says "or start a second plan from it: agents plan fork"

  Scenario: a fork can be rolled back to where it began
    When I fork the checkpoint "before step last"
    Then the exit code is 0
    Given I have run "agents plan execute @"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan's log is "first a"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan's log is "first a last"

  Scenario: what cannot be forked
    When I run "agents plan fork @ 99"
    Then the exit code is 3
    When I run "agents plan fork @ 1 --format json"
    Then the exit code is 0
    And the data holds
      | field | value           |
      | name  | "plan from cp1" |

  Scenario: a state that says more than its files is not forked
    Given the action
      """
      name: group
      steps:
        - name: fan
          subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "echo a > n"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "echo b > n"}}]}
      """
    And I have run "agents run ACTION"
    When I fork the checkpoint "merged a"
    Then the exit code is 4
    And the error says "in the middle of subplans"
    When I run "agents plan fork @ @"
    Then the exit code is 4
    And the error says "open conflicts"

  Scenario: the lost sandbox of a fork that has no checkpoint yet is told, with what to do
    Given a plain folder
    And the action
      """
      name: first
      steps:
        - {tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan fork @ 1 --name again"
    And the shell has run "rm -r ../data/sandboxes/$(ls -t ../data/sandboxes | head -1)" in the project
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "make the plan again: agents plan use or plan fork"
    When I run "agents doctor"
    Then the exit code is 1
    And the output says "its sandbox is missing"
    And the output says "it has no checkpoint"

  Scenario: it says what it made
    When I run "agents plan fork @ 1 --name aside"
    Then the exit code is 0
    And the output says "OK aside is a plan of its own, from cp1 of plan"
