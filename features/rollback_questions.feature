Feature: Questions before a rollback
  A rollback shows what would change and asks. The answer that costs nothing leaves everything as
  it is, and without a terminal nobody is kept waiting.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    And I have run "agents run ACTION"

  Scenario: without a terminal and without --yes nothing is done
    When I run "agents plan rollback @ 1 --format json"
    Then the exit code is 2
    And the error message is "this needs a confirmation and there is no terminal to ask on"
    And a suggestion says "--yes"
    And the plan's file "a.txt" holds "two"
    And there are 4 checkpoints

  Scenario: without a checkpoint and without a terminal the list is shown
    When I run "agents plan rollback @"
    Then the exit code is 2
    And the output is empty
    And the error says
      """
      which checkpoint? name one of these
      before the plan runs
      after write_file in step first
      after the last step
      """

  Scenario Outline: the answer "<answer>" to the question leaves everything as it is
    When I type on a terminal "agents plan rollback @ 1"
      | question                | answer   |
      | Roll back to cp1? [y/N] | <answer> |
    Then the exit code is 1
    And the output says "declined; nothing was changed"
    And the plan's file "a.txt" holds "two"
    And the plan is "execute/complete"
    And there are 4 checkpoints

    Examples:
      | answer |
      |        |
      | n      |

  Scenario: to interrupt the question leaves everything as it is, and says so
    When I type on a terminal "agents plan rollback @ 1"
      | question                | answer |
      | Roll back to cp1? [y/N] | Ctrl-C |
    Then the exit code is 130
    And the output says "interrupted; nothing was changed"
    And the plan's file "a.txt" holds "two"
