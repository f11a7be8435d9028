Feature: Undo, redo and the timeline of chats on the command line
  `agents undo` takes back the newest act here, be it on a plan or an agent's in a chat. It says first which it
  is, shows what would change, and asks; what may be the user's own is asked about apart.

  Background:
    Given the files
      | file     | content                   |
      | a.txt    | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt    | b                         |
    And I remember the files as "start"

  # --- What is shown, and what programs are told --------------------------------------------------

  Scenario: a turn is shown first, then taken back, then done again
    Given this chat
      """
      prompt make a mess of all that there is in this directory, and then tell me what it was like
      call c1 Bash: rm b.txt; sed -i 's/^2$/two/' a.txt; echo x > x
      stop
      user: sed -i 's/^8$/eight/' a.txt
      """
    And I remember the files as "end"
    When I run "agents undo --dry-run"
    Then the exit code is 0
    And the output says
      """
      undo of t1: "make a mess of all that there is in this directory, and the…" (chat of claude,
      merged    a.txt
      restored  b.txt
      removed   x
      """
    And the error says "dry run: nothing was changed"
    And the files are as in "end"
    When I run "agents undo"
    Then the exit code is 2
    And the error says "undo of t1"
    And the error says "confirm it: agents undo --yes"
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And the keys of "data" are "kind, chat, client, turn, call, taken_back, kept, conflicts, not_covered, unclear, safety, operation, redo, conversation"
    And the data holds
      | field        | value                                 |
      | kind         | "chat"                                |
      | client       | "claude"                              |
      | turn         | "t1"                                  |
      | call         | null                                  |
      | taken_back.0 | {"file": "a.txt", "action": "merged"} |
      | taken_back.2 | {"file": "x", "action": "removed"}    |
      | kept         | []                                    |
      | conflicts    | []                                    |
      | redo         | "agents redo"                         |
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "there is nothing to take back"
    And the data holds
      | field | value |
      | turn  | null  |
    When I run "agents op log --format json"
    Then the exit code is 0
    And the data holds
      | field        | value    |
      | acts.0.state | "undone" |
      | next_undo    | null     |
    When I run "agents redo"
    Then the exit code is 2
    And the error says "redo of t1"
    When I run "agents redo --yes"
    Then the exit code is 0
    And the output says "Done again"
    And the error says "agents undo    # takes it back again"
    And the files are as in "end"
    When I run "agents redo --yes"
    Then the exit code is 0
    And the error says "there is nothing to do again"

  Scenario: a directory of the agent that holds a file of the user stays, and that is told
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir -p d/e f; echo x > d/x; echo y > f/y
      stop
      prompt two
      call c2 Bash: chmod 700 d
      stop
      user: echo mine > d/e/mine
      """
    When I run "agents undo --since t1 --dry-run --format json"
    Then the data holds
      | field | value                                                                                         |
      | kept  | [{"file": "d", "why": "it holds other files"}, {"file": "d/e", "why": "it holds other files"}] |
    When I run "agents undo --since t1 --yes"
    Then the exit code is 0
    And the error says "kept, because it holds other files: d/e"
    And the error does not say "other files: f"
    When I run "agents redo --yes --format json"
    Then the data holds
      | field | value |
      | kept  | []    |

  Scenario: one call, a path of it, and the way back
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      call c2 Bash: echo y > y; echo z > z
      stop
      """
    When I run "agents undo t1.2 --path y --format json --dry-run"
    Then the exit code is 0
    And the data holds
      | field             | value                              |
      | call              | "t1.2"                             |
      | taken_back.0.file | "y"                                |
      | prompt            | "one"                              |
      | counts.files      | 1                                  |
      | moving            | false                              |
      | operation         | null                               |
    When I run "agents undo t1.2 --path y --yes"
    Then the exit code is 0
    And the error says "agents undo    # takes back the rest of t1"
    When I run "agents undo t1.2 --path y --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: t1.2 left nothing here that is still so"
    When I run "agents undo 1 --times --yes"
    Then the exit code is 0
    And the files are as in "start"

  Scenario: what stands in the way is shown with the ways out, and nothing is changed
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^2$/two/' a.txt; echo x > b.txt
      stop
      user: sed -i 's/^two$/zwei/' a.txt
      """
    And I remember the files as "end"
    When I run "agents undo --dry-run"
    Then the exit code is 4
    And the output says
      """
      In the way
      a.txt  you changed the same or neighbouring lines
      """
    And the error says "--mine a.txt"
    When I run "agents undo --dry-run --format json"
    Then the exit code is 4
    And the data holds
      | field       | value                                                                    |
      | conflicts.0 | {"file": "a.txt", "reason": "you changed the same or neighbouring lines"} |
    When I run "agents undo"
    Then the exit code is 4
    And the files are as in "end"
    When I run "agents undo --mine a.* --dry-run"
    Then the exit code is 0
    And the output says "Left as you have it"
    When I run "agents undo --mine a.txt --yes --format json"
    Then the exit code is 0
    And the data holds
      | field | value                                             |
      | kept  | [{"file": "a.txt", "why": "left as you have it"}] |
    And the files are as in "end" but for
      | file  | content |
      | b.txt | b       |

  Scenario: what goes with everything is named apart
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt
      stop
      user: echo mine > mine
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I run "agents undo t1 --everything --dry-run"
    Then the exit code is 0
    And the output says
      """
      Your own changes, which go too
      mine
      """
    And the error says "agents undo t1 --everything"
    When I run "agents undo t1 --everything --yes"
    Then the exit code is 0
    And the files are as in "start"

  Scenario: many paths are counted, calls side by side are named
    Given this chat
      """
      prompt one
      begin c1 Bash: one
      begin c2 Bash: two
      user: for i in $(seq 30); do echo $i > f$i; done
      end c2 Bash
      end c1 Bash
      user: for i in $(seq 25); do echo $i > mine$i; done
      call c3 Bash: true
      stop
      """
    When I run "agents undo t1.1 --dry-run"
    Then the exit code is 0
    And the output says
      """
      and 10 more
      done jointly, so that it goes as well: t1.2
      """
    When I run "agents undo t1 --dry-run"
    Then the output says "and 5 more"
    When I run "agents undo t1.3 --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: t1.3 left nothing here that is still so"
    When I run "agents timeline"
    Then the output says "changed 30 paths: f1, f10, f11, f12, f13 and 25 more (jointly with t1.2)"

  Scenario: a path that nobody covers any more is left alone, and told
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x; echo y > y
      stop
      """
    When I run "agents undo --dry-run --set chat.exclude=[\"x\"]"
    Then the exit code is 0
    And the output says
      """
      Not covered, not taken back
      x
      """

  Scenario: a file that is too large is named where the agent overwrote or removed it, and whatever else is left out
    Given the setting "chat.max-file" is "1 KiB"
    And the setting "chat.exclude" is "secret"
    And the chats go on in another process
    And the shell has run "for n in 1 2 3; do head -c 2000 /dev/zero > big$n; done; echo s > secret; echo s > small" in the project
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x; rm big1; echo now > big2; head -c 3000 /dev/zero > small; head -c 3000 /dev/zero > new
      stop
      """
    When I run "agents undo --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field         | value                                                     |
      | taken_back    | [{"file": "x", "action": "removed"}]                      |
      | not_covered.0 | {"file": "big1", "why": "deleted, and it was not stored before (it is larger than 1.0 KiB): it cannot be brought back"} |
      | not_covered.1 | {"file": "big2", "why": "overwritten, and it was not stored before (it is larger than 1.0 KiB): what it was is not known"} |
      | not_covered.2 | {"file": "new", "why": "new, and left here (it is larger than 1.0 KiB)"} |
      | not_covered.3.file | "small"                                              |
      | not_covered.4 | {"file": "big3", "why": "larger than 1.0 KiB"}              |
      | not_covered.5 | {"file": "secret", "why": "chat.exclude names it"}        |
      | counts.not_covered | 6                                                    |
    When I run "agents undo --dry-run"
    Then the output says
      """
      big1   deleted, and it was not stored before (it is larger than 1.0 KiB): it
      """
    And the output says "changed, and left as it is (it is larger than 1.0 KiB)"
    When I run "agents undo --dry-run --path small --path x"
    Then the exit code is 0
    And the output does not say "changed nothing at"
    When I run "agents undo t1 --dry-run --path small"
    Then the output says "changed, and left as it is (it is larger than 1.0 KiB)"
    And the error does not say "changed nothing at"
    When I run "agents undo t1 --path small --yes"
    Then the error says "nothing to take back: what t1 left here is not covered"
    And the command that the undo names gives "small" back as "s"
    When I run "agents find small"
    Then the output says "not covered"
    And the output does not say "deleted"
    When I run "agents timeline"
    Then the output says "not covered: 4 paths: big1, big2, new, small"
    When I run "agents undo --dry-run"
    Then the output says "Left out here, so that no undo touches it"
    And the output says
      """
      big3    larger than 1.0 KiB
      secret  chat.exclude names it
      """
    And the output says "how much the limits leave out: agents protect --check"
    When I run "agents undo --dry-run --path x --format json"
    Then the data holds
      | field              | value |
      | counts.files       | 1     |
    When I run "agents undo --yes --format json"
    Then the data holds
      | field              | value  |
      | not_covered.0.file | "big1" |
    When I run "agents redo --dry-run --format json"
    Then the data holds
      | field              | value  |
      | not_covered.5.file | "small" |

  Scenario: what the project's own settings leave out is told as theirs
    Given the project's settings
      """
      chat.exclude = ["*.log"]
      """
    And the chats go on in another process
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x; echo y > y.log
      stop
      """
    When I run "agents undo --dry-run --set chat.exclude=own"
    Then the exit code is 0
    And the output says "*.log  chat.exclude names it, in the project's own settings"

  Scenario: a directory with the user's own files stays, and that is told
    Given this chat
      """
      prompt one
      call c1 Bash: mkdir d; echo x > d/x
      stop
      user: echo mine > d/secret
      """
    When I run "agents undo --yes --format json --set chat.exclude=[\"d/secret\"]"
    Then the exit code is 0
    And a message is "kept, because it holds other files: d"
    And the data holds
      | field | value                                           |
      | kept  | [{"file": "d", "why": "it holds other files"}]  |
    And the files are as in "start" but for
      | file     | content     |
      | d        | (directory) |
      | d/secret | mine        |

  Scenario: a redo of several turns says so
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
    When I run "agents undo --since t1 --yes"
    Then the output says "undo of everything since t1"
    When I run "agents redo --yes"
    Then the output says "redo of everything since t1"
    And the files are as in "end"

  Scenario: what two chats did together is told with the other's name and client
    Given this chat
      """
      prompt one
      begin c1 Bash: echo x > x
      user: echo x > x
      chat B
      prompt beside
      begin c1 Bash: true
      user: echo y > y
      end c1 Bash
      chat A
      end c1 Bash
      stop
      """
    When I run "agents timeline --format plain"
    Then the output says "(jointly with t1.1 of another chat (claude))"

  Scenario: the timeline names the command that takes back a turn, also after an act on a plan
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents timeline"
    Then the error says "agents undo    # takes back the last turn that changed something"
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents timeline"
    Then the error does not say "agents undo    #"
    And the error says "agents undo --chat "
    And the error says "    # takes back the last turn that changed something"

  # --- Questions ---------------------------------------------------------------------------------

  Scenario: a terminal is asked, once about what may be the user's, and no is no
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      user: echo late > late.txt
      call c2 Bash: echo y > y
      stop
      """
    And I remember the files as "end"
    When I type on a terminal "agents undo"
      | question                             | answer |
      | Take these of t1 back as well? [y/N]       | n      |
      | Take it back? [y/N]                  | n      |
    Then the exit code is 1
    And the output says "declined; nothing was changed"
    And the output does not say "error:"
    And the files are as in "end"
    When I type on a terminal "agents undo"
      | question                             | answer |
      | Take these of t1 back as well? [y/N]       | y      |
      | Take it back? [y/N]                  | y      |
    Then the exit code is 0
    And the output says "(goes too)"
    And the files are as in "start"
    When I run "agents redo --yes"
    And I run "agents undo --yes"
    Then the error says "agents undo t1 --unclear take    # takes what is unclear too"
    When I run "agents undo t1 --unclear take --yes"
    Then the exit code is 0
    And the files are as in "start"
    When I run "agents redo --yes"
    And I run "agents redo --yes"
    And I run "agents undo --yes --format json"
    Then the data holds
      | field   | value                                                        |
      | unclear | ["late.txt"]                                                 |
      | kept.0  | {"file": "late.txt", "why": "it is unclear whose it is"}     |
    And the files are as in "start" but for
      | file     | content |
      | late.txt | late    |

  Scenario: where all of a turn is unclear and that stays, there is nothing to take back
    Given this chat
      """
      prompt one
      begin c1 Write named.txt: named.txt
      user: echo mine > mine.txt
      end c1 Write named.txt
      stop
      """
    When I type on a terminal "agents undo t1"
      | question                       | answer |
      | Take these of t1 back as well? [y/N] | n      |
    Then the exit code is 0
    And the output says "nothing was taken back: what t1 left here may be yours"
    When I run "agents undo --unclear take --yes"
    Then the exit code is 0
    And the files are as in "start"

  Scenario: a state that was not looked at in time is asked about
    Given this chat
      """
      prompt one
      late c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --unclear take --dry-run"
    Then the exit code is 0
    When I type on a terminal "agents undo"
      | question                             | answer |
      | Take these of t1 back as well? [y/N]       | y      |
      | Take them back all the same? [y/N]   | y      |
      | Take it back? [y/N]                  | y      |
    Then the exit code is 0
    And the files are as in "start"

  Scenario: a call that is under way is refused without a terminal, and asked about on one
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: make something
      """
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "t1.2: a call of claude is under way: Bash make something"
    When I run "agents undo --dry-run"
    Then the exit code is 4
    And the error says "wait for it, or do it all the same: --anyway"
    When I type on a terminal "agents undo"
      | question                  | answer |
      | Go on all the same? [y/N] | n      |
    Then the exit code is 1
    When I type on a terminal "agents undo"
      | question                  | answer |
      | Go on all the same? [y/N] | y      |
      | Take it back? [y/N]       | y      |
    Then the exit code is 0
    And the output says "t1.2 is under way for "
    And the files are as in "start"

  Scenario Outline: from inside an agent's call <option> is refused
    Given the client of this chat has started us
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: agents undo
      """
    When I run "agents undo <option> --yes"
    Then the exit code is 4
    And the error says "--anyway and --everything are for people"
    And the error says "agents undo <option> --dry-run"
    When I run "agents undo <option> --dry-run"
    Then the error says "dry run: nothing was changed"
    When a process of its own runs "agents undo <option> --yes"
    Then the exit code is 4
    Given this chat goes on
      """
      end c2 Bash
      """
    When I run "agents undo <option> --yes"
    Then the exit code is 0
    And the files are as in "start"

    Examples:
      | option       |
      | --anyway     |
      | --everything |

  Scenario Outline: from inside a call in one directory <command> of another is refused, too
    Given the client of this chat has started us
    And the shell has run "git init -q ../other; echo y > ../other/y" in the project
    And this chat in "other"
      """
      stands-in ../other
      prompt there
      call c1 Bash: echo x > ../other/x
      stop
      """
    And this chat
      """
      prompt here
      begin c2 Bash: cd ../other; agents undo
      """
    When I run "agents <command> --yes" below ../other
    Then the exit code is 4
    And the error says "--anyway and --everything are for people"
    Given this chat goes on
      """
      end c2 Bash
      """
    When I run "agents undo --anyway --yes" below ../other
    Then the exit code is 0
    And in the project "test ! -e ../other/x -a -e ../other/y" holds

    Examples:
      | command           |
      | undo --anyway     |
      | undo --everything |
      | redo --anyway     |

  Scenario Outline: <command> in a directory that is gone says so
    When I run "agents <command>" in a directory that is gone
    Then the exit code is 4
    And the error says "the directory that you are in is gone"
    And the error says "cd "

    Examples:
      | command    |
      | undo       |
      | timeline   |
      | status     |
      | protect    |

  Scenario: what is left out by no limit has its reason, and no word of the check
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    And the shell has run "chmod 000 b.txt" in the project
    When without the rights of root "agents undo --dry-run" is run
    Then the exit code is 0
    And the output says "b.txt  no permission to read it"
    And the output does not say "agents protect --check"

  Scenario: a directory that the agent lets grow too large has the reason that the check has
    Given a git repository
    And the setting "chat.ignored-files" is "20"
    And the chats go on in another process
    And the shell has run "mkdir made; echo made > .gitignore; echo 1 > made/first" in the project
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x; for n in $(seq 30); do echo $n > made/$n; done
      stop
      """
    Then the preview of undo "-" tells
      | what        | told                                        |
      | files       | x removed                                   |
      | not covered | made: git ignores it, and it is large       |
      | left out    | made: git ignores it, and it is large       |

  # --- Interrupted -------------------------------------------------------------------------------

  Scenario: an undo that was interrupted is shown and asked about, finished, and that is all
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I run "agents undo --yes"
    And the process dies before it has closed that
    When I run "agents undo --dry-run"
    Then the exit code is 4
    And the error says "interrupted, and not finished yet"
    When I run "agents timeline"
    Then the error says "interrupted, and not finished yet: undo of t2; finish it: agents undo"
    When I run "agents undo"
    Then the exit code is 2
    And the error says "interrupted, and not finished yet: undo of t2"
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "the interrupted undo was finished just now; nothing else was done"
    And the data holds
      | field | value         |
      | turn  | "t2"          |
      | redo  | "agents redo" |
    And the files are as in "start" but for
      | file | content |
      | x    | x       |
    When I run "agents redo --yes"
    And the process dies before it has closed that
    And I run "agents undo --yes"
    Then the exit code is 0
    And the output says "undo of t2"
    And the files are as in "start" but for
      | file | content |
      | x    | x       |

  # --- Plans and chats ---------------------------------------------------------------------------

  Scenario: plans and chats are one list by time
    Given the action
      """
      name: change
      steps:
        - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    And I have run "agents run ACTION"
    And this chat goes on
      """
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I run "agents op log --format json"
    Then the exit code is 0
    And the data holds
      | field         | value    |
      | acts.0.kind   | "chat"   |
      | acts.0.type   | "turn"   |
      | acts.0.text   | "two"    |
      | acts.0.name   | "claude" |
      | acts.0.state  | "stands" |
      | acts.1.type   | "step"   |
      | acts.2.text   | "one"    |
      | next_redo     | null     |
    And what would be undone next is the first of the acts
    When I run "agents undo --yes"
    Then the output says "undo of t2"
    When I run "agents op log --limit 1"
    Then the output says "t2: two"
    And the output says "undone"
    When I run "agents op log --plan @ --format json"
    Then the data holds
      | field       | value  |
      | acts.0.type | "step" |
    When I run "agents undo --yes"
    Then the output says "step first (plan change"
    When I run "agents undo --yes"
    Then the output says "undo of t1"
    And the files are as in "start"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back"
    When I run "agents redo --yes"
    Then the output says "redo of t1"
    When I run "agents redo --yes"
    Then the output says "step first (plan change"
    When I run "agents redo --yes"
    Then the output says "redo of t2"
    When I run "agents undo --plan @ --dry-run"
    Then the output says "step first (plan change"
    When I run "agents undo --chat @chat --dry-run"
    Then the output says "undo of t2"

  Scenario: a chat is named by its id, the beginning of it, its client's id, or @chat
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      chat B
      prompt another
      call c1 Bash: echo y > y
      stop
      """
    When I run "agents undo --chat session-A --dry-run"
    Then the output says "removed  x"
    When I run "agents undo --chat @chat --dry-run"
    Then the output says "removed  y"
    When I undo each chat here by its id and the beginning of it
    Then each is found
    When I run "agents undo --chat sess --dry-run"
    Then the exit code is 2
    And the error says "'sess' names 2 chats"
    When I run "agents undo --chat nonesuch --dry-run"
    Then the exit code is 3
    When I run "agents undo --chat session-B --plan @"
    Then the exit code is 2
    When I run "agents undo --pick --path x"
    Then the exit code is 2
    When I run "agents redo --chat session-A --dry-run"
    Then the exit code is 0
    And the error says "there is nothing to do again"

  Scenario: a plan is no chat, and where there is neither, that is told
    Given a plain folder
    When I run "agents undo --chat @chat"
    Then the exit code is 3
    And the error says "no chat was recorded here"
    When I run "agents undo t1 --anyway --yes"
    Then the exit code is 3
    When I run "agents timeline"
    Then the exit code is 3
    And the error says "protect this directory: agents protect"
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents undo --chat @ --yes"
    Then the exit code is 3
    And the error says "'@' is a plan, no chat"

  # --- Timeline ----------------------------------------------------------------------------------

  Scenario: prompts and calls, the newest first, with what each changed and what the user did
    Given this chat
      """
      prompt make a mess
      call c1 Bash: rm b.txt; mkdir d; echo x > d/x
      user: echo late > late.txt
      call c2 Bash: echo y > y
      stop
      user: echo u > mine
      prompt again
      call c3 Bash: true
      stop
      chat B
      prompt other
      call c1 Bash: echo z > z
      stop
      """
    When I run "agents timeline --format json"
    Then the exit code is 0
    And the keys of "data.chats.0" are "id, client, session, turns"
    And the keys of "data.chats.0.turns.0" are "turn, prompt, started_at, calls, external, unclear, not_covered, taken_back_by"
    And the keys of "data.chats.0.turns.0.calls.0" are "call, tool, text, agent, changed, joint_with"
    And the data holds
      | field                           | value                                |
      | chats.0.session                 | "session-B"                          |
      | chats.1.turns.0.turn            | "t2"                                 |
      | chats.1.turns.0.external        | ["mine"]                             |
      | chats.1.turns.0.calls.0.changed | []                                   |
      | chats.1.turns.1.prompt          | "make a mess"                        |
      | chats.1.turns.1.calls.0.changed | ["b.txt", "d/x"]                     |
      | chats.1.turns.1.calls.1.call    | "t1.2"                               |
      | chats.1.turns.1.calls.1.text    | "echo y > y"                         |
      | chats.1.turns.1.unclear         | ["late.txt"]                         |
      | chats.1.turns.1.taken_back_by   | null                                 |
    When I run "agents undo t1 --chat session-A --yes --format json"
    And I run "agents timeline --chat session-A --limit 1"
    Then the output says "t2"
    And the output does not say "t1.1"
    And the output does not say "session-B"
    When I run "agents timeline"
    Then the output says "t1  just now [taken back]  make a mess"
    And the output says "yours: 1 path: mine"
    And the output says "unclear: 1 path: late.txt"

  Scenario: each view of a chat is as it is kept
    Given the home directory is that of the scenario
    And this chat
      """
      prompt write the module that keeps sessions, with its tests, and tell me which storage it needs; then run the tests
      call c1 Write src/sessions/store.py: mkdir -p src/sessions; echo "class Store: pass" > src/sessions/store.py
      user: echo note > notes.txt
      call c2 Bash: sed -i 's/^2$/two/' a.txt; rm b.txt
      stop
      user: sed -i 's/^8$/eight/' a.txt; echo mine > mine.txt
      prompt now the documentation
      begin c3 Bash: make docs
      begin c4 Bash: make man
      user: mkdir docs; echo docs > docs/index.md; sed -i 's/^4$/four/' a.txt
      end c3 Bash
      end c4 Bash
      stop
      user: sed -i 's/^four$/vier/' a.txt
      """
    And all of it happened in 2020
    Then each of these views is as it is kept
      | view               | line                  |
      | timeline           | timeline              |
      | chat-undo-preview  | undo t1 --dry-run     |
      | chat-undo-refused  | undo --dry-run        |
      | chat-status        | plan status session-A |
      | op-log-chat        | op log                |

  Scenario: no line of the timeline is wider than the terminal
    Given this chat
      """
      prompt a prompt that is a good deal longer than a terminal is wide, with line after line about what is to be done
      call c1 Bash: echo a-command-that-is-longer-than-eighty-columns-of-a-terminal-and-goes-on-and-on-and-on > /dev/null; echo > x
      stop
      """
    Then none of these is wider than 40, 80 or 160 columns, and each shows its ids whole
      | line     |
      | timeline |
    Given the variable COLUMNS is "80"
    When I run "agents timeline"
    Then the output says "…"

  Scenario: a chat in which nothing was asked for yet
    Given this chat
      """
      interrupt
      """
    When I run "agents timeline"
    Then the exit code is 0
    And the error says "nothing was asked for yet"
    When I run "agents op log --format json"
    Then the exit code is 0
    And the data holds
      | field     | value |
      | acts      | []    |
      | next_undo | null  |
