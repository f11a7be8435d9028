Feature: Subplans and going back
  A rollback past a spawn cancels the subplans and takes their sandboxes along; a rollback past a merge
  undoes the merge. Taking the rollback back brings them again. A crash loses nothing that ended.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: before, tool: shell, with: {command: "echo 1 > one"}}
      - name: fan
        subplans:
          mode: parallel
          plans:
            - {name: a, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo a >> $GATE.log; echo a > a"}}, {tool: shell, with: {command: "echo a2 > a2"}}]}
            - {name: b, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo b >> $GATE.log; echo b > b"}}]}
      - {name: after, tool: shell, with: {command: "cat a b > both"}}
      """

  Scenario: past the spawn
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                          | value         |
      | impact.child_plans_invalidated | 2             |
      | impact.decisions_after_cp      | "2 discarded" |
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | one   | 1       |
    And no subplan counts
    And every subplan that was taken back is "execute/cancelled"
    And the subplan "a" has no files
    And the subplan "b" has no files
    When on the subplan "a" I run "agents plan execute CHILD"
    Then the exit code is 4
    And the error says "the subplan was taken back with its parent"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the log of what ran is "a b a b"
    And the plan's file "both" holds "a\nb"

  Scenario: and back again
    Given I have run "agents run ACTION"
    And I have run "agents plan rollback @ 2 --yes"
    When I follow the hint that takes it back
    Then the exit code is 0
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | b    | execute/complete | yes    |
    And the plan's file "both" holds "a\nb"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the log of what ran is "a b"
    When on the subplan "a" I run "agents plan rollback CHILD 1 --yes --rebuild"
    Then the exit code is 0
    And the subplan "a" has a sandbox in which "one" holds "1"

  Scenario: past a merge, not past the spawn
    Given I have run "agents run ACTION"
    When I run "agents plan rollback @ 4 --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                          | value |
      | impact.child_plans_invalidated | 0     |
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | one   | 1       |
      | a     | a       |
      | a2    | a2      |
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | b    | execute/complete | no     |
    When I run "agents plan execute @"
    Then the exit code is 0
    And the log of what ran is "a b"
    And the plan's file "both" holds "a\nb"

  Scenario: a subplan that goes while it is not at its end comes back to go on
    Given the steps
      """
      - name: fan
        subplans: {retries: 0, plans: [{name: a, steps: [{tool: shell, with: {command: "echo 1 > first"}}, {tool: shell, pass_env: [GATE], with: {command: "test -e \"$GATE\""}}]}]}
      """
    And I have run "agents run ACTION" in vain
    And I have run "agents plan rollback @ 1 --yes"
    When I follow the hint that takes it back
    Then the subplans are
      | name | state          | merged |
      | a    | execute/queued | no     |
    And the subplan "a" has no files
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "first" holds "1"

  Scenario: calls of subplans are undone as well
    Given the action
      """
      name: group
      tools: [{name: post, command: "echo post >> \"$GATE.log\"", side_effects: [mail], undo: "echo undo >> \"$GATE.log\"", pass_env: [GATE]}]
      steps:
        - subplans: {plans: [{name: a, steps: [{tool: post}]}]}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes --format json"
    Then the exit code is 0
    And the log of what ran is "post undo"

  Scenario Outline: an undo finds the files of its call, though their sandbox was lost: <lost>
    Given the action
      """
      name: group
      tools: [{name: post, command: "echo content > made", side_effects: [mail], undo: "ls >> \"$GATE.log\"; cat made >> \"$GATE.log\"", pass_env: [GATE]}]
      steps:
        - <first>
        - subplans: {plans: [{name: a, steps: [<inside>]}]}
      """
    And I have run "agents run ACTION"
    And <lost>
    When I run "agents plan rollback @ 1 --rebuild --yes --format json"
    Then the exit code is 0
    And the log of what ran is "<log>"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    And no files of a subplan are left

    Examples:
      | lost                                                 | first                                            | inside                                                                | log                       |
      | I have run "agents sandbox prune --discard --yes"    | {tool: shell, with: {command: "echo 1 > one"}}   | {tool: post}                                                          | a.txt made one content    |
      | the subplans have lost their files                    | {tool: shell, with: {command: "echo 1 > one"}}   | {tool: post}                                                          | a.txt made one content    |
      | I have run "agents sandbox prune --discard --yes --set sandbox.cleanup=manual" | {tool: post}           | {tool: shell, with: {command: "echo 1 > one"}}                        | a.txt made one content    |
      | I have run "agents sandbox prune --yes --discard"    | {tool: shell, with: {command: "echo 1 > one"}}   | {subplans: {plans: [{name: deep, steps: [{tool: post}]}]}}            | a.txt made one content    |
      | the subplans have lost files and checkpoints         | {tool: shell, with: {command: "echo 1 > one"}}   | {tool: post}                                                          | a.txt made one content    |

  Scenario: a rollback that is killed while it makes the files of a subplan again finds them whole
    Given the action
      """
      name: group
      tools: [{name: post, command: "echo content > made", side_effects: [mail], undo: "ls >> \"$GATE.log\"", pass_env: [GATE]}]
      steps:
        - {tool: shell, with: {command: "mkdir d; echo 1 > d/1; echo 2 > d/2; echo 3 > d/3"}}
        - subplans: {plans: [{name: a, steps: [{tool: post}]}]}
      """
    And I have run "agents run ACTION"
    And the subplans have lost their files
    And a rollback to checkpoint 1 was killed while it made them again
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "an interrupted rollback to cp1 was finished"
    And the log of what ran is "a.txt d made"
    And no files of a subplan are left

  Scenario: a subplan that is gone back alone and run again is merged again
    Given I have run "agents run ACTION"
    And the subplan "a" has been rolled back to checkpoint 1
    When on the subplan "a" I run "agents plan execute CHILD"
    Then the exit code is 0
    And the log of what ran is "a b a"

  # --- Crashes -------------------------------------------------------------------------------------

  Scenario: only what had not ended runs again after a crash
    Given the steps
      """
      - {name: before, tool: shell, with: {command: "echo 1 > one"}}
      - name: fan
        subplans:
          mode: parallel
          plans:
            - {name: a, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo a >> $GATE.log; echo a > a"}}]}
            - {name: slow, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo s1 >> $GATE.log; echo s > s1"}}, {tool: shell, pass_env: [GATE], with: {command: "echo s2 >> $GATE.log; while [ ! -e \"$GATE\" ]; do sleep 0.02; done; echo s > s2"}}]}
            - {name: c, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo c >> $GATE.log; echo c > c"}}]}
      - {name: after, tool: shell, with: {command: "cat a s1 s2 c > all"}}
      """
    And a process of its own has started "agents run ACTION"
    And 4 lines are in the log of what ran
    And the subplans "a, c" are at their end
    And the process is killed
    And the gate is open
    When I run "agents plan execute @"
    Then the exit code is 0
    And the log of what ran is "a s1 s2 s2 c"
    And the plan's file "all" holds "a\ns\ns\nc"
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | slow | execute/complete | yes    |
      | c    | execute/complete | yes    |

  Scenario Outline: a merge that crashed after its <done> is finished
    Given I have run "agents run ACTION"
    And I have run "agents plan rollback @ 3 --yes"
    And a merge of "a" has crashed after its <done>
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value     |
      | unfinished_operations | ["merge"] |
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error says "an interrupted merge of a subplan was finished"
    And the plan's file "both" holds "a\nb"
    And the log of what ran is "a b"

    Examples:
      | done                |
      | intent was recorded |
      | files were restored |

  Scenario: a merge whose result cannot be read any more is taken back
    Given I have run "agents run ACTION"
    And I have run "agents plan rollback @ 3 --yes"
    And a merge of "a" has crashed after its files were restored
    And the result of the merge is damaged
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "could not be finished and was taken back"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | one   | 1       |

  Scenario: a rollback past the spawn that crashed is finished with everything
    Given I have run "agents run ACTION"
    And a rollback past the spawn has crashed after its intent was recorded
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And no subplan counts
    And the subplan "a" has no files
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | one   | 1       |

  # --- Cancelling ----------------------------------------------------------------------------------

  Scenario: cancelling a parent stops its subplans, and it can go on
    Given the steps
      """
      - name: fan
        subplans:
          mode: parallel
          max_parallel: 2
          plans:
            - {name: a, steps: [{tool: shell, with: {command: "echo a > a"}}]}
            - {name: slow, steps: [{tool: shell, pass_env: [GATE], with: {command: "touch up; while [ ! -e \"$GATE\" ]; do sleep 0.02; done; echo s > slow"}}]}
            - {name: idle, steps: [{tool: shell, pass_env: [GATE], with: {command: "while [ ! -e \"$GATE\" ]; do sleep 0.02; done; echo i > idle"}}]}
            - {name: queued, steps: [{tool: shell, with: {command: "echo q > queued"}}]}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "up"
    And the subplans "a" are merged
    When I run "agents plan cancel @"
    Then the exit code is 0
    And the plan is "execute/cancelled"
    And the subplans are
      | name   | state             | merged |
      | a      | execute/complete  | yes    |
      | slow   | execute/cancelled | no     |
      | idle   | execute/cancelled | no     |
      | queued | execute/cancelled | no     |
    When the process comes to its end
    And the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "slow" holds "s"
    And the plan's file "queued" holds "q"

  Scenario: cancelling a parent that does not run cancels what is left of its subplans
    Given the steps
      """
      - subplans: {retries: 0, plans: [{name: bad, steps: [{tool: shell, with: {command: "exit 1"}}]}]}
      """
    And I have run "agents run ACTION" in vain
    When I run "agents plan cancel @"
    Then the exit code is 0
    And the subplans are
      | name | state             | merged |
      | bad  | execute/cancelled | no     |

  Scenario: cancelling a parent asks a subplan to stop that is run by itself
    Given the steps
      """
      - subplans: {retries: 0, plans: [{name: a, steps: [{tool: shell, pass_env: [GATE], with: {command: "touch \"$GATE.log\"; test -e \"$GATE\" && touch up && sleep 100"}}]}]}
      """
    And I have run "agents run ACTION" in vain
    And the gate is open
    And the subplan "a" is run by a process of its own
    And its step has made "up"
    When I run "agents plan cancel @"
    Then the exit code is 0
    When the process comes to its end
    Then the subplans are
      | name | state             | merged |
      | a    | execute/cancelled | no     |
