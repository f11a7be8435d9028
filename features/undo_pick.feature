Feature: Picking how far to go back
  `agents undo --pick` lists the acts that stand, the newest first. The one that is picked is taken back with
  everything newer: shown with its count and names, asked about once. What cannot go on stops there and is told.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; git add -A; git commit -qm more" in the project
    And the action
      """
      name: older
      steps:
        - {name: first, tool: shell, with: {command: "sed -i s/1/one/ text; echo 1 > v"}}
        - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """

  Scenario: acts of two plans, with an apply of each, the diff read first
    Given I have run "agents run ACTION --apply --yes"
    And the action
      """
      name: newer
      steps:
        - {name: third, tool: shell, with: {command: "sed -i s/one/two/ text"}}
      """
    And I have run "agents run ACTION --apply --yes"
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows                | keys                        |
      | put back  text               | d                           |
      | +one                         | q                           |
      | Takes back 1 act             | s, e, c, o, n, d            |
      | Takes back 4 acts            | enter                       |
      | Take back 4 acts?            | y, enter                    |
    Then the exit code is 0
    And the output says "Took back 4 acts"
    And the output says "step second (older, "
    And in the project "git diff --quiet && test ! -e v" holds
    And the acts are
      | type  | text                   | now        |
      | apply | 1 path to the project  | undone     |
      | step  | third                  | undone     |
      | apply | 2 paths to the project | undone     |
      | step  | second                 | undone     |
      | step  | first                  | stands     |
    When I run "agents redo --yes --format json"
    Then the data holds
      | field    | value    |
      | act.text | "second" |

  Scenario: the steps that a rollback took back come with it, and are counted
    Given I have run "agents run ACTION"
    And I have run "agents plan rollback @ 2 --yes"
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows         | keys     |
      | Takes back 1 act      | down     |
      | Takes back 3 acts     | enter    |
      | Would take back 3 acts | y, enter |
    Then the exit code is 0
    And the plan has no file "v"
    And the plan is "execute/queued"
    And the acts are
      | type     | text                                         | now        |
      | rollback | to cp2: 1 file put back, 1 call taken back   | undone     |
      | step     | second                                       | undone     |
      | step     | first                                        | undone     |

  Scenario: one of them is refused: what was taken back is told, and what was not
    Given I have run "agents run ACTION --apply --yes"
    And the action
      """
      name: newer
      steps:
        - {name: third, tool: shell, with: {command: "echo w > w"}}
      """
    And I have run "agents run ACTION --apply --yes"
    And the shell has run "sed -i 1s/.*/mine/ text" in the project
    When I press on a terminal of 110 by 40, output to a file, "agents undo --pick --yes --format json"
      | when it shows    | keys  |
      | Takes back 1 act | end   |
      | Takes back 5 acts | enter |
    Then the exit code is 4
    And the file holds what programs are told
    And the data holds
      | field             | value   |
      | undone.0.act.type | "apply" |
      | undone.1.act.text | "third" |
      | left.0.type       | "apply" |
      | left.0.name       | "older" |
      | left.2.text       | "first" |
      | redo              | "agents redo" |
    And in the project "test ! -e w && test $(head -1 text) = mine && test -e v" holds
    When I press on a terminal of 110 by 40 "agents undo --pick --dry-run"
      | when it shows     | keys  |
      | Takes back 1 act  | enter |
    Then the exit code is 4
    And the output says "In the way"

  Scenario: a state that is gone is known before, and told again where it stops
    Given I have run "agents run ACTION"
    And I have run "agents plan checkpoint delete @ 1 --yes"
    When I press on a terminal of 110 by 40 "agents undo --pick"
      | when it shows             | keys     |
      | Takes back 1 act          | down     |
      | the state to go to is gone | d       |
      | the state to go to is gone | q       |
      | Takes back 2 acts         | enter    |
      | Take back 2 acts?         | y, enter |
    Then the exit code is 4
    And the output says "Took back 1 act"
    And the output says "Did not take back 1 act"
    And the output says "stopped: the state to go to is gone"
    And the output says "undo of step first (plan older)"

  Scenario: the diff of steps, with their sandbox and when it is gone with an apply
    Given I have run "agents run ACTION"
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows    | keys |
      | Takes back 1 act | d    |
      | +1               | q    |
      | Takes back 1 act | q    |
    Then the exit code is 1
    Given I have run "agents plan apply @ --yes"
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows     | keys |
      | Takes back 1 act  | end  |
      | Takes back 3 acts | d    |
      | -one              | q    |
      | Takes back 3 acts | q    |
    Then the exit code is 1
    And the output says "declined; nothing was changed"

  Scenario: a result that was brought into a branch
    Given I have run "agents run ACTION"
    And I have run "agents plan apply @ --as branch --yes"
    When I press on a terminal of 110 by 30 "agents undo --pick --yes"
      | when it shows    | keys  |
      | goes             | enter |
    Then the exit code is 0
    And the output says "Took back 1 act"
    And in the project "! git branch --list 'cleveragents/*' | grep ." holds

  Scenario: an unapply comes first, then the apply that it ended
    Given I have run "agents run ACTION --apply --yes"
    And I have run "agents plan unapply @ --yes"
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows     | keys     |
      | Takes back 1 act  | d        |
      | +one              | q        |
      | Takes back 1 act  | down     |
      | Takes back 2 acts | enter    |
      | Take back 2 acts? | y, enter |
    Then the exit code is 0
    And in the project "git diff --quiet && test ! -e v" holds
    When I run "agents redo --yes"
    Then in the project "test -e v" holds

  Scenario: without a terminal it lists, and what nobody did cannot be picked
    Given I have run "agents plan use ACTION"
    When I run "agents undo --pick"
    Then the exit code is 0
    And the error says "there is nothing to take back"
    Given I have run "agents plan execute @"
    When I run "agents undo --pick --yes"
    Then the exit code is 2
    And the error says "1  step second (older, "
    And the error says "2  step first (older, "
    And the error says "agents undo --yes"

  Scenario: who leaves or only looks changes nothing; what has changed since it was shown is refused
    Given I have run "agents run ACTION"
    When I press on a terminal of 100 by 20 "agents undo --pick --plan @"
      | when it shows    | keys |
      | Takes back 1 act | q    |
    Then the exit code is 1
    And the output says "declined; nothing was changed"
    And the plan's file "v" holds "2"
    Given everything that is stored is remembered
    When I press on a terminal of 100 by 20 "agents undo --pick --dry-run"
      | when it shows    | keys        |
      | Takes back 1 act | down, enter |
    Then the exit code is 0
    And nothing that is stored has changed
    When "agents undo --yes" is run while "Take back 2 acts?" stands on the terminal of "agents undo --pick"
      | when it shows    | keys          |
      | Takes back 1 act | down, enter   |
    Then the exit code is 4
    And the output says "what it would do has changed since you were shown this; it was not done"
    And the plan's file "v" holds "1"

  Scenario: an act that was cut off is finished, and then the first to pick
    Given I have run "agents run ACTION"
    And "agents plan rollback @ 1 --yes" has crashed, as a rollback, after its intent was recorded
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows     | keys      |
      | 1  rollback: to cp1 | enter   |
      | Take back 1 act?  | y, enter  |
    Then the exit code is 0
    And the plan's file "v" holds "2"

  Scenario: turns of chats and acts on plans are one list by time, and a turn goes alone
    Given this chat
      """
      prompt first
      call c1 Bash: echo x > x
      stop
      """
    And I have run "agents run ACTION"
    And this chat goes on
      """
      prompt second
      call c2 Bash: echo y > y
      user: echo late > late
      call c3 Bash: echo yy > y
      stop
      """
    When I run "agents undo --pick"
    Then the exit code is 2
    And the error says "1  t2: second (claude, "
    And the error says "2  step second (older, "
    And the error says "4  t1: first (claude, "
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows            | keys     |
      | Takes back t2 alone      | d        |
      | -yy                      | q        |
      | unclear, it stays: late  | end      |
      | Takes back t1 alone      | enter    |
      | Take it back?            | y, enter |
    Then the exit code is 0
    And the output says "undo of t1"
    And in the project "test ! -e x && test -e y && test -e late" holds
    When I press on a terminal of 110 by 30 "agents undo --pick --chat @chat --dry-run"
      | when it shows       | keys  |
      | Takes back t2 alone | enter |
    Then the exit code is 0
    And in the project "test -e y" holds
    When I run "agents undo --pick --chat @chat --plan @"
    Then the exit code is 2
    When I run "agents undo --pick --plan @"
    Then the exit code is 2
    And the error does not say "t2: second"

  Scenario: a turn that is in the way of itself is shown so, and where there are chats alone no plan is missed
    Given this chat
      """
      prompt only
      call c1 Bash: echo x > x
      begin c2 Bash: make
      user: echo mine > x
      """
    When I press on a terminal of 110 by 30 "agents undo --pick"
      | when it shows                      | keys |
      | x, it is unclear who changed       | d    |
      | no file differs                    | q    |
      | is under way                       | q    |
    Then the exit code is 1
    Given this chat goes on
      """
      end c2 Bash
      stop
      """
    When I run "agents undo --before x --yes"
    And I run "agents undo --pick"
    Then the exit code is 0
    And the error says "there is nothing to take back"
