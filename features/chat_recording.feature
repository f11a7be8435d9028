Feature: Recording what a coding agent does
  Each event is one moment with the files as they were then. The same event twice is one moment, what changed
  nothing makes no checkpoint, and a hook never waits longer than its budget.

  Background:
    Given the files
      | file  | content |
      | a.txt | a       |

  Scenario: a checkpoint for each change of the files, and none for a touch
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      call c2 Bash: touch a.txt x
      call c3 Bash: chmod 600 x
      stop
      user: echo mine > mine
      prompt two
      """
    Then the checkpoints of the chat are "prompt, call, call, prompt"
    And the moments of the chat are "prompt, before, after, before, after, before, after, turn-end, prompt"

  Scenario: files that are too large are listed at every look, and make no checkpoint by themselves
    Given the setting "chat.max-file" is "1 KiB"
    And the shell has run "for n in 1 2 3 4 5; do head -c 2000 /dev/zero > big$n; done" in the project
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      call c2 Bash: :
      stop
      prompt two
      """
    Then the checkpoints of the chat are "prompt, call"
    When I undo here
    Then every checkpoint lists "big1, big2, big3, big4, big5" as not captured

  Scenario: an event that comes twice is one moment
    Given this chat
      """
      prompt one
      begin c1 Bash: x
      begin c1 Bash: x
      user: echo x > x
      end c1 Bash
      end c1 Bash
      stop
      """
    Then the moments of the chat are "prompt, before, after, turn-end"

  Scenario: a call that only reads is nothing
    Given this chat
      """
      prompt one
      reads c1 Read
      stop
      """
    Then the moments of the chat are "prompt, turn-end"

  Scenario: what comes before any prompt is of the first turn
    Given this chat
      """
      start
      call c1 Bash: echo x > x
      """
    Then the moments of the chat are "start, before, after"
    And the preview of undo "t1" tells
      | what  | told      |
      | files | x removed |

  Scenario: a subagent's calls are of the turn that started it, whatever was asked since
    Given this chat
      """
      prompt one
      agent sub
      stop
      prompt two
      by-agent sub c1 Bash: echo x > x
      stop
      """
    Then the preview of undo "t1" tells
      | what  | told      |
      | files | x removed |

  Scenario: a client that numbers no calls: an end belongs to the oldest call of the same tool and input
    Given this chat
      """
      prompt one
      unnumbered-begin Bash same
      unnumbered-begin Bash other
      user: echo x > x
      unnumbered-end Bash same
      user: echo y > y
      unnumbered-end Bash other
      unnumbered-end Bash nobody
      stop
      """
    Then the preview of undo "t1.1" tells
      | what  | told      |
      | files | x removed |
      | joint | t1.2      |
    And the preview of undo "t1.2" tells
      | what  | told                 |
      | files | x removed, y removed |
    And the preview of undo "t1.1 --path y" tells
      | what  | told |
      | joint |      |

  Scenario: calls that ran side by side, and changed nothing meanwhile, did nothing jointly
    Given this chat
      """
      prompt one
      begin c1 Bash: x
      user: echo x > x
      chat B
      prompt one
      begin b1 Bash: y
      chat A
      end c1 Bash
      prompt two
      begin c2 Bash: z
      chat B
      user: echo y > y
      end b1 Bash
      chat A
      end c2 Bash
      stop
      """
    Then the timeline tells
      | turn | what      | paths           |
      | t1   | t1.1      | x               |
      | t1   | t1.1 with |                 |
      | t2   | t2.1      | y               |
      | t2   | t2.1 with | another t1.1    |
    And the preview of undo "t1 --chat A" tells
      | what  | told |
      | joint |      |
    And the preview of undo "--since t1 --chat A" tells
      | what  | told              |
      | joint | another chat t1.1 |

  Scenario: a conversation that goes on is the same chat, another one is another
    Given this chat
      """
      prompt one
      leave
      prompt two
      chat B
      prompt one
      """
    Then there are 2 chats here

  Scenario: paths that a call names are seen from the top, wherever the agent stands
    Given this chat
      """
      prompt one
      user: mkdir -p sub/deep
      stands-in sub/deep
      begin c1 Write ../x.txt: ../x.txt
      user: echo x > sub/x.txt; echo y > sub/deep/x.txt
      end c1 Write ../x.txt
      stop
      """
    Then the preview of undo "-" tells
      | what    | told               |
      | files   | sub/x.txt removed  |
      | unclear | sub/deep/x.txt     |

  Scenario: secrets are masked before anything is kept
    Given this chat
      """
      prompt my key is ghp_0123456789abcdefghijABCDEFGHIJ012345
      """
    Then nothing in the data directory holds "0123456789abcdefghij"

  Scenario: where texts are not to be kept there are none
    Given the setting "chat.texts" is "none"
    And this chat
      """
      prompt something private
      call c1 Bash: echo private > x
      """
    Then no text of the chat is kept

  Scenario Outline: while somebody else is at work on the directory a call goes on, and is late: <strict>
    Given the setting "chat.hook-budget" is "0"
    And the setting "chat.strict" is "<strict>"
    And this chat
      """
      prompt one
      """
    When somebody else is at work on the directory and this chat goes on
      """
      begin c1 Bash: x
      """
    Then the last event was late
    And the agent is answered "<answer>"

    Examples:
      | strict | answer |
      | false  |        |
      | true   | {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "the files could not be saved before this call in time, and chat.strict is set"}} |

  Scenario: a client that cannot be told to stop is not
    Given the setting "chat.strict" is "true"
    And the chat is of the client "opencode"
    And this chat
      """
      prompt one
      late c1 bash: echo x > x
      prompt two
      """
    Then the agent is told nothing

  Scenario: something that a call left running makes what changes after the turn unclear
    Given this chat
      """
      prompt one
      leaves-running c1 Bash
      stop
      user: echo late > late.txt
      prompt two
      """
    Then the preview of undo "t1" tells
      | what    | told     |
      | unclear | late.txt |

  Scenario Outline: <who> starts something <how> <when> a call
    Given a client that is a process of its own, beside a shell and a terminal of the user's
    When <who> starts something <how> <when> a call of a turn, which ends
    Then at its end something that a call began <is> running

    Examples:
      | who              | how                   | when   | is     |
      | the client       | in the background     | during | is     |
      | the client       | that loses its parent | during | is     |
      | the client       | in the background     | before | is not |
      | the client       | that ends at once     | during | is not |
      | the user's shell | in the background     | during | is not |
      | the user         | in the background     | during | is not |

  Scenario: what one chat left running writes in the turn of another, until it ends
    Given this chat
      """
      chat B
      prompt first
      stop
      chat A
      prompt one
      leaves-running c1 Bash
      stop
      chat B
      prompt second
      user: echo 1 > before
      begin b1 Bash: y
      user: echo 2 > during
      end b1 Bash
      begin b2 Write named: named
      user: echo 3 > named
      end b2 Write
      user: echo 4 > between
      """
    When what the call left running ends
    And this chat goes on
      """
      call b3 Bash: echo 5 > later
      stop
      """
    Then the timeline tells
      | turn | what     | paths  |
      | t2   | t2.1     |        |
      | t2   | t2.2     | named  |
      | t2   | t2.3     | later  |
      | t2   | external |        |
      | t2   | unclear  |        |
    And the preview of undo "t1 --chat A" tells
      | what    | told                    |
      | unclear | before, during, between |
    And the preview of undo "t2 --chat B" tells
      | what    | told           |
      | files   | later removed, named removed |
      | unclear | during         |

  Scenario: a call of a client whose process is gone is not under way
    Given the client's process has ended
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      begin c2 Bash: y
      """
    Then the preview of undo "-" tells
      | what      | told |
      | obstacles |      |

  Scenario: a chat whose client has died ends when another one is heard of
    Given the client's process has ended
    And this chat
      """
      chat B
      prompt one
      user: echo mine > mine
      call c1 Bash: echo x > x
      stop
      """
    Then the moments of the chat are "prompt, end, prompt, before, after, turn-end"
    And the preview of undo "t1" tells
      | what    | told      |
      | files   | x removed |
      | unclear |           |

  Scenario: the first look of protect spares the first prompt from storing everything
    Given a file "large.bin" of 200 KB that nothing makes smaller
    And the directory was looked at first, twice
    And this chat
      """
      prompt one
      """
    Then the first checkpoint added less than 20 KB
