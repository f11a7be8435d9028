Feature: Views of much, on terminals of every kind
  Long output goes through the pager, whatever is shown is shown whole, and nothing that a plan, a
  file or a locale holds can break a view.

  # --- Much --------------------------------------------------------------------------------------

  Scenario: a thousand plans, the newest first, through the pager
    Given a plain folder
    And the action
      """
      name: deploy
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    And the latest plan is there 1000 times
    And the variable PAGER is "sed -n 3p"
    When I type on a terminal "agents plan list"
    Then the exit code is 0
    And the output says "strategize/complete  0/1"
    And the output does not say "STATE"
    When I run "agents plan list"
    Then the exit code is 0
    And the number of lines of the output is 1002
    And the error says "deploy, deploy, deploy, deploy, deploy and 995 more: rollback is off"
    And the number of lines of the error is 1

  Scenario: two hundred checkpoints
    Given a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And the latest checkpoint is there 200 times
    And the variable COLUMNS is "160"
    When I run "agents plan checkpoint list @"
    Then the number of lines of the output is 204
    Given the variable COLUMNS is "80"
    When I run "agents plan checkpoint list @"
    Then the exit code is 0
    And the number of lines of the output is 404
    When I run "agents plan status @"
    Then the output says "Checkpoints     202"

  Scenario: what fits on the screen needs no pager
    Given a plain folder
    And the variable PAGER is "cat -n"
    When I type on a terminal "agents plan list"
    Then the exit code is 0
    And the output does not say "     1"

  Scenario Outline: a pager that cannot be used, or sees enough: <pager>
    Given a plain folder
    And the variable PAGER is "<pager>"
    And the variable LINES is "4"
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I type on a terminal "agents plan log @"
    Then the exit code is 0
    And the output says "<text>"
    And the output says "note:"

    Examples:
      | pager               | text                |
      | less 'unclosed      | to execute/complete |
      | nothing-of-the-kind | to execute/complete |
      | head -n 1           | WHAT                |
      | true                | automatic check     |

  # --- Terminals and locales ---------------------------------------------------------------------

  Scenario: every view can be written where the terminal knows ASCII alone
    Given a plain folder
    And the variable PYTHONIOENCODING is "ascii"
    And the action
      """
      name: überall
      steps:
        - {name: schön, tool: shell, with: {command: "echo schön → ☃ > 'datei ☃ ä'"}}
      """
    When a process of its own runs "agents run ACTION"
    Then the exit code is 0
    And the error says "1/1 "
    When a process of its own runs "agents plan tree @"
    Then the exit code is 0
    And the output says "`- + sch\xf6n"
    When a process of its own runs "agents plan diff @"
    Then the exit code is 0
    And the output says "datei \u2603 \xe4"
    When a process of its own runs "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the output says "+ OK Rollback complete"

  Scenario Outline: a locale that is not UTF-8: <locale>
    Given a plain folder
    And the variable LC_ALL is "<locale>"
    And the variable PYTHONUTF8 is "<utf8>"
    And the variable PYTHONCOERCECLOCALE is "0"
    And the action
      """
      name: überall
      description: schöne Sitzungen
      steps:
        - {name: schön, tool: write_file, with: {path: "größe ☃", content: "→"}}
        - {name: weiter, tool: shell, with: {command: "cat 'größe ☃' > kopie"}}
      """
    When a process of its own runs "agents run ACTION"
    Then the exit code is 0
    When a process of its own runs "agents plan diff @ --format json"
    Then the exit code is 0
    And the data holds
      | field        | value      |
      | files.0.path | "größe ☃" |
      | files.1.path | "kopie"    |
    When a process of its own runs "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "größe ☃" holds "→" without a line end

    Examples:
      | locale           | utf8 |
      | C                | 1    |
      | C                | 0    |
      | de_DE.ISO-8859-1 | 0    |

  Scenario: a terminal that can do nothing gets text alone
    Given a plain folder
    And the terminal is "dumb"
    And the steps
      """
      - {name: first, tool: shell, with: {command: "sleep 0.3"}}
      """
    When I type on a terminal "agents run ACTION"
    Then the exit code is 0
    And the output says "1/1 first"
    And the terminal shows no escape sequence

  Scenario Outline: who wants no colour gets text alone: a terminal of the kind <terminal>, NO_COLOR=<no color>
    Given a plain folder
    And the terminal is "<terminal>"
    And the variable NO_COLOR is <no color>
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo said; exit 1"}}
      """
    When I type on a terminal "agents run ACTION"
    Then the exit code is 1
    And the output says "1/1 first"
    And the terminal shows no escape sequence
    When I type on a terminal "agents plan rollback @ 1 --format color"
      | question | answer |
      | [y/N]    | n      |
    Then the terminal shows no escape sequence

    Examples:
      | terminal | no color |
      | xterm    | "1"      |
      | dumb     | empty    |

  # --- Times -------------------------------------------------------------------------------------

  Scenario Outline: at <now> in the zone <zone>, <value> is <moment>, and <ago> in a list
    Then at <now> in the zone <zone>, <value> reads "<moment>" and "<ago>"

    Examples:
      | zone                       | now               | value             | moment              | ago              |
      | UTC0                       | 2026-11-17T14:02Z | 2026-11-17T14:01:30Z | 14:01:30         | just now         |
      | UTC0                       | 2026-11-17T14:02Z | 2026-11-17T13:59Z | 13:59:00            | 3 min ago        |
      | UTC0                       | 2026-11-17T14:02Z | 2026-11-17T13:02Z | 13:02:00            | 13:02            |
      | UTC0                       | 2026-11-17T00:30Z | 2026-11-16T23:59Z | 2026-11-16 23:59:00 | 31 min ago       |
      | NZDT-13                    | 2026-11-17T16:10Z | 2026-11-17T14:02Z | 03:02:00            | 03:02            |
      | EST5                       | 2026-11-17T14:00Z | 2026-11-17T03:00Z | 2026-11-16 22:00:00 | 2026-11-16 22:00 |
      | CET-1CEST,M3.5.0,M10.5.0/3 | 2026-11-17T14:00Z | 2026-07-01T10:00Z | 2026-07-01 12:00:00 | 2026-07-01 12:00 |
      | UTC0                       | 2026-11-17T14:00Z | 2026-11-17T15:00Z | 15:00:00            | 15:00            |

  Scenario: people read the time of where they are, programs that of the world
    Given a plain folder
    And the variable TZ is "FAR-5:45"
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    Then the log of the plan tells the time of 5 hours and 45 minutes east, and to programs that of the world

  # --- Hostile names -----------------------------------------------------------------------------

  Scenario Outline: letters that take two columns, or none, leave a panel straight: <name>
    Given a plain folder
    And the variable COLUMNS is "60"
    And the action
      """
      name: "<name>"
      steps:
        - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan status @"
    Then the exit code is 0
    And the lines of the panel are equally wide, 60 columns at most

    Examples:
      | name                                                                             |
      | 漢字漢字 in the middle                                                           |
      | cafe\u0301 and \u1112\u1161\u11ab                                               |
      | 漢字漢字 and so much more that it does not fit beside the edges of a narrow panel |

  Scenario: file names that would act on a terminal, in every view
    Given a git repository
    And the steps
      """
      - name: hostile
        tool: shell
        with:
          command: |
            for name in 'line\nbreak' 'esc\033[2J\033[31m' 'tab\there' 'back\rward' 'bidi\342\200\256txt' 'bytes\377\376' 'wide\302\240space'; do
              printf 'x\n' > "$(printf "$name")"
            done
      """
    And I have run "agents run ACTION"
    Then none of these writes a character that acts on a terminal
      | line                                  | shown        |
      | plan diff @                           | esc\x1b[2J   |
      | plan diff @ --format color            | line\nbreak  |
      | plan diff @ --stat                    | bytes\xff\xfe |
      | plan diff @ --stat --format table     | bidi\u202etxt |
      | plan diff @ --stat --format plain     | back\rward   |
      | plan diff @ --name-only               | bidi\u202etxt |
      | plan diff @ --name-only               | wide space   |
      | plan apply @ --dry-run                | line\nbreak  |
      | plan rollback @ 1 --dry-run           | tab\there    |
      | plan checkpoint diff @ 1 --stat       | esc\x1b[2J   |
      | plan apply @ --yes                | 7 files         |
      | plan diff @ --stat                    | bytes\xff\xfe |
      | plan unapply @ --yes                  | OK           |
      | plan rollback @ 1 --yes               | bytes\xff\xfe |

  # --- What runs right now -----------------------------------------------------------------------

  Scenario: on a terminal subplans that run together have a line each, with the last line they printed
    Given a plain folder
    And the steps
      """
      - name: fan out
        subplans:
          mode: parallel
          plans:
            - name: docs
              steps:
                - {name: write docs, tool: shell, pass_env: [GATE], with: {command: "touch \"$GATE.docs\"; until test -e \"$GATE.tests\"; do sleep 0.1; done; printf 'page\\033[31m one\\n'; sleep 1"}}
            - name: tests
              steps:
                - {name: write tests, tool: shell, pass_env: [GATE], with: {command: "touch \"$GATE.tests\"; until test -e \"$GATE.docs\"; do sleep 0.1; done; echo the first test; sleep 1"}}
      """
    When I type on a terminal "agents run ACTION"
    Then the exit code is 0
    And lines for "docs" and "tests" stood on the screen together
    And the output says "page\x1b[31m one"
    And the output says "the first test"
    And the output says "subplan docs  0 paths merged"
    And the terminal has its cursor back

  Scenario: where there is no terminal, what happens is told in whole lines
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo printed; sleep 0.3"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the error says
      """
      sandbox  filesystem_copy, 1 file
        cp1  before the plan runs
      ✓ 1/1 first (shell)  exit code 0
        cp2  after shell in step first
      """
    And the error does not say "printed"

  Scenario: a terminal that knows ASCII alone shows what runs as well
    Given a plain folder
    And the variable PYTHONIOENCODING is "ascii"
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo the latest line; sleep 1"}}
      """
    When I type on a terminal "agents run ACTION"
    Then the exit code is 0
    And the output says "the latest line"
    And the output says "1/1 first (shell)  exit code 0"

  Scenario Outline: times are told as people read them: <seconds>
    Then <seconds> seconds are told as "<text>"

    Examples:
      | seconds | text        |
      | 0.04    | 0.0 s       |
      | 59.4    | 59.4 s      |
      | 61.5    | 1 min 01 s  |
      | 3600    | 60 min 00 s |
