Feature: An undo in the user's directory that was killed
  Killed at any moment, an undo is finished, or never began. What finishes it is typed by the user; a hook changes
  nothing and tells the agent.

  Background:
    Given the files
      | file     | content                   |
      | a.txt    | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt    | b                         |
      | gone.txt | doomed                    |
      | d/e/f    | deep                      |
    And I remember the files as "start"

  Scenario Outline: killed anywhere, <who>
    Given the project is <whose>
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt; mkdir -p new/deep; echo n > new/deep/file; ln -s a.txt link; rm -r d; chmod 600 a.txt
      stop
      user: sed -i 's/^8$/eight/' a.txt
      """
    When an undo here is killed at each of its steps, a prompt comes and the next undo finishes it
    Then no prompt changed a file, and each was told
    And nothing of ours is left in the directory
    When a redo here is killed at each of its steps, a prompt comes and the next redo finishes it
    Then no prompt changed a file, and each was told
    And nothing of ours is left in the directory

    Examples:
      | who                 | whose              |
      | as who runs this    | mine               |
      | as an ordinary user | an ordinary user's |

  Scenario: what an interrupted undo leaves is told, and the next undo of any chat finishes it
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt
      stop
      chat B
      prompt other
      call c2 Bash: echo y > new.txt
      stop
      """
    And undoing "t1 --chat A" was killed half-way
    When I ask what undo "--chat B" would do and it is refused
    Then it says "interrupted, and not finished yet: undo of chat"
    And it says "finish it: agents undo --chat"
    And the exit code of the refusal is 4
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "its undo was interrupted" of "operations"
    When I undo "--chat B" here
    Then the interrupted undo of t1 was finished, and nothing else was done
    And the files are as in "start" but for
      | file    | content |
      | new.txt | y       |
    When I undo "--chat B" here
    Then the files are as in "start"

  Scenario: a redo after an undo that was interrupted takes it back
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt
      stop
      """
    When I remember the files as "edited"
    And undoing is killed half-way
    And I redo here
    Then the files are as in "edited"
    And nothing of ours is left in the directory

  Scenario: what the user wrote after the crash stays
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt; echo n > a.txt
      stop
      """
    And undoing was killed half-way
    When the user runs "echo mine > b.txt; echo mine > a.txt; echo mine > gone.txt"
    And I undo here and it is taken back first
    Then the user's "b.txt" stays
    And the user's "a.txt" stays
    And the user's "gone.txt" stays
    And nothing of ours is left in the directory

  Scenario: the doctor finishes it as well
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt
      stop
      """
    And undoing was killed half-way
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "what was interrupted is finished"
    And the files are as in "start"
    And nothing of ours is left in the directory

  Scenario: one that cannot be finished is told, refused and given up, the files as they are
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt
      stop
      """
    And undoing was killed half-way
    And nobody can read any more what it was to do
    When I undo here and it is refused
    Then it says "an interrupted undo of this chat cannot be finished"
    And it says "give it up, files untouched: agents doctor --repair"
    When a prompt of the chat comes
    Then the agent is told "agents doctor --repair"
    When I run "agents doctor --format json"
    Then the doctor finds the problem "and cannot be finished" of "operations"
    When I run "agents doctor --repair --format json"
    Then the doctor says it has done "the interrupted undo was given up"
    And the doctor says it has done "agents undo --chat"
    When a prompt of the chat comes
    Then the agent is told nothing
    When I undo "t1 --before b.txt --before gone.txt" here
    Then the files are as in "start"

  Scenario: what a given up undo had built and never placed is removed
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > b.txt; rm gone.txt
      stop
      """
    And undoing was killed before it placed anything
    And the undo is marked as one that cannot be finished
    When I run "agents doctor --repair --format json"
    Then the doctor says it has done "that it never placed removed"
    And nothing of ours is left in the directory
