Feature: What a rollback refuses, and how it is told
  Each refusal is a clear error with a hint, and nothing is changed. Names are shown so that they
  cannot act on a terminal, and given to programs so that none is lost.

  Background:
    Given a git repository
    And the action
      """
      name: two files
      steps:
        - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
        - {name: second, tool: shell, with: {command: "echo two > a.txt; rm b.txt; mkdir -p d; echo c > d/c"}}
      """
    And I have run "agents run ACTION"

  # --- Names -------------------------------------------------------------------------------------

  Scenario: a name that is not UTF-8 comes with its bytes
    Given the steps
      """
      - {name: only, tool: shell, with: {command: "echo x > \"$(printf 'caf\\351')\"; echo x > 'käse'"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --dry-run --format json"
    Then the data holds
      | field   | value                                                                                                                     |
      | changes | [{"file": "caf\\xe9", "file_base64": "Y2Fm6Q==", "action": "removed"}, {"file": "käse", "action": "removed"}] |
    When I run "agents plan rollback @ 1 --yes --format plain"
    Then the exit code is 0
    And the output says "removed   caf\xe9"
    And the output says "removed   käse"
    And the plan's files are
      | file  | content |
      | a.txt | one     |

  Scenario Outline: a hostile name cannot act on a terminal with --format <format>
    Given the steps
      """
      - name: only
        tool: shell
        with:
          command: |
            for name in 'red\033[31m' 'two\nlines' 'turned\342\200\256round' '[bold]x' 'back\rto' 'wide\302\240space'; do
              echo x > "$(printf "$name")"
            done
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format <format>"
    Then the exit code is 0
    And the output says
      """
      red\x1b[31m
      two\nlines
      turned\u202eround
      [bold]x
      back\rto
      wide space
      """
    And the output holds no character that acts on a terminal

    Examples:
      | format |
      | rich   |
      | color  |
      | table  |
      | plain  |

  # --- Guards ------------------------------------------------------------------------------------

  Scenario Outline: an unknown checkpoint: <name>
    When I run "agents plan rollback @ <name> --yes --format json"
    Then the exit code is 3
    And the envelope is that of the error "not_found" of "plan rollback"
    And a suggestion says "see: agents plan checkpoint list"
    And there are 4 checkpoints

    Examples:
      | name                          |
      | 9                             |
      | cp9                           |
      | nonsense                      |
      | cp_01JABCDEFGHJKMNPQRSTVWXYZ0 |

  Scenario: a checkpoint of another plan
    Given I remember checkpoint 1
    And I have run "agents run ACTION"
    When I go back to the checkpoint I remember
    Then the exit code is 3
    And the error says "belongs to another plan"
    And the plan is "execute/complete"

  Scenario: a plan without checkpoints
    Given I have run "agents plan use ACTION"
    When I run "agents plan rollback @"
    Then the exit code is 1
    And the error says "the plan has no checkpoint yet"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 3

  Scenario: an applied plan points to unapply
    Given I have run "agents plan apply @ --yes"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 4
    And the error message says "the plan is applied"
    And a suggestion says "agents plan unapply"
    When I run "agents plan rollback @ 1 --dry-run"
    Then the exit code is 4
    And the project's file "a.txt" holds "two"
    And there are 5 checkpoints

  Scenario: a lost sandbox can be rebuilt from the checkpoint
    Given the sandbox directory is lost
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the exit code is 4
    And the error message says "the sandbox is missing"
    And a suggestion says "--rebuild"
    And there are 4 checkpoints
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field                    | value     |
      | execution.sandbox.status | "missing" |
      | execution.files_modified | null      |
    When I run "agents plan status @"
    Then the output says "(git_worktree, missing)"
    When I run "agents plan execute @"
    Then the exit code is 0
    When I run "agents plan rollback @ 2 --rebuild"
    Then the exit code is 2
    When I run "agents plan rollback @ 2 --rebuild --yes"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | b.txt | b       |
    And "git log --format=%s" in the sandbox prints
      """
      first
      """
    And the plan is "execute/queued"
    And the plan is at step 1
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "d/c" holds "c"

  Scenario: rebuilding offers to go back to the last known state, not to nothing
    Given the sandbox directory is lost
    When I run "agents plan rollback @ 2 --rebuild --yes"
    Then the exit code is 0
    And the error says " 4    # takes this one back"
    And there are 5 checkpoints

  Scenario: a sandbox that is there is rolled back, not rebuilt
    Given the plan's file "a.txt" is changed to "by hand"
    When I run "agents plan rollback @ 1 --rebuild --yes"
    Then the exit code is 0
    And the plan's file "a.txt" holds "one"
    And checkpoint 5 holds the file "a.txt" with "by hand"

  Scenario: busy
    Given the steps
      """
      - {name: first, tool: shell, with: {command: 'touch started; until test -e "$GATE"; do sleep 0.05; done'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    And a process of its own has started "agents plan execute @"
    And its step has made "started"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "plan rollback"
    When the gate opens
    And the process comes to its end
    Then the exit code is 0
