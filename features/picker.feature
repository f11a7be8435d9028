Feature: Picking a checkpoint
  Whoever does not know the number picks a checkpoint from a list: with arrow keys, by typing, with what
  it would change beside it. Whatever is pressed, nothing changes until a yes.

  # --- Keys and widths, without a terminal ---------------------------------------------------------

  Scenario Outline: after the keys "<keys>" it is <current> that Enter would take
    Given choices
      | name | text                           |
      | cp1  | before the plan runs           |
      | cp2  | after write_file in step first |
      | cp3  | after shell in step Second     |
      | cp12 | before its result is applied   |
    Then the keys "<keys>" lead to "<current>"

    Examples:
      | keys                               | current |
      |                                    | cp12    |
      | up                                 | cp3     |
      | home                               | cp1     |
      | home, up                           | cp1     |
      | home, page down                    | cp12    |
      | home, down, down, page up          | cp1     |
      | up, end, down                      | cp12    |
      | 1                                  | cp1     |
      | 1, 2                               | cp12    |
      | 2                                  | cp2     |
      | S, e, c, o, n, d                   | cp3     |
      | s, t, e, p, space, s, e, c         | cp3     |
      | b, e, f, o, r, e                   | cp12    |
      | b, e, f, o, r, e, up               | cp1     |
      | x, x                               | nothing |
      | x, x, down                         | nothing |
      | x, x, backspace, backspace         | cp1     |
      | backspace                          | cp12    |
      | a tab                              | cp12    |

  Scenario Outline: at <width> columns and <height> lines it fills the screen and no more
    Given choices
      | name | text                           |
      | cp1  | before the plan runs           |
      | cp2  | after write_file in step first |
      | cp3  | 漢字 and \x1b[31m a name with signs in it, which is much too long for any line of a list |
    Then at <width> by <height> the screen fits, and shows "<shown>"

    Examples:
      | width | height | shown                 |
      | 120   | 24     | removed   b.txt       |
      | 60    | 10     | removed   b.txt       |
      | 59    | 10     | removed   b.txt       |
      | 20    | 6      | cp3                   |
      | 200   | 3      | cp3                   |
      | 5     | 2      | Roll                  |

  # --- On a terminal -------------------------------------------------------------------------------

  Scenario: with arrow keys, the diff read first
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    And I have run "agents run ACTION"
    When I press on a terminal of 100 by 30 "agents rollback"
      | when it shows         | keys       |
      | Would change 0 files  | home       |
      | removed   b.txt       | d          |
      | +one                  | end, q     |
      | restored  a.txt       | enter      |
      | Roll back to cp1?     | y, enter   |
    Then the exit code is 0
    And the output says "2 files, as shown"
    And the output does not say "Enter takes"
    And the plan's file "a.txt" holds "one"

  Scenario Outline: leaving by <keys> leaves everything as it is
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I press on a terminal of <columns> by 20 "agents rollback"
      | when it shows | keys   |
      | Roll back to: | <keys> |
    Then the exit code is <code>
    And the plan's file "b.txt" holds "b"
    And there are 3 checkpoints

    Examples:
      | columns | keys              | code |
      | 60      | q                 | 1    |
      | 80      | escape            | 1    |
      | 80      | 1, escape, escape | 1    |
      | 40      | Ctrl-C            | 130  |

  Scenario: what cannot be told is told as such, and can still be picked
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      - {name: second, tool: shell, with: {command: "echo two > a.txt"}}
      """
    And I have run "agents run ACTION"
    And the stored record of checkpoint 2 is damaged
    When I press on a terminal of 120 by 20 "agents plan rollback @"
      | when it shows        | keys      |
      | Would change 0 files | d         |
      | no file differs      | q         |
      | Would change 0 files | 2, escape |
      | cannot be read       | d         |
      | ↑↓ scroll            | q         |
      | ↑↓ choose            | q         |
    Given the sandbox directory is lost
    When I press on a terminal of 120 by 20 "agents plan rollback @ --rebuild"
      | when it shows       | keys |
      | unknown, no sandbox | q    |
    Then the exit code is 1

  Scenario: what is for programs is not mixed with it
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I press on a terminal of 100 by 30, output to a file, "agents plan rollback @ --format json"
      | when it shows        | keys     |
      | Would change 0 files | 1, enter |
      | Roll back to cp1?    | y, enter |
    Then the exit code is 0
    And the file holds the envelope of a success of "plan rollback"

  Scenario: a terminal that cannot move its cursor gets the list
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the terminal is "dumb"
    When I type on a terminal "agents rollback"
      | question          | answer |
      | which checkpoint? |        |
    Then the exit code is 2
