Feature: Several plans in one process
  Plans that run in threads of one process share its database, its store and its children. None of
  them takes what is another's.

  Background:
    Given a plain folder

  Scenario: plans that run side by side keep their files, checkpoints and processes apart
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log; setsid sleep 1000 & sleep 0.1"}}
      - {name: two, tool: shell, with: {command: "for i in 1 2 3 4 5 6 7 8; do sleep 0.05; echo $i >> log; done"}}
      - {name: three, tool: shell, with: {command: "env -i /usr/bin/setsid /bin/sleep 1000 & mkdir d; cp log d/$$"}}
      - {name: four, tool: shell, with: {command: "sleep 0.1; wc -l < log > lines"}}
      """
    When the library runs 6 plans of the action at once
    Then all of them are "execute/complete"
    And each of them has a sandbox in which "lines" holds "9"
    And each of them can go back to each of its checkpoints and verify it
    And no process of the steps is left

  Scenario: a process that shed everything is ended by the plan in whose sandbox it works
    Given the steps
      """
      - {tool: shell, with: {command: "env -i /usr/bin/setsid /bin/sh -c 'while :; do echo x >> noise; /bin/sleep 0.02; done' & sleep 0.2"}}
      - {tool: shell, with: {command: "wc -c < noise > first; sleep 0.3; wc -c < noise > second; cmp first second"}}
      """
    When the library runs 3 plans of the action at once
    Then all of them are "execute/complete"
    And no process of the steps is left

  Scenario: space is freed while others save and restore
    Given the steps
      """
      - {tool: shell, with: {command: "head -c 100000 /dev/urandom > big; mkdir -p a/b; date > a/b/c"}}
      - {tool: shell, with: {command: "head -c 100000 /dev/urandom > big; rm -r a"}}
      - {tool: shell, with: {command: "head -c 100000 /dev/urandom > big; mkdir a; date > a/x"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    When the library runs 6 plans of the action at once
    Then all of them are "execute/complete"
    And each of them can go back to each of its checkpoints and verify it

  Scenario: what is made when it is first asked for is made once, whichever thread comes first
    Then 8 threads that ask for a service at the same moment all get the one that was made
