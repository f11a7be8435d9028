Feature: What is done stands
  Once an act has ended its result is told, whatever meets the tidying that follows: space that cannot be
  freed, a sandbox that cannot be removed or made again, a reader who has left, Ctrl-C.

  Background:
    Given a git repository
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo plan > new; echo plan > a.txt"}}
      """
    And I have run "agents run ACTION"

  Scenario Outline: <act> is done, though <trouble> while space is freed
    Given <before>
    When <trouble> while space is freed after "agents plan <act> --format json"
    Then the exit code is 0
    And a message begins with "<said>"
    And <after>

    Examples:
      | act                                   | trouble        | before                                             | said                                           | after                                       |
      | rollback @ 1 --yes                    | Ctrl-C comes   | I have run "agents plan status @"                   | interrupted while space was freed              | the plan has no file "new"                  |
      | rollback @ 1 --yes                    | the disk fails | I have run "agents plan status @"                   | what was done stands, but freeing space failed | the plan has no file "new"                  |
      | apply @ --yes                         | Ctrl-C comes   | I have run "agents plan status @"                   | interrupted while space was freed              | the project's file "new" holds "plan"       |
      | unapply @ --yes                       | the disk fails | I have run "agents plan apply @ --yes"             | what was done stands, but freeing space failed | in the project "! test -e new" holds         |
      | restore @ 1 --path a.txt --yes        | Ctrl-C comes   | I have run "agents plan status @"                   | interrupted while space was freed              | the plan's file "a.txt" holds "one"         |
      | refresh @ --yes                       | the disk fails | the shell has run "echo u > user" in the project   | what was done stands, but freeing space failed | the plan's file "user" holds "u"            |
      | checkpoint delete @ 1 --yes           | Ctrl-C comes   | I have run "agents plan status @"                   | interrupted while space was freed              | the checkpoints left are 2, 3                 |
      | resolve @ a.txt --take parent         | the disk fails | a refresh has left a conflict in "a.txt"           | what was done stands, but freeing space failed | the plan's file "a.txt" holds "mine"        |

  Scenario Outline: nobody waits for space to be freed: "<act>" by a second process, <moment>
    When a second process runs "agents plan <act>" while space is freed after "agents plan checkpoint delete @ 2 --yes", <moment>
    Then the exit code is 0
    And <after>
    When I run "agents doctor --repair --format json"
    Then no operation is open or stuck

    Examples:
      | act                         | moment                    | after                            |
      | checkpoint create @         | before the store is taken | the checkpoints left are 1, 3, 4 |
      | rollback @ 1 --yes          | before the store is taken | the plan has no file "new"       |
      | checkpoint delete @ 1 --yes | before the store is taken | the checkpoints left are 3       |
      | checkpoint delete @ 1 --yes | while the store is taken  | the checkpoints left are 3       |
      | checkpoint pin @ 1          | while the store is taken  | the checkpoints left are 1, 3    |

  Scenario: Ctrl-C while the result is shown does not say that nothing was changed
    When Ctrl-C comes while the result of "agents plan rollback @ 1 --yes" is shown
    Then the exit code is 130
    And the error says "interrupted; what was done before that stands"
    And the plan has no file "new"
    When Ctrl-C comes while the result of "agents plan list" is shown
    Then the exit code is 130
    And the error says "interrupted; nothing was changed"

  Scenario: a result that cannot be written is told as that
    When the shell runs "agents plan rollback @ 1 --yes" with > /dev/full
    Then the exit code is 1
    And the error says "the command is done, but its result could not be written: No space left on device"
    And the plan has no file "new"

  Scenario: with standard streams closed a command does its work, and asks nobody
    When the shell runs "agents plan rollback @ 1" with <&-
    Then the exit code is 2
    When the shell runs "agents plan apply @ --yes" with >&-
    Then the exit code is 0
    When the shell runs "agents plan unapply @ --yes" with <&- >&- 2>&-
    Then the exit code is 0
    And the plan is "execute/complete"
    And the plan's file "new" holds "plan"

  Scenario: an unapply whose sandbox cannot be made again changes nothing
    Given I have run "agents plan apply @ --yes"
    And a file stands where its sandbox was
    When I run "agents plan unapply @ --yes"
    Then the exit code is 1
    And the error says "nothing was changed: its sandbox could not be made again"
    And in the project "test -e new" holds
    And the plan is "apply/applied"

  Scenario: an unapply of what could not be applied again changes nothing
    Given I have run "agents plan apply @ --yes"
    And the stored record of the apply's result is damaged
    When I run "agents plan unapply @ --yes"
    Then the exit code is 1
    And the error says "it could not be applied again; nothing was changed"
    And the error says "agents doctor --repair"
    And in the project "test -e new" holds
    And the plan is "apply/applied"

  Scenario: an unapply that would lose the only result changes nothing
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "echo bare > bare"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And a file stands where its sandbox was
    When I run "agents plan unapply @ --yes"
    Then the exit code is 1
    And the error says "nothing was changed: its sandbox could not be made again"
    And the project's file "bare" holds "bare"
    And the plan is "apply/applied"

  Scenario Outline: <act> is done though its sandbox cannot be removed
    Given the variable CLEVERAGENTS_SANDBOX_CLEANUP is "on_terminal"
    And something is in the way of removing its sandbox
    When I run "agents plan <act> --yes"
    Then the exit code is 0
    And the error says "what was done stands, but removing its sandbox failed"
    And the plan is "<stage>"

    Examples:
      | act      | stage             |
      | apply @  | apply/applied     |
      | cancel @ | execute/cancelled |

  Scenario: a sandbox that cannot be removed keeps no other, nor hides what went
    Given I have run "agents run ACTION"
    And something is in the way of removing its sandbox
    When I run "agents sandbox prune --discard --yes --format json"
    Then the exit code is 1
    And "data.removed" counts 1
    And a message says "could not be removed: Not a directory"
