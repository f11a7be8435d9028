Feature: Finding what has changed
  A capture costs what changed because changes are watched, or recognised by what the system says
  of a file. Either way a snapshot must hold what a look at every byte would have found.

  @unmeasured
  Scenario Outline: whatever changes, a capture finds it: <how>, walk <seed>
    Given a tree to walk in
    And changes are found by <how>
    When the tree is changed at random 60 times and captured after every <changes>, walk <seed>
    Then every capture found what a look at everything finds
    And the snapshots that were restored were what the oracle had seen

    Examples: watching
      | how                                    | changes | seed |
      | watching                               | 1       | 1    |
      | watching                               | 1       | 2    |
      | watching                               | 4       | 3    |
      | watching                               | 15      | 4    |

    Examples: one process
      | how                                    | changes | seed |
      | scanning                               | 1       | 5    |
      | scanning                               | 4       | 6    |
      | scanning with trust                    | 1       | 7    |
      | scanning with trust                    | 4       | 8    |

    Examples: many processes
      | how                                    | changes | seed |
      | watching, each time in another process | 3       | 9    |
      | scanning, each time in another process | 3       | 10   |
      | scanning with trust, each time in another process | 1 | 11 |
      | scanning with trust, each time in another process | 5 | 12 |

  Scenario Outline: restores are found as well: <how>
    Given a tree to walk in
    And changes are found by <how>
    When the tree is changed at random 40 times and captured after every 4, walk 13
    Then every snapshot brings the tree back exactly

    Examples: watching
      | how                                    |
      | watching                               |

    Examples: others
      | how                                    |
      | scanning with trust                    |
      | watching, each time in another process |

  Scenario: what changes after a look that stores nothing is not read as what was seen
    Given the shell has run "echo one > a" in the tree
    When the tree is looked at, and then "two" is written to "a"
    Then to read what was seen of "a" fails: it changed while it was looked at

  Scenario: a write through a hard link outside the tree is found
    Given the shell has run "echo one > ../outside; ln ../outside inside; echo two > b" in the tree
    And changes are found by watching
    And the tree has been captured
    When the shell runs "echo changed > ../outside" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: a file that is written by a process which keeps it open is found each time
    Given the shell has run "echo one > a" in the tree
    And changes are found by watching
    And the tree has been captured
    When the tree's "a" is written 3 times through one descriptor and captured each time
    Then every snapshot brings the tree back exactly

  Scenario: a tree that was removed and made anew is found, also if it gets the same inode
    Given the shell has run "echo one > a; mkdir d; echo two > d/b" in the tree
    And changes are found by watching
    And the tree has been captured
    When the tree's "." is removed and made anew with the same inode
    And the shell runs "echo changed > a" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario Outline: hard links that come and go are found by <how>: <command>
    Given the shell has run "echo one > a; echo two > b; mkdir d; echo three > d/c; ln a d/linked; ln a d/third" in the tree
    And changes are found by <how>
    And the tree has been captured
    When the shell runs "<command>" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

    Examples:
      | how      | command                  |
      | watching | ln a e; rm a             |
      | watching | rm d/linked              |
      | watching | rm a; mkdir a            |
      | watching | mv a e                   |
      | watching | rm a; cp -p d/linked a   |
      | scanning | ln b d/b                 |
      | scanning | ln -f b a                |
      | scanning | rm d/linked              |
      | scanning | rm a; mkdir a            |

    # The link count of the other name changes without an event in its directory: it is captured as
    # two files.
    Examples: new links
      | how      | command                  |
      | watching | ln b d/b                 |
      | watching | ln -f b a                |

    # A name that was a hard link stays one of the group: the snapshot cannot be restored.
    Examples: names that are no file any more
      | how      | command                  |
      | watching | rm a; ln -s b a          |
      | watching | rm a; mkfifo a           |
      | scanning | rm a; ln -s b a          |
      | scanning | rm a; mkfifo a           |

  Scenario Outline: what was written through a name that is gone again is found by <how>: <command>
    Given the shell has run "echo one > a; mkdir d; echo two > d/b" in the tree
    And changes are found by <how>
    And the tree has been captured
    When the shell runs "<command>" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

    Examples:
      | how                 | command                                                   |
      | watching with trust | ln a e; echo more > e; rm e                               |
      | watching with trust | ln a d/e; mv d/e f; echo more > f; rm f                   |
      | watching with trust | ln a e; echo more > e; echo other > f; mv f e             |
      | watching with trust | ln a e; mv e ../e; echo more > ../e; rm ../e              |
      | watching with trust | cp -al d e; echo more > e/b; rm -r e                      |
      | scanning with trust | ln a e; echo more > e; rm e                               |
      | scanning with trust | cp -al d ../e; echo more > ../e/b; rm -r ../e             |

  Scenario Outline: a restore puts right what was written through a name outside that is gone again, by <how>
    Given the shell has run "echo one > a; mkdir d; echo two > d/b" in the tree
    And changes are found by <how>
    And the tree has been captured
    When the shell runs "cp -al d ../e; echo more > ../e/b; rm -r ../e; ln a ../f; chmod 600 ../f; rm ../f" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

    Examples:
      | how                 |
      | watching with trust |
      | scanning with trust |

  Scenario: files that are saved by way of another name make no look at everything
    Given the shell has run "mkdir d; echo one > d/a; echo two > b" in the tree
    And changes are found by watching
    And the tree has been captured
    When the shell runs "echo more > d/new; mv d/new d/a; echo more > c; mv b d/b; mkdir e" in the tree
    Then a capture of the tree finds that without a look at everything
    And every snapshot brings the tree back exactly

  Scenario: a tree that was replaced by another one is found
    Given the shell has run "echo one > a; mkdir d; echo two > d/b" in the tree
    And changes are found by watching
    And the tree has been captured
    When the shell runs "cd ..; cp -a tree new; echo changed > new/d/b; mv tree old; mv new tree; rm -r old" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: more changes than the system can tell are found by a scan
    Given the shell has run "mkdir d; touch d/x" in the tree
    And changes are found by watching
    And the tree has been captured
    When more changes than the system can tell happen in the tree
    And the shell runs "echo late > late" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: a directory that was made anew with the same inode while the system lost track is watched
    Given the shell has run "mkdir d gone; touch d/x gone/y" in the tree
    And changes are found by watching
    And the tree has been captured
    When more changes than the system can tell happen in the tree
    And the tree's "gone" is removed and made anew with the same inode
    And the tree is captured
    And the shell runs "echo late > gone/late" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario Outline: a record of the tree that is <damage> is not believed
    Given the shell has run "echo one > a; mkdir d; echo two > d/b" in the tree
    And changes are found by scanning with trust, each time in another process
    And the tree has been captured
    When the record of the tree is <damage>
    And the shell runs "echo changed > a" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

    Examples:
      | damage              |
      | cut short           |
      | empty               |
      | flipped in one bit  |
      | random bytes        |
      | that of another tree |

  Scenario: a store through a memory map that stays open is found at a phase border, and told
    Given a tree to walk in
    And changes are found by watching
    When the tree is captured while a file of it is mapped and changed without an event
    Then the full capture holds the change
    And it was told "no event had announced"

  Scenario Outline: where the system cannot watch, every file is looked at, and that is told: <tracking>, <limit>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "mkdir d; echo b > d/b"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_TRACKING is "<tracking>"
    When "agents run ACTION" runs where <limit> is <number>
    Then the exit code is 0
    And the error says once "changes cannot be watched"
    And the plan's file "d/b" holds "b"

    Examples:
      | tracking | limit                 | number |
      | watch    | max_inotify_instances | 0      |
      | watch    | max_inotify_watches   | 1      |
      | auto     | max_inotify_instances | 0      |
      | auto     | max_inotify_watches   | 1      |

  Scenario Outline: many changes in one directory are made at once, not each in all of it: <how>
    Given a tree of 300 files in one directory
    When all of them change and the tree is captured by <how>
    Then no directory was written anew for single files
    And every snapshot brings the tree back exactly

    Examples:
      | how  |
      | scan |
      | auto |

  # --- what a look takes -------------------------------------------------------------------------

  Scenario Outline: a file is recognised by its <field>, every bit of it
    Given the shell has run "echo one > a; echo two > b; ln a c; echo three > d" in the tree
    Then a look that expects what is there finds nothing
    And a look that expects another <field> of "b" finds that file and no other

    Examples:
      | field                |
      | number of links      |
      | inode                |
      | size                 |
      | ctime in seconds     |
      | ctime in nanoseconds |
      | mtime in seconds     |
      | mtime in nanoseconds |

  Scenario: files of times before 1970 and after 2106 are recognised
    Given the shell has run "touch -d 1931-05-04T03:02:01.5Z old; touch -d 2150-01-01 new" in the tree
    Then a look that expects what is there finds nothing

  Scenario: a library that looks at one name at a time finds the same
    Given a library that looks at one name at a time
    And a tree to walk in
    And changes are found by scanning with trust, each time in another process
    When the tree is changed at random 40 times and captured after every 2, walk 14
    Then every capture found what a look at everything finds

  Scenario: in a directory of many files those that changed are found, wherever they stand
    Given a tree of 600 files in one directory
    And changes are found by scanning with trust, each time in another process
    And the tree has been captured
    When the shell runs "for n in 1 256 257 512 513 600; do echo two > $(LC_ALL=C ls | sed -n ${n}p); done" in the tree
    And the shell runs "rm 300; echo new > new" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: a first look holds the entries of few directories at once
    Given a tree of 30 directories with 40 files each
    Then a capture of the tree never has more than 2 directories open
    And every snapshot brings the tree back exactly

  Scenario: half a capture is no capture
    Given the shell has run "mkdir -p a/b/c d/e; echo 1 > a/b/c/f; echo 2 > a/g; echo 3 > d/e/h; echo 4 > i" in the tree
    Then a look after a capture that failed at any of its objects finds the tree as it is

  Scenario: what was seen and is not stored yet is read once at a phase border
    Given a tree of 3 directories with 40 files each
    Then what was seen by watching is read once by a capture at a phase border

  Scenario: what was written a moment ago is read once at a phase border, unless it changes meanwhile
    Given the shell has run "mkdir a b; echo one > a/f; echo two > b/f" in the tree
    And the tree has been captured
    When "a/f" changes, and once more when a full capture reads "b/f", which changed as well
    Then of "a/f" both versions were read, of "b/f" one, each once
    And every snapshot brings the tree back exactly
