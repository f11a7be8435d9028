Feature: Undo where you chat
  A coding agent works in the user's own directory. What it changed is taken back by merge: whatever the user did
  stays, and what cannot be told apart is refused with nothing changed.

  Background:
    Given the files
      | file     | content                          |
      | a.txt    | 1\|2\|3\|4\|5\|6\|7\|8\|9        |
      | b.txt    | b                                |
      | gone.txt | doomed                           |
    And I remember the files as "start"

  # --- A turn ------------------------------------------------------------------------------------

  Scenario: what a shell command did goes back: a deletion, an overwrite, modes, links, directories, a FIFO
    Given this chat
      """
      prompt make a mess
      call c1 Bash: rm gone.txt; echo x > b.txt; chmod 600 a.txt; mkdir -p new/deep/empty; ln -s a.txt new/link; mkfifo new/pipe
      call c2 Bash: echo more > new/file; ln a.txt new/hard
      stop
      """
    Then the preview of undo "-" tells
      | what   | told        |
      | title  | t1          |
      | prompt | make a mess |
    When I undo here
    Then the files are as in "start"
    And there is nothing to undo

  Scenario: the user's edits stay: another file, other lines, a file in the agent's directory
    Given this chat
      """
      prompt edit
      call c1 Bash: sed -i 's/^2$/two/' a.txt; mkdir d; echo x > d/theirs
      stop
      user: sed -i 's/^8$/eight/' a.txt; echo mine > d/mine; echo mine > b.txt
      """
    Then the preview of undo "-" tells
      | what  | told                          |
      | files | a.txt merged, d/theirs removed |
    When I undo here
    Then the files are as in "start" but for
      | file   | content                       |
      | a.txt  | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | b.txt  | mine                          |
      | d      | (directory)                   |
      | d/mine | mine                          |

  Scenario: what the user did between prompt and call, and between turns, is theirs
    Given this chat
      """
      prompt one
      user: echo before > b.txt
      call c1 Bash: echo x > x
      stop
      user: echo between > c.txt
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I undo here
    And I undo here
    Then the files are as in "start" but for
      | file  | content |
      | b.txt | before  |
      | c.txt | between |
    And there is nothing to undo

  Scenario: a turn that changed nothing is passed over, and a prompt alone is nothing
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: true
      call c3 Bash: touch a.txt
      stop
      prompt three
      """
    When I undo here
    Then the files are as in "start"

  Scenario: nothing to take back is said, and where no chat was, that
    Given this chat
      """
      prompt one
      stop
      """
    Then there is nothing to undo

  Scenario: who was quicker has left nothing to do
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      """
    When two undos are asked for, and the one is done
    Then the other is refused, looked at or done, with "there is nothing to take back"
    And the files are as in "start"
    When two redos are asked for, and the one is done
    Then the other is refused, looked at or done, with "there is nothing to"

  Scenario Outline: an undo that meets the error <error> leaves everything as it was, and can be done later
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt; rm gone.txt; mkdir d; echo y > d/y
      stop
      """
    When I undo here and the <number>. change of a file fails with <error>
    Then it is refused, and no file has changed
    When I undo here
    Then the files are as in "start"

    Examples:
      | error  | number |
      | ENOSPC | 1      |
      | EROFS  | 3      |

  Scenario: an older turn goes while a later one stays
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt
      stop
      prompt two
      call c2 Bash: sed -i 's/^8$/eight/' a.txt; echo y > y
      stop
      """
    When I undo "t1" here
    Then the files are as in "start" but for
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | y     | y                             |
    When I undo here
    Then the files are as in "start"

  Scenario: a later turn that changed the same lines is named, with the way out
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt
      stop
      prompt two
      call c2 Bash: sed -i 's/^two$/TWO/' a.txt
      stop
      """
    When I undo "t1" here and it is refused
    Then it says "a.txt: t2 changed the same"
    And it says "agents undo --since t1"
    And the exit code of the refusal is 4
    When I undo "--since t1" here
    Then the files are as in "start"

  Scenario: where it is unclear who changed the same lines, the word that takes that too is named
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt
      user: sed -i 's/^3$/three/' a.txt
      call c2 Bash: true
      stop
      """
    When I undo here and it is refused
    Then it says "a.txt: it is unclear who changed the same"
    And it says "take that too: agents undo --unclear take"
    And it says nothing of "you changed"
    When I undo "--unclear take" here
    Then the files are as in "start"

  Scenario: where it is unclear who changed the same lines after another turn, that turn is named
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt
      stop
      prompt two
      call c2 Bash: echo x > b.txt
      user: sed -i 's/^3$/three/' a.txt
      call c3 Bash: true
      stop
      """
    When I undo "t1" here and it is refused
    Then it says "a.txt: it is unclear who changed the same"
    And it says "take that first: agents undo t2 --unclear take"

  Scenario: a redo that changed the same lines is named, with the way out
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt
      stop
      """
    When I undo here
    And this chat goes on
      """
      prompt two
      call c2 Bash: sed -i 's/^2$/zwei/' a.txt; echo x > x
      stop
      """
    And I redo "--before a.txt" here
    And I undo here and it is refused
    Then it says "a.txt: a redo of t1 changed the same"
    And it says "take that back first: agents undo t1"
    When I undo "t1" here
    And I undo here
    Then the files are as in "start"

  Scenario: one call, by its name or by its checkpoint
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      call c2 Bash: echo y > y
      stop
      """
    When I undo "t1.1" here
    Then the files are as in "start" but for
      | file | content |
      | y    | y       |
    When I redo here
    And I undo "cp3" here
    Then the files are as in "start" but for
      | file | content |
      | x    | x       |

  Scenario: everything since a checkpoint
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I undo "--since cp2" here
    Then the files are as in "start" but for
      | file | content |
      | x    | x       |

  Scenario Outline: <text> is refused: <why>
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I undo "<text>" here and it is refused
    Then it says "<why>"
    And the exit code of the refusal is <code>

    Examples:
      | text         | why                                              | code |
      | t7           | the chat has no turn t7                          | 3    |
      | cp9          | the chat has no checkpoint cp9                   | 3    |
      | cp1          | agents undo --since cp1                          | 3    |
      | x1           | is neither a turn nor a call nor a checkpoint    | 2    |
      | --since cp9  | the chat has no cp9                              | 3    |
      | t1.7         | the chat has no call t1.7; t1 has 1 call that may write | 3    |
      | --since t1.7 | the chat has no call t1.7                        | 3    |
      | --since nine | is neither a checkpoint nor a turn nor a call    | 2    |

  # --- Conflicts ---------------------------------------------------------------------------------

  Scenario Outline: the user changed the same: <how>
    Given this chat
      """
      prompt one
      call c1 Bash: <call>
      stop
      user: <user>
      """
    When I undo here and it is refused
    Then it says "<told>"
    And the exit code of the refusal is 4

    Examples:
      | how             | call                           | user                           | told                                              |
      | the same line   | sed -i 's/^2$/two/' a.txt      | sed -i 's/^two$/zwei/' a.txt   | a.txt: you changed the same or neighbouring lines |
      | the next line   | sed -i 's/^2$/two/' a.txt      | sed -i 's/^3$/drei/' a.txt     | a.txt: you changed the same or neighbouring lines |
      | it is gone      | echo x > b.txt                 | rm b.txt                       | b.txt: you deleted it                             |
      | a new file      | echo x > new                   | echo y > new                   | new: it was new, and you changed it               |
      | another mode    | chmod 600 b.txt                | chmod 755 b.txt                | b.txt: you changed its mode or attributes too     |
      | another kind    | echo x > b.txt                 | rm b.txt; mkdir b.txt          | b.txt: you made it a directory                    |
      | put back anew   | rm b.txt                       | echo mine > b.txt              | b.txt: there is one of yours in its place         |
      | a new directory | mkdir new; echo x > new/x      | chmod 711 new                  | new: you changed its mode or attributes; it was new |

  Scenario: of conflicts the user keeps theirs, or takes what was there before
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt; sed -i 's/^2$/two/' a.txt; rm gone.txt
      stop
      user: echo mine > b.txt; sed -i 's/^two$/zwei/' a.txt
      """
    When I undo "--mine b.txt" here and it is refused
    Then it says "--before a.txt"
    When I undo "--mine b.txt --before a.*" here
    Then the files are as in "start" but for
      | file  | content |
      | b.txt | mine    |

  Scenario Outline: the mode of a directory that both changed is kept or as before: <words>
    Given this chat
      """
      user: mkdir -m 755 d; echo mine > d/mine
      prompt one
      call c1 Bash: chmod 700 d; echo x > d/x; echo x > b.txt
      stop
      prompt two
      call c2 Bash: echo y > d/y
      stop
      user: chmod 711 d; echo more > d/mine
      """
    When I undo "t1" here and it is refused
    Then it says "d: you changed its mode or attributes too"
    And it says "keep yours: agents undo t1 --mine d"
    And it says nothing of "t2"
    When I undo "t1 <words>" here
    And this chat goes on
      """
      user: stat -c %a d > mode; ls d > names; rm -r d
      """
    Then the files are as in "start" but for
      | file  | content       |
      | mode  | <mode>        |
      | names | <names>       |
      | b.txt | <b>           |

    Examples:
      | words      | mode | names     | b |
      | --mine d   | 711  | mine\|x\|y | b |
      | --before d | 755  | mine\|y    | b |
      | --path d/x | 711  | mine\|y    | x |

  Scenario: a redo meets the mode of a directory that the user changed since
    Given this chat
      """
      user: mkdir -m 755 d; touch d/x
      prompt one
      call c1 Bash: chmod 700 d
      stop
      """
    When I undo here
    And the user runs "chmod 711 d"
    And I redo here and it is refused
    Then it says "d: it was changed since the undo"

  Scenario: what the user put into a directory stays when that is to be what it was
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir -p new/e/f; echo 1 > new/a; echo 1 > new/e/f/a; mkdir -p other/e
      stop
      user: echo mine > new/mine; echo 2 > new/a
      """
    When I run "agents undo --before new --before other --yes --format json"
    Then the exit code is 0
    And the data holds
      | field | value                                              |
      | kept  | [{"file": "new", "why": "it holds other files"}]   |
    And the files are as in "start" but for
      | file     | content     |
      | new      | (directory) |
      | new/mine | mine        |
    When I redo here
    Then the files are as in "start" but for
      | file      | content     |
      | new       | (directory) |
      | new/mine  | mine        |
      | new/a     | 2           |
      | new/e     | (directory) |
      | new/e/f   | (directory) |
      | new/e/f/a | 1           |
      | other     | (directory) |
      | other/e   | (directory) |

  Scenario: what the user put into a directory goes, and is told, where a file is to be there again
    Given this chat
      """
      prompt one
      call c1 Bash: rm b.txt; mkdir b.txt; echo x > b.txt/theirs
      stop
      user: mkdir b.txt/sub; echo mine > b.txt/sub/mine
      """
    Then the preview of undo "--before b.txt" tells
      | what  | told           |
      | users | b.txt/sub/mine |
    When I undo "--before b.txt --mine b.txt/sub" here and it is refused
    Then it says "--mine and --before both name b.txt/sub"
    When I undo "--before b.txt" here
    Then the files are as in "start"

  # --- Paths, everything -------------------------------------------------------------------------

  Scenario: single paths, and the rest afterwards
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt; rm gone.txt; mkdir -p d/e; echo x > d/e/f; echo y > d/g
      stop
      """
    When I undo "--path d/e --path b.*" here
    Then the files are as in "start" but for
      | file     | content     |
      | gone.txt | (gone)      |
      | d        | (directory) |
      | d/g      | y           |
    When I undo here
    Then the files are as in "start"
    And there is nothing to undo
    When I redo here
    And I redo here
    Then there is something to undo

  Scenario: everything, whoever changed it, is as it was when the turn began
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      user: echo mine > mine; rm gone.txt
      """
    Then the preview of undo "--everything" tells
      | what  | told                                              |
      | files | b.txt restored, gone.txt restored, mine removed   |
    When I undo "--everything" here
    Then the files are as in "start"
    When I redo here
    Then the files are as in "start" but for
      | file     | content |
      | b.txt    | x       |
      | mine     | mine    |
      | gone.txt | (gone)  |

  Scenario Outline: everything goes back to where that begins which is named: <words>
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > x
      user: echo mine > one
      call c2 Bash: echo 2 > x
      stop
      user: echo mine > three
      prompt two
      call c3 Bash: echo 3 > x
      stop
      user: echo mine > four; rm gone.txt
      """
    When I undo "<words> --everything" here
    Then the files are as in "start" but for
      | file  | content |
      | x     | <x>     |
      | one   | mine    |
      | three | <three> |

    Examples:
      | words        | x | three  |
      | t1.2         | 1 | (gone) |
      | cp4          | 1 | (gone) |
      | --since t1.2 | 1 | (gone) |
      | --since cp3  | 1 | (gone) |
      | --since cp4  | 2 | (gone) |
      | --since t2   | 2 | mine   |
      | t2.1         | 2 | mine   |

  Scenario: everything before a call is refused where nobody looked before it
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > x
      late c2 Bash: echo 2 > x
      stop
      """
    When I undo "t1.2 --everything" here and it is refused
    Then it says "nobody knows what was there when t1.2 began"
    When I undo "--everything" here
    Then the files are as in "start"

  Scenario: everything before a prompt is refused where the first look came after its first call
    Given this chat
      """
      prompt one
      stop
      late-prompt two
      late c1 Bash: echo x > x
      stop
      """
    When I undo "t2 --everything" here and it is refused
    Then it says "nobody knows what was there when the turn began"

  Scenario: a call and everything that the chat did after it
    Given this chat
      """
      prompt one
      call c1 Bash: echo 1 > x
      call c2 Bash: echo 2 > y
      stop
      prompt two
      call c3 Bash: echo 3 > z
      stop
      user: echo mine > mine
      """
    Then the preview of undo "--since t1.2" tells
      | what  | told                  |
      | title | everything since t1.2 |
    When I undo "--since t1.2" here
    Then the files are as in "start" but for
      | file | content |
      | x    | 1       |
      | mine | mine    |
    When I redo here
    And I undo here
    Then the files are as in "start" but for
      | file | content |
      | x    | 1       |
      | y    | 2       |
      | mine | mine    |
    When I undo "--since t1.2 --with-chat" here and it is refused
    Then it says "agents undo --since t1 --with-chat"

  Scenario: with everything only what goes is told, whoever it may be of
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      user: echo late > late.txt
      call c2 Bash: echo y > y
      stop
      user: echo mine > mine; echo other > other; echo back > b.txt
      """
    Then the preview of undo "--everything" tells
      | what    | told               |
      | unclear | late.txt           |
      | users   | b.txt, mine, other |
    And the preview of undo "--everything --path y --path mine" tells
      | what    | told |
      | unclear |      |
      | users   | mine |
    And the preview of undo "--everything --mine mine --mine late.txt" tells
      | what    | told         |
      | unclear |              |
      | users   | b.txt, other |
      | mine    | late.txt, mine |
    When I undo "--everything" here
    Then the files are as in "start"
    When I redo here
    And I undo "--unclear take" here and it is refused
    Then it says "b.txt: you changed the same or neighbouring lines"

  # --- Whose -------------------------------------------------------------------------------------

  Scenario: what a call left running may write after the turn: unclear, and gone if it is asked for
    Given this chat
      """
      prompt start a server
      call c1 Bash: echo x > b.txt; setsid sh -c 'until [ -e ../go ]; do sleep 0.02; done; echo late > late.txt; touch ../done' </dev/null >/dev/null 2>&1 &
      stop
      user: touch ../go; until [ -e ../done ]; do sleep 0.02; done
      """
    Then the preview of undo "-" tells
      | what    | told     |
      | unclear | late.txt |
    When I undo here
    Then the files are as in "start" but for
      | file     | content |
      | late.txt | late    |
    And there is nothing to undo
    When I redo here
    And I undo "--unclear take" here
    Then the files are as in "start"

  Scenario: a turn that only left something running is taken back by what that wrote
    Given this chat
      """
      prompt start a server
      call c1 Bash: setsid sh -c 'until [ -e ../go ]; do sleep 0.02; done; echo late > late.txt; touch ../done' </dev/null >/dev/null 2>&1 &
      stop
      user: touch ../go; until [ -e ../done ]; do sleep 0.02; done
      """
    When I undo "--unclear take" here
    Then the files are as in "start"
    And there is nothing to undo
    When I redo here
    Then the files are as in "start" but for
      | file     | content |
      | late.txt | late    |

  Scenario: a FIFO that an undo removed comes back with its mode
    Given this chat
      """
      prompt talk
      call c1 Bash: mkfifo pipe; chmod 640 pipe
      stop
      """
    And I remember the files as "piped"
    When I undo here
    Then the files are as in "start"
    When I redo here
    Then the files are as in "piped"

  Scenario: what changed between calls is unclear: it stays unless it is asked for
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      user: echo late > late.txt
      call c2 Bash: echo y > y
      stop
      """
    Then the preview of undo "-" tells
      | what    | told                 |
      | files   | x removed, y removed |
      | unclear | late.txt             |
    When I undo "--unclear take" here
    Then the files are as in "start"
    When I redo here
    And I undo "--unclear keep" here
    Then the files are as in "start" but for
      | file     | content |
      | late.txt | late    |

  Scenario: a call that names its paths writes no others
    Given this chat
      """
      prompt one
      begin c1 Write d/named.txt: d/named.txt
      user: mkdir d; echo x > d/named.txt; echo mine > mine.txt; echo mine > d/other.txt
      end c1 Write d/named.txt
      stop
      """
    Then the preview of undo "-" tells
      | what    | told                     |
      | files   | d/named.txt removed      |
      | unclear | d/other.txt, mine.txt    |
    When I undo here
    Then the files are as in "start" but for
      | file        | content     |
      | mine.txt    | mine        |
      | d           | (directory) |
      | d/other.txt | mine        |

  Scenario: calls side by side did it jointly
    Given this chat
      """
      prompt one
      begin c1 Bash: one
      begin c2 Bash: two
      user: echo x > x; echo y > y
      end c2 Bash
      end c1 Bash
      stop
      """
    Then the preview of undo "t1.1" tells
      | what  | told                 |
      | files | x removed, y removed |
      | joint | t1.2                 |
    When I undo "t1.2" here
    Then the files are as in "start"

  Scenario: two chats in one directory, each taken back by itself
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x; sed -i 's/^2$/two/' a.txt
      stop
      chat B
      prompt another
      call c1 Bash: echo y > y; sed -i 's/^8$/eight/' a.txt
      stop
      """
    When I undo "--chat A" here
    Then the files are as in "start" but for
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | y     | y                             |
    When I undo here
    Then the files are as in "start"
    When I redo "--chat A" here
    Then the files are as in "start" but for
      | file  | content                     |
      | a.txt | 1\|two\|3\|4\|5\|6\|7\|8\|9 |
      | x     | x                           |

  Scenario: another chat that changed the same is named
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      chat B
      prompt another
      call c1 Bash: echo y > b.txt
      stop
      """
    When I undo "--chat A" here and it is refused
    Then it says "b.txt: another chat's t1 changed the same"

  Scenario: what was not looked at in time before a call may be the user's, too
    Given this chat
      """
      prompt one
      late c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I undo here
    Then the preview of undo "-" tells
      | what    | told |
      | title   | t1   |
      | files   |      |
      | unclear | x    |
    And there is nothing to undo "--unclear keep"
    When I undo "--unclear take" here
    Then the files are as in "start"

  Scenario: what was looked at too late after a call may be the user's, too
    Given this chat
      """
      prompt one
      begin c1 Bash: echo x > x
      user: echo x > x
      user: echo mine > mine
      overdue-end c1 Bash
      stop
      """
    Then the preview of undo "-" tells
      | what    | told    |
      | title   | t1      |
      | files   |         |
      | unclear | mine, x |
      | notes   | nobody looked at the files in time after t1.1 (Bash echo x > x): what it changed and what you changed just after it cannot be told apart: mine, x |
    And there is nothing to undo "--unclear keep"
    When I undo "--unclear take" here
    Then the files are as in "start"

  Scenario: what was looked at too late at a prompt may be the agent's, too
    Given this chat
      """
      prompt one
      stop
      user: echo mine > mine
      overdue-prompt two
      late c1 Bash: echo x > x
      stop
      """
    Then the preview of undo "t2" tells
      | what    | told   |
      | files   |        |
      | unclear | mine, x |
      | notes   | nobody looked at the files in time before t2.1 (Bash echo x > x): what it changed and what you changed just before it cannot be told apart: mine, x |

  Scenario: what the first call did before its prompt had been looked at may be the agent's
    Given this chat
      """
      prompt one
      stop
      user: echo x > x
      overdue-prompt two
      late c1 Bash: true
      stop
      """
    Then the preview of undo "t2" tells
      | what    | told |
      | unclear | x    |

  Scenario: a client that died in a call leaves what may be the user's, too
    Given this chat
      """
      prompt one
      begin c1 Bash: something
      user: echo x > x
      leave
      """
    Then the preview of undo "-" tells
      | what    | told |
      | unclear | x    |

  Scenario: unclear paths that were left are not asked about again
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      user: echo late > late.txt
      stop
      prompt two
      call c2 Bash: echo y > y
      user: echo later > later.txt
      stop
      """
    When I undo here
    Then the preview of undo "-" tells
      | what    | told     |
      | title   | t1       |
      | unclear | late.txt |
    When I undo "t2 --unclear take" here
    Then the preview of undo "-" tells
      | what  | told |
      | title | t1   |

  # --- Redo --------------------------------------------------------------------------------------

  Scenario: a redo keeps what was edited since, and is refused where that is the same
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt; rm gone.txt
      stop
      """
    When I undo here
    Given this chat goes on
      """
      user: sed -i 's/^8$/eight/' a.txt
      """
    Then the preview of redo "-" tells
      | what  | told                           |
      | files | a.txt merged, gone.txt removed |
    When I redo here
    Then the files are as in "start" but for
      | file     | content                         |
      | a.txt    | 1\|two\|3\|4\|5\|6\|7\|eight\|9 |
      | gone.txt | (gone)                          |
    When I undo here
    Given this chat goes on
      """
      user: sed -i 's/^2$/zwei/' a.txt
      """
    When I redo here and it is refused
    Then it says "a.txt: it was changed since the undo"
    When I redo "--mine a.txt" here
    Then the files are as in "start" but for
      | file     | content                          |
      | a.txt    | 1\|zwei\|3\|4\|5\|6\|7\|eight\|9 |
      | gone.txt | (gone)                           |

  Scenario: undos are done again in the other order, and a new turn leaves them as they are
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    And I remember the files as "end"
    When I undo here
    And I undo here
    Then the files are as in "start"
    When I redo here
    Then the files are as in "start" but for
      | file | content |
      | x    | x       |
    When I redo here
    Then the files are as in "end"
    And there is nothing to redo

  # --- The agent is told, and calls under way ----------------------------------------------------

  Scenario: the next prompt tells the agent what the user took back, once
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I undo here
    Given this chat goes on
      """
      prompt two
      """
    Then the agent is told "the user took back changes of turn 1 to 1 path: x"
    Given this chat goes on
      """
      prompt three
      """
    Then the agent is told nothing

  Scenario: what the user took back and brought again is not told to the agent
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x; echo y > y
      stop
      """
    When I undo here
    And I redo here
    Given this chat goes on
      """
      prompt two
      """
    Then the agent is told nothing
    When I undo "t1" here
    And I redo here
    And I undo "t1 --path x" here
    Given this chat goes on
      """
      prompt three
      """
    Then the agent is told "the user took back changes of turn 1 to 1 path: x"

  Scenario: while a call is under way an undo is refused, unless the user insists
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: make something
      """
    When I undo here and it is refused
    Then it says "t1.2: a call of claude is under way: Bash make something"
    When I undo "--anyway" here
    Then the files are as in "start"

  Scenario: a call that was denied is not under way when the turn has ended
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: denied
      stop
      """
    When I undo here
    Then the files are as in "start"

  Scenario: what else changed during a call stays to be asked about when the call is taken back
    Given this chat
      """
      prompt one
      begin c1 Write named.txt: named.txt
      user: echo x > named.txt; echo mine > mine.txt
      end c1 Write named.txt
      stop
      """
    When I undo here
    And I undo "t1 --unclear take" here
    Then the files are as in "start"

  Scenario: another directory in its place is not touched
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      """
    And the project is another directory with the same files
    When I undo here and it is refused
    Then it says "it is another directory than the one that this chat was recorded in"

  Scenario: what was written anew gets the present time, or that of the checkpoint
    Given this chat
      """
      user: touch -d 2001-02-03 b.txt
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      """
    When I undo "--times" here
    Then "b.txt" is of the year 2001
    When I redo here
    And I undo here
    Then "b.txt" is not of the year 2001

  Scenario: what was not covered when the turn began is not taken for new, whatever is asked for
    Given the setting "chat.exclude" is "big"
    And this chat
      """
      user: echo big > big
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    And the setting "chat.exclude" is "nothing"
    And the chats go on in another process
    When I undo "--everything" here
    Then the files are as in "start" but for
      | file | content |
      | big  | big     |

  Scenario: everything is refused where nobody knows what was there when the turn began
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      late-prompt two
      """
    When I undo "t2 --everything" here and it is refused
    Then it says "nobody knows what was there when the turn began"

  Scenario: of everything, only the paths that are named go back, and those that are kept stay
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir src; echo x > src/a; echo x > b.txt
      stop
      user: echo mine > mine; mkdir docs; echo mine > docs/mine
      """
    And I remember the files as "end"
    When I undo "--everything --path src" here
    Then the files are as in "end" but for
      | file  | content |
      | src/a | (gone)  |
      | src   | (gone)  |
    When I redo here
    And I undo "--everything --mine mine --mine docs" here
    Then the files are as in "start" but for
      | file      | content     |
      | mine      | mine        |
      | docs      | (directory) |
      | docs/mine | mine        |

  Scenario: what may be the user's is asked about only where something is to be decided
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir sub; echo x > sub/x
      user: echo late > late.txt; echo late > sub/late
      call c2 Bash: echo y > y
      stop
      """
    Then the preview of undo "--path sub" tells
      | what    | told     |
      | unclear | sub/late |
    And the preview of undo "--everything" tells
      | what    | told               |
      | unclear | late.txt, sub/late |
    And the preview of undo "--mine late.txt --before sub/late" tells
      | what    | told |
      | unclear |      |

  Scenario: a redo leaves alone what the user keeps, though it could be done again
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x; echo y > y
      stop
      """
    When I undo here
    And I redo "--mine y" here
    Then the files are as in "start" but for
      | file | content |
      | x    | x       |

  Scenario: names of one file come back as separate files, and that is told
    Given the shell has run "ln b.txt twin" in the project
    And this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      """
    Then the preview of undo "-" tells
      | what  | told                                                    |
      | files | b.txt restored, twin restored                           |
      | notes | hard links come back as separate files: b.txt, twin     |
    When I undo here
    Then in the project "test $(cat b.txt)$(cat twin) = bb" holds
    And in the project "! test b.txt -ef twin" holds
