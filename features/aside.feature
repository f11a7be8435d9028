Feature: What a restore takes out of its way
  A restore renames the files that have to go aside and removes them when nobody waits for it. They
  are in a checkpoint already: whoever comes next may remove what a crash has left of them.

  Scenario: what was put aside is removed without being asked for
    Given the shell has run "echo one > a; echo two > b" in the tree
    And the tree has been captured
    When the shell runs "echo other > a; echo three > c; rm b" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And 0 files lie aside

  Scenario: what goes aside while what went before is removed is left for its own restore
    Given the shell has run "echo one > a" in the tree
    And the tree has been captured
    When the shell runs "echo other > a" in the tree
    And the tree is restored while something else goes aside
    Then the tree is exactly as it was captured
    And 1 files lie aside

  Scenario: what a killed process left aside goes with the next restore
    Given the shell has run "echo one > a; echo two > b" in the tree
    And the tree has been captured
    When the shell runs "echo other > a; echo three > c" in the tree
    And a process that restores the tree is killed before it removes what it put aside
    Then the tree is exactly as it was captured
    And 2 files lie aside
    When the shell runs "echo more > b" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And 0 files lie aside

  Scenario Outline: hard links are counted right while what went lies aside: <command>
    Given the shell has run "echo one > a; ln a b; mkdir d; echo three > d/c" in the tree
    And the tree has been captured
    When the shell runs "<command>" in the tree
    And the tree is restored without removing what it put aside
    Then the tree is exactly as it was captured
    And <count> files lie aside
    And a capture of the tree tells nothing

    Examples:
      | command                            | count |
      | ln a d/new                         | 0     |
      | echo two > a                       | 1     |
      | rm b; echo two > b                 | 2     |
      | rm a; ln d/c a                     | 2     |
      | rm a b d/c; echo two > b; ln b d/c | 1     |

  @needs_root
  Scenario: what lies aside makes room before a restore is refused
    Given a file system of 64m for the tree
    And the shell has run "head -c 12000000 /dev/urandom > big" in the tree
    And the tree has been captured
    When the shell runs "head -c 12000000 /dev/urandom > big" in the tree
    And a process that restores the tree is killed before it removes what it put aside
    Then 1 files lie aside
    When the shell runs "rm big; head -c 20000000 /dev/urandom > ballast" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

  @needs_root
  Scenario: what was put aside makes room when the disk becomes full on the way
    Given a file system of 64m for the tree
    And the shell has run "head -c 12000000 /dev/urandom > big" in the tree
    And the tree has been captured
    When the shell runs "head -c 12000000 /dev/urandom > big" in the tree
    And the tree is restored while somebody else fills the disk
    Then the tree is exactly as it was captured

  @needs_root
  Scenario: a large file that lies aside makes room though it has most of the one that comes
    Given a file system of 64m for the tree
    And the shell has run "head -c 12000000 /dev/urandom > big; printf x | dd of=big bs=1 seek=9000000 conv=notrunc status=none" in the tree
    And the tree has been captured
    And the shell has run "printf y | dd of=big bs=1 seek=9000000 conv=notrunc status=none" in the tree
    And the tree has been captured
    When the shell runs "printf x | dd of=big bs=1 seek=9000000 conv=notrunc status=none" in the tree
    And the tree is restored while somebody else fills the disk
    Then the tree is exactly as it was captured

  Scenario Outline: a large file comes back whole <meanwhile>
    Given the shell has run "head -c 12000000 /dev/urandom > big; printf x | dd of=big bs=1 seek=9000000 conv=notrunc status=none" in the tree
    And the tree has been captured
    And the shell has run "printf y | dd of=big bs=1 seek=9000000 conv=notrunc status=none; echo one > a" in the tree
    And the tree has been captured
    When the shell runs "printf x | dd of=big bs=1 seek=9000000 conv=notrunc status=none; echo two > a" in the tree
    And the tree is restored <meanwhile>
    Then the tree is exactly as it was captured

    Examples:
      | meanwhile                                 |
      | while somebody empties what went          |
      | while a pipe takes the place of what went |

  @needs_root
  Scenario: a disk that becomes full with nothing aside is an error
    Given a file system of 64m for the tree
    And the shell has run "head -c 12000000 /dev/urandom > big" in the tree
    And the tree has been captured
    When the shell runs "rm big" in the tree
    And a restore of the tree is tried while somebody else fills the disk
    Then the restore failed
    When the shell runs "rm ../ballast" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: what cannot be removed in the background stays for whoever comes next
    Given the shell has run "echo one > a" in the tree
    And the tree has been captured
    When the shell runs "echo other > a" in the tree
    And the tree is restored with no thread to be had
    Then the tree is exactly as it was captured
    And 1 files lie aside
    When the shell runs "echo more > a" in the tree
    And the tree is restored
    Then 0 files lie aside
