Feature: Completion
  A shell offers commands, options, plans, checkpoints and decisions when Tab is pressed, at once:
  without importing the commands, and without touching what it reads.

  Scenario Outline: Tab after: agents <line>
    Given a plain folder
    Then Tab after "agents <line>" offers "<offered>"

    Examples:
      | line                          | offered                               |
      | pl                            | plan                                  |
      | plan ro                       | rollback                              |
      | --format json plan ro         | rollback                              |
      | plan --format json ro         | rollback                              |
      | plan checkpoint ver           | verify                                |
      | --data-dir=x plan ro          | rollback                              |
      | plan rollback --dr            | --dry-run                             |
      | plan rollback @ 1 --y         | --yes                                 |
      | plan list --format j          | json                                  |
      | plan list --format=j          | --format=json                         |
      | plan list --format = y        | yaml                                  |
      | plan apply @ --as             | --as                                  |
      | plan resolve @ a --take p     | parent                                |
      | plan revert --to-phase st     | strategize                            |
      | config get sandbox.b          | sandbox.base                          |
      | plan list --set sandbox.b     | sandbox.base=                         |
      | tool show she                 | shell                                 |
      | completion z                  | zsh                                   |
      | plan nonesuch x               |                                       |
      | run act                       |                                       |
      | plan list more than it        |                                       |
      | plan list --data-dir x        |                                       |

  Scenario: plans are offered with name and state, the newest first
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents plan use ACTION"
    And I have run "agents run ACTION"
    Then Tab after "agents plan status " offers these
      | value | text                      |
      | @     | the latest plan           |
      | @-    | the plan before it        |
      | NEWER | plan, execute/complete    |
      | OLDER | plan, strategize/complete |
    And Tab after the first 20 letters of the newer plan offers it
    When the shell runs "mkdir -p deep/er" in the project
    Then Tab after "agents plan diff @ " below deep/er offers these
      | value | text                      |
      | @     | the latest plan           |
      | @-    | the plan before it        |
      | NEWER | plan, execute/complete    |
      | OLDER | plan, strategize/complete |
    And Tab after "agents --project deep plan status " offers these
      | value | text                      |
      | @     | the latest plan           |
      | @-    | the plan before it        |

  Scenario: checkpoints are offered by number with label or type, by id to those who type one
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint create @ --label 'before the risky part'"
    Then Tab after "agents plan rollback @ " offers these
      | value | text                  |
      | @     | the latest checkpoint |
      | 4     | before the risky part |
      | 3     | post_execute          |
      | 2     | tool                  |
      | 1     | pre_execute           |
    And Tab after "agents plan rollback NEWER " offers these
      | value | text                  |
      | @     | the latest checkpoint |
      | 4     | before the risky part |
      | 3     | post_execute          |
      | 2     | tool                  |
      | 1     | pre_execute           |
    And Tab after "agents plan rollback @ 01" offers 4 ids

  Scenario: decisions that count are offered with what was chosen
    Given a git repository
    And the steps
      """
      - name: storage
        decide:
          question: Which storage?
          options: {sqlite: [], files: []}
          choose: sqlite
      """
    And I have run "agents run ACTION"
    Then Tab after "agents plan explain " offers something that is "Which storage? sqlite"

  Scenario: without a database nothing is offered and nothing is made
    Given a plain folder
    Then Tab after "agents plan status " offers ""
    And in the project "test ! -e ../data" holds

  Scenario: Tab imports neither the commands nor what reads and writes the database
    Given a plain folder
    Then answering Tab imports none of "sqlalchemy, alembic, pydantic, rich, yaml"

  Scenario: bash completes with the script it is given
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then bash with the completion offers for "agents plan roll"
      """
      rollback
      """
    And bash with the completion offers for "agents plan rollback @ "
      """
      @  (the latest checkpoint)
      3  (post_execute)
      2  (tool)
      1  (pre_execute)
      """

  Scenario Outline: <shell> gets a script that asks this program
    When I run "agents completion <shell>"
    Then the exit code is 0
    And the output says "agents __complete"
    And the output says "<text>"

    Examples:
      | shell | text                         |
      | bash  | complete -o default -o nosort |
      | zsh   | #compdef agents cleveragents |
      | fish  | complete -c $name            |

  @needs_fish
  Scenario: fish offers what may follow
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then fish with the completion offers for "agents plan ro"
      """
      rollback
      """
    And fish with the completion offers for "agents plan rollback @ "
      """
      @
      3
      2
      1
      """

  @needs_zsh
  Scenario: zsh completes what was begun
    Given a plain folder
    Then zsh with the completion makes "agents plan rollback" of "agents plan ro"
