Feature: What checkpoints leave out is left alone
  Excluded files are in no checkpoint. A sandbox that is made of one, for a fork or because it was lost,
  has them as the project had them: a plan that never touched them does not seem to have deleted them.

  Scenario Outline: <act> of a <kind>, <before>: what was left out is there, and an apply leaves it alone
    Given a <kind>
    And the shell has run "mkdir -p nm/d gone; echo lib > nm/lib; ln nm/lib nm/d/link; echo lock > x.lock; echo g > gone/y.lock" in the project
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "nm,*.lock"
    And the action
      """
      name: one
      steps:
        - {name: s1, tool: shell, with: {command: "echo 1 > made; rm -r gone"}}
        - {name: s2, tool: shell, with: {command: "test nm/lib -ef nm/d/link && test $(cat x.lock) = lock && test ! -e gone && echo 2 >> made"}}
      """
    And I have run "agents run ACTION"
    And <before>
    When I run "agents plan <act>"
    Then the exit code is 0
    When I run "agents plan execute @"
    Then the exit code is 0
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And in the project "test $(cat nm/lib) = lib -a nm/lib -ef nm/d/link -a $(cat x.lock) = lock -a ! -e gone/y.lock" holds
    And in the project "test $(wc -l < made) = 2" holds

    Examples:
      | kind           | before                                                           | act                         |
      | git repository | the shell has run "true" in the project                          | fork @ 2 --name alt         |
      | plain folder   | the shell has run "true" in the project                          | fork @ 2 --name alt         |
      | git repository | the shell has run "rm -r ../data/sandboxes/*" in the project     | rollback @ 2 --rebuild --yes |
      | plain folder   | I have run "agents sandbox prune --discard --yes"                | rollback @ 2 --rebuild --yes |

  Scenario: a state of the project that cannot be read keeps no sandbox from being made again
    Given a plain folder
    And the shell has run "echo lock > x.lock" in the project
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.lock"
    And the action
      """
      name: one
      steps:
        - {name: s1, tool: shell, with: {command: "echo 1 > made"}}
      """
    And I have run "agents run ACTION"
    And the stored content of "x.lock" in the project is damaged
    And the shell has run "rm -r ../data/sandboxes/*" in the project
    When I run "agents plan rollback @ 2 --rebuild --yes"
    Then the exit code is 0
    And the error says "what checkpoints leave out is not all there"
    And the plan's file "made" holds "1"

  Scenario: a refresh that changes what checkpoints leave out can be taken back
    Given a plain folder
    And the shell has run "mkdir nm; seq 9 > nm/lib; echo old > nm/goes; echo k > nm/stays" in the project
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "nm"
    And the action
      """
      name: one
      steps:
        - {tool: shell, with: {command: "echo 1 > made; sed -i s/9/plan/ nm/lib"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "sed -i s/1/mine/ nm/lib; rm nm/goes" in the project
    When I run "agents plan refresh @ --yes"
    Then the exit code is 0
    And the plan's file "nm/lib" holds "mine\n2\n3\n4\n5\n6\n7\n8\nplan"
    And the plan has no file "nm/goes"
    When I run "agents plan rollback @ 4 --yes"
    Then the exit code is 0
    And the plan's file "nm/lib" holds "1\n2\n3\n4\n5\n6\n7\n8\nplan"
    And the plan's file "nm/goes" holds "old"
    And the plan's file "nm/stays" holds "k"

  Scenario Outline: a sandbox that is made again has them as the project was when <when>
    Given a plain folder
    And the shell has run "echo v1 > e.bin" in the project
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.bin"
    And the action
      """
      name: one
      steps:
        - {tool: shell, with: {command: "echo 1 > made"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "echo v2 > e.bin; echo mine > fresh.bin" in the project
    And I have run "agents plan refresh @ --yes"
    And I have run "agents plan rollback @ <first> --yes"
    And I have run "agents sandbox prune --discard --yes"
    When I run "agents plan rollback @ <then> --rebuild --yes"
    Then the exit code is 0
    And the plan's file "e.bin" holds "<content>"
    When I run "agents plan diff @ --stat"
    Then the output does not say ".bin"
    When I run "agents plan execute @"
    And I run "agents plan apply @ --yes"
    Then in the project "test $(cat e.bin) = v2 -a $(cat fresh.bin) = mine" holds

    Examples:
      | when                      | first | then | content |
      | it was refreshed          | 3     | 5    | v2      |
      | it was not refreshed yet  | 5     | 3    | v1      |

  @needs_root
  Scenario: a device in the project is refused with a way out that is one
    Given a git repository
    And the action
      """
      name: one
      steps:
        - {tool: shell, with: {command: "echo 1 > made"}}
      """
    And the shell has run "mknod nul c 1 3" in the project
    When I run "agents run ACTION"
    Then the exit code is 4
    And the error says "nul is a device"
    And the error says "take it out of the project"
    And the error does not say "sandbox.checkpoint.exclude"
