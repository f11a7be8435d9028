Feature: Action files
  An action is a YAML file. Whatever is wrong in it is told before anything is made: every problem,
  each with file, line and field.

  Background:
    Given a plain folder

  Scenario Outline: a step with a problem: <what>
    Given the action
      """
      name: bad
      steps:
        - <step>
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "plan use"
    And a problem is "action.yaml:3: steps.0.<problem>"

    Examples:
      | what                     | step                                                | problem                                                                                  |
      | an unknown key           | {tool: shell, with: {command: a}, retry: 1}         | retry: unknown key; did you mean 'retries'?                                              |
      | a misspelt tool          | {tool: shel, with: {command: a}}                    | tool: unknown tool 'shel'; did you mean 'shell'?                                         |
      | a tool like no other     | {tool: xyzzy}                                       | tool: unknown tool 'xyzzy'; see: agents tool list                                        |
      | no tool                  | {with: {command: a}}                                | tool: missing                                                                            |
      | a tool that is a list    | {tool: [shell]}                                     | tool: Input should be a valid string                                                     |
      | retries that are a text  | {tool: shell, with: {command: a}, retries: often}   | retries: Input should be a valid integer, unable to parse string as an integer           |
      | retries below zero       | {tool: shell, with: {command: a}, retries: -1}      | retries: Input should be greater than or equal to 0                                      |
      | no time at all           | {tool: shell, with: {command: a}, timeout: 0}       | timeout: Input should be greater than 0                                                  |
      | a variable that is no text | {tool: shell, with: {command: a}, env: {N: 1}}    | env.N: Input should be a valid string                                                    |
      | a missing parameter      | {tool: write_file, with: {path: a}}                 | with.content: missing                                                                    |
      | an unknown parameter     | {tool: shell, with: {command: a, cwd: b}}           | with.cwd: unknown key                                                                    |
      | an empty parameter       | {tool: shell, with: {command: ""}}                  | with.command: String should have at least 1 character                                    |
      | a call that is no call   | {tool: python, with: {call: print}}                 | with.call: String should match pattern '^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$'               |
      | parameters in a list     | {tool: shell, with: [a]}                            | with: Input should be a valid dictionary                                                 |
      | a decision without options | {name: s, decide: {question: q, choose: a}}       | decide.options: missing                                                                  |
      | an unknown argument      | {tool: shell, with: {command: "${x}"}}              | with.command: no argument 'x'; write $${x} for itself                                    |

  Scenario Outline: a file with a problem: <what>
    Given the action
      """
      <document>
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the problems are
      """
      <problem>
      """

    Examples:
      | what                      | document                                                                                                     | problem                                                                       |
      | no name                   | {steps: [{tool: shell, with: {command: a}}]}                                                                 | action.yaml:1: name: missing                                                  |
      | an empty name             | {name: "", steps: [{tool: shell, with: {command: a}}]}                                                       | action.yaml:1: name: String should have at least 1 character                  |
      | a name that is a number   | {name: 7, steps: [{tool: shell, with: {command: a}}]}                                                        | action.yaml:1: name: Input should be a valid string                           |
      | no steps                  | {name: a}                                                                                                    | action.yaml:1: steps: missing                                                 |
      | empty steps               | {name: a, steps: []}                                                                                         | action.yaml:1: steps: there must be at least one                                             |
      | an unknown key            | {name: a, step: [], steps: [{tool: shell, with: {command: a}}]}                                              | action.yaml:1: step: unknown key; did you mean 'steps'?                       |
      | a key of another level    | {name: a, plans: [], steps: [{tool: shell, with: {command: a}}]}                                             | action.yaml:1: plans: unknown key                                             |
      | a key below an option     | {name: a, steps: [{decide: {question: q, options: {a: [{tool: shell, with: {command: a}, retry: 1}]}}}]}     | action.yaml:1: steps.0.decide.options.a.0.retry: unknown key; did you mean 'retries'? |
      | an unknown policy         | {name: a, rollback: {on_failure: never}, steps: [{tool: shell, with: {command: a}}]}                         | action.yaml:1: rollback.on_failure: Input should be 'last_good', 'start' or 'keep' |
      | an unknown tool field     | {name: a, tools: [{name: t, command: b, readonly: true}], steps: [{tool: t}]}                                | action.yaml:1: tools.0.readonly: unknown key; did you mean 'read_only'?       |
      | a tool without a command  | {name: a, tools: [{name: t}], steps: [{tool: t}]}                                                            | action.yaml:1: tools.0.command: missing                                       |
      | a tool with a bad name    | {name: a, tools: [{name: "t t", command: b}], steps: [{tool: shell, with: {command: a}}]}                    | action.yaml:1: tools.0.name: String should match pattern '^[A-Za-z_][A-Za-z0-9_.-]*$' |
      | arguments that are a list | {name: a, arguments: [b], steps: [{tool: shell, with: {command: a}}]}                                        | action.yaml:1: arguments: Input should be a valid dictionary                  |

  Scenario: steps and a strategist
    Given the action
      """
      name: planned
      strategist: ./plan.sh
      steps: [{tool: shell, with: {command: a}}]
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And a problem is "action.yaml:2: strategist: an action has steps or a strategist, not both"

  Scenario: all problems are listed at once, each at its own line, and no plan is left behind
    Given the action
      """
      name: many
      colour: red
      arguments:
        module: {description: no default}
      rollback:
        enabled: maybe
      steps:
        - name: first
          tool: shell
          with: {command: "echo ${module} ${nobody}"}
          retries: soon
        - name: second
          tools: shell
        - {name: third, tool: shell, with: {command: "true"}}
      """
    When I run "agents plan use ACTION --arg other=1 --format json"
    Then the exit code is 2
    And the problems are
      """
      --arg other: action.yaml declares no such argument
      action.yaml:4: arguments.module: missing; give it with --arg module=…
      action.yaml:10: steps.0.with.command: no argument 'module'; write $${module} for itself
      action.yaml:10: steps.0.with.command: no argument 'nobody'; write $${nobody} for itself
      action.yaml:6: rollback.enabled: Input should be a valid boolean, unable to interpret input
      action.yaml:11: steps.0.retries: Input should be a valid integer, unable to parse string as an integer
      action.yaml:12: steps.1.tool: missing
      action.yaml:13: steps.1.tools: unknown key; did you mean 'tool'?
      action.yaml:2: colour: unknown key
      """
    And the error message is "action.yaml has 9 problems"
    When I run "agents plan list --format json"
    Then "data.plans" counts 0

  Scenario: steps that are all wrong are not told to be missing
    Given the steps
      """
      - {tool: shell, with: {command: a}, retry: 1}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the problems are
      """
      action.yaml:3: steps.0.retry: unknown key; did you mean 'retries'?
      """

  Scenario: a problem is counted as often as it is listed
    Given the steps
      """
      - {tool: shell, with: {command: "${x} ${x}"}}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the error message is "action.yaml has 1 problem"

  Scenario Outline: a file that is too much is refused: <what>
    Given an action file with <what>
    When I run "agents plan use ACTION"
    Then the exit code is 2

    Examples:
      | what                         |
      | 5000 digits in a number      |
      | 1000 lists within each other |

  Scenario Outline: what no process can be started with is told: <step>
    Given the steps
      """
      - <step>
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "run"

    Examples:
      | step                                                        |
      | {tool: shell, with: {command: "echo \0"}}                  |
      | {tool: shell, with: {command: "true"}, env: {A: "x\0y"}}   |
      | {tool: shell, with: {command: "true"}, env: {"A=B": "x"}}   |

  Scenario: two tools of one name are refused
    Given the action
      """
      name: twice
      tools:
        - {name: deploy, command: ./one}
        - {name: deploy, command: ./two}
      steps:
        - {tool: deploy}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2

  Scenario: a tool of the action cannot take the name of a built-in one
    Given the action
      """
      name: stand in
      tools:
        - {name: shell, command: "echo mine > m", read_only: true}
      steps:
        - {tool: shell}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2

  Scenario: tools and their parameters are checked in every step
    Given the steps
      """
      - {tool: writ_file, with: {path: a}}
      - {tool: read_file, with: {path: a}}
      - {tool: move_file, with: {source: a}}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the problems are
      """
      action.yaml:3: steps.0.tool: unknown tool 'writ_file'; did you mean 'write_file'?
      action.yaml:5: steps.2.with.target: missing
      """

  Scenario: people read the same list
    Given the action
      """
      name: bad
      colour: red
      """
    When I run "agents plan use ACTION"
    Then the exit code is 2
    And the output is empty
    And the error says
      """
      error: action.yaml has 2 problems
      action.yaml:1: steps: missing
      action.yaml:2: colour: unknown key
      """

  Scenario Outline: a file that is no action at all: <what>
    Given an action file of the bytes "<bytes>"
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "plan use"
    And the error message says "<message>"

    Examples:
      | what                  | bytes                                       | message                                                    |
      | broken YAML           | name: [a\nsteps: b\n                        | action.yaml:2: expected ',' or ']', but got ':'            |
      | a tab for a space     | name: a\nsteps:\n\t- b\n                    | action.yaml:3: found character '\t' that cannot start any token |
      | two documents         | name: a\n---\nname: b\n                     | action.yaml:2: but found another document                  |
      | not UTF-8             | name: \xff\n                                | action.yaml is not UTF-8 text                              |
      | control characters    | name: \x00\n                                | action.yaml: unacceptable character                        |
      | a list                | - a\n                                       | action.yaml: an action is a mapping with a name and steps  |
      | a word                | hello                                       | action.yaml: an action is a mapping with a name and steps  |
      | nothing               | # empty\n                                   | action.yaml: an action is a mapping with a name and steps  |
      | a key that is a list  | name: a\n? [b]\n: c\n                       | action.yaml:2: a key must be a plain text                  |
      | the same key twice    | name: a\nsteps: []\nname: b\n               | action.yaml:3: the key 'name' occurs twice                 |
      | an alias              | name: &n a\ndescription: *n\n               | aliases are not supported; repeat the value                |
      | an unknown alias      | name: *nobody\n                             | action.yaml:1: aliases are not supported              |

  Scenario: an alias is told at the line where it stands
    Given an action file of the bytes "name: &n a\ndescription: b\nsteps: *n\n"
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the error message says "action.yaml:3: aliases are not supported"

  Scenario: a missing file
    Given the action file is "nowhere.yaml"
    When I run "agents plan use ACTION"
    Then the exit code is 2
    And the error says "no such file:"
    And the error says "nowhere.yaml"

  Scenario: a directory is no action file
    Given the action file is "project"
    When I run "agents plan use ACTION"
    Then the exit code is 2

  Scenario Outline: a YAML tag is refused, not obeyed: <tag>
    Given the action
      """
      name: tagged
      steps:
        - {tool: shell, with: {command: a}, retries: <tag> x}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "plan use"

    Examples:
      | tag     |
      | !!int   |
      | !!float |

  Scenario Outline: an argument given as <given> is refused
    Given the steps
      """
      - {tool: shell, with: {command: a}}
      """
    When I run "agents plan use ACTION --arg <given> --format json"
    Then the exit code is 2
    And the error message is "--arg <given>: write it as NAME=VALUE"

    Examples:
      | given  |
      | module |
      | =auth  |

  Scenario: arguments are filled in wherever they are named
    Given the action
      """
      name: add ${module}
      description: "adds ${module}, ${count} times; $${module} stays"
      arguments:
        module:
        count: {default: 3, description: how many}
        greeting: {default: "hello ${module}"}
      tools:
        - {name: lint, command: "lint ${module}"}
      steps:
        - name: make ${module}
          tool: write_file
          with: {path: "src/${module}.py", content: "x = '${module}$${module}${module}'\n"}
          env: {MODULE: "${module}"}
          retries: ${count}
        - tool: lint
          with: {files: ["${module}.py", {deep: "${count}"}], plain: 1}
        - {tool: shell, with: {command: "echo $HOME $(date) ${greeting}"}}
      """
    When I run "agents plan use ACTION --arg module=auth=x"
    Then the exit code is 0
    And the plan's action has the values
      | field              | value                                              |
      | name               | 'add auth=x'                                       |
      | description        | 'adds auth=x, 3 times; ${module} stays'            |
      | steps.0.name       | 'make auth=x'                                      |
      | steps.0.env        | {'MODULE': 'auth=x'}                               |
      | steps.0.retries    | 3                                                  |
      | tools.0.command    | 'lint auth=x'                                      |
    And step 0 of the plan calls "write_file" with
      """
      {"path": "src/auth=x.py", "content": "x = 'auth=x${module}auth=x'\n"}
      """
    And step 1 of the plan calls "lint" with
      """
      {"files": ["auth=x.py", {"deep": "3"}], "plain": 1}
      """
    And step 2 of the plan calls "shell" with
      """
      {"command": "echo $HOME $(date) hello ${module}"}
      """

  Scenario: a given argument beats its default, also with an empty value
    Given the action
      """
      name: greet
      arguments:
        who: {default: world}
      steps:
        - {tool: write_file, with: {path: a, content: "hello ${who}!"}}
      """
    When I run "agents plan use ACTION --arg who="
    Then the exit code is 0
    And step 0 of the plan calls "write_file" with
      """
      {"path": "a", "content": "hello !"}
      """

  Scenario Outline: a default is filled in as it was written: <default>
    Given the action
      """
      name: as written
      arguments:
        value: {default: <default>}
      steps:
        - {tool: shell, with: {command: "run --flag=${value}"}}
      """
    When I run "agents plan use ACTION"
    Then the exit code is 0
    And step 0 of the plan calls "shell" with
      """
      {"command": "run --flag=<default>"}
      """

    Examples:
      | default |
      | true    |
      | 1.10    |
      | 007     |

  Scenario: none of YAML's surprises
    Given the action
      """
      name: on
      description: 2024-01-31
      tools:
        - {name: take, command: "true"}
      steps:
        - tool: take
          with:
            word: on
            also: No
            time: 12:30
            day: 2024-01-31
            octal: 0o17
            hex: 0x1F
            underscored: 1_000
            exponent: 1e3
            infinite: .inf
            merged: <<
            yes: true
            no: false
            whole: -3
            half: 0.5
            none: ~
            nothing:
            nil: null
            quoted: "true"
      """
    When I run "agents plan use ACTION"
    Then the exit code is 0
    And the plan's action has the values
      | field       | value        |
      | name        | 'on'         |
      | description | '2024-01-31' |
    And step 0 of the plan calls "take" with
      """
      {"word": "on", "also": "No", "time": "12:30", "day": "2024-01-31", "octal": "0o17",
       "hex": "0x1F", "underscored": "1_000", "exponent": "1e3", "infinite": ".inf",
       "merged": "<<", "yes": true, "no": false, "whole": -3, "half": 0.5,
       "none": null, "nothing": null, "nil": null, "quoted": "true"}
      """

  Scenario: what is left out has its default
    Given the action
      """
      name: little
      steps:
        - {tool: shell, with: {command: "true"}}
      """
    When I run "agents plan use ACTION"
    Then the exit code is 0
    And the plan's action has the values
      | field               | value                              |
      | description         | ''                                 |
      | rollback.enabled    | True                               |
      | rollback.on_failure | <OnFailure.LAST_GOOD: 'last_good'> |
      | validate_           | ()                                 |
      | tools               | ()                                 |
      | steps.0.name        | ''                                 |
      | steps.0.title       | 'shell'                            |
      | steps.0.retries     | 0                                  |
      | steps.0.timeout     | None                               |
      | steps.0.env         | {}                                 |
      | steps.0.pass_env    | ()                                 |
      | steps.0.checkpoint  | None                               |

  Scenario: what the file says is kept with the plan, whatever becomes of the file
    Given the action
      """
      name: kept
      rollback: {enabled: off, on_failure: keep}
      validate: ["pytest -q"]
      steps:
        - {tool: shell, with: {command: "true"}, timeout: 600, pass_env: [CI], checkpoint: before}
      """
    And I have run "agents plan use ACTION"
    And the shell has run "rm ../action.yaml" in the project
    Then the plan's action has the values
      | field               | value                    |
      | rollback.enabled    | False                    |
      | rollback.on_failure | <OnFailure.KEEP: 'keep'> |
      | validate_           | ('pytest -q',)           |
      | steps.0.timeout     | 600.0                    |
      | steps.0.pass_env    | ('CI',)                  |
      | steps.0.checkpoint  | 'before'                 |

  Scenario: a tool may say how its calls are undone
    Given the action
      """
      name: deploy
      tools:
        - {name: deploy, command: ./deploy, side_effects: [network], undo: ./undeploy}
      steps:
        - {tool: deploy}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 0
    And the plan's action has the values
      | field        | value        |
      | tools.0.undo | './undeploy' |
