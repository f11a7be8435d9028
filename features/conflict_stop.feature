Feature: A plan with open conflicts stops before its next step
  What two sides changed is for the user to resolve. Until then no step runs on files that hold one side
  of it alone, unless `subplans.on-conflict` says so.

  Background:
    Given a plain folder
    And the shell has run "seq 1 9 > text" in the project
    And the action
      """
      name: group
      steps:
        - name: fan
          subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
        - {name: after, tool: shell, with: {command: "cp text after"}}
      """

  Scenario: the run stops, says so everywhere, and goes on once the conflict is resolved
    When I run "agents run ACTION --format json"
    Then the exit code is 4
    And the status in the envelope is "warn"
    And the data holds
      | field     | value                                                 |
      | state     | "queued"                                              |
      | waits     | true                                                  |
      | conflicts | [{"file": "text", "reason": "changed on both sides"}] |
    And a message says "1 conflict is open: the plan waits before its next step"
    And the plan is "execute/queued"
    And the plan has no file "after"
    When I run "agents plan list --format json"
    Then the data holds
      | field                  | value              |
      | plans.0.conflicts      | 1                  |
      | plans.0.conflict_files | [{"file": "text"}] |
    When I run "agents plan status @"
    Then the output says "1 open: text"
    And the output says "with 1 conflict"
    And the error says "agents plan conflicts"
    And the error does not say "agents plan execute"
    And the error does not say "agents plan apply"
    When I run "agents plan execute @"
    Then the exit code is 4
    And the error says "the plan waits: 1 conflict is open"
    And the error says "text: changed on both sides"
    When I run "agents plan resume @ --dry-run"
    Then the exit code is 4
    And the error says "the plan waits: 1 conflict is open"
    When I run "agents plan resolve @ text --take plan"
    Then the exit code is 0
    And the error says "agents plan execute"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan is "execute/complete"
    And in the plan's sandbox "test $(sed -n 5p after) = b" holds
    And "2" calls of subplans have ended

  Scenario Outline: whatever came in between, it stops there and goes on from there: <between>
    Given I have run "agents plan use ACTION"
    And <between>
    Then the plan has no file "after"
    When I run "agents plan resolve @ text --take mine"
    Then the exit code is 0
    When I run "agents plan resume @"
    Then the exit code is 0
    And the plan is "execute/complete"
    And in the plan's sandbox "test $(sed -n 5p after) = a" holds
    And "2" calls of subplans have ended

    Examples:
      | between                                                       |
      | a run has stopped at its conflicts                            |
      | it has stopped, been rolled back to a spawn, and stopped again |
      | a run has been killed just before it stopped at its conflicts |

  Scenario: a preview of a resume tells that it would stop at conflicts
    Given I have run "agents plan use ACTION"
    And a run has been killed just before it stopped at its conflicts
    When I run "agents plan resume @ --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field          | value |
      | interrupted    | true  |
      | conflicts      | 1     |
    And a message says "1 conflict is open: it would stop there, before its next step"
    When I run "agents plan resume @ --dry-run --set subplans.on-conflict=continue --format json"
    Then the data holds
      | field          | value |
      | conflicts      | 0     |

  Scenario: a failed plan with open conflicts names their way out first, and no run that would be refused
    Given the action
      """
      name: group
      steps:
        - name: fan
          subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
        - {name: after, tool: shell, with: {command: "echo half > half; false"}}
      """
    When I run "agents run ACTION --set subplans.on-conflict=continue"
    Then the exit code is 1
    And the error says
      """
      hint: agents plan conflicts @
      agents plan resolve @ text --take mine
      agents plan execute @
      """
    When I run "agents plan status"
    Then the error says
      """
      agents plan conflicts @
      agents plan resolve @ text --take mine
      agents plan rollback @
      """
    And the error does not say "agents plan execute"
    When I run "agents plan errors"
    Then the error does not say "agents plan execute"
    When I run "agents plan resolve @ text --take mine"
    And I run "agents plan status"
    Then the error says "agents plan execute @"

  Scenario: a resolution that is rolled back is a conflict again, and the plan waits again
    Given I have run "agents plan use ACTION"
    And a run has stopped at its conflicts
    And I have run "agents plan resolve @ text --take plan"
    And I have run "agents plan execute @"
    And the plan has been rolled back to "before text was resolved"
    When I run "agents plan execute @"
    Then the exit code is 4
    And the plan has no file "after"

  Scenario: a run may go on in spite of conflicts; what it made cannot be applied
    When I run "agents run ACTION --set subplans.on-conflict=continue"
    Then the exit code is 0
    And the output says "with 1 conflict"
    And the error does not say "agents plan apply"
    And in the plan's sandbox "test $(sed -n 5p after) = a" holds
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "1 conflict is open"

  Scenario: an apply is not asked about where the run stopped
    When I run "agents run ACTION --apply --yes"
    Then the exit code is 4
    And the plan is "execute/queued"

  Scenario Outline: a project may only be stricter: <value>
    Given the project's settings
      """
      [subplans]
      on-conflict = "<value>"
      """
    And the user's settings
      """
      [subplans]
      on-conflict = "continue"
      """
    When I run "agents run ACTION"
    Then the exit code is <code>
    And the error says "<says>"

    Examples:
      | value    | code | says                                                |
      | stop     | 4    | 1 conflict is open                                  |
      | continue | 2    | a project may not set subplans.on-conflict to continue |

  Scenario Outline: a subplan with conflicts of its own is not merged before they are resolved: <case>
    Given the action
      """
      name: outer
      steps:
        - name: outside
          subplans:
            fail_fast: true
            retries: 0
            plans:
              - name: inner
                steps:
                  - name: fan
                    subplans:
                      mode: parallel
                      plans:
                        - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
                        - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
                  <last>
        - {name: after, tool: shell, with: {command: "cp text after"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 4
    And the output says "no, 1 conflict is open in it"
    And the plan is "execute/queued"
    And the subplans are
      | name  | state   | merged |
      | inner | <state> | no     |
    When I run "agents plan resume @ --dry-run"
    Then the error says "1 conflict is open: it would stop there, before its next step"
    When on the subplan "inner" I run "agents plan resolve CHILD text --take plan"
    Then the exit code is 0
    And the error says "agents plan execute"
    When I run "agents plan execute @"
    Then the exit code is 0
    And in the plan's sandbox "test $(sed -n 5p after) = b" holds

    Examples:
      | case                      | last                                          | state            |
      | it has a step to come     | - {tool: shell, with: {command: "echo x > x"}} | execute/queued   |
      | its steps have all run    |                                               | execute/complete |

  Scenario: subplans that need what is in conflict are not spawned
    Given the action
      """
      name: group
      steps:
        - name: fan
          subplans:
            mode: dependency_ordered
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
              - {name: c, needs: [a, b], steps: [{tool: shell, with: {command: "cp text c"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 4
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | b    | execute/complete | yes    |
    When I run "agents plan resolve @ text --take plan"
    And I run "agents plan execute @"
    Then the exit code is 0
    And in the plan's sandbox "test $(sed -n 5p c) = b" holds

  Scenario: a session waits as well
    Given I have run "agents plan use ACTION"
    And a run has stopped at its conflicts
    Then a session of the plan refuses its next call with "the plan waits: 1 conflict is open"
