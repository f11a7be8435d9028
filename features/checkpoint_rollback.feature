Feature: Going back to a checkpoint
  Everything after a checkpoint is taken back, as one act, and that act can be taken back as well.

  Background:
    Given a git repository
    And the action
      """
      name: two files
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
        - {name: second, tool: shell, with: {command: "echo two > a.txt; mkdir -p d; echo c > d/c"}}
      """
    And I have run "agents run ACTION"

  Scenario: files, decisions and the plan itself return
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
