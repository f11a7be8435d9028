Feature: A first action
  `agents init` writes an action file that fits the project and runs as it stands: it finds out how
  the project is tested, explains itself, and says the two next commands. It never writes over a
  file.

  Scenario Outline: the tests of a project with <file> are run by "<command>"
    Given a plain folder
    And the project has "<file>" that says "<text>"
    When I run "agents init --format json"
    Then the exit code is 0
    And the data holds
      | field        | value       |
      | test_command | "<command>" |
    And what was written can be used, and runs where "<command>" can

    Examples:
      | file              | text                            | command           |
      | scripts/test      | #!/bin/sh                       | scripts/test      |
      | dev               | #!/bin/sh\ncase $1 in test) ;; esac | ./dev test    |
      | Makefile          | test: all\n\t@true\nall:\n      | make test         |
      | package.json      | {"scripts": {"test": "true"}}   | npm test          |
      | Cargo.toml        | [package]                       | cargo test        |
      | go.mod            | module x                        | go test ./...     |
      | noxfile.py        | import nox                      | nox               |
      | tox.ini           | [tox]                           | tox               |
      | pytest.ini        | [pytest]                        | python3 -m pytest |
      | pyproject.toml    | [tool.pytest.ini_options]       | python3 -m pytest |
      | setup.cfg         | [tool:pytest]                   | python3 -m pytest |
      | tests/conftest.py |                                 | python3 -m pytest |

  Scenario Outline: <lock> tells what runs the tests of <file>
    Given a plain folder
    And the project has "<file>" that says "<text>"
    And the project has "<lock>" that says ""
    When I run "agents init --format json"
    Then the data holds
      | field        | value       |
      | test_command | "<command>" |

    Examples:
      | file         | text                          | lock        | command       |
      | package.json | {"scripts": {"test": "true"}} | yarn.lock   | yarn test     |
      | conftest.py  |                               | uv.lock     | uv run pytest |
      | conftest.py  |                               | poetry.lock | poetry run pytest |

  Scenario Outline: what tells nothing is passed by: <file> with "<text>"
    Given a plain folder
    And the project has "HELLO.txt" that says "mine"
    And the project has "<file>" that says "<text>"
    When I run "agents init"
    Then the exit code is 0
    And the output says "action.yaml written; no test command was found"
    And the error says
      """
      agents run action.yaml
      agents plan diff @
      """
    When I run "agents run action.yaml"
    Then the exit code is 0
    And the plan's file "HELLO.txt" holds "mine"
    And the plan's file "HELLO-2.txt" holds "Hello"

    Examples:
      | file         | text                                                       |
      | package.json | {"scripts": {"test": "echo \\"Error: no test specified\\""}} |
      | package.json | [1                                                         |
      | Makefile     | tests:\ntest := 1\n                                        |
      | dev          | #!/bin/sh                                                  |

  Scenario: it is written where I say, never over a file
    Given a git repository
    When I run "agents init --to 'my first.yaml'"
    Then the exit code is 0
    And the error says "agents run 'my first.yaml'"
    When I run "agents init --to 'my first.yaml'"
    Then the exit code is 4
    And the error says
      """
      my first.yaml is there already, and stays as it is
      agents init --to FILE
      """
    When I run "agents init --to no/such/folder.yaml"
    Then the exit code is 2
    And the error says "no such directory: no/such"
    Given the shell has run "ln -s nowhere action.yaml" in the project
    When I run "agents init"
    Then the exit code is 4

  Scenario: an ordinary user begins
    Given a plain folder
    And all of it is an ordinary user's
    When an ordinary user runs "agents init"
    Then the exit code is 0
    When an ordinary user runs "agents run action.yaml --arg greeting=Servus"
    Then the exit code is 0
    And the plan's file "HELLO.txt" holds "Servus"
