Feature: Deleting plans
  A plan goes whole, with its subplans, sandboxes, output and content that nobody else needs; what it
  shares with other plans stays. A crash leaves the plan or no plan.

  Scenario: a plan with subplans, decisions and a correction, beside another one and a fork
    Given a git repository
    And the action
      """
      name: doomed
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: "true"}
      steps:
        - {name: big, tool: shell, with: {command: "head -c 2000000 /dev/urandom > big"}}
        - {tool: deploy}
        - name: pick
          decide: {question: Which one, options: {a: [{tool: shell, with: {command: "echo a > a"}}], b: []}, choose: a}
        - subplans:
            plans:
              - {name: sub, steps: [{tool: shell, with: {command: "echo s > s"}}]}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 1 --yes"
    And I have run "agents plan execute @"
    And I have run "agents plan fork @ 1 --name kept"
    And I have run "agents plan execute @"
    And everything that is stored is remembered
    When for the plan "doomed" I run "agents plan delete DOOMED --dry-run"
    Then the exit code is 4
    And the error says "holds work that was never applied"
    When for the plan "doomed" I run "agents plan delete DOOMED --discard --dry-run --format json"
    Then the exit code is 0
    And a message says "this cannot be undone"
    And the data holds
      | field                               | value          |
      | would_delete_plans.0.name           | "doomed"       |
      | would_delete_plans.0.subplans       | ["sub", "sub"] |
      | would_delete_plans.0.unapplied_work | true           |
    And nothing that is stored has changed
    When for the plan "doomed" I run "agents plan delete DOOMED DOOMED --discard"
    Then the exit code is 2
    And the error says "Would delete doomed"
    And the error says "never applied: it is lost"
    And the error says "--discard --yes"
    When for the plan "sub" I run "agents plan delete SUB --discard --yes"
    Then the exit code is 4
    And the error says "it goes with the plan that it is a part of"
    When for the plan "doomed" I run "agents plan delete DOOMED --discard --yes"
    Then the exit code is 0
    And the output says "deleted doomed"
    And no row, sandbox or output is left but those of "kept, sub"
    And the store holds what nobody needs no more
    When I run "agents plan checkpoint verify --all"
    Then the exit code is 0
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And no row, sandbox or output is left but those of "kept, sub"

  Scenario Outline: <what> goes without --discard, from <project>
    Given <project>
    And the steps
      """
      - {tool: shell, with: {command: "<command>"}}
      """
    And I have run "agents plan use ACTION"
    And I have run "agents plan <first> @"
    And I have run "agents plan <second> @ --yes"
    When I run "agents plan delete @ --yes --format json"
    Then the exit code is 0
    And no row, sandbox or output is left but those of ""
    When I run "agents plan list"
    Then the error says "this project has no plan yet"

    Examples:
      | what                     | command                 | first   | second | project          |
      | one that is applied      | echo b > b              | execute | apply  | a plain folder   |
      | one that changed nothing | true                    | execute | cancel | a plain folder   |
      | one that changed nothing | touch a.txt; git status | execute | cancel | a git repository |
      | one that never ran       | echo b > b              | cancel  | cancel | a git repository |

  Scenario: one that is applied says what stays, and a yes on a terminal deletes it
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "echo b > b"}}
      """
    And I have run "agents run ACTION --apply --yes"
    When I type on a terminal "agents plan delete @"
      | question                         | answer |
      | its result stays in your project |        |
    Then the exit code is 1
    When I type on a terminal "agents plan delete @"
      | question                         | answer |
      | Delete 1 plan for ever? [y/N]    | y      |
    Then the exit code is 0
    And the project's file "b" holds "b"
    And no row, sandbox or output is left but those of ""

  Scenario: a plan that runs, and one that was interrupted
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, pass_env: [GATE], with: {command: "touch started; while [ ! -e \"$GATE\" ]; do sleep 0.05; done"}}
      """
    And a run waits in its step
    When I run "agents plan delete @ --discard --yes"
    Then the exit code is 4
    When I run "agents plan delete @ --discard --dry-run"
    Then the exit code is 4
    And the error says "plan is in use by another process"
    Given the process is killed
    When I run "agents plan delete @ --yes"
    Then the exit code is 4
    When I run "agents plan delete @ --discard --yes"
    Then the exit code is 0
    And no row, sandbox or output is left but those of ""

  Scenario: what has changed since it was shown is not deleted
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "echo b > b"}}
      """
    And I have run "agents run ACTION"
    Then a deletion that was shown before a checkpoint was made is refused
    And the plan is "execute/complete"

  Scenario Outline: a crash just <moment> the rows go
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "echo b > b"}}
      """
    And I have run "agents run ACTION"
    And deleting the plan has crashed just <moment> its rows go
    When I run "agents plan list --format json"
    Then "data.plans" counts <plans>
    When I run "agents doctor --repair"
    Then the exit code is 0
    When I run "agents plan list --format json"
    Then "data.plans" counts <plans>

    Examples:
      | moment | plans |
      | before | 1     |
      | after  | 0     |

  Scenario: an ordinary user, with a directory in the sandbox that nobody may enter
    Given a plain folder
    And all of it is an ordinary user's
    And the steps
      """
      - {tool: shell, with: {command: "mkdir d; echo x > d/x; chmod 0 d"}}
      """
    And an ordinary user has run "agents run ACTION"
    When an ordinary user runs "agents plan delete @ --discard --yes"
    Then the exit code is 0
    And no row, sandbox or output is left but those of ""
