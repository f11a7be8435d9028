Feature: Decisions
  A step may decide between options. What was chosen is recorded in a tree, with the checkpoint before
  it; the steps of the chosen option come next, and those of the others never run.

  Background:
    Given a plain folder

  Scenario: the steps of the chosen option run, and no others
    Given the steps
      """
      - {name: first, tool: write_file, with: {path: first, content: "1"}}
      - name: storage
        decide:
          question: Which storage?
          options:
            sqlite:
              - {name: make, tool: write_file, with: {path: sqlite, content: "s"}}
              - {tool: shell, with: {command: "echo more >> sqlite"}}
            postgres:
              - {name: make, tool: write_file, with: {path: postgres, content: "p"}}
          choose: sqlite
      - {name: last, tool: write_file, with: {path: last, content: "l"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the error says "? storage  → sqlite"
    And the plan's files are
      | file   | content |
      | a.txt  | one     |
      | first  | 1       |
      | sqlite | smore   |
      | last   | l       |
    And the plan's steps are
      | step                     | status |
      | first                    | done   |
      | storage                  | done   |
      | storage > sqlite > make  | done   |
      | storage > sqlite > shell | done   |
      | last                     | done   |
    And the decisions are
      | seq | type              | question            | chosen | alternatives | parent | checkpoint | at |
      | 1   | prompt_definition | What is to be done? | plan   |              |        |            |    |
      | 2   | strategy_choice   | Which storage?      | sqlite | postgres     | 1      | cp3        | 1  |

  Scenario: a decision is taken back with the steps after it, and made again
    Given the steps
      """
      - name: storage
        decide: {question: q, options: {a: [{tool: write_file, with: {path: f, content: "x"}}]}, choose: a}
      - {name: last, tool: write_file, with: {path: last, content: "l"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 2 --yes --format json"
    Then the data holds
      | field                     | value         |
      | impact.decisions_after_cp | "1 discarded" |
    And the decisions that count are "plan"
    And the plan's steps are
      | step    | status  |
      | storage | pending |
      | last    | pending |
    When I run "agents plan execute @"
    Then the exit code is 0
    And the decisions that count are "plan, a"

  Scenario: a step in an option that fails is named by its way, and the plan goes on from it
    Given the steps
      """
      - name: storage
        decide:
          question: q
          options:
            a:
              - name: deeper
                decide:
                  question: q2
                  options:
                    none: []
                    b: [{name: try, tool: shell, with: {command: 'echo x >> tried; test -e "$GATE"'}, pass_env: [GATE]}]
                  choose: b
          choose: a
      - {name: last, tool: write_file, with: {path: last, content: "l"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message is "step storage > a > deeper > b > try failed: exit code 1"
    And the plan has no file "tried"
    And the plan's steps are
      | step                          | status  |
      | storage                       | done    |
      | storage > a > deeper          | done    |
      | storage > a > deeper > b > try | failed |
      | last                          | pending |
    And the decisions are
      | seq | type              | question            | chosen | alternatives | parent | checkpoint | at    |
      | 1   | prompt_definition | What is to be done? | plan   |              |        |            |       |
      | 2   | strategy_choice   | q                   | a      |              | 1      | cp2        | 0     |
      | 3   | strategy_choice   | q2                  | b      | none         | 2      | cp3        | 0.a.0 |
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "tried" holds "x"
    And the decisions that count are "plan, a, b"

  Scenario: an option without steps, and a decision at the very end
    Given the steps
      """
      - {name: one, decide: {question: q, options: {nothing: [], other: [{tool: shell, with: {command: "false"}}]}, choose: nothing}}
      - {name: two, decide: {question: q2, options: {nothing: []}, choose: nothing, uses: [one]}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan is "execute/complete"
    And the decision 3 is influenced by "2"

  Scenario: without rollback decisions are recorded without a checkpoint
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: one, decide: {question: q, options: {a: []}, choose: a}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the decisions are
      | seq | type              | question            | chosen | alternatives | parent | checkpoint | at |
      | 1   | prompt_definition | What is to be done? | bare   |              |        |            |    |
      | 2   | strategy_choice   | q                   | a      |              | 1      |            | 0  |

  Scenario: a named checkpoint before a decision, and none that is the same again
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: []}, choose: a}, checkpoint: think twice}
      """
    When I run "agents run ACTION"
    Then the checkpoints are
      | seq | type         | reason                  |
      | 1   | pre_execute  | before the plan runs    |
      | 2   | decision     | before the decision one |
      | 3   | manual       | named by step one       |
      | 4   | post_execute | after the last step     |

  Scenario: the checkpoint an active decision needs is never pruned
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the steps
      """
      - {name: first, tool: write_file, with: {path: f, content: "1"}}
      - {name: one, decide: {question: q, options: {a: []}, choose: a}}
      - {name: second, tool: write_file, with: {path: f, content: "2"}}
      - {name: third, tool: write_file, with: {path: f, content: "3"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the checkpoints hold one of type "decision"

  Scenario: tools in every option are checked, wherever they stand
    Given the action
      """
      name: bad
      steps:
        - name: storage
          decide:
            question: q
            options:
              a:
                - {tool: shel, with: {command: a}}
              b.c: []
            choose: a
        - name: more
          decide:
            question: q
            options: {x: [{tool: write_file, with: {path: a}}, {decide: {question: "", options: {}}}]}
            choose: y
            uses: [storage, later]
        - {name: later, decide: {question: q, options: {a: []}, choose: b}}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the problems are
      """
      action.yaml:9: steps.0.decide.options.b.c.[key]: String should match pattern '^[A-Za-z0-9_-]+$'
      action.yaml:14: steps.1.decide.options.x.1.decide.question: String should have at least 1 character
      action.yaml:14: steps.1.decide.options.x.1.decide.options: Dictionary should have at least 1 item after validation, not 0
      action.yaml:17: steps.2.decide: the choice is none of the options
      action.yaml:8: steps.0.decide.options.a.0.tool: unknown tool 'shel'; did you mean 'shell'?
      action.yaml:14: steps.1.decide.options.x.0.with.content: missing
      action.yaml:16: steps.1.decide.uses.1: no earlier decision is called 'later'
      """

  Scenario: a tool in an option that cannot be taken back is found before the plan runs
    Given the action
      """
      name: bad
      tools: [{name: deploy, command: "true", side_effects: [network]}]
      steps:
        - {name: one, decide: {question: q, options: {a: [], b: [{tool: deploy}]}, choose: a}}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 1
    And the detail says "step 0.b.0 (deploy): tool 'deploy' has effects that cannot be taken back (network)"

  # --- Choosers ----------------------------------------------------------------------------------

  Scenario: a chooser is asked, and what it answers is recorded
    Given a chooser that answers
      """
      {"choose": "postgres", "rationale": "many writers", "confidence": 0.8, "influenced_by": ["base"]}
      """
    And the steps
      """
      - {name: base, decide: {question: Which base, options: {x: [], y: []}, choose: y}}
      - name: storage
        pass_env: [CHOOSER]
        decide:
          question: Which storage?
          options: {sqlite: [], postgres: [{tool: shell, name: pg, with: {command: "echo p > p"}}]}
          chooser: echo asking >&2; "$CHOOSER"
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the error says "? storage  → postgres  many writers"
    And the plan's file "p" holds "p"
    And the decision 3 is influenced by "2"
    And the decision "storage" has
      | field      | value        |
      | rationale  | many writers |
      | confidence | 0.8          |
      | chosen     | postgres     |
    And the chooser was asked
      """
      {
        "name": "storage",
        "question": "Which storage?",
        "options": {"sqlite": [], "postgres": ["pg"]},
        "uses": [],
        "guidance": []
      }
      """
    And the chooser was told of the decisions "prompt_definition: plan, base: y"

  Scenario: what a chooser does to the files does not stay
    Given a chooser that answers
      """
      {"choose": "a"}
      """
    And the steps
      """
      - {name: one, decide: {question: q, options: {a: []}, chooser: 'echo x > stray; rm a.txt; "$CHOOSER"'}, pass_env: [CHOOSER]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |

  Scenario Outline: without an answer that can be used the plan stops before the decision: <what>
    Given a chooser that answers
      """
      <answer>
      """
    And the action
      """
      name: plan
      rollback: {on_failure: keep}
      steps:
        - {name: first, tool: write_file, with: {path: f, content: "1"}}
        - {name: one, decide: {question: q, options: {a: [], b: []}, chooser: <command>}, pass_env: [CHOOSER, GATE], timeout: 2}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message says "step one failed: <message>"
    And the plan is "execute/errored"
    And the decisions that count are "plan"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | f     | 1       |
    Given a chooser that answers
      """
      {"choose": "b"}
      """
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the decisions that count are "plan, b"

    Examples:
      | what                | command                                                       | answer                                    | message                                                               |
      | it fails            | 'echo stray > s; test -e "$GATE" && "$CHOOSER"'               | {"choose": "a"}                           | exit code 1                                                           |
      | it takes too long   | 'test -e "$GATE" \|\| sleep 60; "$CHOOSER"'                   | {"choose": "a"}                           | stopped after 2 s                                                     |
      | it says nothing     | '"$CHOOSER"'                                                  |                                           | the answer cannot be used: Invalid JSON: EOF                          |
      | it is not JSON      | '"$CHOOSER"'                                                  | a it is                                   | the answer cannot be used: Invalid JSON                               |
      | no option           | '"$CHOOSER"'                                                  | {"choose": "c"}                           | the answer cannot be used: there is no option 'c'                     |
      | no choice           | '"$CHOOSER"'                                                  | {}                                        | the answer cannot be used: choose: Field required                     |
      | an unknown key      | '"$CHOOSER"'                                                  | {"choose": "a", "why": "x"}               | the answer cannot be used: why: Extra inputs are not permitted        |
      | too much confidence | '"$CHOOSER"'                                                  | {"choose": "a", "confidence": 2}          | the answer cannot be used: confidence: Input should be less than      |
      | an unknown decision | '"$CHOOSER"'                                                  | {"choose": "a", "influenced_by": ["zz"]}  | the answer cannot be used: no earlier decision is called 'zz'         |

  Scenario: a decision has one way to choose
    Given the steps
      """
      - {name: one, decide: {question: q, options: {a: []}}}
      - {name: two, decide: {question: q, options: {a: []}, choose: a, chooser: b}}
      """
    When I run "agents plan use ACTION --format json"
    Then the problems are
      """
      action.yaml:3: steps.0.decide: give one of choose and chooser
      action.yaml:4: steps.1.decide: give one of choose and chooser
      """

  Scenario: what a decision has led to, whatever ways lead there
    Given decisions that hang together
      | decision | below | influenced by |
      | a        |       |               |
      | b        | a     | c             |
      | c        | b     | d             |
      | d        |       | b             |
      | e        |       |               |
    Then a affects "a, b, c, d"
    And d affects "b, c, d"
    And e affects "e"
