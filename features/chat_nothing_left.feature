Feature: An undo in a chat of which nothing is left
  What an agent did may be gone already: reverted by hand, put away by git stash. An undo that would change nothing
  says so and records nothing, and the turn before it is taken back instead. What nobody knows is named.

  Background:
    Given the files
      | file     | content                   |
      | a.txt    | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt    | b                         |
      | gone.txt | doomed                    |
    And I remember the files as "start"

  # --- Gone already --------------------------------------------------------------------------------

  Scenario: a turn that the user reverted by hand is passed over, not marked, and there again when it is
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo two > b.txt; rm gone.txt; echo y > y
      stop
      user: cp b.txt ../b; echo b > b.txt; echo doomed > gone.txt; mv y ../y
      """
    Then the preview of undo "-" tells
      | what        | told                                   |
      | title       | t1                                     |
      | files       | x removed                              |
      | passed over | t2 left nothing here that is still so  |
    When I undo here
    Then the files are as in "start"
    Given this chat goes on
      """
      prompt three
      """
    Then the agent is told "the user took back changes of turn 1 to 1 path: x"
    When I undo here
    Then nothing was done, and nothing recorded
    Given this chat goes on
      """
      user: cp ../b b.txt; mv ../y y; rm gone.txt
      """
    When I undo here
    Then the files are as in "start"
    And there is nothing to undo
    When I redo here
    Then the files are as in "start" but for
      | file     | content |
      | b.txt    | two     |
      | gone.txt | (gone)  |
      | y        | y       |

  Scenario: a turn that is named is not passed over: nothing is left of it, and nothing is recorded
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      user: rm y
      """
    When I run "agents undo t2 --yes --format json"
    Then the exit code is 0
    And a message is "there is nothing to take back: t2 left nothing here that is still so"
    And the data holds
      | field      | value |
      | turn       | "t2"  |
      | taken_back | []    |
      | operation  | null  |
      | redo       | null  |
    And no act of ours is recorded
    When I run "agents undo t2"
    Then the exit code is 0
    When I run "agents undo --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field              | value                                   |
      | turn               | "t1"                                    |
      | passed_over.0.turn | "t2"                                    |
      | passed_over.0.why  | "t2 left nothing here that is still so" |
    When I run "agents undo"
    Then the exit code is 2
    And the error says "passed over: t2 left nothing here that is still so"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the output says "undo of t1"
    And the error says "passed over: t2 left nothing here that is still so"
    And the files are as in "start"
    When I run "agents timeline --format json"
    Then the data holds
      | field                         | value |
      | chats.0.turns.0.turn          | "t2"  |
      | chats.0.turns.0.taken_back_by | null  |
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "there is nothing to take back"
    And a message is "passed over: t2 left nothing here that is still so"
    And the data holds
      | field | value |
      | turn  | null  |
    When I run "agents undo --dry-run"
    Then the exit code is 0
    And the output says "passed over: t2"
    And the output does not say "undo of"

  Scenario: what git stash put away is taken back once it is popped
    Given the project is a repository
    And this chat
      """
      prompt one
      call c1 Bash: echo x > b.txt; echo x > a.txt
      stop
      user: git stash -q
      """
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back"
    And no act of ours is recorded
    Given this chat goes on
      """
      user: git stash pop -q
      """
    When I run "agents undo --yes"
    Then the exit code is 0
    And the files are as in "start"

  Scenario: what stands in the way of a turn is no reason to pass over it
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y; echo z > z
      stop
      user: rm y; echo mine > z
      """
    When I undo here and it is refused
    Then it says "z: it was new, and you changed it"

  Scenario: a turn that the user keeps as they have it is not passed over for an older one
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > b.txt
      stop
      user: echo mine > b.txt
      """
    When I run "agents undo --mine b.txt --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: what t2 left here stays as you have it"
    And the output says "Left as you have it"
    And the error says "agents undo    # takes back t1"
    And there is a "x"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the output says "undo of t1"
    When I redo here
    And I redo here
    And I undo here and it is refused
    Then it says "b.txt: you changed"

  Scenario: of paths that were named, nothing is recorded where nothing is left, and the rest stands
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x; echo x > b.txt
      stop
      prompt two
      call c2 Bash: echo y > y; mkdir x.d; echo y > x.d/y
      stop
      user: rm -r x.d
      """
    Then the preview of undo "--path x*" tells
      | what        | told                                  |
      | title       | t1                                    |
      | files       | x removed                             |
      | passed over | t2 left nothing here that is still so |
    When I undo "--path x*" here
    And I undo "--path x*" here
    Then nothing was done, and nothing recorded
    When I undo here
    And I undo here
    Then the files are as in "start"

  Scenario: a turn that is not covered any more is passed over
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I run "agents undo --dry-run --set chat.exclude=[\"y\"]"
    Then the exit code is 0
    And the output says "passed over: what t2 left here is not covered"
    And the output says "removed  x"

  Scenario: of two chats the one in which something is left
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      chat B
      prompt another
      call c1 Bash: echo y > y
      stop
      user: rm y
      """
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "passed over: t1 left nothing here that is still so (chat of claude, "
    And the files are as in "start"

  Scenario: an act on a plan is taken back before an older turn, whatever newer turn nothing is left of
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
      user: rm y
      """
    When I run "agents op log --format json"
    Then what would be undone next is the second of the acts
    When I run "agents undo --yes"
    Then the exit code is 0
    And the output says "step first (plan change"
    And the error says "passed over: t2 of chat "
    When I run "agents undo --yes"
    Then the output says "undo of t1"
    And the files are as in "start"

  Scenario: a redo of what is there again already says that no file had to change
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
      user: echo x > x
      """
    When I run "agents redo --yes"
    Then the exit code is 0
    And the error says "no file had to change: it was there again already"
    Given this chat goes on
      """
      prompt three
      """
    Then the agent is told nothing

  # --- Unclear -------------------------------------------------------------------------------------

  Scenario: where all that is left may be the user's, nothing is done without their word, and both words are named
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      begin c2 Write named.txt: named.txt
      user: echo mine > mine.txt
      end c2 Write named.txt
      stop
      """
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "nothing was taken back: what t2 left here may be yours"
    And the data holds
      | field     | value                                                        |
      | turn      | "t2"                                                         |
      | kept      | [{"file": "mine.txt", "why": "it is unclear whose it is"}]   |
      | operation | null                                                         |
    And no act of ours is recorded
    When I run "agents undo --yes"
    Then the error says "agents undo --unclear take    # takes it all the same"
    And the error says "agents undo --unclear keep    # takes back the turn before it"
    When I type on a terminal "agents undo"
      | question                       | answer |
      | Take these of t2 back as well? [y/N] | n      |
      | Take it back? [y/N]            | n      |
    Then the output says "t2 stays; next would be t1"
    And the output says "undo of t1"
    When I run "agents undo --unclear keep --yes"
    Then the exit code is 0
    And the files are as in "start" but for
      | file     | content |
      | mine.txt | mine    |
    When I run "agents undo --unclear take --yes"
    Then the files are as in "start"

  Scenario: what may be the user's and is gone already is not asked about
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      user: echo late > late.txt; echo other > other.txt
      call c2 Bash: echo y > y
      stop
      user: rm late.txt
      """
    Then the preview of undo "-" tells
      | what    | told      |
      | unclear | other.txt |
    Given this chat goes on
      """
      user: rm other.txt x y
      """
    Then the preview of undo "-" tells
      | what        | told                                  |
      | unclear     |                                       |
      | passed over | t1 left nothing here that is still so |

  # --- A look that came too late -------------------------------------------------------------------

  Scenario: what a call met before anybody had ever looked is not known, and said to be so
    Given this chat
      """
      late-prompt clean up
      late c1 Bash: rm gone.txt
      stop
      """
    And I remember the files as "end"
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "there is nothing to take back"
    And a message is "passed over: what t1 changed is not known"
    And the data holds
      | field       | value                       |
      | not_covered | [{"file": "t1.1 (Bash rm gone.txt)", "why": "nobody looked in time before a call: what was there is not known"}] |
      | operation   | null                        |
    When I run "agents undo t1 --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: what t1 changed is not known"
    And the output says
      """
      nobody looked at the files in time before t1.1 (Bash rm gone.txt): what was deleted or overwritten before that is not known, and stays as it is
      """
    And no act of ours is recorded
    When I run "agents undo t1 --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field              | value |
      | counts.not_covered | 1     |
    And the files are as in "end"

  Scenario: what else the turn did goes back; what is not known is asked about on a terminal, and told without one
    Given this chat
      """
      late-prompt clean up
      late c1 Write gone.txt: rm gone.txt
      call c2 Bash: echo x > b.txt
      stop
      """
    When I type on a terminal "agents undo"
      | question                                   | answer |
      | Take back the rest all the same? [y/N]     | n      |
    Then the exit code is 1
    When I type on a terminal "agents undo"
      | question                                   | answer |
      | Take back the rest all the same? [y/N]     | y      |
      | Take it back? [y/N]                        | n      |
    Then the exit code is 1
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And the data holds
      | field        | value                                   |
      | taken_back.0 | {"file": "b.txt", "action": "restored"} |
      | not_covered  | [{"file": "gone.txt", "why": "nobody looked in time before a call: what was there is not known"}]                            |
    And the files are as in "start" but for
      | file     | content |
      | gone.txt | (gone)  |
    When I run "agents redo --yes"
    And I run "agents undo t1.2 --yes --format json"
    Then the data holds
      | field       | value |
      | not_covered | []    |
    When I run "agents redo --yes"
    And I run "agents undo --since t1 --yes --format json"
    Then the data holds
      | field       | value        |
      | not_covered | [{"file": "gone.txt", "why": "nobody looked in time before a call: what was there is not known"}] |

  Scenario: where there was an earlier look, what a late call changed is unclear, and the call is named
    Given this chat
      """
      prompt one
      late c1 Bash: rm gone.txt; echo x > b.txt
      stop
      """
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And the data holds
      | field     | value                                                                                                |
      | turn      | "t1"                                                                                                 |
      | kept.0    | {"file": "b.txt", "why": "nobody looked in time before a call: it is unclear whose it is"}           |
      | kept.1    | {"file": "gone.txt", "why": "nobody looked in time before a call: it is unclear whose it is"}        |
      | operation | null                                                                                                 |
    When I run "agents undo --yes"
    Then the output says
      """
      nobody looked at the files in time before t1.1 (Bash rm gone.txt; echo x > b.txt): what it changed and what you changed just before it cannot be told apart: b.txt, gone.txt
      """
    When I type on a terminal "agents undo"
      | question                           | answer |
      | Take these of t1 back as well? [y/N]     | y      |
      | Take them back all the same? [y/N] | y      |
      | Take it back? [y/N]                | y      |
    Then the exit code is 0
    And the files are as in "start"

  # --- Interrupted ---------------------------------------------------------------------------------

  Scenario: an undo and a redo that were interrupted are finished by the library, and nothing else is done
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I undo here
    And the process dies before it has closed that
    And I undo here
    Then the interrupted undo of t2 was finished, and nothing else was done
    And the files are as in "start" but for
      | file | content |
      | x    | x       |
    When I undo here
    And I redo here
    And the process dies before it has closed that
    And I redo here
    Then the interrupted redo of t1 was finished, and nothing else was done
    And the files are as in "start" but for
      | file | content |
      | x    | x       |

  # --- A client that was killed in a call, and an undo beside another ------------------------------

  Scenario: a client that was killed in the middle of a call keeps nobody from undo and redo
    Given a client in a process of its own plays this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: echo y > y
      user: echo y > y
      """
    When I undo here and it is refused
    Then it says "t1.2: a call of claude is under way: Bash echo y > y"
    And it says "do it all the same: --anyway, with --unclear take for what it has written"
    When I undo "--anyway" here
    Then the files are as in "start" but for
      | file | content |
      | y    | y       |
    When I redo here and it is refused
    Then it says "do it all the same: --anyway"
    When the client is killed, and nobody asks how it ended
    And I redo here
    And I undo "--unclear take" here
    Then the files are as in "start"
    When somebody asks how the client ended
    And I redo here
    Then there is something to undo

  Scenario: after an undo beside a call that is under way, the way back is named as it can be typed
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: make something
      """
    When I run "agents undo --anyway --yes"
    Then the exit code is 0
    And the error says "agents redo --anyway    # does it again"
    When I run "agents redo --yes"
    Then the exit code is 4
    When I run "agents redo --anyway --yes"
    Then the exit code is 0

  Scenario: who comes second is told what fits a chat
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    And somebody else does an undo in the chat
    When I undo here and it is refused
    Then it says "busy: "
    And it says "wait for it to finish, then try again"
    And it says "what it began is finished by your next agents undo or redo"
    And it says nothing of "agents plan"

  # --- Out of reach -----------------------------------------------------------------------------------

  Scenario: a repository that the agent deleted is told by every undo and by the timeline
    Given the project is a repository
    And this chat
      """
      prompt one
      call c1 Bash: rm -rf ./* .git
      stop
      """
    When I run "agents undo --dry-run"
    Then the output says ".git  gone since t1.1: commits, branches and stashes are not kept here"
    When I run "agents timeline"
    Then the output says "not covered: 1 path: .git"
    When I run "agents undo --yes --format json"
    Then the data holds
      | field         | value                                                                                                              |
      | not_covered.0 | {"file": ".git", "why": "gone since t1.1: commits, branches and stashes are not kept here, and not brought back"} |
    And the files are as in "start"

  Scenario: a turn that deleted nothing but the repository is not passed over without a word
    Given the project is a repository
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: rm -rf .git
      stop
      """
    When I run "agents undo --dry-run"
    Then the output says "passed over: .git is gone since t2.1: commits, branches and stashes are not kept here"
    And the output says "removed  x"
    When I run "agents undo t2 --dry-run"
    Then the output says ".git  gone since t2.1"
    When I undo here
    Then the files are as in "start"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "passed over: .git is gone since t2.1"
    Given this chat goes on
      """
      prompt three
      call c3 Bash: git init -q
      stop
      """
    When I run "agents undo --yes"
    Then the error does not say "passed over"

  Scenario: a repository that the user deleted is nothing of the agent's
    Given the project is a repository
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      user: rm -rf .git
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    When I run "agents undo --dry-run"
    Then the output does not say ".git"

  Scenario: a turn that wrote outside of the directory alone is passed over with a word
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Write /nowhere/a /nowhere/b: true
      stop
      """
    When I run "agents undo --dry-run"
    Then the output says "passed over: t2 wrote /nowhere/a, /nowhere/b, outside of this directory"
    And the output says "removed  x"
    When I undo here
    Then there is nothing to undo
    When I run "agents undo --yes"
    Then the error says "passed over: t2 wrote /nowhere/a"
    And the error says "there is nothing to take back"

  # --- Mistyped ---------------------------------------------------------------------------------------

  Scenario Outline: what is to stay or to be as before and is mistyped is refused before anything is done: <options>
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > first.txt; echo x > b.txt
      stop
      """
    When I run "agents undo <options> --yes"
    Then the exit code is 2
    And the error says "<told>"
    And no act of ours is recorded
    When I run "agents undo --mine b.txt --yes"
    Then the exit code is 0
    When I run "agents redo --mine frst.txt --yes"
    Then the exit code is 2
    And the error says "did you mean 'first.txt'?"

    Examples:
      | options                   | told                                                                                             |
      | --mine frst.txt           | --mine frst.txt names nothing that the undo of t1 is about; did you mean 'first.txt'?            |
      | --before frst.txt         | --before frst.txt names nothing that the undo of t1 is about; did you mean 'first.txt'?          |
      | --everything --mine z     | --mine z names nothing that the undo of t1 is about                             |
      | --mine b.txt --mine nine  | --mine nine names nothing that the undo of t1 is about                                           |
