Feature: A mended action
  A step fails because its action is wrong. Who mends the file runs the plan on with
  `plan execute --reload`: what has run stays as it ran, what is left is taken from the file. A file
  that does not fit is refused before anything changes.

  Background:
    Given a plain folder
    And the variable HOME is the folder of the scenario

  Scenario Outline: the <which> step failed
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "<one>"}}
      - {name: two, tool: shell, with: {command: "<two>"}}
      - {name: three, tool: shell, with: {command: "<three>"}}
      """
    And I have run "agents run ACTION" in vain
    Then the error says "--reload    # once action.yaml is mended"
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: two, tool: shell, with: {command: "echo 2 >> log"}}
      - {name: three, tool: shell, with: {command: "echo 3 >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says "action.yaml reloaded: step <number> (<name>) changed"
    And the error does not say "old definition"
    And the error does not say "has changed since"
    And the plan's log is "1 2 3"

    Examples:
      | which  | one           | two           | three         | number | name  |
      | first  | exit 3        | echo 2 >> log | echo 3 >> log | 1      | one   |
      | middle | echo 1 >> log | exit 3        | echo 3 >> log | 2      | two   |
      | last   | echo 1 >> log | echo 2 >> log | exit 3        | 3      | three |

  Scenario: finished steps that have changed are named, and run anew from before them
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: two, tool: shell, with: {command: "echo 2 >> log"}}
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      - {name: over, tool: shell, with: {command: "echo over >> log"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: uno, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: two, tool: shell, with: {command: "echo II >> log"}}
      - {name: good, tool: shell, with: {command: "echo 3 >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says
      """
      action.yaml reloaded: step 3 (good) added; step 3 (bad), step 4 (over) removed
      step 1 (one) has run with its old definition; to run it anew: agents plan rollback
      step 2 (two) has run with its old definition; to run it anew: agents plan rollback
      """
    And the plan's log is "1 2 3"
    And the plan's steps are
      | step | status |
      | one  | done   |
      | two  | done   |
      | good | done   |
    When I run "agents plan log @ --format json"
    Then the log tells of a reload of "action.yaml"
    When I run "agents plan rollback @ 2 --yes"
    Then the plan's steps are
      | step | status  |
      | one  | done    |
      | two  | pending |
      | bad  | pending |
      | over | pending |
    When I run "agents plan execute @"
    Then the exit code is 1
    And the error says "the action file has changed since; the plan keeps the steps it has"
    When I run "agents plan rollback @ 2 --yes"
    And I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the plan's log is "1 II 3"

  Scenario: a rollback and its taking back bring the steps of each time
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: good, tool: shell, with: {command: "echo 2 >> log"}}
      """
    And I have run "agents plan execute @ --reload"
    And I have run "agents plan rollback @ 1 --yes"
    When I follow the hint that takes it back
    Then the exit code is 0
    And the plan's log is "1 2"
    And the plan's steps are
      | step | status |
      | one  | done   |
      | good | done   |
    When I fork the checkpoint "after shell in step one"
    And I run "agents plan execute @"
    Then the exit code is 1
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "--reload reads the action file of a plan again, and this one has none"

  Scenario: a fork of what came after a reload has the new steps
    Given the steps
      """
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: good, tool: shell, with: {command: "echo 1 >> log"}}
      """
    And I have run "agents plan execute @ --reload"
    When I fork the checkpoint "cp2 with action.yaml reloaded"
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's log is "1"

  Scenario: a second mend, after a reload that did not help
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "echo no >> log; exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "exit 4"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 1
    And the error does not say "# what the failed step left"
    When I run "agents plan resume @"
    Then the exit code is 1
    And the error says "exit code 4"
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, retries: 1, with: {command: "echo 2 >> log; test -e tried || { touch \"$HOME/tried\"; cp \"$HOME/tried\" .; exit 5; }"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 1
    When the shell runs "touch tried" in the sandbox
    And I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says "action.yaml has nothing new for this plan"
    And the plan's log is "1 2"

  Scenario: a reload of a file that has not changed makes the checkpoints of a retry, and no others
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "echo no >> log; exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    Then "agents plan execute @ --reload" makes as many checkpoints as "agents plan execute @"

  Scenario: where a failure keeps the files, they stay
    Given the action
      """
      name: keeps
      rollback: {on_failure: keep}
      steps:
        - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
        - {name: bad, tool: shell, with: {command: "echo half >> log; exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: keeps
      rollback: {on_failure: keep}
      steps:
        - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
        - {name: bad, tool: shell, with: {command: "echo whole >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the plan's log is "1 half whole"

  Scenario: where a failure goes back to the start, it does so with the steps of now
    Given the action
      """
      name: starts
      rollback: {on_failure: start}
      steps:
        - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
        - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: starts
      rollback: {on_failure: start}
      steps:
        - {name: one, tool: shell, with: {command: "echo I >> log"}}
        - {name: bad, tool: shell, with: {command: 'test -e "$GATE"'}, pass_env: [GATE]}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 1
    And the plan is at step 0
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's log is "I"

  Scenario: a plan that has not begun takes the file as it is
    Given the steps
      """
      - {name: old, tool: shell, with: {command: "echo old >> log"}}
      """
    And I have run "agents plan use ACTION"
    And the steps
      """
      - {name: new, tool: shell, with: {command: "echo new >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the plan's log is "new"
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "every step of the plan has run"

  Scenario: a plan without checkpoints takes it, too
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
        - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: one, tool: shell, with: {command: "echo I >> log"}}
        - {name: good, tool: shell, with: {command: "echo 2 >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says "step 1 (one) has run with its old definition"
    And the error does not say "to run it anew"
    And the plan's log is "1 2"

  Scenario: arguments stay as they were, whatever their defaults are now
    Given the action
      """
      name: asks
      arguments: {word: {default: red}, gone: {default: x}}
      steps:
        - {name: one, tool: shell, with: {command: "echo ${word} >> log"}}
        - {name: bad, tool: shell, with: {command: "echo ${gone}; exit 3"}}
      """
    And I have run "agents run ACTION --arg word=blue" in vain
    And the action
      """
      name: asks
      arguments: {word: {default: green}, more: {default: "new"}}
      steps:
        - {name: one, tool: shell, with: {command: "echo ${word} >> log"}}
        - {name: bad, tool: shell, with: {command: "echo ${word} ${more} >> log; exit 0"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says "step 2 (bad), arguments changed"
    And the plan's log is "blue blue new"
    Given I have run "agents plan rollback @ 2 --yes"
    And the action
      """
      name: asks
      arguments: {word: {default: green}, more: {}}
      steps:
        - {name: one, tool: shell, with: {command: "echo ${word} >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 2
    And the error says "give it with --arg more="

  # --- Decisions and subplans --------------------------------------------------------------------

  Scenario: inside an option, the rest of it may be mended
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - name: way
        decide:
          question: Which way
          choose: left
          options:
            left:
              - {name: in, tool: shell, with: {command: "echo in >> log"}}
              - {name: bad, tool: shell, with: {command: "exit 3"}}
            right: []
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - name: way
        decide:
          question: Which way
          choose: left
          options:
            left:
              - {name: in, tool: shell, with: {command: "echo IN >> log"}}
            right:
              - {name: unseen, tool: shell, with: {command: "exit 9"}}
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says
      """
      action.yaml reloaded: step 2.left.2 (way > left > bad) removed
      step 2.left.1 (way > left > in) has run with its old definition
      """
    And the plan's log is "1 in last"
    And the decisions that count are "plan, left"

  Scenario Outline: a decision that counts and is <how> now does not fit
    Given the steps
      """
      - name: way
        decide: {question: Which way, choose: left, options: {left: [], right: []}}
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - <step>
      - {name: bad, tool: shell, with: {command: "echo 1 >> log"}}
      """
    And all that is known of the plan is remembered
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says
      """
      action.yaml does not fit what the plan has done
      the decision way, which counts, <said>
      to run it anew: agents plan rollback
      agents plan use
      """
    And nothing has happened to the plan

    Examples:
      | how             | step                                                                                                    | said                       |
      | asked otherwise | {name: way, decide: {question: Which way, choose: right, options: {left: [], right: []}}}              | is asked for in another way |
      | gone            | {name: way, tool: shell, with: {command: "true"}}                                                       | is asked for in another way |
      | without it      | {name: way, decide: {question: Which way, choose: left, options: {left: [], right: []}}, timeout: 5}   | is asked for in another way |

  Scenario: an option that was chosen and is gone does not fit
    Given a chooser that answers
      """
      {"choose": "left"}
      """
    And the steps
      """
      - name: way
        decide: {question: Which way, chooser: '"$CHOOSER"', options: {left: [], right: []}}
        pass_env: [CHOOSER]
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - name: way
        decide: {question: Which way, chooser: '"$CHOOSER"', options: {right: []}}
        pass_env: [CHOOSER]
      - {name: bad, tool: shell, with: {command: "echo 1 >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "the decision way, which counts, chose left, which is no option any more"

  Scenario: subplans that have begun keep their steps
    Given the steps
      """
      - subplans:
          retries: 0
          plans:
            - {name: a, steps: [{name: make, tool: shell, with: {command: "echo a > a"}}]}
            - {name: b, steps: [{name: bad, tool: shell, with: {command: "exit 3"}}]}
      """
    And I have run "agents run ACTION" in vain
    Then the error says "# why b failed"
    Given the steps
      """
      - subplans:
          retries: 0
          plans:
            - {name: a, steps: [{name: make, tool: shell, with: {command: "echo a > a"}}]}
            - {name: b, steps: [{name: bad, tool: shell, with: {command: "echo b > b"}}]}
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "subplans of step 1 (a, b) have begun, and it has changed"
    Given the steps
      """
      - subplans:
          retries: 0
          plans:
            - {name: a, steps: [{name: make, tool: shell, with: {command: "echo a > a"}}]}
            - {name: b, steps: [{name: bad, tool: shell, with: {command: "exit 3"}}]}
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 1
    And the error says "action.yaml reloaded: step 2 (last) added"
    Given the steps
      """
      - subplans:
          retries: 0
          plans:
            - {name: a, steps: [{name: make, tool: shell, with: {command: "echo a > a"}}]}
            - {name: b, steps: [{name: bad, tool: shell, with: {command: "echo b > b"}}]}
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    When on the subplan "b" I run "agents plan execute CHILD --reload"
    Then the exit code is 4
    And the error says "a subplan follows its parent's"
    When I run "agents plan rollback @ 1 --yes"
    And I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the plan's file "b" holds "b"
    And the plan's log is "last"

  # --- What does not fit -------------------------------------------------------------------------

  Scenario Outline: a file in which a finished step is <what> is refused
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {tool: shell, with: {command: "echo 2 >> log"}}
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: plan
      <more>
      steps:
        - <first>
        - <second>
        - {name: bad, tool: shell, with: {command: "echo 3 >> log"}}
      """
    And all that is known of the plan is remembered
    When I run "agents plan execute @ --reload"
    Then the exit code is <code>
    And the error says "<said>"
    And nothing has happened to the plan

    Examples:
      | what           | first                                                      | second                                                     | more                        | code | said                                            |
      | gone           | {name: uno, tool: shell, with: {command: "echo 9 >> log"}} | {tool: shell, with: {command: "echo 2 >> log"}}            |                             | 4    | step 1 (one) has run and is gone                |
      | moved          | {tool: shell, with: {command: "echo 2 >> log"}}            | {name: one, tool: shell, with: {command: "echo 1 >> log"}} |                             | 4    | step 1 (one) has run and is step 2 now          |
      | moved, unnamed | {name: one, tool: shell, with: {command: "echo 1 >> log"}} | {tool: read_file, with: {path: a.txt}}                     |                             | 4    | step 2 (shell) has run and is gone              |
      | cut off        | {name: one, tool: shell, with: {command: "echo 1 >> log"}} | {name: new, tool: read_file, with: {path: a.txt}}          |                             | 4    | step 2 (shell) has run and is gone              |
      | bare           | {name: one, tool: shell, with: {command: "echo 1 >> log"}} | {tool: shell, with: {command: "echo 2 >> log"}}            | rollback: {enabled: false}  | 4    | rollback.enabled has changed                    |
      | wrong          | {name: one, tool: shel, with: {command: "echo 1 >> log"}}  | {tool: shell, with: {command: "echo 2 >> log"}}            |                             | 2    | unknown tool 'shel'                         |

  Scenario: a file that ends before what has run is refused
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: two, tool: shell, with: {command: "echo 2 >> log"}}
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      """
    And all that is known of the plan is remembered
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "step 2 (two) has run and is gone"
    And nothing has happened to the plan

  Scenario: a file that is gone, one with a strategist, and one that cannot be taken back
    Given the steps
      """
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: planned
      strategist: cat strategy
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "it has a strategist now, and the plan has steps already"
    Given the action
      """
      name: plan
      tools: [{name: mail, command: "true", side_effects: [mail]}]
      steps: [{name: bad, tool: mail}]
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 2
    And the error says "the plan cannot be taken back"
    Given the action file is gone
    When I run "agents plan execute @ --reload"
    Then the exit code is 2
    And the error says "no such file"

  Scenario: steps of a strategist are its own
    Given the action
      """
      name: planned
      strategist: cat "$HOME/strategy"
      """
    And the strategist answers
      """
      {"steps": [{"tool": "shell", "with": {"command": "exit 3"}}]}
      """
    And I have run "agents run ACTION" in vain
    Then the error says "# asks its strategist again"
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "agents plan revert --to-phase strategize"

  # --- What is outside, and what is cut off ------------------------------------------------------

  Scenario: a call is undone as its tool said when it was made
    Given the action
      """
      name: release
      tools:
        - name: deploy
          command: 'echo "deploy $WHERE" >> "$GATE"'
          side_effects: [network]
          undo: 'echo "undo $WHERE" >> "$GATE"'
          pass_env: [GATE]
      steps:
        - {name: north, tool: deploy, env: {WHERE: north}}
        - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: release
      tools:
        - name: ship
          command: 'echo "ship" >> "$GATE"'
          side_effects: [network]
          undo: 'echo "never" >> "$GATE"'
          pass_env: [GATE]
      steps:
        - {name: north, tool: ship}
        - {name: good, tool: ship}
      """
    And I have run "agents plan execute @ --reload"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And outside there is
      """
      deploy north
      ship
      never
      undo north
      """

  Scenario: side effects of the failed step do not happen a second time by themselves
    Given the action
      """
      name: release
      tools:
        - {name: mail, command: 'echo mail >> "$GATE"; exit 3', side_effects: [mail], checkpointable: true, pass_env: [GATE]}
      steps:
        - {name: tell, tool: mail}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: release
      steps:
        - {name: tell, tool: shell, with: {command: "echo told >> log"}}
      """
    And all that is known of the plan is remembered
    When I run "agents plan execute @ --reload"
    Then the exit code is 4
    And the error says "side effects would happen a second time: step tell (mail)"
    And nothing has happened to the plan
    When I run "agents plan execute @ --reload --retry-unsafe"
    Then the exit code is 0
    And the plan's log is "told"

  Scenario: a run that was killed goes on with the mended file
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: waits, tool: shell, with: {command: 'echo half >> log; touch started; until test -e "$GATE"; do sleep 0.05; done'}, pass_env: [GATE]}
      """
    And a run has been killed in its step
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: quick, tool: shell, with: {command: "echo whole >> log"}}
      """
    When I run "agents plan execute @ --reload"
    Then the exit code is 0
    And the error says "the last run was interrupted; going on from"
    And the plan's log is "1 whole"

  Scenario: a reload that is killed has happened or has not
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "echo half >> log; exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: good, tool: shell, with: {command: "echo 2 >> log"}}
      """
    When a reload is killed at each of its transactions in turn, and the plan resumed
    Then each time the plan had failed again with its old steps, or its log was "1 2"

  Scenario: an ordinary user mends
    Given all of it is an ordinary user's
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "echo half >> log; exit 3"}}
      """
    When an ordinary user runs "agents run ACTION"
    Then the exit code is 1
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: good, tool: shell, with: {command: "echo 2 >> log"}}
      """
    When an ordinary user runs "agents plan execute @ --reload"
    Then the exit code is 0
    And the plan's log is "1 2"

  Scenario: the store alone tells the steps of each time
    Given the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: bad, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 >> log"}}
      - {name: good, tool: shell, with: {command: "echo 2 >> log"}}
      """
    And I have run "agents plan execute @ --reload"
    And the database is deleted
    When I run "agents doctor --repair"
    Then the exit code is 0
    And the plan's steps are
      | step | status |
      | one  | done   |
      | good | done   |
    When I run "agents plan rollback @ 1 --yes"
    Then the plan's steps are
      | step | status  |
      | one  | pending |
      | bad  | pending |

  Scenario: what nothing tells of an action, the first one does
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 >> log"}}
      """
    And I have run "agents plan use ACTION"
    And I have run "agents plan revert --to-phase strategize @ --yes"
    And the steps
      """
      - {name: second, tool: shell, with: {command: "echo 2 >> log"}}
      """
    And I have run "agents plan revert --to-phase strategize @ --yes"
    And I have run "agents plan execute @"
    And the database is deleted
    When I run "agents doctor --repair"
    Then the exit code is 0
    And the plan's steps are
      | step   | status |
      | second | done   |
