Feature: Differences
  What a plan has changed is shown as a patch or as counts: since its start, since a checkpoint, or
  between two of them.

  Background:
    Given a git repository
    And the shell has run "seq 1 5 > five; printf '\\0bin' > bin; echo x > run; ln -s five link; echo k > keep; git add -A; git commit -qm more" in the project
    And the action
      """
      name: many kinds
      steps:
        - {name: first, tool: shell, with: {command: "echo 6 >> five; sed -i 1d five; rm a.txt; mkdir d; echo n > d/new; mkdir empty"}}
        - {name: second, tool: shell, with: {command: "printf '\\0other' > bin; chmod +x run; ln -sfn keep link; mkfifo pipe"}}
      """
    And I have run "agents run ACTION"

  Scenario: since the start, as a patch
    When I run "agents plan diff @"
    Then the exit code is 0
    And the output says
      """
      --- a/five
      +++ b/five
      @@ -1,5 +1,5 @@
      -1
      +6
      --- a/a.txt
      +++ /dev/null
      -one
      --- /dev/null
      +++ b/d/new
      +n
      modified: bin (not shown as text)
      modified: run (mode 100644 -> 100755)
      --- a/link
      -five
      +keep
      added: pipe (not shown as text)
      """
    And the output says "added: empty/ (an empty directory)"
    And the output does not say ".git"
    And the output does not say "d/ ("

  Scenario: what differs where no line does is told in a line of its own
    Given the steps
      """
      - {name: make, tool: shell, with: {command: "mkdir gone full; echo x > full/x; touch none; chmod 644 bin"}}
      - {name: change, tool: shell, with: {command: "rmdir gone; mkdir -p new/er; chmod 700 full; echo y > full/x; touch keep; chmod 755 bin; printf '\\0more' >> bin"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint diff @ 2 3"
    Then the output says
      """
      deleted: gone/ (an empty directory)
      added: new/er/ (an empty directory)
      modified: full/ (mode 40755 -> 40700)
      modified: keep (its time or attributes)
      modified: bin (not shown as text, mode 100644 -> 100755)
      """
    And the output does not say "new/ ("
    When I run "agents plan rollback @ 2 --dry-run"
    Then the output says
      """
      restored  full/
      restored  full/x
      removed   new/er/
      """
    And the output does not say "  new/ "
    When I run "agents plan diff --name-only"
    Then the output says "new/er/"
    When I run "agents plan diff"
    Then the output says "added: none (an empty file)"
    When I run "agents plan apply @ --dry-run"
    Then the output says "new/er/"
    And the output does not say "new/er/  +0 -0  executable"
    When I run "agents plan apply @ --dry-run --as branch"
    Then the output does not say "new/er/"

  Scenario: since the start, for programs
    When I run "agents plan diff --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan diff"
    And the data holds
      | field   | value                                                                        |
      | files.0 | {"path": "a.txt", "status": "deleted", "insertions": 0, "deletions": 1}      |
      | files.1 | {"path": "bin", "status": "modified", "insertions": 0, "deletions": 0}       |
      | files.2 | {"path": "d/new", "status": "added", "insertions": 1, "deletions": 0}        |
      | files.3 | {"path": "empty/", "status": "added", "insertions": 0, "deletions": 0}       |
      | files.4 | {"path": "five", "status": "modified", "insertions": 1, "deletions": 1}      |
      | files.5 | {"path": "link", "status": "modified", "insertions": 1, "deletions": 1}      |
      | files.6 | {"path": "pipe", "status": "added", "insertions": 0, "deletions": 0}         |
      | files.7 | {"path": "run", "status": "modified", "insertions": 0, "deletions": 0}       |
    And "data.files" counts 8
    And the data holds
      | field | value                                          |
      | total | {"files": 8, "insertions": 3, "deletions": 3} |

  Scenario: in colours the words that differ within a line stand out
    Given a plain folder
    And the shell has run "printf 'keep\nsay(one, two)\n-- old\nabc\nx1\nx2\n' > t" in the project
    And the steps
      """
      - {tool: write_file, with: {path: t, content: "keep\nsay(one, three)\n-- new\n123 456\nx1\n"}}
      """
    And I have run "agents run ACTION"
    And the variable FORCE_COLOR is "1"
    When I run "agents plan diff"
    Then the output is drawn as
      """
      [31m--- a/t[0m
      [32m+++ b/t[0m
      [36m@@ -1,6 +1,5 @@[0m
       keep
      [31m-[0m[31msay(one, [0m[7;31mtwo[0m[31m)[0m
      [31m-[0m[31m-- [0m[7;31mold[0m
      [31m-abc[0m
      [32m+[0m[32msay(one, [0m[7;32mthree[0m[32m)[0m
      [32m+[0m[32m-- [0m[7;32mnew[0m
      [32m+123 456[0m
       x1
      [31m-x2[0m
      """
    Given the variable NO_COLOR is "1"
    When I run "agents plan diff"
    Then the output says "+say(one, three)"

  Scenario: the words of a very long line are not compared
    Given a plain folder
    And the shell has run "(head -c 1100 /dev/zero | tr '\0' x; echo) > t" in the project
    And the steps
      """
      - {tool: shell, with: {command: "sed -i s/^x/y/ t"}}
      """
    And I have run "agents run ACTION"
    And the variable FORCE_COLOR is "1"
    When I run "agents plan diff"
    Then the output says "[31m-xxxxx"
    And the output does not say "[7;3"
    And the output does not say "[7;"

  Scenario: without any colour
    When I run "agents plan diff @ --format plain"
    Then the exit code is 0
    And the output says "+++ b/d/new"

  Scenario: as counts
    When I run "agents plan diff @ --stat"
    Then the exit code is 0
    And the output says "modified"
    And the output says "+1 -1"
    And the output says "8 paths, +3 -3"
    And the output does not say "@@"

  Scenario: between two checkpoints, and since one
    When I run "agents plan checkpoint diff @ 1 2 --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan checkpoint diff"
    And "data.files" counts 4
    When I run "agents plan checkpoint diff @ 2 1 --stat"
    Then the output says "added     +"
    And the output says "a.txt"
    When I run "agents plan checkpoint diff @ 2"
    Then the output says "+keep"
    And the output says "-five"
    When the plan's file "keep" is changed to "changed"
    And I run "agents plan checkpoint diff @ 3"
    Then the output says "-k"
    And the output says "+changed"

  Scenario Outline: files that a step made unreadable: agents <line>
    Given the steps
      """
      - {name: only, tool: shell, with: {command: "echo secret > five; chmod 000 five"}}
      """
    And I have run "agents run ACTION"
    When without the rights of root "agents <line>" is run
    Then the exit code is 0
    And the output says "<text>"

    Examples:
      | line          | text             |
      | plan status @ | execute/complete |
      | plan diff @   | +secret          |

  Scenario: nothing differs
    When I run "agents plan checkpoint diff @ 3 3"
    Then the exit code is 0
    And the output is empty
    And the error says "no file differs"
    When I run "agents plan checkpoint diff @ 3 4 --stat"
    Then the exit code is 0
    And the output is empty

  Scenario: a large file is counted, not shown
    Given the steps
      """
      - {name: large, tool: shell, with: {command: "yes | head -c 5000000 > large"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan diff @"
    Then the exit code is 0
    And the output says "added: large (not shown as text)"

  Scenario: what cannot be compared
    Given I have run "agents plan use ACTION"
    When I run "agents plan diff @"
    Then the exit code is 4
    And the error says "the plan has no sandbox yet"
    When I run "agents plan checkpoint diff @ 1"
    Then the exit code is 3

  Scenario Outline: a link to a name that is not UTF-8: agents <line>
    Given the steps
      """
      - {name: only, tool: shell, with: {command: "ln -s \"$(printf 'x\\377')\" odd"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    When I run "agents <line>"
    Then the exit code is 0

    Examples:
      | line          |
      | plan diff @   |
      | plan status @ |

  Scenario Outline: a change of line ends alone is shown: <what>
    Given the steps
      """
      - {name: only, tool: shell, with: {command: "<command>"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan diff @"
    Then the exit code is 0
    And the output does not say "(not shown as text)"

    Examples:
      | what                 | command                          |
      | the last line's      | printf k > keep                  |
      | from LF to CRLF      | sed -i 's/$/\\r/' five           |
