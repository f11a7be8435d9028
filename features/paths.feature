Feature: Paths of the file tools
  A file tool reaches what lies in the sandbox and nothing else, whatever its path says and whoever
  swaps links meanwhile.

  Background:
    Given a folder "box" with the file "a" in a directory "d", beside "outside" and "box-evil"

  Scenario Outline: T3 a path that leaves the folder is refused: <path>
    When every file tool is called with the path "<path>"
    Then every call was refused
    And nothing inside or outside has changed

    Examples:
      | path                    |
      | /etc/hostname           |
      | BOX/d/a                 |
      | ..                      |
      | ../outside/secret       |
      | d/../../outside/secret  |
      | d/../d/a                |
      | ../box-evil/secret      |
      | .                       |
      | ./d/a                   |
      | d//a                    |
      | d/a/                    |
      | d/.                     |
      | d/a\0                   |
      | \0                      |
      | EMPTY                   |

  Scenario Outline: T1 a link is not followed: <path>
    Given the link "<link>" in the folder leads to "<target>"
    When every file tool is called with the path "<path>"
    Then every call was refused
    And nothing inside or outside has changed

    Examples: linked directories
      | link    | target          | path              |
      | out     | ../outside      | out/secret        |
      | out     | ../outside      | out/new           |
      | out     | ../outside      | out/deep/er/new   |
      | d/out   | ../../outside   | d/out/secret      |
      | in      | d               | in/a              |
      | abs     | OUTSIDE         | abs/secret        |
      | dots    | ..              | dots/outside/secret |
      | loop    | loop            | loop/x            |
      | nowhere | /no/such/folder | nowhere/x         |
      | file    | d/a             | file/x            |

  Scenario Outline: T1 a linked file is neither read nor written through: <target>
    Given the link "link" in the folder leads to "<target>"
    When the file tools read, write and edit "link"
    Then every call was refused
    And nothing inside or outside has changed

    Examples:
      | target             |
      | ../outside/secret  |
      | OUTSIDE/secret     |
      | ../outside/new     |
      | d/a                |
      | /proc/self/environ |
      | /dev/zero          |
      | /dev/stdin         |

  Scenario: a link itself can be deleted and moved, what it leads to stays
    Given the link "one" in the folder leads to "../outside/secret"
    And the link "two" in the folder leads to "../outside"
    When the file tools delete "one" and move "two" to "d/three"
    Then nothing outside has changed
    And the folder has the links "d/three"

  Scenario: T5 a hard link to a file outside is not written through
    Given the hard link "link" in the folder shares "../outside/secret"
    When the file tools write "changed" to "link"
    Then nothing outside has changed
    And "link" in the folder says "changed"

  Scenario Outline: T7 <kind> fails, and nobody waits for it
    Given <kind> "odd" in the folder
    When the file tools read, write and edit "odd"
    Then every call failed
    And nothing inside or outside has changed
    And no descriptor was left open

    Examples:
      | kind        |
      | a fifo      |
      | a socket    |
      | a directory |

    @needs_root
    Examples: devices
      | kind        |
      | a device    |

  Scenario: what is moved does not replace anything
    When the file tools move "d/a" to "d/b"
    Then every call was refused
    And nothing inside or outside has changed

  Scenario: missing directories are made, and a mode stays
    Given "d/a" in the folder has the mode 751
    When the file tools write "new" to "d/a"
    And the file tools write "new" to "x/y/z"
    Then "d/a" in the folder says "new"
    And "x/y/z" in the folder says "new"
    And "d/a" in the folder still has the mode 751

  @needs_root
  Scenario: a write that fails leaves nothing half-done
    Given a file system of 1m is the folder
    When the file tools write 2000000 bytes to "big"
    Then every call failed
    And the folder is empty

  Scenario Outline: T2 a directory swapped for a link meanwhile is never followed: <tool>
    Given the link "link" in the folder leads to "../outside"
    When a thread keeps swapping "d" and "link" while the file tools <tool> 2000 times
    Then nothing outside has changed
    And some calls were refused and some succeeded

    Examples:
      | tool               |
      | write "d/new"      |
      | write "d/sub/new"  |
      | read "d/a"         |
      | delete "d/a"       |
      | move "b" to "d/b2" |

  Scenario Outline: a plan's step that leaves the sandbox fails: <tool>
    Given a git repository
    And the shell has run "ln -s ../../../../outside/secret link; ln -s ../../../../outside out" in the project
    When a plan tries the tool <tool> with <input>
    Then the step failed with "<told>"
    And nothing inside or outside has changed

    Examples:
      | tool        | input                                                                                 | told                     |
      | write_file  | {"path": "../x", "content": "x"}                                                      | not a path inside        |
      | write_file  | {"path": "out/new", "content": "x"}                                                   | none is followed         |
      | write_file  | {"path": "link", "content": "x"}                                                      | none is followed         |
      | edit_file   | {"path": "link", "old": "s", "new": "x"}                                              | none is followed         |
      | read_file   | {"path": "link"}                                                                      | none is followed         |
      | delete_file | {"path": "out/secret"}                                                                | none is followed         |
      | move_file   | {"source": "out/secret", "target": "b"}                                               | none is followed         |
      | move_file   | {"source": "a.txt", "target": "../../../../outside/b"}                                   | not a path inside        |
      | apply_patch | {"patch": "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"}                           | invalid path             |
      | apply_patch | {"patch": "--- /dev/null\n+++ b/out/new\n@@ -0,0 +1 @@\n+x\n"}                        | beyond a symbolic link   |
      | apply_patch | {"patch": "--- a/out/secret\n+++ b/out/secret\n@@ -1 +1 @@\n-secret\n+x\n"}           | beyond a symbolic link   |
