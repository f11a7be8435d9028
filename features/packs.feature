Feature: Many packs become few
  However many checkpoints are made, a store has few packs and a process few descriptors open. Packs
  are joined at the end of a command, while nobody else writes, and nothing that they held is lost.

  Scenario: small packs are joined, and every snapshot comes back
    Given the tree holds random files "a, d/b"
    And the tree has been captured 70 times, each time with a new file
    When the packs are joined
    Then the store has at most 3 packs
    And every snapshot brings the tree back exactly
    And snapshot 1 brings the tree back exactly
    And snapshot 70 brings the tree back exactly

  Scenario: few packs are left alone
    Given the tree holds random files "a"
    And the tree has been captured 5 times, each time with a new file
    When the packs are joined
    Then the store has at least 5 packs

  Scenario: packs are joined again and again, and no byte is copied often
    Given packs are joined from 8 on
    And the tree holds random files "a"
    When the tree is captured 120 times, with a new file and a join each time
    Then the store never had more than 12 packs
    And what was written is at most 8 times what is kept
    And every snapshot brings the tree back exactly

  Scenario: a large pack is left alone
    Given packs are joined from 4 on
    And the tree holds the random file "big" of 3000000 bytes
    And the tree has been captured
    And the tree has been captured 6 times, each time with a new file
    When the packs are joined
    Then the store has at most 2 packs
    And the pack with "big" is the one it was

  Scenario Outline: what is in a joined pack is forgotten as in its own: <how>
    Given packs are joined from 3 on
    And the tree holds random files "a, b, c, d, e, f"
    And the tree has been captured
    And the tree loses "a, b, c, d, e"
    And the tree has been captured 3 times, each time with a new file
    And the packs of the store are <age> hours old
    When the packs are joined
    And the store is swept and <how>
    Then the file "a" is <there>
    And every snapshot but the first brings the tree back exactly

    Examples:
      | age | how                              | there |
      | 0   | snapshot 1 is forgotten          | gone  |
      | 0   | nothing is known of snapshot 1   | there |
      | 25  | nothing is known of snapshot 1   | gone  |
      | 25  | nothing is forgotten             | there |

  Scenario: a joined pack that was swept is joined again, and goes on knowing its records
    Given packs are joined from 3 on
    And the tree holds random files "a, b, c"
    And the tree has been captured
    And the tree loses "a, b, c"
    And the tree has been captured 3 times, each time with a new file
    When the packs are joined
    And the store is swept and snapshot 1 is forgotten
    And the tree is captured 3 times, with a new file and a join each time
    Then the store knows the records of snapshots 2, 3, 4, 5, 6, 7
    And the file "a" is gone

  Scenario: a process that knows the old packs finds what another one has joined
    Given packs are joined from 3 on
    And the limit of packs that are open is 1
    And the tree holds random files "a, b"
    And the tree has been captured 4 times, each time with a new file
    When the packs are joined by another process
    And the tree loses "a"
    And the tree is restored
    Then the tree is exactly as it was captured
    And the tree was not read again because packs were gone

  Scenario: what is known of a tree stays known when packs are joined
    Given packs are joined from 3 on
    And changes are found by scanning with trust, each time in another process
    And the tree holds random files "a, b, c"
    And the tree has been captured 4 times, each time with a new file
    When the packs are joined by another process
    Then another process captures the tree without reading "c"

  Scenario: killed while it joins, at each of its steps
    Given packs are joined from 4 on
    And the tree holds random files "a, b"
    And the tree has been captured 5 times, each time with a new file
    When the packs are joined by processes that are killed, one at each of its steps
    Then every snapshot brings the tree back exactly
    When the packs are joined
    And the store is swept and nothing is forgotten
    Then the store has at most 1 pack
    And the store has no unfinished pack
    And every snapshot brings the tree back exactly

  Scenario: nothing is joined while another process captures
    Given packs are joined from 3 on
    And the tree holds random files "a"
    And the tree has been captured 4 times, each time with a new file
    When the packs are joined while another process captures
    Then the store has at least 4 packs

  Scenario: of two copies the intact one is kept
    Given packs are joined from 2 on
    And the tree holds random files "a"
    And two processes have captured the tree at the same time
    When the store suffers a flipped bit in its first object of "a"
    And the packs are joined
    Then the store has at most 1 pack
    When the tree loses "a"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: a pack with a broken object stays as it is
    Given packs are joined from 2 on
    And the tree holds random files "a"
    And the tree has been captured
    And the tree has been captured 2 times, each time with a new file
    When the store suffers a broken header of the object of "a"
    And the packs are joined
    Then the store has at most 2 packs
    And the snapshot is damaged at "a"

  Scenario: a full disk keeps no command from its end
    Given packs are joined from 2 on
    And the tree holds random files "a"
    And the tree has been captured 3 times, each time with a new file
    When the packs are joined where no file can grow
    Then the store has at least 3 packs
    And the store has no unfinished pack
    And it was told "packs could not be joined: File too large"

  Scenario: many packs are read through few descriptors
    Given the tree holds random files "a"
    And the tree has been captured 60 times, each time with a new file
    Then at most 32 packs are open
    And every snapshot brings the tree back exactly
    And at most 32 packs are open

  Scenario: the descriptors of one program do not add up with its sessions
    Given a plain folder
    When a program opens 24 sessions one after the other
    Then the last took no more descriptors than the tenth
    And the store of the project has fewer than 64 packs

  Scenario: the soft limit on open files is raised, as far as anybody may
    Given a plain folder
    Then "agents plan list" under a soft limit of 64 and a hard limit of 300 open files runs with 300
    And "agents plan list" under a soft limit of 256 open files in this process raises it

  Scenario: rows are made again from a joined pack
    Given packs are joined from 3 on
    And a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "echo 1 > v"}}
      - {tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And the store of the project has fewer than 3 packs
    And the database is deleted
    When I run "agents doctor --repair"
    Then the exit code is 0
    And there are 4 checkpoints
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan's file "v" holds "1"

  Scenario: in a large store, what the limit lets go waits for a sweep that is worth it
    Given the limit of bytes of a small store is 1
    And the limit of what a sweep frees of a store, to be worth it, is 1
    And a plain folder
    And the steps
      """
      - {tool: shell, with: {command: "echo 1 > v"}}
      - {tool: shell, with: {command: "echo 2 > v"}}
      - {tool: shell, with: {command: "echo 3 > v"}}
      - {tool: shell, with: {command: "echo 4 > v"}}
      """
    And I have run "agents run ACTION --set sandbox.checkpoint.max-checkpoints-per-plan=2"
    Then what was forgotten waits for a sweep
    When I run "agents doctor"
    Then the exit code is 0
    When I run "agents plan log @"
    Then the output says "forgotten"
    When I run "agents plan checkpoint create @"
    And I run "agents plan checkpoint delete @ 6 --yes"
    Then the exit code is 0
    And nothing waits for a sweep
