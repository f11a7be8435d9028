Feature: Errors
  An error says what happened, why, and what to type next: on standard error to people, in the
  envelope to programs. A name that is not known comes with the one that was probably meant.

  # --- Did you mean ------------------------------------------------------------------------------

  Scenario Outline: a misspelt <what> comes with the one that was meant
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents <line> --format json"
    Then the exit code is <code>
    And the error message says "<message>"
    And a suggestion says "<suggestion>"

    Examples:
      | what                 | line                                     | code | message                      | suggestion                |
      | group                | pln list                                 | 2    | No such command 'pln'.       | did you mean 'plan'?      |
      | command              | plan lst                                 | 2    | No such command 'lst'.       | did you mean 'list'?      |
      | command of a group   | plan checkpoint shaw                     | 2    | No such command 'shaw'.      | did you mean 'show'?      |
      | option               | plan rollback @ 1 --dryrun               | 2    | No such option: --dryrun     | did you mean --dry-run?   |
      | choice               | plan apply @ --as brunch                 | 2    | Invalid value for '--as': 'b | did you mean 'branch'?    |
      | tool                 | tool show shel                           | 3    | unknown tool 'shel'          | did you mean 'shell'?     |
      | name of a plan       | plan status plam                         | 3    | no plan 'plam'               | (plan)?                   |
      | number               | plan checkpoint show @ cp99              | 3    | no checkpoint 'cp99' in plan | see: agents plan checkpoi |

  Scenario Outline: a misspelt <what> is asked for in the message itself
    Given a git repository
    When I run "agents <line> --format json"
    Then the exit code is 2
    And the error message says "<message>"

    Examples:
      | what           | line                                                           | message                         |
      | key            | config get sandbox.bse                                         | did you mean 'sandbox.base'?    |
      | key of a flag  | --set sandbox.clenup=manual plan list                          | did you mean 'sandbox.cleanup'? |
      | value          | config set sandbox.base haed                                   | did you mean 'head'?            |
      | trigger        | config set sandbox.checkpoint.auto-create-on before_steps      | did you mean 'before_step'?     |

  Scenario: ids that are nearly right
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
    And I have run "agents plan checkpoint create @ --label 'before the risky part'"
    Then each of these ids with its last letter changed leads to the right one
      | line                         | id         | letters |
      | plan status ID               | plan       | 26      |
      | plan rollback ID 1           | plan       | 26      |
      | plan checkpoint show @ ID    | checkpoint | 26      |
      | plan checkpoint show @ cp_ID | checkpoint | 26      |
      | plan explain ID              | decision   | 26      |
    When I run "agents plan checkpoint show @ 'before the risky prat' --format json"
    Then the exit code is 3
    And a suggestion says "(before the risky part)?"

  Scenario: a prefix that is nearly right leads to the plan, one that is far off only to the list
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then each of these ids with its last letter changed leads to the right one
      | line           | id   | letters |
      | plan status ID | plan | 8       |
    When I run "agents plan status zzzzzzzz --format json"
    Then the exit code is 3
    And "error.suggestions" counts 1

  Scenario: misspelt names in an action file
    Given a git repository
    And the action
      """
      name: test
      arguments: {module: {default: auth}}
      steps:
        - {name: first, tool: write_file, whit: {path: "${modul}.py", content: "b"}, retrys: 1}
      """
    When I run "agents run ACTION --arg modle=auth --format json"
    Then the exit code is 2
    And the detail says "unknown key; did you mean 'with'?"
    And the detail says "unknown key; did you mean 'retries'?"
    And the detail says "--arg modle: action.yaml declares no such argument; did you mean 'module'?"
    And the detail says "no argument 'modul'; write $${modul} for itself; did you mean 'module'?"
    And a suggestion says "mend what is listed"

  Scenario: a misspelt action file
    Given a plain folder
    And the shell has run "echo 'name: x' > migrate.yaml" in the project
    When I run "agents run migrat.yaml --format json"
    Then the exit code is 2
    And the error message is "no such file: migrat.yaml"
    And a suggestion says "did you mean 'migrate.yaml'?"
    When I run "agents run migrate.yml --format json"
    Then a suggestion says "did you mean 'migrate.yaml'?"
    When I run "agents run missing.yaml --format json"
    Then the exit code is 2
    And "error.suggestions" counts 0
    When I run "agents run nowhere/migrate.yaml --format json"
    Then the exit code is 2
    And "error.suggestions" counts 0

  # --- One scenario per kind of error ------------------------------------------------------------

  Scenario: invalid input says which input, and how to give it
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "plan rollback"
    And the error message says "there is no terminal to ask on"
    And a suggestion says "--yes"
    When I run "agents plan rollback @ --format json"
    Then the exit code is 2
    And the detail says "before the plan runs"
    And a suggestion says "agents plan rollback"

  Scenario: not found says what to look at
    Given a plain folder
    When I run "agents plan status --format json"
    Then the exit code is 3
    And the envelope is that of the error "not_found" of "plan status"
    And a suggestion says "agents init"

  Scenario: refused says which state is in the way, and what to do about it
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 4
    And the envelope is that of the error "refused" of "plan rollback"
    And the error message says "the plan is applied"
    And a suggestion says "agents plan unapply"
    When I run "agents plan resume @ --format json"
    Then the exit code is 4
    And a suggestion says "agents plan status"

  Scenario: failed says what failed, where the files are, and how to go on
    Given a git repository
    And the steps
      """
      - {name: check, tool: shell, with: {command: "echo no good; exit 3"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the envelope is that of the error "failed" of "run"
    And the error message is "step check failed: exit code 3"
    And the detail says "no good"
    And the detail says "files: restored to"
    And a suggestion says "agents plan"

  Scenario: busy says who owns the plan, and interrupted how to go on
    Given a git repository
    And the steps
      """
      - {name: wait, tool: shell, with: {command: "touch begun; sleep 60"}}
      """
    And a process of its own has started "agents run ACTION --format json"
    And its step has made "begun"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "plan rollback"
    And the error message says "is executing the plan since"
    And a suggestion says "wait for it to finish"
    When the process gets an interrupt
    Then the exit code is 130
    And the envelope is that of the error "interrupted" of "run"
    And a suggestion says "agents plan resume"

  Scenario: damaged says what is damaged, and what is left
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "find ../data/projects/*/store -name '*.pack' -delete" in the project
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 1
    And the envelope is that of the error "damaged" of "plan rollback"
    And a suggestion says "agents"
