Feature: The store of snapshots
  Content is stored once, verified before it is used, and freed when nothing needs it any more.

  Scenario: identical content is stored once
    Given the shell has run "head -c 300000 /dev/urandom > a; cp a b; mkdir d; cp a d/c" in the tree
    When the tree is captured
    Then the capture added at most 310000 bytes
    When the shell runs "cp a again; mv d e; chmod 600 b" in the tree
    And the tree is captured
    Then the capture added at most 5000 bytes
    And every snapshot brings the tree back exactly

  Scenario: chunks of a large file are shared as well
    Given the shell has run "head -c 8388608 /dev/urandom > big" in the tree
    And the tree has been captured
    When the shell runs "echo more >> big" in the tree
    And the tree is captured
    Then the capture added at most 5000 bytes
    And every snapshot brings the tree back exactly

  Scenario: a capture that is not committed leaves nothing
    Given the shell has run "head -c 9000000 /dev/urandom > a" in the tree
    When a capture of the tree is given up
    Then the store holds nothing

  Scenario: a capture that finds nothing new writes no file
    Given the shell has run "echo one > a" in the tree
    And the tree has been captured
    Then a capture of the tree that is given up has written no file

  Scenario: many files, which are compressed while others are read, are kept exactly
    Given the tree holds 8 MB in files of every kind of content
    When the tree is captured
    Then an archive that opens the store anew reads every file back
    And every snapshot brings the tree back exactly
    And no thread is left

  Scenario: a capture that fails while files are compressed leaves nothing
    Given the tree holds 8 MB in files of every kind of content
    When a capture of the tree fails after 20 objects
    And a capture of the tree fails after 70 objects
    Then the store holds nothing
    And no thread is left

  Scenario Outline: a store whose objects are all <used> does not stay in memory
    Then of 3000 objects of 8000 random bytes that are all <used> little stays in memory

    Examples:
      | used       |
      | looked for |
      | read       |

  Scenario: nobody else may read the store
    Given the shell has run "echo one > a" in the tree
    When the tree is captured
    Then only its owner may read the store

  # --- damage ----------------------------------------------------------------------------------

  Scenario Outline: damage is refused before anything changes: <damage>
    Given the tree holds random files "a, b, c"
    And the tree has been captured
    And the shell has run "echo new > e" in the tree
    And the tree has been captured
    When the tree loses "a, b, e"
    And the store suffers <damage>
    And a restore of the tree is tried
    Then the restore is refused with the damaged paths "<paths>"
    And the tree is as it was before the restore

    Examples:
      | damage                                        | paths |
      | a flipped bit in the object of "a"            | a     |
      | an object of "a" that is all zeros            | a     |
      | swapped objects of "a" and "b"                | a, b  |
      | its oldest pack lost                          | a, b  |
      | its oldest pack cut in half                   | a, b  |
      | its oldest pack cut to nothing                | a, b  |
      | its oldest pack flipped in a bit of its index | a, b  |

  Scenario: damage to what need not be restored is no hindrance
    Given the tree holds random files "a, b, c"
    And the tree has been captured
    When the tree loses "a"
    And the store suffers a flipped bit in the object of "c"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: packs that are swept while they are being opened are looked for again
    Given the tree holds random files "a, b"
    And the tree has been captured
    When another process renames the pack just after it was listed
    And the tree loses "a"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: an unfinished pack that is gone by now was not left behind
    Given the tree holds random files "a, b"
    And the tree has been captured
    Then a pack that is finished while somebody looks for unfinished ones is none of them

  Scenario: a name that leads nowhere is no pack
    Given the tree holds random files "a, b"
    And the tree has been captured
    When the store has a link "lost.pack" that leads nowhere
    And the tree loses "a"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: damage to a part of a large file is found
    Given the tree holds the random file "big" of 9000000 bytes
    And the tree has been captured
    When the tree loses "big"
    And the store suffers a flipped bit in the second chunk of "big"
    And a restore of the tree is tried
    Then the restore is refused with the damaged paths "big"

  Scenario: damage to the list of the parts of a large file is told with every path of it
    Given the tree holds the random file "big" of 9000000 bytes
    And the shell has run "cp big copy" in the tree
    And the tree has been captured
    When the tree loses "big"
    And the tree loses "copy"
    And the store suffers a flipped bit in the list of the chunks of "big"
    And a restore of the tree is tried
    Then the restore is refused with the damaged paths "big, copy"

  Scenario: damage to a directory is told with its path
    Given the tree holds random files "a, d/b, d/c"
    And the tree has been captured
    When the tree loses "d"
    And the store suffers a flipped bit in the directory "d"
    And a restore of the tree is tried
    Then the restore is refused with the damaged paths "d"
    And the tree is as it was before the restore

  Scenario: all damage of a snapshot can be listed
    Given the tree holds random files "a, b, d/c, e/f"
    And the tree has been captured
    When the store suffers a flipped bit in the object of "a"
    And the store suffers a flipped bit in the object of "d/c"
    And the store suffers a flipped bit in the directory "e"
    Then the snapshot is damaged at "a, d/c, e"

  Scenario: a second intact copy stands in for a damaged one
    Given the tree holds random files "a"
    And two processes have captured the tree at the same time
    When the tree loses "a"
    And the store suffers a flipped bit in its first object of "a"
    And the tree is restored
    Then the tree is exactly as it was captured

  # --- sweeping --------------------------------------------------------------------------------

  Scenario: a sweep frees what only forgotten snapshots need
    Given the tree holds random files "a, b"
    And the tree has been captured
    And the tree loses "a"
    And the tree has been captured
    When the store is swept and snapshot 1 is forgotten
    Then the sweep freed at least 900 bytes
    And the store has no object of the file "a"
    And the store has an object of the file "b"
    And snapshot 2 brings the tree back exactly

  Scenario: a sweep keeps everything that live snapshots need
    Given the tree holds random files "a, b, d/c"
    And the tree has been captured
    And the shell has run "echo new > n" in the tree
    And the tree has been captured
    When the store is swept and nothing is forgotten
    Then the sweep freed at least 0 bytes
    And every snapshot brings the tree back exactly

  Scenario: a tree that is as a live snapshot says is not read again after a sweep
    Given the tree holds random files "a, b, c"
    And changes are found by scanning with trust, each time in another process
    And the tree has been captured
    And the tree loses "a, b"
    And the tree has been captured
    When the store is swept and snapshot 1 is forgotten
    Then the store has no object of the file "a"
    And another process captures the tree without reading "c"
    And every snapshot but the first brings the tree back exactly

  Scenario Outline: a tree that is as a swept snapshot says is stored again: <how>
    Given the tree holds random files "a"
    And changes are found by <how>
    And the tree has been captured
    And the tree holds random files "b"
    And the tree has been captured
    When the store is swept and snapshot 2 is forgotten
    Then the store has no object of the file "b"
    When the tree is captured
    Then the store has an object of the file "b"
    And snapshot 3 brings the tree back exactly

    Examples:
      | how                 |
      | watching            |
      | scanning with trust |

  Scenario: a sweep of a store with large files frees every chunk
    Given the tree holds the random file "big" of 9000000 bytes
    And the tree has been captured
    And the tree loses "big"
    And the tree has been captured
    When the store is swept and snapshot 1 is forgotten
    Then the store takes at most 1 MiB
    And snapshot 2 brings the tree back exactly

  Scenario: directories that change a little are kept as differences, and every version comes back
    Given the tree holds a directory of 100 files
    And the tree has been captured
    And the tree has been captured 70 times, each time with one file changed
    Then each of the last 70 packs takes at most 1200 bytes in the mean
    And every snapshot brings the tree back exactly

  Scenario: a sweep keeps what differences are differences to
    Given the tree holds a directory of 100 files
    And the tree has been captured
    And the tree has been captured 5 times, each time with one file changed
    When the store is swept and snapshot 1 is forgotten
    And the store is swept and snapshot 3 is forgotten
    Then snapshot 2 brings the tree back exactly
    And snapshot 6 brings the tree back exactly

  Scenario: a sweep keeps the files of a live directory that another one is a difference to
    Given the tree holds a directory of 100 files
    And the tree has been captured
    And the tree has been captured 6 times, each time with other bytes in "many/file-0001"
    When the store is swept and snapshot 3 is forgotten
    Then the sweep freed at least 15000 bytes
    And snapshot 2 brings the tree back exactly
    And snapshot 5 brings the tree back exactly
    And snapshot 7 brings the tree back exactly

  Scenario: damage to a version is told by all that are differences to it
    Given the tree holds a directory of 100 files
    And the tree has been captured
    And the tree has been captured 2 times, each time with one file changed
    When the store suffers a flipped bit in the directory "many"
    And the tree loses "many"
    And a restore of the tree is tried
    Then the restore is refused with the damaged paths "many"
    And the tree is as it was before the restore

  Scenario: H56 what a crash left without a row is kept for a day
    Given the tree holds random files "a"
    And the tree has been captured
    When the store is swept and nothing is known of snapshot 1
    Then snapshot 1 brings the tree back exactly

  Scenario: H56 what a crash left without a row goes after a day
    Given the tree holds random files "a"
    And the tree has been captured
    And the packs of the store are 25 hours old
    When the store is swept and nothing is known of snapshot 1
    Then the store has no object of the file "a"
    And the sweep freed at least 900 bytes

  Scenario: age alone takes nothing that is live
    Given the tree holds random files "a"
    And the tree has been captured
    And the packs of the store are 25 hours old
    When the store is swept and nothing is forgotten
    Then snapshot 1 brings the tree back exactly

  Scenario: no sweep while a capture is under way
    Given the tree holds random files "a"
    And the tree has been captured
    When the store is swept while a capture is under way, and snapshot 1 is forgotten
    Then the sweep did nothing
    And the store has an object of the file "a"

  Scenario: no sweep while another process captures
    Given the tree holds random files "a"
    And the tree has been captured
    When the store is swept while another process captures, and snapshot 1 is forgotten
    Then the sweep did nothing
    And the store has an object of the file "a"

  Scenario: the unfinished pack of a killed writer is cleared away
    Given the tree holds random files "a"
    And a process that was writing a pack has been killed
    When the store is swept and nothing is forgotten
    Then the store has no unfinished pack

  Scenario: the unfinished pack of a living writer is kept
    Given the tree holds random files "a"
    And a process that was writing a pack is still at it
    When the store is swept and nothing is forgotten
    Then the store has one unfinished pack

  Scenario: a process that knows the old packs finds what another has repacked
    Given the tree holds random files "a, b"
    And the tree has been captured
    And the tree loses "a"
    And the tree has been captured
    When the store is swept by another process, and snapshot 1 is forgotten
    Then the sweep freed at least 1 bytes
    When the tree loses "b"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario Outline: a sweep does not make damage worse: <damage>
    Given the tree holds random files "a, d/b, d/c"
    And the tree has been captured
    And the shell has run "head -c 1000 /dev/urandom > new" in the tree
    And the tree has been captured
    When the store suffers <damage>
    And the store is swept and snapshot 2 is forgotten
    Then the store still has the bytes of "<left>"

    Examples:
      | damage                                    | left        |
      | a flipped bit in the object of "d/b"      | a, d/c      |
      | a broken header of the object of "d/b"    | a, d/c      |

    # What is reached through a damaged directory or record counts as needed by nobody.
    Examples: directories and records
      | damage                                    | left        |
      | a flipped bit in the directory "d"        | a, d/b, d/c |
      | a flipped bit in the record of snapshot 1 | a, d/b, d/c |

  # --- packs without objects -------------------------------------------------------------------

  Scenario: what is kept a second time is as young as the second time
    Given the tree holds random files "a"
    And the tree has been captured
    And the packs of the store are 25 hours old
    And the tree has been captured
    Then no pack is without objects
    When the store is swept and nothing is known of snapshot 1
    Then snapshot 2 brings the tree back exactly

  Scenario: a store works on with a pack without objects, as earlier versions wrote them
    Given the tree holds random files "a, b"
    And the tree has been captured
    And an earlier version has written a pack without objects for snapshot 1
    And the tree loses "a"
    And the tree has been captured
    When the store is swept and snapshot 1 is forgotten
    Then the sweep freed at least 900 bytes
    And the store has no object of the file "a"
    And snapshot 2 brings the tree back exactly

  Scenario: a pack whose record was swept away does not keep the next sweep from its work
    Given the tree holds random files "a, b"
    And the tree has been captured
    And the packs of the store are 25 hours old
    And the tree loses "a"
    And the tree has been captured
    When the store is swept and nothing is known of snapshot 1
    Then the store has no object of the file "a"
    When the store is swept and nothing is known of snapshot 1
    Then the sweep freed at least 0 bytes
    And snapshot 2 brings the tree back exactly
