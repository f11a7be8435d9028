Feature: A project that was moved
  Plans are made for a directory. When that is moved they are found again where it is now, once the
  user says so: nothing else of them changes.

  Background:
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b\n"}}
      """
    And I have run "agents run ACTION"

  Scenario: its plans follow it, and can be applied there
    Given the project is moved to "elsewhere"
    When I run "agents plan list" below ../elsewhere
    Then the error says "let them follow: agents project move"
    When I run "agents status" below ../elsewhere
    Then the exit code is 3
    And the error says "let what was recorded follow: agents project move"
    When I run "agents project move --dry-run --format json" below ../elsewhere
    Then the exit code is 0
    And the plans that are told of are 1
    When I run "agents plan list --format json" below ../elsewhere
    Then the plans that are told of are 0
    When I run "agents project move" below ../elsewhere
    Then the exit code is 2
    When I run "agents project move --yes" below ../elsewhere
    Then the exit code is 0
    And the output says "1 plan: plan"
    When I run "agents plan apply --yes" below ../elsewhere
    Then the exit code is 0
    When I run "agents rollback 1 --dry-run" below ../elsewhere
    Then the exit code is 4
    When I run "agents undo --yes" below ../elsewhere
    Then the exit code is 0
    When I run "agents doctor" below ../elsewhere
    Then the exit code is 0
    When I run "agents project move --yes" below ../elsewhere
    Then the exit code is 3

  Scenario: an action file in the project is read again where it is now
    Given the shell has run "cp ../action.yaml own.yaml" in the project
    And I have run "agents run own.yaml"
    And the project is moved to "elsewhere"
    When I run "agents project move --yes" below ../elsewhere
    Then the exit code is 0
    When I run "agents plan revert --yes" below ../elsewhere
    Then the exit code is 0

  Scenario: from another disk, where the directory is another one
    Given the shell has run "cp -a . ../elsewhere && rm -rf .git *" in the project
    And the project is moved to "gone"
    When I run "agents project move --yes" below ../elsewhere
    Then the exit code is 3
    And the error says "--from DIR"
    When I run "agents project move --from ../nowhere --yes" below ../elsewhere
    Then the exit code is 3
    And the error says "no plan was made for"
    When I run "agents project move --from ../project --yes" below ../elsewhere
    Then the exit code is 0
    When I run "agents plan apply --yes" below ../elsewhere
    Then the exit code is 0

  Scenario: it is refused where the old place is still there
    Given the shell has run "mkdir ../elsewhere" in the project
    When I run "agents project move --from ../project --yes" below ../elsewhere
    Then the exit code is 4
    And the error says "is still there"

  Scenario: it is refused where the new place has plans of its own, or a plan runs
    Given the project is moved to "elsewhere"
    When I run "agents plan use ../action.yaml" below ../elsewhere
    And I run "agents project move --yes" below ../elsewhere
    Then the exit code is 4
    And the error says "has plans of its own"
    When I run "agents plan delete @ --yes" below ../elsewhere
    Then the exit code is 0
    When the plan is owned while "agents project move --yes" runs below ../elsewhere
    Then the exit code is 4
    And the error says "another process works on the plan plan"
    When I run "agents project move --yes" below ../elsewhere
    Then the exit code is 0
