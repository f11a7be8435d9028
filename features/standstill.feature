Feature: A process that was stopped in a change of the database
  It holds up every other command, so it is named, with what to type; --take-over ends it if it is one of
  this program, before anything is read, and goes on as after a crash.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: 'test ! -e "$GATE"'}, pass_env: [GATE]}
      """
    And the limit of seconds for a transaction of somebody else is 0.2

  Scenario Outline: "agents <command>" names who was stopped while it <held> the database
    Given I have run "agents run ACTION"
    And a process of "agents" is stopped while it <held> the database
    When I run "agents <command> --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "<name>"
    And the error names the stopped process
    And the error names its command
    And a suggestion says "kill -CONT "
    And a suggestion says "--take-over"
    When the stopped process goes on
    And I run "agents <command>"
    Then the exit code is 0

    Examples:
      | command                 | name          | held     |
      | plan list               | plan list     | read for |
      | plan rollback @ 1 --yes | plan rollback | changes  |

  Scenario Outline: --take-over of "agents <command>" ends who was stopped while it <held> the database
    Given I have run "agents run ACTION"
    And a process of "agents" is stopped while it <held> the database
    When I run "agents <command> --take-over --format json"
    Then the exit code is 0
    And the stopped process was killed
    And a message says "is stopped in the middle of a change of the database"
    And the database answers "SELECT count(*) FROM plans WHERE name = 'torn'" with 0

    Examples:
      | command                 | held     |
      | plan rollback @ 1 --yes | read for |
      | plan rollback @ 1 --yes | changes  |
      | plan resume @           | changes  |

  Scenario Outline: what is not ours to end is named and left alone: <what>
    Given I have run "agents run ACTION"
    And a process of "<program>" is <state> while it changes the database
    When I run "agents plan resume @ --take-over --format json"
    Then the exit code is 4
    And the error names the stopped process
    And the error names its command
    And the stopped process is still there

    Examples:
      | what                 | program | state   |
      | another program      | other   | stopped |
      | one that is at work  | agents  | running |

  Scenario: a lock that stays although its owner was ended is told, and nothing is gone on with
    Given I have run "agents run ACTION"
    And the limit of seconds for who was ended is 0
    And a process of "agents" is stopped while it and a child of it lock the database
    When I run "agents plan resume @ --take-over --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "plan resume"

  Scenario: a process that is gone, and one whose command line is not ours to see
    Then a process that is gone is neither stopped nor of this program
