Feature: Strategists
  An action may leave its steps to a command. It is told what is to be done and answers with the steps.

  Background:
    Given a plain folder
    And the action
      """
      name: planned
      description: Say hello
      arguments: {who: {default: world}}
      strategist: cat > "$HOME/asked"; echo thinking >&2; cat "$HOME/strategy"
      """
    And the variable HOME is the folder of the scenario

  Scenario: the steps are what the strategist answers
    Given the strategist answers
      """
      {"steps": [{"name": "greet", "tool": "write_file", "with": {"path": "hello", "content": "hi"}}]}
      """
    When I run "agents run ACTION --arg who=moon"
    Then the exit code is 0
    And the plan's file "hello" holds "hi"
    And the plan's steps are
      | step  | status |
      | greet | done   |
    And the strategist was asked
      """
      {"name": "planned", "description": "Say hello", "arguments": {"who": "moon"}, "guidance": []}
      """

  Scenario Outline: without steps that can be used the plan is errored, and all is told: <what>
    Given the strategist answers
      """
      <answer>
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 1
    And the error message says "<message>"
    And the detail says "<detail>"
    And the plan is "strategize/errored"

    Examples:
      | what            | answer                                                            | message                     | detail                                                  |
      | no JSON         | well                                                              | the strategist failed       | thinking                                                |
      | an unknown tool | {"steps": [{"tool": "shel", "with": {"command": "a"}}]}           | strategist has 1 problem    | steps.0.tool: unknown tool 'shel'; did you mean 'shell'? |
      | no step         | {"steps": []}                                                     | strategist has 1 problem    | steps: there must be at least one                       |
      | unsafe          | {"steps": [{"tool": "python", "with": {"call": "a"}}]}            | strategist has 1 problem    | steps.0.with.call                                       |

  Scenario: a strategist that fails
    When I run "agents plan use ACTION --format json"
    Then the exit code is 1
    And the error message says "the strategist failed: exit code 1"
    And the plan is "strategize/errored"
    When I run "agents plan execute @"
    Then the exit code is 4
