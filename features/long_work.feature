Feature: Long work
  What takes long tells how far it has come: as a bar on a terminal, in a line every ten seconds
  elsewhere, as events to programs. What may be given up is given up at the next piece of a file.

  Scenario: each act on many files tells what it does
    Given a plain folder
    And the shell has run "head -c 80000 /dev/urandom | split -b 4000 - many-; head -c 5000000 /dev/urandom > large" in the project
    And nothing is too quick to be told
    When the library runs a plan on its files, verifies it, examines, rolls back, applies and prunes
    Then what was told of the work is, with all that there was to do
      | doing                  | known  |
      | reading the project    |        |
      | making the sandbox     | bytes  |
      | saving files           |        |
      | reading cp1 back       |        |
      | reading what is stored | bytes  |
      | restoring files        | both   |
      | changing your files    | both   |
      | freeing space          |        |

  Scenario: a command that shows no steps tells its long work, too, but not to programs
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "head -c 80000 /dev/urandom | split -b 4000 - many-"}}
      """
    And I have run "agents run ACTION"
    And nothing is too quick to be told
    When I run "agents plan checkpoint create @ --label text"
    Then the exit code is 0
    When I run "agents plan checkpoint create @ --label program --format json"
    Then the exit code is 0
    When I run "agents doctor"
    Then the exit code is 0

  Scenario Outline: <what> is given up at the next piece of a large file
    Then <what> a file of 20 MiB is given up at its second piece

    Examples:
      | what    |
      | storing |
      | writing |

  Scenario: what is quick is not told, and what is long now and then
    Then of work that passes a file at 0.5, 0.9, 1.1, 1.2, 1.25, 1.4 and 9 seconds is told what was done by 1.1, 1.4 and 9

  Scenario Outline: in a pipe there is a line every ten seconds
    When a pipe is told of work on 40 of 80 files at <seconds> seconds
    Then the lines in the pipe are <lines>

    Examples:
      | seconds          | lines |
      | 1, 5, 9          | 0     |
      | 1, 10, 11, 19    | 1     |
      | 10, 20, 21       | 2     |
      | 10, 12, 1, 5, 11 | 2     |

  Scenario Outline: how far work has come is told as "<told>"
    Then work of <files>/<of files> files, <size>/<of size> bytes and 4 seconds is drawn as "<drawn>" and told as "<told>"

    Examples:
      | files | of files | size | of size | drawn                | told                                              |
      | 7     | 0        | 2048 | 0       | nothing              | copying: 7 files, 2.0 KiB                         |
      | 7     | 0        | 1024 | 4096    | █████─────────────── | copying: 7 files, 1.0 KiB of 4.0 KiB, 12.0 s left |
      | 1     | 2        | 0    | 0       | ██████████────────── | copying: 1 of 2 files, 0 B, 4.0 s left            |
      | 4     | 2        | 9    | 4       | ████████████████████ | copying: 2 of 2 files, 4 B of 4 B, 0.0 s left     |

  Scenario: on a terminal there is a bar, which goes before anything else is told
    Then a screen that is told of work and then of a note shows the bar no more

  Scenario: before a very large copy it is told how large it is
    Given a plain folder
    And the shell has run "truncate -s 1200M large" in the project
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 0
    And a message says "the sandbox is a copy of about 1.2 GiB"
