Feature: Refresh
  What the user changed meanwhile is merged into a plan's sandbox, between two checkpoints. What does
  not go together stays as the plan has it and is listed until somebody chooses.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; echo k > keep; echo '*.o' > .gitignore; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {name: first, tool: shell, with: {command: "sed -i 1d text; echo plan > new; echo p > p.o"}}
      """
    And I have run "agents run ACTION"

  Scenario: what the user changed meanwhile comes into the sandbox
    Given the shell has run "sed -i 9d text; echo mine > mine; rm keep; echo u > u.o" in the project
    When I run "agents plan refresh @ --yes"
    Then the exit code is 0
    And the output says "3 paths merged into the sandbox"
    And the error says "3    # takes the refresh back"
    And the plan is "execute/complete"
    And the plan's file "text" holds "2\n3\n4\n5\n6\n7\n8"
    And the plan's file "new" holds "plan"
    And the plan's file "mine" holds "mine"
    And the plan's file "p.o" holds "p"
    And the plan has no file "keep"
    And the plan has no file "u.o"
    When I run "agents plan diff @ --stat"
    Then the output does not say "mine"
    And the output says "new"
    When I run "agents plan checkpoint list @ --format json"
    Then the last checkpoints are "post_execute, manual"

  Scenario: what the user ignores since is still known
    Given the shell has run "echo keep >> .gitignore; echo more >> keep" in the project
    When I run "agents plan refresh @ --yes"
    Then the exit code is 0
    And the plan's file "keep" holds "k\nmore"

  Scenario: nothing changed
    When I run "agents plan refresh @ --yes --format json"
    Then the exit code is 0
    And the data holds
      | field     | value |
      | files     | 0     |
      | conflicts | []    |

  Scenario: a look before
    Given the shell has run "echo mine > mine; echo 0 > text" in the project
    When I run "agents plan refresh @ --dry-run"
    Then the exit code is 0
    And the output says
      """
      conflict
      changed on both sides
      mine
      """
    And the plan has no file "mine"
    When I run "agents plan refresh @"
    Then the exit code is 2
    And the error says "--yes"
    When I run "agents plan refresh @ --dry-run --format json"
    Then the data holds
      | field     | value                                                      |
      | changes   | [{"path": "mine"}]                                         |
      | conflicts | [{"path": "text", "reason": "changed on both sides"}]      |

  Scenario: a long list is cut for people
    Given the shell has run "for i in $(seq 30); do echo $i > many$i; done" in the project
    When I run "agents plan refresh @ --dry-run"
    Then the output says "and 10 more"

  Scenario: a conflict stays as the plan has it until it is resolved
    Given the shell has run "echo 0 > text" in the project
    When I run "agents plan refresh @ --yes"
    Then the exit code is 0
    And the output says "changed on both sides"
    And the plan's file "text" holds "2\n3\n4\n5\n6\n7\n8\n9"
    When I run "agents plan conflicts @"
    Then the exit code is 0
    And the output says "text"
    And the error says "--take mine    # or plan, or a file of yours"
    When I run "agents plan resolve @ text --take parent"
    Then the exit code is 0
    And the plan's file "text" holds "0"
    When I run "agents plan conflicts @"
    Then the error says "there is no open conflict"

  Scenario: before a refresh the list of conflicts says how they get there
    Given the shell has run "echo 0 > text" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    When I run "agents plan conflicts @"
    Then the exit code is 0
    And the error says "there is no open conflict"
    And the error says "--dry-run    # lists what is in its way"

  Scenario Outline: a conflict is resolved with <take>
    Given the shell has run "echo 0 > text; cp text ../mine" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan resolve @ text --take <take> --format json"
    Then the exit code is 0
    And the data holds
      | field | value |
      | open  | 0     |
    And the plan's file "text" holds "<text>"

    Examples:
      | take     | text            |
      | parent   | 0               |
      | child    | 2\n3\n4\n5\n6\n7\n8\n9 |
      | ../mine  | 0               |

  Scenario: a file that one side deleted
    Given the shell has run "rm text" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan resolve @ text --take parent"
    Then the exit code is 0
    And the plan has no file "text"

  Scenario: a file stands for what both sides added
    Given the shell has run "mkdir new; echo inside > new/x; echo chosen > ../chosen" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan resolve @ new --take ../chosen"
    Then the exit code is 0
    And the plan's file "new" holds "chosen"

  Scenario: a merge made by hand is asked about, saved, and can be taken back
    Given the shell has run "echo 0 > text" in the project
    And I have run "agents plan refresh @ --yes"
    And the shell runs "echo merged by hand > text" in the sandbox
    When I run "agents plan resolve @ text --take parent --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field        | value              |
      | made_by_hand | [{"path": "text"}] |
    When I run "agents plan resolve @ text --take parent"
    Then the exit code is 2
    And the error says "made by hand, in neither version: text"
    And the error says "--take parent --yes"
    And the plan's file "text" holds "merged by hand"
    When I run "agents plan resolve @ text --take parent --yes"
    Then the exit code is 0
    And the plan's file "text" holds "0"
    When I follow the hint that takes it back
    Then the plan's file "text" holds "merged by hand"
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 1

  Scenario: a directory made by hand where the conflict was counts as much as a file
    Given the shell has run "echo 0 > text" in the project
    And I have run "agents plan refresh @ --yes"
    And the shell runs "rm text; mkdir text; echo by hand > text/part" in the sandbox
    When I run "agents plan resolve @ text --take child"
    Then the exit code is 2
    And the error says "made by hand, in neither version: text/part"

  Scenario: what changed after the question was shown is not replaced
    Given the shell has run "echo 0 > text" in the project
    And I have run "agents plan refresh @ --yes"
    And the shell runs "echo merged by hand > text" in the sandbox
    When somebody edits "text" again while "parent" is asked about
    Then it was refused, saying "what it would do has changed since you were shown this"
    And the plan's file "text" holds "edited again"

  Scenario Outline: what nothing could take back is not replaced: <why>
    Given the action
      """
      name: bare
      rollback: {enabled: <enabled>}
      steps:
        - {name: first, tool: shell, with: {command: "echo p > text"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "<excluded>"
    And I have run "agents run ACTION"
    And the shell has run "echo 0 > text" in the project
    And I have run "agents plan refresh @ --yes"
    And the shell runs "echo merged by hand > text; cp text ../../../../merged" in the sandbox
    When I run "agents plan resolve @ text --take parent --yes"
    Then the exit code is 4
    And the error says "made by hand and could not be taken back: <why>"
    And the plan's file "text" holds "merged by hand"
    When I run "agents plan resolve @ text --take ../merged"
    Then the exit code is 0
    And the plan's file "text" holds "merged by hand"

    Examples:
      | enabled | excluded | why                                      |
      | false   | nothing  | the plan has no checkpoints              |
      | true    | text     | sandbox.checkpoint.exclude leaves it out |

  Scenario Outline: an interrupted resolve is finished by the next command: <moment>
    Given the shell has run "echo 0 > text" in the project
    And I have run "agents plan refresh @ --yes"
    And the shell runs "echo merged by hand > text" in the sandbox
    And a resolve of "text" with "parent" has crashed <moment>
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "the interrupted resolve of text was finished"
    And the plan's file "text" holds "0"
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 0
    When I run "agents plan log @"
    Then the output says "text with mine"

    Examples:
      | moment                          |
      | after its intent was recorded   |
      | after its files were restored   |

  Scenario: what cannot be taken
    Given the shell has run "echo 0 > text; head -c 5000000 /dev/zero > ../large" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan resolve @ other --take parent"
    Then the exit code is 3
    And the error says "no open conflict in other"
    When I run "agents plan resolve @ text --take nobody"
    Then the exit code is 2
    And the error says "mine, plan or a file"
    When I run "agents plan resolve @ text --take ../large"
    Then the exit code is 4
    And the error says "larger than"

  Scenario: going back takes the refresh back, its conflicts and what it started from
    Given the shell has run "echo 0 > text; echo mine > mine" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan rollback @ 3 --yes"
    Then the exit code is 0
    And the plan has no file "mine"
    When I run "agents plan conflicts @ --format json"
    Then the data holds
      | field     | value |
      | conflicts | []    |
    When I run "agents plan rollback @ 4 --yes"
    And I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 1
    And the plan's file "mine" holds "mine"
    When I run "agents plan diff @ --stat"
    Then the output does not say "mine"

  Scenario: a plan without checkpoints can be refreshed and its conflicts resolved
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: first, tool: shell, with: {command: "echo p > text"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "echo 0 > text" in the project
    When I run "agents plan refresh @ --yes"
    Then the exit code is 0
    When I run "agents plan resolve @ text --take parent"
    Then the exit code is 0
    And the plan's file "text" holds "0"

  Scenario: a plan that has not run is not refreshed
    Given I have run "agents plan use ACTION"
    When I run "agents plan refresh @ --yes"
    Then the exit code is 4
    And the error says "strategize/complete cannot be refreshed"

  Scenario: a plain folder
    Given the shell has run "rm -rf .git" in the project
    And I have run "agents run ACTION"
    And the shell has run "echo mine > mine.o" in the project
    When I run "agents plan refresh @ --yes"
    Then the exit code is 0
    And the plan's file "mine.o" holds "mine"

  Scenario Outline: an interrupted refresh is finished by the next command: <moment>
    Given the shell has run "echo 0 > text; echo mine > mine" in the project
    And a refresh has crashed <moment>
    When I run "agents plan status @"
    Then the error says "an interrupted refresh is finished by the next command"
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the plan's file "mine" holds "mine"
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 1

    Examples:
      | moment                          |
      | after its intent was recorded   |
      | after its files were restored   |

  Scenario: a refresh whose content was lost is taken back
    Given the shell has run "echo mine > mine" in the project
    And a refresh has crashed after its intent was recorded
    And the stored content of "mine" in the project is damaged
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "an interrupted refresh could not be finished and was taken back"
    And the error says "damaged"
    And the plan has no file "mine"
    When I run "agents plan status @"
    Then the error does not say "interrupted refresh"

  Scenario: what a refresh keeps survives pruning
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the shell has run "echo 0 > text; echo mine > mine" in the project
    And I have run "agents plan refresh @ --yes"
    And I have run "agents plan checkpoint create @"
    And I have run "agents plan checkpoint create @"
    When I run "agents plan resolve @ text --take parent"
    Then the exit code is 0
    And the plan's file "text" holds "0"
    When I run "agents plan diff @ --stat"
    Then the exit code is 0

  Scenario: a subplan is not refreshed by itself
    Given the steps
      """
      - {name: fan out, subplans: {plans: [{name: docs, steps: [{tool: shell, with: {command: "echo d > docs"}}]}]}}
      """
    And I have run "agents run ACTION"
    When on the subplan "docs" I run "agents plan refresh CHILD --yes"
    Then the exit code is 4
    And the error says "a subplan starts from the files of its parent"
    And the error says "hint: refresh the parent: agents plan refresh "

  # What goes on from the latest checkpoint must find one of what recovery has just finished.
  Scenario: a refresh that was interrupted stays when the plan goes on in the same breath
    Given the action
      """
      name: fails
      steps:
        - {name: first, tool: shell, with: {command: "echo plan > new"}}
        - {name: second, pass_env: [GATE], tool: shell, with: {command: 'test -e "$GATE"'}}
      """
    And I have run "agents run ACTION" in vain
    And the shell has run "echo mine > mine" in the project
    And a refresh has crashed after its intent was recorded
    And the gate is open
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error says "an interrupted refresh was finished"
    And the plan's file "mine" holds "mine"
