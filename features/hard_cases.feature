Feature: Hard cases
  What snapshots meet in the wild. The numbers are those of the list of hard cases; each tree is
  wrecked in every way there is and must come back as the oracle saw it.

  Scenario Outline: <case>
    Given a tree with <content>
    When the tree is captured
    Then the tree comes back exactly, however it is wrecked
    And the tree has no "../canary"

    Examples: git would change the bytes
      | case                                       | content                                           |
      | H1 text eol=crlf and mixed endings         | files of mixed line endings under eol=crlf        |
      | H2 core.autocrlf=input and a CRLF file     | a CRLF file under core.autocrlf=input             |
      | H3 ident keywords                          | $Id$ keywords under ident                         |
      | H4 working-tree-encoding and invalid bytes | bytes that do not fit their working-tree-encoding |
      | H5 lossy clean filter and LFS pointer      | files under lossy filters and an LFS pointer      |
      | H6 required filter missing                 | a file under a required filter that is missing    |

    Examples: git would not see the change
      | case                                       | content                                           |
      | H7 exec bit under core.fileMode=false      | executable files under core.fileMode=false        |
      | H12 empty directories                      | empty directories                                 |
      | H13 ignored files                          | files that git ignores                            |
      | H15 nested repositories                    | nested repositories                               |
      | H17 sparse checkout and index bits         | a repository with index bits set                  |
      | H30 trustctime, untracked cache, fsmonitor | a repository whose index trusts a liar            |

    Examples: kinds, modes and attributes
      | case                                       | content                                           |
      | H8 modes                                   | files and directories of all modes                |
      | H9 links of all sorts                      | links of all sorts                                |
      | H10 kinds swapped                          | one of each kind                                  |
      | H18 hard links inside the tree             | hard links                                        |
      | H20 user xattrs and ACLs                   | extended attributes and access lists              |
      | H21 mtimes to the nanosecond               | times of all ages                                 |
      | H24 FIFO                                   | a fifo                                            |

    Examples: names and sizes
      | case                                       | content                                           |
      | H25 awkward names                          | awkward names                                     |
      | H26 names that are no text                 | names that are no text                            |
      | H27 names that git refuses                 | names that git refuses                            |
      | H28 path beyond PATH_MAX                   | a path beyond PATH_MAX                            |

    @same_for_every_user
    Examples: sizes
      | case                                       | content                                           |
      | H19 sparse files                           | sparse files                                      |
      | H33 files beyond one chunk                 | files beyond one chunk                            |

  Scenario: H8 modes under the umask 077
    Given a tree with files and directories of all modes
    And the umask is 077
    When the tree is captured
    Then the tree comes back exactly, however it is wrecked

  Scenario: H8 set-id bits of an ordinary user's files
    Given a tree with files and directories of all modes
    And an ordinary user owns the tree
    When the tree is captured
    Then the tree comes back exactly, however it is wrecked

  Scenario: H11 case-only rename
    Given the shell has run "mkdir Docs; echo one > Docs/README; echo two > Makefile" in the tree
    When the tree is captured
    And the shell runs "mv Docs docs; mv docs/README docs/readme; mv Makefile makefile" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: H14 ignore rules edited by a step
    Given a tree with files that git ignores
    When the tree is captured
    And the shell runs "echo '*' > .gitignore; echo '*' > .git/info/exclude; git config core.excludesFile /dev/zero" in the tree
    And the shell runs "echo new > .env; rm -r node_modules; mkdir build/more; echo late > late.log" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: H18 hard link that leads outside
    Given the shell has run "echo outside > ../outside; ln ../outside inside" in the tree
    When the tree is captured
    And the shell runs "rm inside; echo other > inside" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And the tree's "inside" is no longer the same file as "../outside"
    And "outside" beside the tree still says "outside"

  Scenario: H18 hard link that leads outside is told
    Given the shell has run "echo outside > ../outside; ln ../outside inside" in the tree
    When the tree is captured
    Then the capture tells about "inside"

  Scenario Outline: H18 hard links changed in part: <command>
    Given a tree with hard links
    When the tree is captured
    And the shell runs "<command>" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

    Examples:
      | command                                  |
      | rm a/first                               |
      | rm a/second; cp -p a/first a/second      |
      | cp -p a/first x; mv x a/first            |
      | ln a/first a/aaa                         |
      | ln -f z a/first                          |
      | ln -f b/copy a/second                    |
      | ln -f a/first b/copy                     |
      | mv a/first a/zzz; mv a/zzz b/first       |
      | rm -r a; ln -s b a                       |
      | rm a/first a/second b/third; mkdir a/first |

    # A name that was a hard link stays one of the group: the restore fails at its own check.
    Examples: names that are no file any more
      | command                                  |
      | rm a/first; ln -s ../b/third a/first     |

  @needs_root
  Scenario: H20 attributes that only the system may set
    Given the shell has run "echo one > a" in the tree
    And files are trusted as soon as they are captured
    And the tree's "a" has the attribute "security.other"
    When the tree is captured
    Then the capture tells about "a: extended attribute security.other"
    When another process goes on with what is known of the tree
    And the shell runs "echo two > b" in the tree
    And the tree is captured
    Then the capture tells about "a: extended attribute security.other"
    When the tree's "a" loses the attribute "security.other"
    And the tree is captured
    Then the capture tells about nothing

  @needs_root
  Scenario: H21 times at the edges of 64 bits where a file system can hold them
    Given a file system of 4m for the tree
    And a tree with times of all ages
    When the tree is captured
    Then the tree comes back exactly, however it is wrecked

  @needs_root
  Scenario: H21 times that the file system cannot hold are rounded by it, and that is told
    Given a file system of 4m for the tree
    And a tree with times of all ages
    When the tree is captured
    And the snapshot is restored to a folder whose file system ends in the year 2446
    Then that folder has the files of the tree, each at the nearest time there is
    And it is told of each file whose time is not its own

  Scenario: H21 files that need no change stay untouched
    Given a tree with times of all ages
    When the tree is captured
    And the shell runs "echo more >> times/zero; echo new > times/new" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And nothing but "times/zero" was written in the tree

  Scenario: H22 read-only and unreadable entries of an ordinary user
    Given a tree with read-only and unreadable entries
    And an ordinary user owns the tree
    When the tree is captured
    Then the tree comes back exactly, however it is wrecked

  Scenario Outline: H22 permissions taken away by a step: <command>
    Given the shell has run "mkdir -p d/e f; echo one > d/e/a; echo two > f/b; chmod 555 f" in the tree
    And an ordinary user owns the tree
    When the tree is captured
    And the shell runs "<command>" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

    Examples:
      | command                               |
      | chmod 000 d/e/a                       |
      | chmod 000 d/e/a d/e d                 |
      | echo new > d/e/new; chmod 111 d/e d   |
      | chmod 755 f; rm f/b; chmod 000 f      |
      | chmod 644 d/e d f                     |
      | echo 1 > d/e/a; chmod 644 d/e d f .   |
      | rm -r d; mkdir -p d/e; ln f/b d/e/a; chmod 644 d/e; chmod 111 d |

    # A directory that only its mode has changed of is opened without borrowing the permission, and
    # the top of the tree always is: the restore ends with "permission denied".
    Examples: nothing else changed
      | command                               |
      | chmod 000 d/e                         |
      | chmod 000 d                           |
      | chmod 000 d/e d                       |
      | chmod 000 .                           |

  Scenario Outline: H22 hard links whose first name lies in a closed directory: <command>
    Given the shell has run "mkdir -p a/in b; echo one > a/in/first; ln a/in/first b/second; chmod <mode> a/in a" in the tree
    And an ordinary user owns the tree
    When the tree is captured
    And the shell runs "<command>" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

    Examples:
      | mode | command                                 |
      | 000  | rm b/second                             |
      | 644  | rm b/second; echo more > b/third        |
      | 111  | rm b/second; cp -p b/../a/in/first b/second |
      | 000  | chmod 700 a a/in; rm -r a; chmod 000 b  |

  Scenario: H22 attribute of a read-only directory
    Given the shell has run "mkdir d; echo one > d/a" in the tree
    And the tree's "d" has the attribute "user.colour"
    And the shell has run "chmod 555 d" in the tree
    And an ordinary user owns the tree
    When the tree is captured
    And the tree's "d" loses the attribute "user.colour"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario: H22 borrowed permissions are given back when a restore fails
    Given the shell has run "mkdir d; echo one > d/a; echo two > d/b; chmod 555 d" in the tree
    And an ordinary user owns the tree
    When the tree is captured
    And the shell runs "chmod 755 d; echo 1 > d/a; echo 2 > d/b; chmod 555 d" in the tree
    And the restore of the tree meets an error after it has placed "d/a"
    Then the tree's "d" has the mode 555

  @needs_root
  Scenario: H23 somebody else's unreadable file
    Given the shell has run "mkdir d; echo one > d/a; echo two > b" in the tree
    And an ordinary user owns the tree
    And root owns the tree's "d/a" with mode 600
    When a capture of the tree is tried
    Then the capture is refused, naming "d/a"
    And the store holds nothing

  @needs_root
  Scenario: H23 somebody else's directory that may not be written
    Given the shell has run "mkdir theirs yours; echo one > theirs/a; echo two > yours/b" in the tree
    And an ordinary user owns the tree
    When the tree is captured
    And root owns the tree's "theirs" with mode 755
    And the shell runs "echo more >> yours/b" in the tree
    And root changes the tree's "theirs/a"
    And a restore of the tree is tried
    Then the restore is refused, naming "theirs"
    And the tree is as it was before the restore

  @needs_root
  Scenario Outline: H23 what nobody may change before chattr allows it: <flag> <path>
    Given the shell has run "mkdir d e; echo one > d/a; echo two > e/b; echo three > c; ln c e/linked" in the tree
    When the tree is captured
    And the shell runs "echo more > d/a; echo more >> e/b; rm e/linked; chmod 700 d" in the tree
    And chattr sets <flag> on the tree's "<path>"
    And a restore of the tree is tried
    Then the restore is refused, naming "<path>"
    And the tree is as it was before the restore
    When chattr takes the flags from the tree's "<path>"
    And the tree is restored
    Then the tree is exactly as it was captured

    Examples:
      | flag | path |
      | +i   | d/a  |
      | +a   | e/b  |
      | +i   | d    |
      | +a   | e    |
      | +i   | .    |
      | +i   | c    |

  Scenario: H24 socket
    Given the shell has run "echo one > a" in the tree
    And the tree has a socket "s"
    When the tree is captured
    Then the capture tells about "s: a socket cannot be restored"
    And the tree comes back exactly but for "s", however it is wrecked

  @needs_root
  Scenario: H24 device
    Given the shell has run "mkdir d; mknod d/null c 1 3" in the tree
    When a capture of the tree is tried
    Then the capture is refused, naming "d/null"
    And the store holds nothing

  Scenario: H29 racy edit of the same size with the time put back
    Given the shell has run "echo one > a; echo two > b" in the tree
    When the tree is captured
    And the shell runs "cp -p a a.time; echo ONE > a; touch -r a.time a; rm a.time" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: H29 racy edit of a file that was trusted
    Given the shell has run "echo one > a; echo two > b" in the tree
    And files are trusted as soon as they are captured
    When the tree is captured
    And the shell runs "cp -p a a.time; echo ONE > a; touch -r a.time a; rm a.time" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: H31 file that changes once while it is read
    Given the shell has run "echo one > a; echo two > b" in the tree
    When the tree is captured while its "a" changes 1 time(s)
    Then the snapshot holds "a" as it was after its last change

  Scenario: H31 file that keeps changing while it is read
    Given the shell has run "echo one > a; echo two > b" in the tree
    When the tree is captured while its "a" changes 99 time(s)
    Then the capture is refused, naming "a"
    And the store holds nothing

  Scenario: H32 process with an open file and a working directory that goes
    Given the shell has run "echo one > held" in the tree
    When the tree is captured
    And a process opens the tree's "held", works in a new directory "doomed", and waits
    And the tree is restored
    And the process writes to what it holds and ends
    Then the tree is exactly as it was captured

  @same_for_every_user
  @unmeasured
  Scenario: H33 sparse file of a TiB
    Given the shell has run "echo start > huge; truncate -s 1T huge; echo end >> huge" in the tree
    When the tree is captured
    And the shell runs "echo new > huge" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And the tree's "huge" takes at most 8 MiB on the disk

  @same_for_every_user
  Scenario: H33 memory does not grow with the file
    Given the shell has run "head -c 96M /dev/urandom > big" in the tree
    When a process with 32 MiB to spare captures the tree, changes "big" and restores it
    Then the tree's "big" is as it was
