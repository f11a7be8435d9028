Feature: Planning anew
  A plan may go back to strategize: its action file is read again, or its strategist asked again. What
  it has done goes back to the start, as one act that can be taken back; at most three times.

  Background:
    Given a plain folder
    And the variable HOME is the folder of the scenario

  Scenario: a plan follows its action file as it is now
    Given the steps
      """
      - {name: old, tool: write_file, with: {path: old, content: "o"}}
      - {name: more, tool: write_file, with: {path: more, content: "m"}}
      """
    And I have run "agents run ACTION"
    And the steps
      """
      - {name: new, tool: write_file, with: {path: new, content: "n"}}
      """
    When I run "agents plan revert --to-phase strategize @ --yes --guidance 'make it new'"
    Then the exit code is 0
    And the error says "agents plan execute"
    And the plan is "strategize/complete"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    And the decisions that count are "plan, make it new"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error does not say "the action file has changed"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | new   | n       |
    And the plan's steps are
      | step | status |
      | new  | done   |

  Scenario: taking it back brings the old plan again, with its steps
    Given the steps
      """
      - {name: old, tool: write_file, with: {path: old, content: "o"}}
      - {name: fails, tool: shell, with: {command: 'test -e "$GATE"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: new, tool: write_file, with: {path: new, content: "n"}}
      """
    And I have run "agents plan revert --to-phase strategize @ --yes"
    When I follow the hint that takes it back
    Then the exit code is 0
    And the plan's steps are
      | step  | status  |
      | old   | done    |
      | fails | pending |
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | old   | o       |
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the decisions that count are "plan"

  Scenario: a strategist is told the guidance
    Given the action
      """
      name: planned
      strategist: cat > "$HOME/asked"; cat "$HOME/strategy"
      """
    And the strategist answers
      """
      {"steps": [{"tool": "write_file", "with": {"path": "f", "content": "1"}}]}
      """
    And I have run "agents plan use ACTION"
    And the strategist answers
      """
      {"steps": [{"tool": "write_file", "with": {"path": "g", "content": "2"}}]}
      """
    And I have run "agents plan revert --to-phase strategize @ --yes --guidance 'call it g'"
    And I have run "agents plan revert --to-phase strategize @ --yes --guidance 'yes, g'"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "g" holds "2"
    And the plan has no file "f"
    And the strategist was asked
      """
      {"name": "planned", "description": "", "arguments": {}, "guidance": ["call it g", "yes, g"]}
      """

  Scenario: what it would take back is told first
    Given the steps
      """
      - {name: old, tool: write_file, with: {path: old, content: "o"}}
      - {name: more, tool: write_file, with: {path: more, content: "m"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan revert --to-phase strategize @ --dry-run --format json"
    Then the data holds
      | field                          | value                                   |
      | changes.0                      | {"file": "more", "action": "removed"}   |
      | counts.files                   | 2                                       |
      | counts.decisions               | 1                                       |
      | moving                         | false                                   |

  Scenario: at most three times, and not once it is applied
    Given the steps
      """
      - {name: old, tool: write_file, with: {path: old, content: "o"}}
      """
    And I have run "agents plan use ACTION"
    And I have run "agents plan revert --to-phase strategize @ --yes"
    And I have run "agents plan revert --to-phase strategize @ --yes"
    When I run "agents plan revert --to-phase strategize @ --dry-run --format json"
    Then the data holds
      | field      | value |
      | times_left | 1     |
    When I run "agents plan revert --to-phase strategize @"
    Then the exit code is 2
    Given I have run "agents plan revert --to-phase strategize @ --yes"
    When I run "agents plan revert --to-phase strategize @ --yes"
    Then the exit code is 4
    And the error says "planned anew 3 times already"
    Given the plan is set to "apply/applied" by hand
    When I run "agents plan revert --to-phase strategize @ --yes"
    Then the exit code is 4
    And the error says "unapply"

  Scenario: problems with the new steps leave everything as it is
    Given the steps
      """
      - {name: old, tool: write_file, with: {path: old, content: "o"}}
      """
    And I have run "agents run ACTION"
    And the steps
      """
      - {name: new, tool: nonsense}
      """
    When I run "agents plan revert --to-phase strategize @ --yes"
    Then the exit code is 2
    And the error says "unknown tool 'nonsense'"
    And the plan is "execute/complete"
    And the plan's file "old" holds "o"
    Given the action
      """
      name: plan
      tools: [{name: burn, command: "true", checkpointable: false}]
      steps: [{tool: burn}]
      """
    When I run "agents plan revert --to-phase strategize @ --yes"
    Then the exit code is 1
    And the error says "cannot be taken back"
    And the plan is "execute/complete"

  Scenario: a plan without checkpoints cannot be taken back to its start
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps: [{tool: shell, with: {command: "true"}}]
      """
    And I have run "agents run ACTION"
    When I run "agents plan revert --to-phase strategize @ --yes"
    Then the exit code is 4
    And the error says "its files cannot be taken back"
