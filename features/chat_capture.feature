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

  Scenario Outline: a file that grows without pause is given up at once, and all else is captured: <how>
    Given a live directory that is <how>
    And the shell has run "echo one > a; echo old > log" in the live directory
    And the live directory has been captured
    When the live directory is captured while a process writes to "log", which has 40 MiB
    Then the capture has
      | path |
      | a    |
    And the capture leaves out
      | path | why                                |
      | log  | it keeps changing while it is read |
    And little of "log" was stored
    When the live directory is captured
    Then the capture holds "log" as it is
    And the capture leaves nothing out

    Examples:
      | how     |
      | scanned |
      | watched |

  Scenario Outline: a small log that is written to is captured as it was at some moment, or left out: <how>
    Given a live directory that is <how>
    And the shell has run "echo one > a" in the live directory
    When the live directory is captured 20 times while a process adds lines to "log"
    Then each of the captures has whole lines of "log", or lists it

    Examples:
      | how     |
      | scanned |
      | watched |

  Scenario Outline: directories that go, close or change in the middle of a look stop nothing: <how>
    Given a live directory that is <how>
    And it is an ordinary user's
    When at each moment of a capture, one after the other, something happens to what is captured
    Then every capture stood, and the next one found all that was there
    And what could not be read in the middle of it was listed

    Examples:
      | how     |
      | scanned |
      | watched |

  Scenario: directories nested too deep are left out from there on
    Given a live directory that is scanned
    And directories in it that are nested 203 deep with a file in each
    When the live directory is captured
    Then the capture leaves out only the directory at depth 202: directories are nested deeper than 200
    And the capture has the files of 201 directories

  @needs_root
  Scenario Outline: another file system is left out, and comes back when it goes: <how>
    Given a live directory that is <how>
    And the shell has run "mkdir -p d/m; echo under > d/m/under; echo one > d/a" in the live directory
    And the live directory has been captured
    When a file system is mounted at "d/m" in the live directory, with a file in it
    And the live directory is captured with a look at everything
    Then the capture has
      | path |
      | d    |
      | d/a  |
    And the capture leaves out
      | path | why                                  |
      | d/m  | another file system is mounted there |
    When it is unmounted again
    And the live directory is captured
    Then the capture has
      | path      |
      | d         |
      | d/a       |
      | d/m       |
      | d/m/under |

    Examples:
      | how     |
      | scanned |
      | watched |

  Scenario: more new files than the system can tell of are found all the same
    Given a live directory that is watched
    And the live directory has been captured
    When more files are made in it than the system can tell of
    And the live directory is captured
    Then all of them are in the capture
    When the shell runs "echo more > extra" in the live directory
    Then the next capture finds "extra" without a look at everything

  Scenario Outline: a capture is what a capture of the same tree is, but for what it lists: <how>, walk <seed>
    Given a live directory that is <how>
    And it is an ordinary user's
    When it is changed at random 40 times, closed here and there, and captured after every 4, walk <seed>
    Then every capture was what one that borrows finds, but for what it lists

    Examples:
      | how     | seed |
      | scanned | 1    |
      | scanned | 2    |
      | watched | 3    |
      | watched | 4    |

  Scenario Outline: what is left out may change, and what is known of the rest stays: <how>
    Given a live directory that is <how>
    And the shell has run "mkdir -p n/o; echo one > a; echo 1 > n/o/1; echo 2 > n/2" in the live directory
    And the live directory has been captured
    When "n/o" are left out of it
    And the live directory is captured
    Then the capture has
      | path |
      | a    |
      | n    |
      | n/2  |
    And only what changed was read
    When "n/2" are left out of it
    And the shell runs "echo new > n/o/new" in the live directory
    And the live directory is captured
    Then the capture has
      | path    |
      | a       |
      | n       |
      | n/o     |
      | n/o/1   |
      | n/o/new |
    When the shell runs "echo newer > n/o/newer" in the live directory
    And the live directory is captured
    Then the capture has "newer\n" in "n/o/newer"

    Examples:
      | how                |
      | scanned with trust |
      | watched with trust |

  Scenario: another process reads only what changed
    Given a live directory that is scanned with trust
    And the shell has run "mkdir d; echo one > a; echo two > d/b; echo three > d/c" in the live directory
    And the live directory has been captured
    When another process goes on with it
    And the shell runs "echo four > d/b" in the live directory
    And "d/c" are left out of it
    And the live directory is captured
    Then the capture has
      | path |
      | a    |
      | d    |
      | d/b  |
    And the capture has "four\n" in "d/b"
    And "a" was not read for it
    And nothing lies beside the live directory but the store
    When what is known of it is let go while somebody else keeps it
    Then it was not kept again

  Scenario: what is known is kept at the first capture, and when nobody follows it any more
    Given a live directory that is scanned with trust
    And the shell has run "echo one > a; echo two > b" in the live directory
    And the live directory has been captured
    When the shell runs "echo three > b" in the live directory
    And the live directory is captured
    And the process that captured it ends
    And the shell runs "echo four > c" in the live directory
    And the live directory is captured
    Then the last capture has stored four and neither "one" nor "three"
    When the process that captured it is killed
    And the live directory is captured
    Then the last capture has stored nothing and neither "one" nor "three"
    When all that is kept of it is gone
    Then nobody minds that the process ends

  Scenario: too much that is new is told before it is read
    Given a live directory that is scanned
    And one look at it may take in 3 new files of 100 bytes
    And the shell has run "for name in 1 2 3 4 5; do echo $name > $name; done" in the live directory
    And the live directory has been captured
    When the shell runs "mkdir m; for name in 1 2 3 4; do echo $name > m/$name; done" in the live directory
    Then to capture it takes in too much
    When "m" are left out of it
    And the live directory is captured
    Then the capture has
      | path |
      | 1    |
      | 2    |
      | 3    |
      | 4    |
      | 5    |
    When the shell runs "head -c 101 /dev/zero > 6" in the live directory
    Then to capture it takes in too much
    When one look at it may take in 1 new files of 101 bytes
    And the shell runs "echo 7 > 1; rm 2 3 4 5" in the live directory
    And the live directory is captured
    Then the capture has
      | path |
      | 1    |
      | 6    |

  Scenario: a file that is too large is left out until it is not
    Given a live directory that is watched
    And a file in it may have 10 bytes
    And the shell has run "echo small > a; echo small > b" in the live directory
    And the live directory has been captured
    When the shell runs "echo no longer small > b" in the live directory
    And the live directory is captured
    Then the capture has
      | path |
      | a    |
    And the capture leaves out
      | path | why                     |
      | b    | it is larger than 10 B  |
    When the shell runs "echo again > b" in the live directory
    And the live directory is captured
    Then the capture has "again\n" in "b"
    And the capture leaves nothing out

  Scenario: a merge leaves alone what a snapshot could not capture
    Given a live directory that is scanned
    And the shell has run "echo one > a; mkdir d; echo two > d/b; echo three > c" in the live directory
    And it is an ordinary user's
    And the live directory has been captured
    When the shell runs "chmod 000 a d; echo four > c" in the live directory
    And the live directory is captured
    Then to go from the first capture to the latest changes "c" in the first and nothing else
    And to go back changes "c" in the latest and nothing else
    And the latest says of "d/b" "no permission to read it" and of "c" nothing

  Scenario: a look that stores nothing sees what a capture would, and changes no mode to read it
    Given a live directory that is scanned
    And the shell has run "echo one > a; ln -s a link; echo two > b; chmod 000 b" in the live directory
    And it is an ordinary user's
    When the live directory is looked at
    Then the look is what a capture finds, and nothing of it is stored
    And the look reads "one" in "a" and "a" in "link"
    When the shell runs "chmod 000 a" in the live directory
    Then to read "a" of the look fails, and its mode stays

  Scenario Outline: what the store cannot take stops the capture: <how>
    Given a live directory that is <how>
    And the shell has run "echo one > a" in the live directory
    And the live directory has been captured
    When the shell runs "echo two > b" in the live directory
    Then a capture fails if the store has no space
    When the live directory is captured
    Then the capture has "two\n" in "b"

    Examples:
      | how     |
      | scanned |
      | watched |

  Scenario: a directory of which one name cannot be looked at is looked at name by name
    Given a live directory that is scanned
    And the shell has run "mkdir d; echo one > a; echo two > d/b" in the live directory
    And the live directory has been captured
    When the shell runs "echo three > d/c" in the live directory
    And the live directory is captured where looks at whole directories fail
    Then the capture has
      | path |
      | a    |
      | d    |
      | d/b  |
      | d/c  |
    And the capture leaves nothing out

  Scenario: to forget paths drops what is known of the live directory
    Given a live directory that is scanned
    And the shell has run "echo one > a" in the live directory
    And the live directory has been captured
    When another process goes on with it
    And the live directory is captured
    And the path "a" is erased from all captures
    Then nothing is known of the live directory any more
    And the latest capture says of "a" "it was forgotten"

  Scenario: a filter that names single paths names these alone
    Then a filter without each of 3000 random paths leaves out these alone
