Feature: Fail closed
  If a checkpoint that is due cannot be made, the tool that writes does not run: a full disk, a
  damaged store or a lost database stop the plan, and nothing is told that did not happen.

  Background:
    Given the variable DATA is the data directory
    And steps are not confined

  @needs_root
  Scenario: a disk that the step before has filled
    Given a data directory on a disk of 12M
    And a plain folder
    And the steps
      """
      - {name: fills, tool: shell, with: {command: 'head -c 20000000 /dev/urandom > big; true'}}
      - {name: writes, tool: shell, with: {command: 'echo ran > "$GATE.ran"'}, pass_env: [GATE]}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the output does not say "Traceback"
    And the step has not run
    When the disk is resized to 100M
    And I run "agents plan status @ --format json"
    Then the exit code is 0
    # A full disk may not even have had room to write down that the plan stopped.
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan is "execute/complete"

  Scenario Outline: a store that lost <what> is filled again, or the tool does not run
    Given a plain folder
    And the shell has run "mkdir -p old/deep; echo old > old/deep/file; touch -d 2020-01-01 old/deep/file" in the project
    And the steps
      """
      - {name: first, tool: shell, with: {command: echo 1 > v; sleep 2.1}}
      - {name: breaks, tool: shell, with: {command: 'echo 2 > v; cd "$DATA"/projects/*/store && <command>'}, pass_env: [DATA]}
      - {name: writes, tool: shell, with: {command: 'echo 3 > v; echo ran > "$GATE.ran"'}, pass_env: [GATE]}
      """
    When I run "agents run ACTION"
    Then the exit code is <code>
    And the error does not say "Traceback"
    And the step <ran>
    And every checkpoint that is intact can be gone back to

    Examples:
      | what               | command                              | code | ran         |
      | its packs          | rm packs/*                           | 0    | has run     |
      | its newest pack    | rm "$(ls -d packs/* \| tail -n 1)"   | 0    | has run     |
      | its directory      | mv packs away && echo > packs        | 1    | has not run |
      | everything         | rm -r ../store                       | 1    | has not run |

  # It waits because we write down its process meanwhile: pages in the middle of that would be mended.
  Scenario Outline: a database that is <what> keeps the tool from running
    Given a plain folder
    And the steps
      """
      - {name: breaks, tool: shell, with: {command: 'sleep 0.7; cd "$DATA" && <command>'}, pass_env: [DATA]}
      - {name: writes, tool: shell, with: {command: 'echo ran > "$GATE.ran"'}, pass_env: [GATE]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error does not say "Traceback"
    And the error says "<told>"
    And the step has not run

    Examples:
      | what        | command                                                         | told                            |
      | gone        | rm cleveragents.db                                              | the database is gone            |
      | moved away  | mv cleveragents.db other.db                                     | the database is gone            |
      | replaced    | cp cleveragents.db c && mv c cleveragents.db                    | the database is gone            |
      | damaged     | dd if=/dev/zero of=cleveragents.db bs=100K count=1 conv=notrunc | the database cannot be used     |

  Scenario Outline: a store that lost <what> between two commands is filled again before the tool runs
    Given a plain folder
    And the shell has run "mkdir -p old/deep; echo old > old/deep/file; touch -d 2020-01-01 old/deep/file" in the project
    And the steps
      """
      - {name: first, tool: shell, with: {command: echo 1 > v}}
      - {name: second, tool: shell, with: {command: echo 2 > v; sleep 2.1}}
      - {name: writes, tool: shell, with: {command: 'test -e "$GATE" && echo 3 > v && echo ran > "$GATE.ran"'}, pass_env: [GATE]}
      """
    And I have run "agents run ACTION" in vain
    And the shell has run "cd ../data/projects/*/store && <command>" in the project
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the step has run
    And every checkpoint that is intact can be gone back to

    Examples:
      | what              | command                                           |
      | its packs         | rm packs/*                                        |
      | a part of a pack  | truncate -s 10 $(ls -d packs/* \| head -n 1)      |

  Scenario: a rollback without its database changes no file
    Given a plain folder
    And the action
      """
      name: release
      tools:
        - {name: deploy, command: 'echo deploy >> "$GATE"; echo 1 > v', side_effects: [network], undo: 'echo undo >> "$GATE"; rm "$DATA/cleveragents.db"', pass_env: [GATE, DATA]}
      steps:
        - {name: north, tool: deploy}
        - {name: south, tool: deploy}
      """
    And I have run "agents run ACTION"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 1
    And the error says "the database is gone"
    And outside there is
      """
      deploy
      deploy
      undo
      """
    And in the project "test $(cat ../data/sandboxes/*/tree/v) = 1" holds

  Scenario: a store that cannot be written to keeps an undo from being run
    Given a plain folder
    And the action
      """
      name: release
      tools:
        - {name: deploy, command: 'echo deploy >> "$GATE"', side_effects: [network], undo: 'echo undo >> "$GATE"', pass_env: [GATE]}
      steps:
        - {tool: deploy}
        - {name: last, tool: shell, with: {command: echo 1 > v}}
      """
    And I have run "agents run ACTION"
    And the plan's file "v" is changed to "by hand"
    And the store of the project cannot be written to
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 1
    And outside there is
      """
      deploy
      """
    And the plan's file "v" holds "by hand"
