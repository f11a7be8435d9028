Feature: What people see
  Every view is kept as text below features/rendered, for each format and width; ids, times and
  durations are replaced. CONTRIBUTING.md names the command that writes them anew.

  Background:
    Given a git repository
    And the home directory is that of the scenario
    And the action
      """
      name: add-sessions
      description: Add session handling to the web shop and to its administration pages
      tools:
        - {name: deploy, command: "true", side_effects: [network], undo: "true"}
      steps:
        - name: write the module
          tool: write_file
          with: {path: src/sessions/store.py, content: "class Store:\n    pass\n"}
        - name: storage
          decide:
            question: Which storage shall hold the sessions of the shop?
            options:
              sqlite: [{name: use sqlite, tool: shell, with: {command: "echo sqlite >> a.txt"}}]
              postgres: [{tool: shell, with: {command: "echo postgres >> a.txt"}}]
            choose: sqlite
        - name: fan out
          subplans:
            mode: sequential
            plans:
              - {name: docs, steps: [{name: write docs, tool: shell, with: {command: "echo d > docs.txt"}}]}
              - {name: tests, steps: [{name: write tests, tool: shell, with: {command: "echo t > tests.txt"}}]}
        - {name: deploy it, tool: deploy}
        - {name: check, tool: shell, with: {command: "echo half > half; echo wrong; exit 1"}, checkpoint: before the check}
      """
    And I have run "agents run ACTION" in vain
    And I have run "agents plan rollback @ 3 --yes"
    And I have run "agents run ACTION" in vain

  @needs_namespaces
  @default_level
  Scenario: each view is as it is kept
    Given all of it happened in 2020
    Then each of these views is as it is kept
      | view             | line                           |
      | plan-list        | plan list                      |
      | plan-status      | plan status @                  |
      | plan-log         | plan log PLAN                  |
      | plan-tree        | plan tree @                    |
      | plan-tree-all    | plan tree PLAN --show-superseded |
      | plan-diff        | plan diff                      |
      | plan-diff-stat   | plan diff --stat               |
      | checkpoint-list  | plan checkpoint list PLAN      |
      | rollback-preview | plan rollback @ 3 --dry-run    |
      | not-found        | plan status nonesuch           |
      | tool-list        | tool list                      |

  Scenario: no view is wider than the terminal, and no id is cut
    Then none of these is wider than 40, 80 or 160 columns, and each shows its ids whole
      | line                         |
      | plan list                    |
      | plan status @                |
      | plan log @                   |
      | plan tree @ --show-superseded |
      | plan checkpoint list @       |
      | plan checkpoint list @ -v    |
      | plan checkpoint show @ 1     |
      | plan diff @ --stat           |
      | sandbox list                 |
      | doctor                       |
