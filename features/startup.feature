Feature: Start-up
  A command imports what it needs and nothing else: that is what start-up takes.

  Scenario: the version is told without importing anything
    Given a plain folder
    Then "agents --version" imports none of
      | module             |
      | cleveragents.app   |
      | sqlalchemy         |
      | alembic            |
      | pydantic           |
      | rich               |
      | yaml               |
      | tomlkit            |
      | ulid               |
      | importlib.metadata |
      | asyncio            |

  Scenario Outline: a command on a plan imports neither migrations nor what reads and writes files for people
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then "agents <command>" imports none of
      | module                       |
      | alembic                      |
      | sqlalchemy                   |
      | yaml                         |
      | tomlkit                      |
      | cleveragents.plans.yaml_file |
      | cleveragents.cli.demo        |
      | cleveragents.shapes.commands |

    Examples:
      | command                  |
      | plan list                |
      | plan checkpoint create @ |
      | plan rollback @ 1 --yes  |

  Scenario: each command imports these packages of others, and no more
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then these commands, read by a program, import exactly these packages
      | command                  | packages  |
      | --version                |           |
      | __complete plan ro       |           |
      | plan list                |           |
      | plan status @            | zstandard |
      | plan checkpoint list @   |           |
      | plan checkpoint create @ | zstandard |
      | plan rollback @ 1 --yes  | zstandard |

  Scenario: a list of plans needs neither their actions nor anything that acts
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then "agents plan list" imports none of
      | module                         |
      | cleveragents.plans.action      |
      | cleveragents.tools             |
      | cleveragents.wiring            |
      | cleveragents.sandbox.sandboxes |
      | cleveragents.snapshots.archive |
      | zstandard                      |
      | tomllib                        |
      | cleveragents.cli.apply         |

  Scenario Outline: "agents <command>" imports only the service it calls, and no action is checked
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then "agents <command>" imports none of
      | module                                |
      | cleveragents.plans.action             |
      | cleveragents.plans.step               |
      | cleveragents.tools.declaration        |
      | cleveragents.tools.registry           |
      | cleveragents.engine.bring.apply       |
      | cleveragents.engine.bring.application |
      | cleveragents.engine.care.doctor       |
      | cleveragents.engine.correct           |
      | cleveragents.engine.run               |
      | cleveragents.engine.session           |

    Examples:
      | command                  |
      | plan status @            |
      | plan checkpoint list @   |
      | plan checkpoint create @ |

  Scenario: an undo in a chat imports nothing that only plans need, though there is an older act on a plan
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And a chat keeps 20 turns and what is younger than 14 days
    And 3 turns that each change a file
    Then "agents undo --yes" imports none of
      | module                                |
      | cleveragents.cli.plan_undo            |
      | cleveragents.cli.undo_pick            |
      | cleveragents.checkpoints.besides      |
      | cleveragents.engine.back              |
      | cleveragents.engine.bring.application |
      | cleveragents.engine.bring.apply       |
      | cleveragents.engine.run               |
      | cleveragents.engine.undo.deeds        |
      | cleveragents.engine.undo.reversals    |
      | cleveragents.shapes.deed              |
      | cleveragents.shapes.extent            |
      | cleveragents.tools                    |
      | sqlalchemy                            |
      | subprocess                            |
      | base64                                |
    And "agents undo --yes" imports at most 250 modules of ours

  Scenario Outline: a command imports no shape but those it answers with
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    Then "agents <command>" imports none of
      | module                         |
      | cleveragents.shapes.<other>    |
      | cleveragents.shapes.apply      |
      | cleveragents.shapes.difference |
      | cleveragents.shapes.log        |

    Examples:
      | command                  | other      |
      | plan list                | status     |
      | plan status @            | checkpoint |
      | plan checkpoint create @ | plan       |
      | plan rollback @ 1 --yes  | checkpoint |

  Scenario: a module that should not be there is told with who imported it
    Given a plain folder
    Then "agents plan list" imports cleveragents.plans.plan, and a line of "src/cleveragents/" is told as who did
