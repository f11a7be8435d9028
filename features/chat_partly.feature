Feature: A turn of which some is taken back
  An undo of single paths or of one call leaves the rest of the turn. The timeline says so, and the next undo takes
  the rest first.

  Background:
    Given the files
      | file  | content |
      | a.txt | a       |
      | b.txt | b       |
    And I remember the files as "start"
    And this chat
      """
      prompt first
      call c0 Bash: echo w > w
      stop
      prompt one
      call c1 Bash: echo x > a.txt; echo x > b.txt
      call c2 Bash: echo y > y
      stop
      """

  Scenario: single paths: the timeline tells what is still there, and the rest goes next
    When I run "agents undo --path a.txt --yes"
    Then the exit code is 0
    And the error says "agents undo    # takes back the rest of t2"
    When I run "agents timeline"
    Then the output says "t2  just now [partly taken back]  one"
    And the output says "still there: 2 paths: b.txt, y"
    When I run "agents timeline --format json"
    Then the data holds
      | field                              | value          |
      | chats.0.turns.0.taken_back_by.kept | ["b.txt", "y"] |
      | chats.0.turns.1.taken_back_by      | null           |
    When I run "agents op log"
    Then the output says "partly undone"
    When I run "agents op log --format json"
    Then the data holds
      | field         | value    |
      | acts.0.state  | "stands" |
      | acts.0.stands | true     |
    When I run "agents undo --dry-run --format json"
    Then the data holds
      | field        | value |
      | turn         | "t2"  |
      | counts.files | 2     |
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "agents undo    # takes back t1"
    When I run "agents timeline"
    Then the output says "t2  just now [taken back]  one"
    And the output does not say "still there"
    When I run "agents undo --yes"
    Then the files are as in "start"
    And the error does not say "agents undo"
    When I run "agents redo --yes"
    And I run "agents redo --yes"
    And I run "agents timeline"
    Then the output says "t2  just now [partly taken back]  one"
    When I run "agents redo --yes"
    And I run "agents timeline"
    Then the output does not say "taken back"

  Scenario: one call, and what another chat did meanwhile
    Given this chat goes on
      """
      chat B
      prompt other
      call c1 Bash: echo z > z
      stop
      """
    When I run "agents undo t2.1 --chat session-A --yes"
    Then the exit code is 0
    And the error says "# takes back the rest of t2"
    And the error says "agents undo --chat 01"
    When I run "agents undo --yes"
    Then the error says "agents undo    # takes back t2 of another chat (claude)"

  # --- A look ------------------------------------------------------------------------------------

  Scenario: a dry run stores nothing
    Given everything that is stored is remembered
    When I run "agents undo --dry-run"
    Then the exit code is 0
    When I run "agents undo --path a.txt --dry-run --format json"
    And I run "agents redo --dry-run"
    Then nothing that is stored has changed

  # --- Which chat --------------------------------------------------------------------------------

  Scenario: a few letters of a session will do, and all of one are that one
    Given this chat goes on
      """
      chat AB
      prompt another
      call c1 Bash: echo z > z
      stop
      """
    When I run "agents undo --chat session-A --dry-run --format json"
    Then the data holds
      | field | value |
      | turn  | "t2"  |
    When I run "agents undo --chat session-AB --dry-run --format json"
    Then the data holds
      | field | value |
      | turn  | "t1"  |
    When I run "agents undo --chat s --dry-run"
    Then the exit code is 2
    And the error says "'s' names 2 chats"
    When I run "agents plan status session-A --format json"
    Then the exit code is 0
    When I run "agents timeline --chat session-AB --format json"
    Then the data holds
      | field           | value        |
      | chats.0.session | "session-AB" |
