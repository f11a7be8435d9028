Feature: Secrets
  Values that are handed on by name, well-known keys and random words after "token" and the like are masked
  in everything that is told. Files and what runs are never touched.

  Background:
    Given a plain folder
    And the variable HOME is the folder of the scenario
    And secrets of every kind in the caller's environment and in a file at home

  # --- Doors -------------------------------------------------------------------------------------

  Scenario: what steps print is told and kept without secrets, what they write holds them
    Given the action
      """
      name: doors
      tools:
        - name: outside
          command: echo told
          side_effects: [network]
          undo: cat "$HOME/secrets"; cat "$HOME/secrets" >&2; exit 3
      steps:
        - {name: out, tool: shell, with: {command: 'cat "$HOME/secrets"'}}
        - {name: err, tool: shell, pass_env: [HANDED, LINES_HANDED], with: {command: 'echo "$HANDED" >&2; echo "$LINES_HANDED" | sed s/^/:/ >&2'}}
        - {name: other, tool: shell, with: {command: 'cp "$HOME/secrets" kept.txt; tail -c 4000 kept.txt'}}
        - {name: read, tool: read_file, with: {path: kept.txt}}
        - {name: call, tool: outside}
        - name: choice
          decide:
            question: Which?
            options: {one: [{name: inner, tool: shell, with: {command: "true"}}]}
            chooser: cat "$HOME/secrets" >&2; cat "$HOME/answer"
        - name: second choice
          decide:
            question: And then?
            options: {two: []}
            chooser: cat >&2; cat "$HOME/answer"
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the plan's file "kept.txt" is the file of secrets
    And no secret is told by
      | command                      |
      | plan errors --format json    |
      | plan errors                  |
      | plan log                     |
      | plan log --format json       |
      | plan status --verbose        |
      | plan explain choice          |
      | plan rollback @ 1 --yes      |
      | plan log --format json       |
    And no secret is kept but in checkpoints and sandboxes
    And the first step has printed the file of secrets, masked

  @python_step
  Scenario Outline: what a Python tool <does> is told and kept without secrets
    Given an installed package "cloud" with the entry points "deploy = cloud_tools:deploy" and the module "cloud_tools"
      """
      import os
      from pathlib import Path
      from cleveragents import tool

      @tool(pass_env=["HANDED"])
      def deploy(how):
          told = (Path.home() / "secrets").read_text()
          if how == "raises":
              raise ValueError(told + os.environ["HANDED"])
          return {"token": os.environ["RANDOM_WORD"], "told": [told], "plain": 1}
      """
    And the steps
      """
      - {tool: deploy, with: {how: <does>}, pass_env: [RANDOM_WORD]}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is <code>
    And no secret is told by
      | command                   |
      | plan errors --format json |
    And no secret is kept but in checkpoints and sandboxes

    Examples:
      | does    | code |
      | returns | 0    |
      | raises  | 1    |

  Scenario: what validations and a search print is told and kept without secrets
    Given the action
      """
      name: checked
      arguments: {api_token: {}}
      validate: ['cat "$HOME/secrets"; echo "with ${api_token}"; exit 4']
      steps:
        - {name: first, tool: shell, with: {command: "printf %s ${api_token} | tee b.txt"}}
      """
    And I have run "agents run ACTION --arg api_token=my-own-words"
    When I run "agents plan apply @ --yes --format json"
    Then the exit code is 4
    And the plan's file "b.txt" holds "my-own-words"
    And "my-own-words" is told by none of
      | command                                                          |
      | plan log --format json                                           |
      | plan bisect @ -- sh -c "cat b.txt; cat $HOME/secrets; ! test -e b.txt" |
    And no secret is kept but in checkpoints and sandboxes

  Scenario Outline: what a strategist <does> is told and kept without secrets
    Given the action
      """
      name: planned
      description: Take ghp_of0the1description2345678901234567890
      strategist: |
        cat > "$HOME/asked"; cat "$HOME/secrets" >&2; <answer>
      """
    When I run "agents run ACTION --format json"
    Then the exit code is <code>
    And the file "asked" at home says "Take ***"
    And "ghp_of0the1" is told by none of
      | command                |
      | plan log --format json |
    And no secret is kept but in checkpoints and sandboxes

    Examples:
      | does    | answer                       | code |
      | answers | echo "{\\"steps\\": []}"     | 1    |
      | prints  | cat "$HOME/secrets"          | 1    |
      | leaves  | cat "$HOME/secrets"; exit 7  | 1    |

  Scenario Outline: what users say in a correction is told and kept without secrets: <how>
    Given the action
      """
      name: corrected
      steps:
        - name: choice
          decide: {question: "Which?", options: {one: [], two: []}, choose: one}
      """
    And I have run "agents run ACTION"
    When I run "agents plan <how> --guidance 'take ghp_abcdefghijKLMNOPQRST0123456789abcd' --yes --format json" on the decision
    Then the exit code is 0
    And no secret is told by
      | command                                  |
      | plan tree @ --show-superseded            |
      | plan log --format json                   |
    And no secret is kept but in checkpoints and sandboxes

    Examples:
      | how                                    |
      | correct --mode revert --choose two     |
      | correct --mode append --choose two     |

  Scenario: a surprise is kept without secrets
    Then of a surprise that says all secrets a log tells none

  Scenario: an error is told without secrets
    When I run "agents plan status https://me:pw0rd@host/x --format json"
    Then the exit code is 3
    And the error message says "no plan 'https://me:***@host/x'"

  # --- What is a secret ---------------------------------------------------------------------------

  Scenario: wherever output is cut into pieces, the same is masked
    Then output of secrets in pieces of any size is masked as it is in one

  Scenario: a line without an end is masked as well
    Then a line of a megabyte with secrets in it is masked, cut wherever it may be

  Scenario Outline: <what> is told as it is
    Then "<text>" is told as it is

    Examples:
      | what             | text                                                  |
      | a name after key | cache key: node-modules-cache-v1-linux                |
      | a path           | key: /usr/lib/python3.11/site-packages/cleveragents   |
      | a short password | password: hunter2                                     |
      | a user's address | ssh://git@host/repository and http://host/@someone    |
      | a word           | the task-force-with-a-long-name-of-2026 is a keyboard |
      | half a key       | -----BEGIN PUBLIC KEY-----                            |
      | a way to log in  | Authorization: Bearer $TOKEN, or Bearer tokens        |

  Scenario Outline: what a header authorizes by is masked: <text>
    Then "<text>" is told as "<told>"

    Examples:
      | text                                     | told                                 |
      | curl -H 'Authorization: Bearer sesame'   | curl -H 'Authorization: Bearer ***'  |
      | proxy-authorization: Basic b3Blbjpz ok   | proxy-authorization: Basic *** ok    |
      | {'authorization': 'bearer open-it'}      | {'authorization': 'bearer ***'}      |

  Scenario: what a header authorizes by is masked in data as well
    Then the data {"Authorization": "Bearer sesame", "Accept": "Bearer sesame"} is told as {"Authorization": "Bearer ***", "Accept": "Bearer sesame"}

  Scenario: short values and plain words are no secrets, however they are handed on
    Given the variables that steps pass on are
      | name  | value   |
      | SHORT | true    |
      | PLAIN | Enabled |
      | LONG  | sesame  |
    When a step prints "it is true that Enabled sesame opens c2VzYW1l"
    Then the first step has printed "it is true that Enabled *** opens ***"

  # --- Patterns -----------------------------------------------------------------------------------

  Scenario: every level adds patterns, a project's file as well
    Given the project's settings file
      """
      [sandbox]
      mask = ["acme-[a-z]+"]
      """
    And the variable CLEVERAGENTS_SANDBOX_MASK is "(?i)corp\d+"
    When a step prints "acme-one Corp1234 corp"
    Then the first step has printed "*** *** corp"
    When I run "agents config get sandbox.mask --format json"
    Then the data holds
      | field  | value                                 |
      | value  | ["(?i)corp\\d+", "acme-[a-z]+"] |
      | source | "environment"                         |

  Scenario Outline: a pattern that <problem> is refused
    When I run "agents --set sandbox.mask=<pattern> plan list --format json"
    Then the exit code is 2
    And the error message says "has a pattern that <problem>"

    Examples:
      | pattern     | problem                                             |
      | [a          | is no regular expression                            |
      | a*          | matches nothing at all, so it would mask everything |
      | (a+)+b      | may take for ever                                   |
      | (a\|a)*b    | may take for ever                                   |
      | (x(ab+))+c  | may take for ever                                   |
      | a{2,3}      | has half a brace                                    |
      | a.*b        | may take for ever                                   |
      | '(x)\1'     | may take for ever                                   |
      | x(?=a)      | may take for ever                                   |
