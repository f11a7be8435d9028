Feature: The doctor knows chats
  What is kept of chats is looked after as what is kept of plans: damage is found and mended, lost rows are made again,
  what was interrupted is told. What a chat is, and a plan is not, is no problem.

  Background:
    Given the files
      | file  | content                   |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                         |
    And I remember the files as "start"

  Scenario: a chat that is well, in the middle of a turn
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; echo more >> a.txt
      stop
      prompt again
      call c2 Bash: echo y > new.txt
      """
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 0
    And the doctor finds nothing of "interrupted"
    And the doctor finds nothing of "content"
    And the doctor finds nothing of "contradictions"
    And the doctor finds nothing of "rows"
    And the doctor finds nothing of "orphans"
    When I undo here
    And I redo here
    And I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor finds nothing of "orphans"

  Scenario: a chat of one client beside a plan
    Given the steps
      """
      - { tool: shell, with: { command: "echo x > x" } }
      """
    And I have run "agents run ACTION"
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      """
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor finds nothing of "sandboxes"

  Scenario: damaged content that the directory still has is stored again
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      """
    And what the chat has stored of "a.txt" is damaged
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "chat " of "content"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "1 of 1 lost objects were stored again"
    When I undo here
    Then the files are as in "start"

  Scenario: damaged content that is nowhere else is told, and an undo that needs it changes nothing
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; rm b.txt
      stop
      """
    And what the chat has stored of "b.txt" is damaged
    When I undo here and it is refused
    And I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor finds the problem "cannot be restored as a whole" of "content"
    And the doctor says about it "b.txt"

  Scenario: an undo that is done says so, though what the next one needs is damaged
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      stop
      prompt two
      call c2 Bash: echo y > y
      stop
      """
    And the first state that the chat has stored is damaged
    When I undo here
    Then the files are as in "start" but for
      | file | content |
      | x    | x       |
    When I undo here and it is refused
    Then it says "cannot be unpacked"

  Scenario: rows that are lost are made again
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      prompt again
      call c2 Bash: echo y > other.txt
      stop
      """
    And the rows of checkpoints 2 and 3 are lost
    When I run "agents doctor --format json"
    Then the doctor finds the problem "cp2, cp3 in the store without a row" of "rows"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "cp2, cp3 made again from the store"
    And the chats have 3 checkpoints
    When this chat goes on
      """
      prompt third
      call c3 Bash: echo z > third.txt
      stop
      """
    And I undo here
    Then there is no "third.txt"

  Scenario: a lost database: the chat is made again with its checkpoints, and goes on as another
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      """
    And the database is deleted
    When I run "agents doctor --format json"
    Then the doctor finds the problem "the database does not know chat" of "rows"
    When I run "agents doctor --repair --format json"
    Then the doctor says it has done "which calls made what is not told by it"
    And the chats have 2 checkpoints
    When I run "agents doctor --format json"
    Then the exit code is 0
    When this chat goes on with nothing known of it
      """
      prompt again
      call c2 Bash: echo y > other.txt
      stop
      """
    And I undo here
    Then there is no "other.txt"
    And there is a "new.txt"

  Scenario: a conversation that went on while the database was lost
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      """
    And the rows of chats are lost
    And this chat goes on with nothing known of it
      """
      prompt again
      call c2 Bash: echo y > other.txt
      stop
      """
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And there are 2 chats, one of them rebuilt
    When I undo here
    Then there is no "other.txt"

  Scenario: a directory that got chats anew is not rebuilt over them
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      """
    And the database is deleted
    And this chat goes on with nothing known of it
      """
      prompt again
      stop
      """
    When I run "agents doctor --repair --format json"
    Then the doctor says it has done "got new plans since the database was lost"

  Scenario: the directory is gone, and the chats follow it to its new place
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      """
    And the directory of the chat is protected
    And the project is moved to "moved"
    When I run "agents doctor --format json" below ../moved
    Then the doctor finds the problem "1 chat is about it" of "projects"
    When I run "agents project move --yes" below ../moved
    Then the exit code is 0
    And the error says "agents timeline"
    And the error does not say "agents plan list"
    When the chat goes on in "moved"
    And I run "agents undo --yes"
    Then the exit code is 0
    And there is no "new.txt"
    When I run "agents doctor --format json"
    Then the exit code is 0

  Scenario: what is forgotten goes from chats as well, and an undo leaves it alone
    Given the files
      | file | content       |
      | .env | token=hunter2 |
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; echo token=hunter3 > .env
      stop
      """
    When I undo here
    And I redo here
    Then "hunter2" is stored
    When I run "agents forget .env --yes --format json"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    And "hunter3" is stored nowhere
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the preview of undo "-" tells
      | what        | told                   |
      | files       | new.txt removed        |
      | not covered | .env: it was forgotten |
    When I undo here
    Then there is no "new.txt"
    And there is a ".env"

  Scenario: how a path stays out of later checkpoints, and what is not searched, is told for chats
    Given this chat
      """
      prompt edit
      call c1 Bash: echo token=hunter3 > .env
      stop
      """
    When I run "agents forget .env --yes"
    Then the exit code is 0
    And the output says "prompts and commands that are kept of chats"
    And the error says "agents config set chat.exclude .env"
    And the error does not say "sandbox.checkpoint.exclude"
