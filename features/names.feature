Feature: Names
  People name a plan as they think of it: the latest, the one before, its name, the beginning of its
  id. What they are told to type is as short, and finds the same plan from where they stand.

  Background:
    Given a git repository
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b\n"}}
      """

  Scenario: a plan is found by what people call it
    Given plans called "add auth, storage, storage-2, twice, twice, last" are there
    Then a plan is found by each of these
      | text     | name     |
      | @        | last     |
      | @-       | twice    |
      | @-0      | last     |
      | @-1      | twice    |
      | @-5      | add auth |
      | add auth | add auth |
      | storage  | storage  |
    And no plan is found by any of these
      | text    | code | told                                                 |
      | @-6     | 3    | this project has no plan that is 6 before the latest |
      | @--     | 3    | no plan '@--'                                        |
      | @-x     | 3    | no plan '@-x'                                        |
      | twice   | 2    | 'twice' names 2 plans                                |
      | storag  | 3    | did you mean                                         |
      | STORAGE | 3    | no plan 'STORAGE'                                    |
      | %       | 3    | no plan '%'                                          |
      | ''      | 3    | no plan ''                                           |

  Scenario: where there is no plan yet, none is before it
    When I run "agents plan status @-"
    Then the exit code is 3
    And the error says "this project has no plan yet"

  Scenario: a name of another project names nothing here
    Given plans called "elsewhere" are there
    And the shell has run "mkdir ../other && git -C ../other init -q" in the project
    When I run "agents plan status elsewhere --project ../other"
    Then the exit code is 3

  Scenario: without a plan it is the latest one that is meant
    Given plans called "older" have run
    And I have run "agents plan use ACTION"
    When I run "agents plan execute --format json"
    Then the exit code is 0
    When I run "agents plan bisect -- test ! -e b.txt"
    Then the exit code is 0
    And the output says "first"
    When I run "agents plan bisect @- -- test ! -e b.txt"
    Then the exit code is 0
    When I run "agents plan apply --yes"
    Then the exit code is 0
    When I run "agents plan unapply --yes"
    Then the exit code is 0
    And the project is as it was

  Scenario: words right after agents are about the latest plan
    Given plans called "older, newer" have run
    When I run "agents status"
    Then the output says "Plan newer"
    When I run "agents status @-"
    Then the output says "Plan older"
    When I run "agents log"
    Then the output says "after the last step"
    When I run "agents diff --name-only"
    Then the output says "b.txt"
    When I run "agents diff 1 2 --stat"
    Then the output says "b.txt"
    When I run "agents diff 2 --plan older"
    Then the error says "no file differs"
    And the output is empty
    When I run "agents rollback 1 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field            | value                                       |
      | changes_reverted | [{"file": "b.txt", "action": "removed"}]    |
    When I run "agents rollback cp3 --plan older --dry-run --format json"
    Then the exit code is 0
    When I run "agents rollback"
    Then the exit code is 2
    And the error says "which checkpoint?"

  Scenario: a label names its checkpoint
    Given plans called "one" have run
    And I have run "agents plan checkpoint create --label before"
    When I run "agents rollback before --dry-run --format json"
    Then the exit code is 0
    When I run "agents rollback befor --dry-run"
    Then the exit code is 3

  Scenario: a decision is found by the name of its step, in the latest plan
    Given the steps
      """
      - name: storage
        decide:
          question: Where to?
          options:
            file: [{name: f, tool: write_file, with: {path: f, content: "f"}}]
            none: [{name: g, tool: write_file, with: {path: g, content: "g"}}]
          choose: file
      """
    And I have run "agents run ACTION"
    When I run "agents plan explain storage --format json"
    Then the exit code is 0
    When I run "agents plan explain storage"
    Then what is told holds no whole id
    When I run "agents plan explain stor"
    Then the exit code is 3
    When I run "agents plan correct storage --guidance other --choose none --yes"
    Then the exit code is 0
    And the plan's file "g" holds "g"

  Scenario: people are shown as little of an id as finds it, programs and the curious all of it
    Given plans called "older, newer" have run
    When I run "agents plan list"
    Then each plan is shown by a beginning of its id that is its alone
    And the error does not say "01"
    When I run "agents plan list --verbose"
    Then each plan is shown by its whole id
    When I run "agents plan list --format json"
    Then each plan is shown by its whole id

  Scenario: messages hold no whole id either, but for programs and the curious
    Given plans called "older, twice, twice" have run
    When I run "agents plan rollback older 99"
    Then the error says "no checkpoint '99' in plan 01"
    And what is told holds no whole id
    When I run "agents plan rollback older"
    Then the exit code is 2
    And what is told holds no whole id
    When I run "agents plan status twice"
    Then the exit code is 2
    And what is told holds no whole id
    When I run "agents plan checkpoint create older"
    Then the exit code is 0
    And what is told holds no whole id
    When I run "agents plan tree older"
    Then what is told holds no whole id
    When I run "agents plan bisect older -- test ! -e b.txt"
    Then what is told holds no whole id
    When I run "agents plan rollback older 99 --verbose"
    Then the error names the plan "older" by its whole id
    When I run "agents plan rollback older 99 --format json"
    Then the error names the plan "older" by its whole id

  Scenario: an id that a step has printed stays as it is
    Given plans called "older" have run
    And the steps
      """
      - {name: tells, tool: shell, with: {command: 'echo "plan $(cat told) is older"; false'}}
      """
    And the whole id of the plan "older" is in the file "told"
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error names the plan "older" by its whole id

  Scenario: printed commands name the latest plan by @, and others by a short id
    Given plans called "older, newer" have run
    When I run "agents plan status"
    Then the error says "agents plan diff @"
    When I run "agents plan status older"
    Then the error does not say "agents plan diff @"
    And each command that the error names finds the plan "older"
    When I run "agents plan status older --verbose"
    Then each command that the error names finds the plan "older"

  Scenario: printed commands say where this call has found its plans
    Given plans called "older" have run
    And the shell has run "mkdir deep" in the project
    When I run "agents plan status --project .. --data-dir DATA" below deep
    Then the error names the command "agents plan diff --data-dir DATA --project .. @"
    When I run "agents plan status nope --project .. --data-dir DATA --format json" below deep
    Then the error says nothing, and the hint "see: agents plan list --data-dir DATA --project .."

  Scenario: so do those that the doctor tells to programs
    Given plans called "older" have run
    And the shell has run "rm -r ../data/sandboxes/*" in the project
    When I run "agents doctor --data-dir DATA --format json"
    Then the exit code is 1
    And what helps against a finding begins with "agents plan rollback --data-dir DATA 01"

  Scenario: what is told while a plan runs says it, too
    Given plans called "older" have run
    And the shell has run "cp ../action.yaml own.yaml" in the project
    And I have run "agents plan use own.yaml"
    And the shell has run "echo '# other' >> own.yaml" in the project
    When I run "agents plan execute --data-dir DATA"
    Then the exit code is 0
    And the error says "agents plan execute --data-dir "

  Scenario: where ids cannot be looked up, whole ones are told
    Then a command with an id is told whole while nothing can be read

  Scenario Outline: an unknown word suggests the command wherever it lives: agents <line>
    When I run "agents <line>"
    Then the exit code is 2
    And the error says "<told>"

    Examples:
      | line            | told                                     |
      | execute         | did you mean: agents plan execute        |
      | checkpoint list | did you mean: agents plan checkpoint     |
      | plan doctor     | did you mean: agents doctor              |
      | rollbak         | did you mean 'rollback'?                 |
      | plan exectue    | did you mean 'execute'?                  |
