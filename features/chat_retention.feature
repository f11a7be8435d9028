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
    And what only old turns had is freed as soon as there is time
    When I undo here
    And I undo here
    Then there is no "file-6"
    And there is no "file-5"
    And there is a "file-4"
    And there is nothing to undo
    When I run "agents doctor --format json"
    Then the exit code is 0

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
