Feature: Subplans
  A step may be a group of plans of their own: each has its sandbox, which starts from the parent's
  state, and its checkpoints; what it changed is merged into the parent.

  Background:
    Given a plain folder

  # --- The action file -----------------------------------------------------------------------------

  Scenario Outline: a group that cannot be is refused: <what>
    Given the action
      """
      name: group
      steps:
        - {name: ask, decide: {question: q, options: {a: []}, choose: a}}
        - subplans: <group>
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the detail says "<problem>"

    Examples:
      | what                     | group                                                                                                                                  | problem                                                  |
      | two of one name          | {plans: [{name: a, steps: [{tool: shell, with: {command: x}}]}, {name: a, steps: [{tool: shell, with: {command: x}}]}]}                | two subplans are called a                                |
      | needs that there are not | {mode: dependency_ordered, plans: [{name: a, needs: [b], steps: [{tool: shell, with: {command: x}}]}]}                                 | a needs b, which there is not                            |
      | needs that do not count  | {plans: [{name: a, needs: [a], steps: [{tool: shell, with: {command: x}}]}]}                                                           | a has needs; they are for dependency_ordered             |
      | a circle                 | {mode: dependency_ordered, plans: [{name: a, needs: [b], steps: [{tool: shell, with: {command: x}}]}, {name: b, needs: [a], steps: [{tool: shell, with: {command: x}}]}]} | needs lead in a circle: a, b |
      | none                     | {plans: []}                                                                                                                            | steps.1.subplans.plans: Tuple should have at least 1     |
      | too many at once         | {max_parallel: 51, plans: [{name: a, steps: [{tool: shell, with: {command: x}}]}]}                                                     | steps.1.subplans.max_parallel: Input should be less      |
      | none at once             | {max_parallel: 0, plans: [{name: a, steps: [{tool: shell, with: {command: x}}]}]}                                                      | steps.1.subplans.max_parallel: Input should be greater   |
      | an unknown mode          | {mode: x, plans: [{name: a, steps: [{tool: shell, with: {command: x}}]}]}                                                              | steps.1.subplans.mode                                    |
      | an unknown tool          | {plans: [{name: a, steps: [{tool: shel, with: {command: x}}]}]}                                                                        | steps.1.subplans.plans.0.steps.0.tool: unknown tool      |
      | a wrong parameter        | {plans: [{name: a, steps: [{tool: shell, with: {comand: x}}]}]}                                                                        | steps.1.subplans.plans.0.steps.0.with.comand: unknown key |
      | an unknown key           | {plans: [{name: a, merge: x, steps: [{tool: shell, with: {command: x}}]}]}                                                             | steps.1.subplans.plans.0.merge: unknown key              |
      | a decision of the parent | {plans: [{name: a, steps: [{decide: {question: r, options: {a: []}, choose: a, uses: [ask]}}]}]}                                       | no earlier decision is called 'ask'                      |

  Scenario: a step of a subplan that cannot be taken back is found before anything runs
    Given the action
      """
      name: group
      tools: [{name: mail, command: "true", side_effects: [mail]}]
      steps:
        - {name: fan, subplans: {plans: [{name: a, steps: [{tool: mail}]}]}}
      """
    When I run "agents plan use ACTION"
    Then the exit code is 1
    And the error says "step 0 (fan): subplan a: step 0 (mail)"

  # --- Modes ---------------------------------------------------------------------------------------

  Scenario: in turn, each on the result of those before
    Given the steps
      """
      - {name: before, tool: shell, with: {command: "echo 0 > log"}}
      - name: fan
        subplans:
          mode: sequential
          plans:
            - {name: a, steps: [{tool: shell, with: {command: "echo a >> log; rm a.txt"}}]}
            - {name: b, steps: [{tool: shell, with: {command: "echo b >> log"}}, {tool: shell, with: {command: "ls > seen"}}]}
            - {name: c, steps: [{tool: shell, with: {command: "echo c >> log; chmod 755 log; ln -s log link"}}]}
      - {name: after, tool: shell, with: {command: "echo 9 >> log"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's files are
      | file | content       |
      | log  | 0\na\nb\nc\n9 |
      | seen | log\nseen     |
      | link | 0\na\nb\nc\n9 |
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | b    | execute/complete | yes    |
      | c    | execute/complete | yes    |
    And each subplan's first decision hangs on the one that spawned it
    And the checkpoints are
      | seq | type         | reason                      |
      | 1   | pre_execute  | before the plan runs        |
      | 2   | tool         | after shell in step before  |
      | 3   | subplan      | spawned a                   |
      | 4   | subplan      | merged a                    |
      | 5   | subplan      | spawned b                   |
      | 6   | subplan      | merged b                    |
      | 7   | subplan      | spawned c                   |
      | 8   | subplan      | merged c                    |
      | 9   | step         | before step after           |
      | 10  | tool         | after shell in step after   |
      | 11  | post_execute | after the last step         |

  Scenario: at the same time, all from the same state, never more at once than asked for
    Given the steps
      """
      - {tool: shell, with: {command: "seq 1 40 > text"}}
      - subplans:
          mode: parallel
          max_parallel: 2
          plans:
            - {name: a, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo + >> \"$GATE.running\"; sed -i s/^1$/a/ text; wc -l text > a; for i in $(seq 200); do [ $(grep -c + \"$GATE.running\") -gt 1 ] && break; sleep 0.1; done; echo - >> \"$GATE.running\""}}]}
            - {name: b, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo + >> \"$GATE.running\"; sed -i s/^10$/b/ text; wc -l text > b; sleep 0.2; echo - >> \"$GATE.running\""}}]}
            - {name: c, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo + >> \"$GATE.running\"; sed -i s/^20$/c/ text; wc -l text > c; sleep 0.2; echo - >> \"$GATE.running\""}}]}
            - {name: d, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo + >> \"$GATE.running\"; sed -i s/^30$/d/ text; ls > d; sleep 0.2; echo - >> \"$GATE.running\""}}]}
            - {name: e, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo + >> \"$GATE.running\"; sed -i s/^40$/e/ text; ls > e; sleep 0.2; echo - >> \"$GATE.running\""}}]}
      - {tool: shell, with: {command: "grep '[a-z]' text > letters"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And at most 2 of them ran at once, and 5 in all
    And the plan's file "letters" holds "a\nb\nc\nd\ne"
    And the plan's file "d" holds "a.txt\nd\ntext"
    And the subplan "c" has a sandbox in which "c" holds "40 text"

  Scenario: each on the result of those it needs
    Given the steps
      """
      - subplans:
          mode: dependency_ordered
          plans:
            - {name: last, needs: [left, right], steps: [{tool: shell, with: {command: "cat left right > last"}}]}
            - {name: left, needs: [first], steps: [{tool: shell, with: {command: "cat first > left; echo l >> left"}}]}
            - {name: right, needs: [first], steps: [{tool: shell, with: {command: "cat first > right; echo r >> right"}}]}
            - {name: first, steps: [{tool: shell, with: {command: "echo f > first"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's file "last" holds "f\nl\nf\nr"

  Scenario: decisions, named checkpoints and further subplans inside a subplan
    Given the steps
      """
      - name: outer
        subplans:
          plans:
            - name: a
              description: the first
              steps:
                - {name: pick, checkpoint: here, decide: {question: which, options: {x: [{tool: shell, with: {command: "echo x > picked"}}], y: []}, choose: x}}
                - name: inner
                  subplans:
                    mode: parallel
                    plans:
                      - {name: a1, steps: [{tool: shell, with: {command: "cat picked > a1"}}]}
                      - {name: a2, steps: [{tool: shell, with: {command: "echo 2 > a2"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's files are
      | file   | content |
      | a.txt  | one     |
      | picked | x       |
      | a1     | x       |
      | a2     | 2       |
    When I run "agents plan list"
    Then the output says
      """
      plan
        a
          a1
          a2
      """

  Scenario: a subplan is a plan from the moment it is spawned
    Given the steps
      """
      - subplans:
          mode: parallel
          max_parallel: 1
          plans:
            - {name: a, steps: [{tool: shell, pass_env: [GATE], with: {command: "touch up; while [ ! -e \"$GATE\" ]; do sleep 0.02; done"}}]}
            - {name: b, steps: [{tool: shell, with: {command: "echo b > b"}}]}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "up"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                 | value        |
      | state                 | "processing" |
      | execution.child_plans | 2            |
    And the subplans are
      | name | state              | merged |
      | a    | execute/processing | no     |
      | b    | execute/queued     | no     |
    When on the subplan "a" I run "agents plan execute CHILD"
    Then the exit code is 4
    And the error says "busy"
    When the gate opens
    And the process comes to its end
    Then the exit code is 0
    And the plan's file "b" holds "b"

  Scenario: the latest plan is never a subplan
    Given the steps
      """
      - subplans: {plans: [{name: a, steps: [{tool: shell, with: {command: "true"}}]}]}
      """
    And I have run "agents run ACTION"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field    | value  |
      | name     | "plan" |
    When I run "agents plan status @"
    Then the output says "MERGED"

  Scenario: a group without checkpoints
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "echo 1 > one"}}
        - subplans: {mode: parallel, plans: [{name: a, steps: [{tool: shell, with: {command: "cat one > a"}}]}, {name: b, steps: [{tool: shell, with: {command: "echo b > b"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | one   | 1       |
      | a     | 1       |
      | b     | b       |
    And there are 0 checkpoints

  Scenario: what a subplan starts from is not stored a second time
    Given the shell has run "head -c 300000 /dev/urandom > big; mkdir -p x/y; head -c 300000 /dev/urandom > x/y/z" in the project
    And the steps
      """
      - subplans: {mode: parallel, plans: [{name: a, steps: [{tool: shell, with: {command: "echo a > a"}}]}, {name: b, steps: [{tool: shell, with: {command: "echo b > b"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the first checkpoint of each subplan added less than 4096 bytes

  Scenario: a subplan has a git directory of its own, on a branch of its own
    Given a git repository
    And the steps
      """
      - {tool: shell, with: {command: "git config user.name P; git config user.email p@x; echo p > p; git add -A; git commit -qm parent"}}
      - subplans:
          mode: parallel
          plans:
            - {name: a, steps: [{tool: shell, with: {command: "git log --format=%s > log; git branch --show-current > branch; git status --short > status; git add -A; git commit -qm child"}}]}
            - {name: b, steps: [{tool: shell, with: {command: "git log --format=%s > log2"}}]}
      - {tool: shell, with: {command: "git log --format=%s > after; git rev-parse --git-dir > dir"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's file "log" holds "parent\nfirst"
    And the plan's file "log2" holds "parent\nfirst"
    And the plan's file "status" holds "?? branch\n?? log\n?? status"
    And the plan's file "after" holds "parent\nfirst"
    And the plan's branch is checked out in the sandbox

  # --- Failures ------------------------------------------------------------------------------------

  Scenario: a subplan that fails in a plan without checkpoints leaves the files as they are
    Given a plain folder
    And the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - name: both
          subplans:
            plans:
              - {name: bad, steps: [{tool: shell, with: {command: "echo x > x; exit 3"}}]}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message says "subplans did not succeed: bad"
    And there are 0 checkpoints

  Scenario: a subplan that fails is tried again exactly as often as asked for
    Given the steps
      """
      - {tool: shell, with: {command: "echo 1 > one"}}
      - name: fan
        subplans: {mode: parallel, plans: [{name: bad, steps: [{name: work, tool: shell, pass_env: [GATE], with: {command: "echo x >> $GATE.bad; exit 3"}}]}, {name: good, steps: [{tool: shell, with: {command: "echo g > good"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the subplan "bad" ran 3 times
    And the error says "step fan failed: subplans did not succeed: bad"
    And the error says "bad: step work: exit code 3"
    And the plan is "execute/errored"
    And the subplans are
      | name | state            | merged |
      | bad  | execute/errored  | no     |
      | good | execute/complete | yes    |
    And the plan's file "good" holds "g"

  Scenario: what has succeeded is not run again
    Given the steps
      """
      - name: fan
        subplans:
          mode: parallel
          retries: 0
          plans:
            - {name: bad, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo bad >> $GATE.log; test -e \"$GATE\" && echo b > bad"}}]}
            - {name: good, steps: [{tool: shell, pass_env: [GATE], with: {command: "echo good >> $GATE.log; echo g > good"}}]}
      - {tool: shell, with: {command: "cat bad good > both"}}
      """
    And I have run "agents run ACTION" in vain
    And the gate is open
    When I run "agents plan execute @"
    Then the exit code is 0
    And the log of what ran is "bad good bad"
    And the plan's file "both" holds "b\ng"

  Scenario: a subplan that succeeds at last has succeeded
    Given the steps
      """
      - subplans: {retries: 1, plans: [{name: a, steps: [{tool: shell, with: {command: "echo 1 > first"}}, {tool: shell, pass_env: [GATE], with: {command: "echo x >> $GATE.a; test $(wc -l < \"$GATE.a\") = 2 && echo 2 > second"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the subplan "a" ran 2 times
    And the error says "1 more to try"
    And the plan's file "second" holds "2"

  Scenario: a subplan that takes too long is stopped
    Given the steps
      """
      - subplans: {retries: 1, timeout: 2, plans: [{name: slow, steps: [{tool: shell, with: {command: "sleep 100"}}]}, {name: quick, steps: [{tool: shell, with: {command: "echo q > quick"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "slow: took longer than 2 s"
    And the error says "1 more to try"
    And the subplans are
      | name  | state             | merged |
      | slow  | execute/cancelled | no     |
      | quick | execute/complete  | yes    |

  Scenario: with fail_fast the queued are cancelled and the running are not merged
    Given the steps
      """
      - name: fan
        subplans:
          mode: parallel
          max_parallel: 2
          fail_fast: true
          retries: 0
          plans:
            - {name: long, steps: [{tool: shell, pass_env: [GATE], with: {command: "touch up; sleep 100; echo l > long"}}]}
            - {name: bad, steps: [{tool: shell, with: {command: "sleep 0.5; exit 1"}}]}
            - {name: queued, steps: [{tool: shell, with: {command: "echo q > queued"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "long: stopped because bad failed"
    And the subplans are
      | name   | state             | merged |
      | long   | execute/cancelled | no     |
      | bad    | execute/errored   | no     |
      | queued | execute/cancelled | no     |
    And the plan's files are
      | file  | content |
      | a.txt | one     |

  Scenario: with fail_fast those that come later are cancelled, not complete
    Given the steps
      """
      - subplans: {fail_fast: true, retries: 0, plans: [{name: a, steps: [{tool: shell, with: {command: "echo a > a"}}]}, {name: bad, steps: [{tool: shell, pass_env: [GATE], with: {command: "test -e \"$GATE\""}}]}, {name: c, steps: [{tool: shell, with: {command: "cat a > c"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the subplans are
      | name | state             | merged |
      | a    | execute/complete  | yes    |
      | bad  | execute/errored   | no     |
      | c    | execute/cancelled | no     |
    When on the subplan "c" I run "agents plan execute CHILD"
    Then the exit code is 4
    And the error says "the subplan was skipped and has no files to start from"
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "c" holds "a"
    And the subplans are
      | name | state             | merged |
      | a    | execute/complete  | yes    |
      | bad  | execute/complete  | yes    |
      | c    | execute/complete  | yes    |

  Scenario: what needs a subplan that failed is not run
    Given the steps
      """
      - subplans:
          mode: dependency_ordered
          retries: 0
          plans:
            - {name: bad, steps: [{tool: shell, with: {command: "exit 1"}}]}
            - {name: next, needs: [bad], steps: [{tool: shell, with: {command: "echo n > next"}}]}
            - {name: after, needs: [next], steps: [{tool: shell, with: {command: "echo a > after"}}]}
            - {name: other, steps: [{tool: shell, with: {command: "echo o > other"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "next: not run: bad failed"
    And the subplans are
      | name  | state             | merged |
      | bad   | execute/errored   | no     |
      | other | execute/complete  | yes    |
      | next  | execute/cancelled | no     |
      | after | execute/cancelled | no     |

  Scenario: a failed group goes back to the start where the policy says so
    Given the action
      """
      name: group
      rollback: {on_failure: start}
      steps:
        - {tool: shell, with: {command: "echo 1 > one"}}
        - subplans: {retries: 0, plans: [{name: good, steps: [{tool: shell, with: {command: "echo g > good"}}]}, {name: bad, steps: [{tool: shell, with: {command: "exit 1"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the plan is at step 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    And no subplan counts
    And every subplan that was taken back is "execute/cancelled"

  # --- Milestones ----------------------------------------------------------------------------------

  Scenario: without any trigger there is still a state to go on from
    Given the variable CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {tool: shell, with: {command: "echo 1 > one"}}
      - subplans: {mode: parallel, plans: [{name: a, steps: [{tool: shell, with: {command: "echo a > a"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         | reason               |
      | 1   | pre_execute  | before the plan runs |
      | 2   | decision     | before spawning a    |
      | 3   | subplan      | spawned a            |
      | 4   | post_execute | after the last step  |

  Scenario: the triggers of subplans by themselves
    Given the variable CLEVERAGENTS_CHECKPOINT_AUTO_CREATE_ON is "on_subplan_spawn,after_subplan"
    And the steps
      """
      - {tool: shell, with: {command: "echo 1 > one"}}
      - subplans: {mode: parallel, plans: [{name: a, steps: [{tool: shell, with: {command: "echo a > a"}}]}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints are
      | seq | type         | trigger          | reason               |
      | 1   | pre_execute  |                  | before the plan runs |
      | 2   | subplan      | on_subplan_spawn | before spawning a    |
      | 3   | subplan      |                  | spawned a            |
      | 4   | subplan      | after_subplan    | merged a             |
      | 5   | post_execute |                  | after the last step  |
