Feature: An undo that takes the conversation back, too
  `agents undo --with-chat` takes back what a turn changed, and lets the conversation in the client end before it
  where the client can. Where it cannot, the files are taken back all the same, and what to do is told. The clients
  here are programs that do what the real ones were seen to do; `clients_lab` plays with those.

  Background:
    Given the files
      | file  | content |
      | a.txt | a       |
    And I remember the files as "start"

  # --- Claude Code --------------------------------------------------------------------------------

  Scenario: Claude Code goes on in a fork that ends before the turn
    Given a Claude Code that keeps this conversation of A
      | type      | uuid | parentUuid | promptId |
      | user      | u1   |            | turn-1   |
      | assistant | m1   | u1         |          |
      | user      | r1   | m1         | turn-1   |
      | assistant | m2   | r1         |          |
      | system    | s1   | m2         |          |
      | user      | u2   | s1         | turn-2   |
      | assistant | m3   | u2         |          |
      | user      | u3   | m3         | turn-3   |
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    And I remember the files as "before t2"
    And this chat goes on
      """
      prompt two
      call c2 Bash: echo y > y
      stop
      prompt three
      stop
      """
    When I run "agents undo --with-chat --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field                   | value |
      | turn                    | "t2"  |
      | conversation.taken_back | false |
      | conversation.command    | null  |
    And the conversation is told with "a fork of it ends before t2; the old one stays as it is; not in it then either: t3 (their files stay)"
    And no client was started
    When I run "agents undo --with-chat"
    Then the exit code is 2
    And the error says "the conversation: a fork of it ends before t2"
    And the error says "confirm it: agents undo --with-chat --yes"
    And no client was started
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "before t2"
    And the data holds
      | field                   | value |
      | conversation.taken_back | true  |
    And its command goes on with a conversation of "u1, m1, r1, m2"
    And the conversation of A still has 8 lines
    And Claude Code was handed no settings but its own, and no model
    When I run "agents redo --yes --format json"
    Then the exit code is 0
    And the data holds
      | field        | value |
      | conversation | null  |

  Scenario: where no file is left to take back the conversation alone goes
    Given a Claude Code that keeps this conversation of A
      | type      | uuid | parentUuid | promptId |
      | user      | u1   |            | turn-1   |
      | assistant | m1   | u1         |          |
      | user      | u2   | m1         | turn-2   |
    And this chat
      """
      prompt one
      stop
      prompt two
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --yes"
    Then the files are as in "start"
    When I run "agents undo t2 --with-chat"
    Then the exit code is 2
    And the error says "confirm it: agents undo t2 --with-chat --yes"
    And no client was started
    When I run "agents undo t2 --with-chat --yes"
    Then the exit code is 0
    And the output says "the conversation: a fork of it ends before t2; the old one stays as it is"
    And the error says "t2 left nothing here that is still so: the files stay as they are"
    And the error says "claude --resume "
    When I run "agents undo t2 --with-chat --yes --format json"
    Then the data holds
      | field                   | value |
      | operation               | null  |
      | taken_back              | []    |
      | turn                    | "t2"  |
      | conversation.taken_back | true  |
    And its command goes on with a conversation of "u1, m1"

  Scenario: nothing was said before the first turn
    Given a Claude Code that keeps this conversation of A
      | type   | uuid | parentUuid | promptId |
      | system | s1   |            |          |
      | user   | u1   | s1         | turn-1   |
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "start"
    And the conversation is told with "nothing was said before t1: begin a new one"
    And no client was started

  Scenario Outline: Claude Code <does>: the files are taken back, and what to do is told
    Given a Claude Code that <does> and keeps this conversation of <session>
      | type      | uuid | parentUuid | promptId |
      | user      | u1   |            | turn-1   |
      | assistant | m1   | u1         |          |
      | user      | u2   | m1         | turn-2   |
    And this chat
      """
      prompt one
      stop
      prompt two
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "start"
    And the data holds
      | field                   | value |
      | conversation.taken_back | false |
    And the conversation is told with "it stays as it is (<why>"
    And the conversation is told with "to end it before t2 go on with it, and type /rewind"
    And its command is to go on with A

    Examples:
      | does              | session | why                                             |
      | is fine           | B       | its transcript is gone, or does not know        |
      | says no           | A       | Claude Code: error: unknown option '--session-id'); |
      | makes no fork     | A       | Claude Code made no fork of it);                |
      | forks everything  | A       | Claude Code made no fork of it);                |
      | cannot be run     | A       | Claude Code could not be run: [Errno 8]         |
      | is not there      | A       | claude is not here);                            |

  Scenario: a Claude Code that still runs goes on with the old one
    Given a Claude Code that keeps this conversation of A
      | type      | uuid | parentUuid | promptId |
      | user      | u1   |            | turn-1   |
      | assistant | m1   | u1         |          |
      | user      | u2   | m1         | turn-2   |
    And the client of this chat has started us
    And this chat
      """
      prompt one
      stop
      prompt two
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the data holds
      | field                   | value |
      | conversation.taken_back | true  |
    And the conversation is told with "; Claude Code still runs, with the old one"

  # --- Codex --------------------------------------------------------------------------------------

  Scenario: Codex takes the turn and all that was said since out of its conversation
    Given a Codex that is fine
    And this chat of codex
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      stop
      """
    When I run "agents undo --with-chat --dry-run"
    Then the output says "the conversation: t1 and all that was said since go from it, and no redo brings that back; not in it then either: t2 (their files stay)"
    And no client was started
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "start"
    And the data holds
      | field                   | value |
      | conversation.taken_back | true  |
    And its command is to go on with A
    And Codex was asked for "initialize, initialized, thread/resume, thread/revert" before "turn-1"

  Scenario Outline: Codex <does>: the files are taken back, and what to do is told
    Given a Codex that <does>
    And this chat of codex
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "start"
    And the data holds
      | field                   | value |
      | conversation.taken_back | false |
    And the conversation is told with "it stays as it is (<why>"
    And the conversation is told with "to end it before t1 go on with it, and press Esc twice"
    And its command is to go on with A

    Examples:
      | does            | why                                                     |
      | lacks it        | Codex: Invalid request: unknown variant `thread/revert`); |
      | ends at once    | Codex ended without an answer);                         |
      | cannot be run   | Codex could not be run: [Errno 8]                       |
      | is not there    | codex is not here);                                     |

  Scenario: a conversation that Codex is at is left alone until it has ended
    Given a Codex that is fine
    And the client of this chat has started us
    And this chat of codex
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "start"
    And the conversation is told with "it stays as it is while Codex runs: leave it, then type this"
    And no client was started
    When the client of this chat has ended
    And I type what the conversation needs, with "--yes --format json"
    Then the exit code is 0
    And the data holds
      | field                   | value |
      | conversation.taken_back | true  |
    And Codex was asked for "initialize, initialized, thread/resume, thread/revert" before "turn-1"

  # --- All others, and words that do not fit ------------------------------------------------------

  Scenario Outline: of <client> it is told what to do
    Given this chat of <client>
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the exit code is 0
    And the files are as in "start"
    And the data holds
      | field                   | value |
      | conversation.taken_back | false |
    And the conversation is told with "to end it before t1 go on with it, and type <word>"
    And its command is to go on with A

    Examples:
      | client   | word    |
      | gemini   | /rewind |
      | qwen     | /rewind |
      | copilot  | /rewind |
      | opencode | /undo   |

  Scenario: a prompt that nobody saw leaves the turn that its calls name
    Given a Codex that is fine
    And this chat of codex
      """
      call c1 Bash: echo x > x
      stop
      """
    When I run "agents undo --with-chat --yes --format json"
    Then the data holds
      | field                   | value |
      | conversation.taken_back | true  |
    And Codex was asked for "initialize, initialized, thread/resume, thread/revert" before "turn-0"

  Scenario: a conversation ends before a prompt, not before a call, and plans have none
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      """
    And I remember the files as "end"
    When I run "agents undo t1.1 --with-chat --yes"
    Then the exit code is 2
    And the error says "a conversation is taken back before a prompt, not before a call"
    And the error says "agents undo t1 --with-chat"
    When I run "agents undo --plan @ --with-chat --yes"
    Then the exit code is 2
    And the files are as in "end"

  Scenario: only some paths go, and the conversation with them
    Given a Codex that is fine
    And this chat of codex
      """
      prompt one
      call c1 Bash: echo x > x; echo y > y
      stop
      """
    When I run "agents undo --path y --with-chat --yes --format json"
    Then the data holds
      | field                   | value |
      | taken_back.0.file       | "y"   |
      | conversation.taken_back | true  |
    When I run "agents undo --path nowhere --with-chat --yes --format json"
    Then the exit code is 0
    And the data holds
      | field        | value |
      | conversation | null  |
