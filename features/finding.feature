Feature: Finding files in checkpoints
  Where a path changed is told from directory objects alone, for every plan or one; a file is had back
  byte for byte from any checkpoint.

  Scenario: where paths changed: files, directories, names, globs, hostile names
    Given a git repository
    And the shell has run "mkdir -p src/lib docs; echo one > src/auth.py; echo r > README.md; echo r > docs/README.md; ln -s README.md link; echo s > 'a[1].txt'" in the project
    And the shell has run "printf x > "$(printf 'new\nline\377')"; touch -d 2001-01-01 docs/README.md" in the project
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo three > src/auth.py; chmod 700 README.md; touch docs/README.md; echo t > 'a[1].txt'"}}
      - {name: two, tool: shell, with: {command: "rm src/auth.py; echo n > src/lib/n.py; printf yy > \"$(printf 'new\\nline\\377')\"; mkdir src/empty"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 2 --yes"
    And the action
      """
      name: second
      steps:
        - {tool: write_file, with: {path: src/auth.py, content: "again"}}
      """
    And I have run "agents run ACTION"
    Then these are found
      | path        | found                                                                                                                 |
      | src/auth.py | second cp2 modified src/auth.py 4 5; plan cp3 deleted src/auth.py 6 - left; plan cp2 modified src/auth.py 4 6 |
      | auth.py     | second cp2 modified src/auth.py 4 5; plan cp3 deleted src/auth.py 6 - left; plan cp2 modified src/auth.py 4 6 |
      | src/lib     | plan cp3 added src/lib/n.py - 2 left                                                                                  |
      | src/empty/  | plan cp3 added src/empty - - left                                                                                     |
      | src/l*/*.py | plan cp3 added src/lib/n.py - 2 left                                                                                  |
      | n.*         | plan cp3 added src/lib/n.py - 2 left                                                                                  |
      | README.md   | plan cp2 modified README.md 2 2                                                                                       |
      | ./README.md | plan cp2 modified README.md 2 2                                                                                       |
      | a[1].txt    | plan cp2 modified a[1].txt 2 2                                                                                        |
      | ./a[1].txt  | plan cp2 modified a[1].txt 2 2                                                                                        |
      | new*        | plan cp3 modified new\nline\xff 1 2 left                                                                                  |
      | docs        |                                                                                                                       |
    When I run "agents find src/auth.py"
    Then the exit code is 0
    And the output says "6 B"
    And the output says "(left behind)"
    And the error says "agents cat cp2 src/auth.py --plan @"
    When I run "agents find README.md"
    Then the output says "modified, mode 644 → 700"
    When I run "agents find README.md --plan @"
    Then the output is empty
    And the error says "README.md changed in no checkpoint; it is as it was when each plan started"
    When I run "agents find nonesuch"
    Then the exit code is 0
    And the error says "no checkpoint has a path like nonesuch"
    When I run "agents find ../above"
    Then the exit code is 2

  Scenario: a project without plans, and one whose plan has no checkpoint
    Given a plain folder
    When I run "agents find a.txt"
    Then the exit code is 0
    And the error says "no checkpoint has a path like a.txt"
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: write_file, with: {path: a.txt, content: "a"}}
      """
    And I have run "agents run ACTION"
    When I run "agents find a.txt"
    Then the exit code is 0
    And the error says "no checkpoint has a path like a.txt"
    When I run "agents cat 1 a.txt"
    Then the exit code is 3

  Scenario: a checkpoint that cannot be read is told, the others are searched all the same
    Given a plain folder
    And the steps
      """
      - {name: one, tool: write_file, with: {path: a.txt, content: "one"}}
      - {name: two, tool: write_file, with: {path: a.txt, content: "four"}}
      - {name: three, tool: write_file, with: {path: a.txt, content: "three"}}
      """
    And I have run "agents run ACTION"
    And the row of checkpoint 2 names a snapshot that is nowhere
    When I run "agents find a.txt --format json"
    Then the exit code is 0
    And the status in the envelope is "warn"
    And a message says "cp2 of plan cannot be read"
    And "data.changes" counts 1
    When I run "agents cat 2 a.txt"
    Then the exit code is 1
    And the error says "the snapshot of cp2 cannot be read"

  Scenario: a file as it was, byte for byte
    Given a plain folder
    And the shell has run "mkdir d; printf 'a\0\377b' > bin; printf '' > empty; ln -s bin link; echo text > d/t; mkfifo pipe" in the project
    And the shell has run "printf x > "$(printf 'new\nline\377')"; truncate -s 9M large; printf end >> large; chmod 4751 bin" in the project
    And the steps
      """
      - {tool: shell, with: {command: "rm -r *"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint create @ --label 'all gone'"
    Then "agents cat 1" prints exactly what the project has at
      | path         |
      | bin          |
      | empty        |
      | d/t          |
      | large        |
      | new\nline\xff |
    And "agents cat cp1 bin --to copy" makes the file "copy" like "bin" with the mode 751
    And "agents cat @ bin" exits with 3 and prints nothing
    And "agents cat 1 link" exits with 0 and prints "bin"
    When I run "agents cat 1 bin --to d"
    Then the exit code is 4
    And the error says "d exists already"
    When I run "agents cat 1 bin --to copy"
    Then the exit code is 4
    When I run "agents cat 1 link --to other"
    Then the exit code is 0
    And the project's link "other" leads to "bin"
    When I run "agents cat 1 d --to new"
    Then the exit code is 4
    And the error says "d is a directory; single files are written"
    When I run "agents cat 1 pipe"
    Then the exit code is 4
    And the error says "pipe is a pipe or a socket: it has no content"
    When I run "agents cat 1 ."
    Then the output says "4751  4 B      bin"
    And the output says "d/"
    And the output says "link@"
    And the output says "pipe|"
    When I run "agents cat 'all gone' bim"
    Then the exit code is 3
    And the error says "there is no bim in cp"
    When I run "agents cat 1 bim"
    Then the error says "did you mean bin?"
    When I run "agents cat 1 large --format json"
    Then the exit code is 4
    And a suggestion says "write it to a file: agents cat cp1 large --plan"

  Scenario: for programs a file is text if it is UTF-8, else base64
    Given a plain folder
    And the shell has run "mkdir d; printf 'a\377' > bin; printf 'ä' > d/t; ln -s nowhere link; chmod 600 bin" in the project
    And the steps
      """
      - {tool: write_file, with: {path: left.tmp, content: "x"}}
      """
    And I have run "agents run ACTION --set sandbox.checkpoint.exclude=*.tmp"
    When I run "agents cat 1 bin --format json"
    Then the data holds
      | field  | value    |
      | kind   | "file"   |
      | mode   | "100600" |
      | size   | 2        |
      | text   | null     |
      | base64 | "Yf8="   |
    When I run "agents cat 1 d/t --format yaml"
    Then the exit code is 0
    When I run "agents cat 1 link --format json"
    Then the data holds
      | field       | value     |
      | kind        | "link"    |
      | target.path | "nowhere" |
    When I run "agents cat 1 d --format json"
    Then the data holds
      | field          | value         |
      | kind           | "directory"   |
      | entries.0.path | "t"           |
      | entries.0.kind | "file"        |
      | entries.0.size | 2             |
    When I run "agents cat 1 bin --to copy --format json"
    Then the data holds
      | field      | value  |
      | written_to | "copy" |
    When I run "agents cat @ left.tmp"
    Then the exit code is 3
    And the error says "there is no left.tmp in cp3, which leaves it out"

  Scenario: a file for which there is no room is not written at all
    Given a plain folder
    And the shell has run "seq 999 > many" in the project
    And the steps
      """
      - {tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When files may have 1000 bytes for "agents cat 1 many --to copy"
    Then the exit code is 1
    And the error says "File too large"
    And "ls" in the project prints
      """
      a.txt
      many
      """

  Scenario Outline: a reader that leaves is no failure: agents <line>
    Given a plain folder
    And the steps
      """
      - {tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    When nobody reads what "agents <line>" prints
    Then the exit code is 0
    And the error does not say "Traceback"

    Examples:
      | line        |
      | cat 1 a.txt |
      | find b.txt  |
      | undo --yes  |

  Scenario: a file that cannot be read whole is not written at all
    Given a plain folder
    And the steps
      """
      - {tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the stored content of "b.txt" in checkpoint 2 is damaged
    When I run "agents cat 2 b.txt --to copy"
    Then the exit code is 1
    And "ls" in the project prints
      """
      a.txt
      """

  Scenario: a terminal is shown text and nothing that it acts on
    Given a plain folder
    And the shell has run "printf 'tab\there\r\n' > text; printf 'a\033[31mb' > esc; printf 'a\377' > latin; truncate -s 5M large; ln -s text link" in the project
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents run ACTION"
    When I type on a terminal "agents cat 1 text"
    Then the exit code is 0
    And the output says "here"
    When I type on a terminal "agents cat 1 esc"
    Then the exit code is 4
    And the output says "agents cat cp1 esc --plan @"
    When I type on a terminal "agents cat 1 latin"
    Then the exit code is 4
    And the output says "latin is no text that a terminal shows"
    When I type on a terminal "agents cat 1 large"
    Then the exit code is 4
    And the output says "large is too large to be shown on a terminal: 5.0 MiB"
    When I type on a terminal "agents cat 1 link"
    Then the exit code is 0
    And the output says "link is a link; this is where it leads"

  Scenario: an ordinary user
    Given a plain folder
    And the shell has run "echo text > t" in the project
    And all of it is an ordinary user's
    And the steps
      """
      - {tool: write_file, with: {path: t, content: "new"}}
      """
    And an ordinary user has run "agents run ACTION"
    When an ordinary user runs "agents find t"
    Then the exit code is 0
    And the output says "modified"
    When an ordinary user runs "agents cat 1 t --to copy"
    Then the exit code is 0
