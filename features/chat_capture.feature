Feature: Captures of the user's own directory
  An agent works where the user works. Whatever stands or happens in that directory, a capture of it
  is good for all the rest: a path that cannot be taken is left out, listed with the reason, and
  left alone by everybody who goes by the snapshot.

  Scenario Outline: everything but repositories and sockets is captured: <how>
    Given a live directory that is <how>
    And the shell has run "mkdir -p d/empty sub; echo one > a; ln -s a link; mkfifo pipe; chmod 750 d" in the live directory
    And the shell has run "git init -q .; git init -q sub; echo two > sub/b; mkdir -p d/.hg d/.svn d/e; echo x > d/.hg/x; echo gitdir > d/e/.git; mkdir .jj; mkdir .cleveragents-new; echo y > .cleveragents-new/y; echo z > sub/.cleveragents-z" in the live directory
    And a socket and a device in it
    When the live directory is captured
    Then the capture has
      | path    |
      | a       |
      | d       |
      | d/e     |
      | d/empty |
      | link    |
      | pipe    |
      | sub     |
      | sub/b   |
    And the capture leaves out
      | path   | why                         |
      | socket | a socket cannot be restored |
      | device | a device cannot be restored |
    And it covers "a, d/e/new, gone" and not ".git, sub/.git/HEAD, d/e/.git, .jj, .cleveragents-new/y, sub/.cleveragents-z"
    And nothing lies beside the live directory but the store

    Examples:
      | how     |
      | scanned |
      | watched |

  Scenario Outline: what may not be read is left out, and nothing is borrowed for it: <how>
    Given a live directory that is <how>
    And the shell has run "mkdir -p closed/in listed; echo one > a; echo secret > b; echo c > closed/in/c; echo d > listed/d; chmod 000 b closed; chmod 600 listed" in the live directory
    And it is an ordinary user's
    When a moment passes
    And the live directory is captured
    Then the capture has
      | path |
      | a    |
    And the capture leaves out
      | path   | why                      |
      | b      | no permission to read it |
      | closed | no permission to read it |
      | listed | no permission to read it |
    And it covers "a" and not "b, closed/in/c, listed/d"
    And no mode of it was changed
    When the shell runs "chmod 700 closed; chmod 600 b; rm -r listed" in the live directory
    And the live directory is captured
    Then the capture has
      | path        |
      | a           |
      | b           |
      | closed      |
      | closed/in   |
      | closed/in/c |
    And the capture leaves nothing out

    Examples:
      | how     |
      | scanned |
      | watched |
