Feature: What is kept of chats
  The last turns stay, and the young ones; of older ones everything goes together. What an undo that can be redone needs
  stays, and so do the newest state and what somebody wants to keep.

  Background:
    Given the files
      | file  | content |
      | a.txt | a       |
    And a chat keeps 2 turns and what is younger than 14 days

  Scenario: young turns stay, however many they are
    Given 5 turns that each change a file
    Then the turns 1, 2, 3, 4, 5 are kept

  Scenario: few turns stay, however old they are
    Given 1 turns that each change a file
    And all of it was 30 days ago
    When one more turn comes
    Then the turns 1, 2 are kept

  Scenario: old turns beyond the last go, with every row of theirs
    Given 5 turns that each change a file
    And all of it was 30 days ago
    When one more turn comes
    Then the turns 5, 6 are kept
    And the rows that are left are those of kept moments
    And what only old turns had is freed as soon as a keeper has time
    When I undo here
    And I undo here
    Then there is no "file-6"
    And there is no "file-5"
    And there is a "file-4"
    And there is nothing to undo
    When I run "agents doctor --format json"
    Then the exit code is 0

  Scenario: the keeper frees space once nobody has said anything for a while, and goes on whatever comes of it
    Given a protected project
    When a keeper starts that is quiet after 0.05 seconds
    And an agent tells "claude:UserPromptSubmit" with "one"
    Then the keeper has tried to tidy up
    When an agent tells "claude:UserPromptSubmit" with "two"
    Then the keeper has recorded 2 events

  Scenario: what was asked to be kept stays
    Given 4 turns that each change a file
    And checkpoint 2 of the chat is pinned
    And all of it was 30 days ago
    When one more turn comes
    Then the turns 4, 5 are kept
    And checkpoint 2 of the chat is there
    When I run "agents doctor --format json"
    Then the exit code is 0

  Scenario: a turn whose undo can be redone stays, one whose undo was redone does not
    Given 2 turns that each change a file
    When I undo "t1" here
    And I undo "t2" here
    And I redo here
    And 2 more turns come
    And all of it was 30 days ago
    And one more turn comes
    Then the turns 1, 4, 5 are kept
    When I redo here
    Then there is a "file-1"
    When I undo "t1" here
    Then there is no "file-1"
    When I run "agents doctor --format json"
    Then the exit code is 0

  Scenario: another process that is at work on the chat is no matter: the next turn lets them go
    Given 4 turns that each change a file
    And all of it was 30 days ago
    When one more turn comes while somebody else holds the chat
    Then the turns 1, 2, 3, 4, 5 are kept
    When one more turn comes
    Then the turns 5, 6 are kept

  Scenario: of a chat without a moment there is nothing to let go
    Given a chat of which nothing was recorded
    Then nothing of it goes

  Scenario Outline: which turns go: <rule>
    Then of turns that ended <ended> days ago, <kept> and <days> days being kept, <gone> go

    Examples:
      | rule                         | ended          | kept | days | gone    |
      | none while they are few      | 30 20          | 2    | 14   | none    |
      | the oldest beyond the last   | 30 20 10 5     | 2    | 14   | 1 2     |
      | none that is young           | 13 12 10 5     | 2    | 14   | none    |
      | one that was heard of lately | 30 1 20 15 14  | 1    | 14   | 1 3 4   |

  Scenario: a chat is deleted on request, with a preview and a question
    Given 2 turns that each change a file
    When I run "agents chat delete @chat --dry-run --format json"
    Then the exit code is 0
    And the turns 1, 2 are kept
    And the output says "would_delete_chats"
    When I run "agents chat delete @chat"
    Then the exit code is 2
    And the error says "nothing of it can be taken back; your files stay as they are"
    And the turns 1, 2 are kept
    When I run "agents chat delete @chat --yes --format json"
    Then the exit code is 0
    And the output says "deleted_chats"
    And no row of a chat is left
    And there is a "file-1"
    And what the chats had is stored nowhere
    When one more turn comes
    And I undo here
    Then there is no "file-3"
    When I run "agents doctor --format json"
    Then the exit code is 0

  Scenario: a terminal is asked before a chat goes
    Given 1 turns that each change a file
    When on a terminal I am asked by "agents chat delete @chat" and answer "n"
    Then the turns 1 are kept
    When on a terminal I am asked by "agents chat delete @chat" and answer "y"
    Then no row of a chat is left

  Scenario: chats that were silent for long are deleted by age
    Given 1 turns that each change a file
    When I run "agents chat delete --older-than 30d --yes"
    Then the exit code is 0
    And the error says "no chat here was silent for so long; nothing was deleted"
    When I run "agents chat delete --older-than 4w --dry-run --format json"
    Then the exit code is 0
    Given the chat was silent for 31 days
    And the latest chat is another one
    When I run "agents chat delete --older-than 30d --dry-run --format json"
    Then the output says "session-A"
    And the output does not say "session-B"
    When I run "agents chat delete --older-than 30d --yes"
    Then the exit code is 0
    And the only chat is "session-B"

  Scenario Outline: chats that nobody can mean: <what>
    Given 1 turns that each change a file
    When I run "agents chat delete <words> --yes"
    Then the exit code is <code>
    And the error says "<told>"

    Examples:
      | what                 | words                   | code | told                                  |
      | none is named        |                         | 2    | say which: chats, or --older-than AGE |
      | by name and by age   | @chat --older-than 30d  | 2    | say which: chats, or --older-than AGE |
      | an age that is none  | --older-than soon       | 2    | is no age; write 30d, 12h or 8w       |
      | one that is not here | 01AAAAAAAAAAAAAAAAAAAAAAAA | 3  | 01AAAAAAAAAAAAAAAAAAAAAAAA            |

  Scenario: a chat whose undo was interrupted is not deleted before that is finished
    Given 1 turns that each change a file
    And undoing was killed as soon as it began
    When I run "agents chat delete @chat --yes"
    Then the exit code is 4
    And the error says "interrupted, and not finished yet: undo of chat"
    And there is a "file-1"
