Feature: What an undo has taken, path by path
  An undo is remembered by the paths that it took of each difference, whatever was known then about whose they are.
  What stayed stands, and can be taken later.

  Background:
    Given the files
      | file | content |
      | a    | 0       |
      | b    | 0       |
    And I remember the files as "start"

  # --- Labels that change ------------------------------------------------------------------------

  Scenario: what was taken back during a call stays taken back when the call ends
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > a
      stop
      prompt two
      begin c2 Bash: sleep 100
      user: echo half > b
      """
    When I undo "--anyway --unclear take" here
    And this chat goes on
      """
      end c2 Bash
      stop
      user: echo mine > b
      """
    Then the preview of undo "-" tells
      | what  | told       |
      | title | t1         |
      | files | a restored |
    When I run "agents timeline"
    Then the output says "t2  just now [taken back]  two"
    When I undo here
    Then the files are as in "start" but for
      | file | content |
      | b    | mine    |
    When I redo here
    And I redo "--before b" here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | b    | half    |

  # --- Paths that stay ---------------------------------------------------------------------------

  Scenario: a path that the user keeps still stands, and is taken only when it is asked for
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > w
      stop
      prompt two
      call c2 Bash: echo 1 > a; echo 1 > b
      stop
      """
    When I run "agents undo --mine b --yes"
    Then the exit code is 0
    And the error says "agents undo    # takes back t1"
    When I run "agents timeline"
    Then the output says "[partly taken back]  two"
    And the output says "still there: 1 path: b"
    When I undo here
    Then the files are as in "start" but for
      | file | content |
      | b    | 1       |
    And there is nothing to undo
    When I undo "t2 --path b" here
    Then the files are as in "start"
    When I redo here
    And I redo here
    And I redo here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | b    | 1       |
      | w    | x       |

  Scenario: what is left of a turn goes without the path that the user keeps
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir d; echo 1 > d/a; echo 1 > d/b; echo 1 > a
      stop
      """
    When I undo "--path d --mine d/b" here
    And I undo here
    Then the files are as in "start" but for
      | file | content     |
      | d    | (directory) |
      | d/b  | 1           |
    When I undo "t1" here
    Then the files are as in "start"

  Scenario: a redo that leaves a path can be gone on with
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > w
      stop
      prompt two
      call c2 Bash: echo 1 > a; echo 1 > b
      stop
      """
    When I undo here
    And I undo here
    And I redo here
    And I redo "--mine b" here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | w    | 1       |
    When I run "agents timeline"
    Then the output says "[partly taken back]  two"
    When I redo here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | b    | 1       |
      | w    | 1       |
    And there is nothing to redo
    When I undo here
    And I undo here
    Then the files are as in "start"

  Scenario: what a redo has left comes after what was taken back before it
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > w
      stop
      prompt two
      call c2 Bash: echo 1 > a; echo 1 > b
      stop
      """
    When I undo "t1" here
    And I undo here
    And I redo "--mine b" here
    Then the preview of redo "-" tells
      | what  | told       |
      | files | w restored |
    When I redo here
    And I redo here
    Then there is nothing to redo
    And the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | b    | 1       |
      | w    | 1       |

  Scenario: a directory that went because it was asked for is not taken for the user's later one
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir n; echo x > n/a; echo 1 > a
      stop
      """
    When I undo "--path n" here
    And this chat goes on
      """
      user: mkdir n
      """
    And I undo here
    Then the files are as in "start" but for
      | file | content     |
      | n    | (directory) |

  Scenario: names that are no text
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > a; echo x > "$(printf 'n\377')"
      stop
      """
    When I undo "--path n*" here
    And this chat goes on
      """
      user: echo mine > "$(printf 'n\377')"
      """
    And I undo here
    And this chat goes on
      """
      user: rm "$(printf 'n\377')"
      """
    Then the files are as in "start"

  # --- Everything as it was ----------------------------------------------------------------------

  Scenario: with everything, all later turns are taken back too, and a redo brings them again
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > a
      stop
      prompt two
      call c2 Bash: echo 2 > a; echo 2 > b
      stop
      user: echo mine > c
      """
    When I run "agents undo t1 --everything --yes"
    Then the exit code is 0
    And the error does not say "agents undo "
    And the files are as in "start"
    And there is nothing to undo
    When I run "agents timeline"
    Then the output says "t2  just now [taken back]  two"
    When I redo here
    And I undo here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | c    | mine    |

  Scenario: with everything but some paths, of these all stands
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > a; echo 1 > b
      stop
      prompt two
      call c2 Bash: echo 2 > a; echo 2 > b
      stop
      """
    When I undo "t1 --everything --path a" here
    And I undo here
    Then the files are as in "start" but for
      | file | content |
      | b    | 1       |
    When I undo here
    Then the files are as in "start"
    And there is nothing to undo

  Scenario: with everything, also undos since then are taken back
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > a
      stop
      prompt two
      call c2 Bash: echo 2 > b
      stop
      """
    When I undo "t1" here
    And I undo "t2 --everything" here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
    When I undo here
    Then the files are as in "start"
    When I redo here
    And I redo here
    Then the files are as in "start" but for
      | file | content |
      | b    | 2       |
    When I redo here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
      | b    | 2       |

  Scenario: a path that is to be what it was is that for later turns, too
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > a
      stop
      prompt two
      call c2 Bash: echo 2 > a
      stop
      prompt three
      call c3 Bash: echo 3 > a; echo 3 > b
      stop
      """
    When I undo "t2 --before a" here
    And I undo here
    Then the files are as in "start" but for
      | file | content |
      | a    | 1       |
    When I undo here
    Then the files are as in "start"
    And there is nothing to undo

  Scenario: an undo of some paths that was recorded before there were parts
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir d; echo 1 > d/x; echo 1 > a
      stop
      """
    When I undo "--path d/x" here
    And the record of that undo is of the old form, within "d/x"
    Then the preview of undo "-" tells
      | what  | told       |
      | files | a restored |
    When I undo here
    Then the files are as in "start"
