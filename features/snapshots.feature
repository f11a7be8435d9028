Feature: Snapshots of a tree
  A snapshot is taken without harm to the tree, and a restore changes what differs and nothing else.

  Scenario: unchanged files keep their inode and times
    Given the shell has run "mkdir d; echo one > a; echo two > d/b; echo three > d/c" in the tree
    And the tree has been captured
    When the shell runs "echo more >> d/b" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And nothing but "d/b" was written in the tree

  Scenario: a restore of what is there already writes nothing
    Given a tree with one of each kind
    And the tree has been captured
    When the tree is restored
    Then nothing was written in the tree
    And the restore tells of no change

  Scenario: a restore tells what it changed
    Given the shell has run "mkdir d; echo one > a; echo two > d/b" in the tree
    And the tree has been captured
    When the shell runs "echo more >> a; rm -r d; echo new > new" in the tree
    And the tree is restored
    Then the restore tells of the changes "a, d, d/b, new"

  Scenario: snapshots of different moments all come back, in any order
    Given the shell has run "echo one > a; mkdir d; echo two > d/b" in the tree
    And the tree has been captured
    When the shell runs "rm -r d; echo two > d" in the tree
    And the tree is captured
    And the shell runs "rm d; mkdir d; ln -s ../a d/b; mkfifo d/p; chmod 700 a" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: large files that grow, shrink and turn to zeros
    Given the shell has run "head -c 9000000 /dev/urandom > big" in the tree
    And the tree has been captured
    When the shell runs "head -c 5000000 /dev/urandom >> big" in the tree
    And the tree is captured
    And the shell runs "truncate -s 4194305 big" in the tree
    And the tree is captured
    And the shell runs "truncate -s 4194304 big" in the tree
    And the tree is captured
    And the shell runs "dd if=/dev/zero of=big bs=4194304 count=3 conv=notrunc status=none" in the tree
    And the tree is captured
    Then every snapshot brings the tree back exactly

  Scenario: holes stay holes
    Given the shell has run "truncate -s 1G sparse; echo end >> sparse" in the tree
    When the tree is captured
    And the shell runs "rm sparse" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And the tree's "sparse" takes at most 8 MiB on the disk
    And the store takes at most 1 MiB

  Scenario: a process killed while it restores is followed by a restore that finishes
    Given the shell has run "mkdir d; echo one > a; echo two > d/b; echo three > d/c; mkdir e; ln d/c e/c" in the tree
    And the tree has been captured
    When the shell runs "echo 1 > a; rm d/b; mkdir d/b; touch d/b/x; rm -r e; echo e > e; echo 3 > d/c" in the tree
    And a process that restores the tree is killed at placement 0
    And a process that restores the tree is killed at placement 1
    And the tree is restored
    Then the tree is exactly as it was captured

  # --- filters ---------------------------------------------------------------------------------

  Scenario: what is excluded is neither captured nor touched
    Given the shell has run "mkdir cache d; echo one > a; echo two > cache/x; echo three > d/y.log" in the tree
    And "cache" is excluded
    And "d/*.log" is excluded
    When the tree is captured
    Then the capture tells about "cache: excluded"
    And the capture tells about "d/y.log: excluded"
    When the shell runs "echo new > cache/x; echo new > cache/z; echo new > d/y.log; rm a" in the tree
    And the tree is restored
    Then the tree's "a" says "one"
    And the tree's "cache/x" says "new"
    And the tree's "cache/z" says "new"
    And the tree's "d/y.log" says "new"
    And the store has no object of "two"

  Scenario: a snapshot restores with the filter it was captured with
    Given the shell has run "echo one > a.log" in the tree
    And "*.log" is excluded
    And the tree has been captured
    When nothing is excluded any more
    And the shell runs "echo changed > a.log; echo two > b.log" in the tree
    And the tree is captured
    And the shell runs "rm a.log b.log" in the tree
    And snapshot 1 is restored
    Then the tree has no "a.log"
    When snapshot 2 is restored
    Then the tree's "a.log" says "changed"

  Scenario: a directory that must go but holds excluded files stays and is told
    Given the shell has run "echo one > a" in the tree
    And "*.log" is excluded
    And the tree has been captured
    When the shell runs "mkdir -p d/e; echo two > d/b; echo three > d/e/x.log" in the tree
    And the tree is restored
    Then the restore kept "d, d/e"
    And the tree's "d/e/x.log" says "three"
    And the tree has no "d/b"

  Scenario: excluded files in the way of a file are refused before anything changes
    Given the shell has run "echo one > d; echo two > z" in the tree
    And "*.log" is excluded
    And the tree has been captured
    When the shell runs "rm d; mkdir d; echo three > d/x.log; rm z; echo four > y" in the tree
    And a restore of the tree is tried
    Then the restore is refused, naming "d/x.log"
    And the tree is as it was before the restore

  # --- what cannot be kept ---------------------------------------------------------------------

  Scenario: a socket in a directory that must go does not hold it
    Given the shell has run "echo one > a" in the tree
    And the tree has been captured
    When the shell runs "mkdir d" in the tree
    And the tree gets a socket "d/s"
    And the tree is restored
    Then the tree is exactly as it was captured

  Scenario Outline: a socket gives way to <what>
    Given the shell has run "<command>" in the tree
    And the tree has been captured
    When the shell runs "rm -r s" in the tree
    And the tree gets a socket "s"
    And the tree is restored
    Then the tree is exactly as it was captured

    Examples:
      | what               | command                     |
      | a file             | echo one > s                |
      | a link             | ln -s nowhere s             |
      | a fifo             | mkfifo s                    |

    # Nothing removes the socket, so that the directory cannot be made: "file exists".
    Examples: directories
      | what               | command                     |
      | an empty directory | mkdir s                     |
      | a directory        | mkdir s; echo one > s/inner |

  @needs_root
  Scenario: a device that a step made is refused by name, and nothing changes
    Given the shell has run "echo one > a" in the tree
    And the tree has been captured
    When the shell runs "echo two > a; mknod null c 1 3" in the tree
    And a restore of the tree is tried
    Then the restore is refused, naming "null"
    And the tree is as it was before the restore

  @needs_root
  Scenario: another file system mounted in the tree is told and left alone
    Given the shell has run "echo one > a" in the tree
    And another file system is mounted on the tree's "mounted"
    When the tree is captured
    Then the capture tells about "mounted: another file system is mounted there"
    And the store has no object of "another file system"
    When the shell runs "echo two > a; echo changed > mounted/inside" in the tree
    And the tree is restored
    Then the tree's "a" says "one"
    And the tree's "mounted/inside" says "changed"

  Scenario: directories nested beyond the limit are refused by name
    Given the tree is 201 directories deep
    When a capture of the tree is tried
    Then the capture is refused, naming "nested deeper than 200"
    And the store holds nothing

  Scenario: directories nested up to the limit are kept
    Given the tree is 200 directories deep
    When the tree is captured
    And the shell runs "rm -r *" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured

  @needs_root
  Scenario: a restore that does not fit is refused before anything changes
    Given a file system of 44m for the tree
    And the shell has run "head -c 12000000 /dev/urandom > big; echo one > a" in the tree
    And the tree has been captured
    When the shell runs "rm big; echo two > a; head -c 24000000 /dev/urandom > ../ballast" in the tree
    And a restore of the tree is tried
    Then the restore is refused, naming "not enough space"
    And the tree is as it was before the restore

  # --- links -----------------------------------------------------------------------------------

  Scenario: T5 a file outside that is hard-linked into the tree is never written through
    Given the shell has run "echo one > a; echo two > b; echo outside > ../outside" in the tree
    And the tree has been captured
    When the shell runs "ln -f ../outside a; ln ../outside c" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And "outside" beside the tree still says "outside"

  Scenario Outline: T4 a link planted instead of a directory is not followed <moment>
    Given the shell has run "mkdir d ../outside; echo one > d/a; echo two > d/b; echo three > c" in the tree
    And the shell has run "echo mine > ../outside/a; echo mine > ../outside/new" in the tree
    And the tree has been captured
    When the shell runs "echo 1 > d/a; rm d/b; echo 3 > c; echo new > d/new" in the tree
    And a step puts a link to "../outside" in the place of the tree's "d" <moment>
    Then the restore failed
    And nothing in "../outside" has changed
    When the tree is restored
    Then the tree is exactly as it was captured
    And nothing in "../outside" has changed

    Examples:
      | moment                     |
      | before anything is removed |
      | while files are placed     |

  Scenario: T6 links to endless and secret files are kept as text
    Given the shell has run "ln -s /dev/zero zero; ln -s /proc/self/environ environ; ln -s /etc/passwd p" in the tree
    When the tree is captured
    And the shell runs "rm zero environ p; echo one > p" in the tree
    And the tree is restored
    Then the tree is exactly as it was captured
    And the store takes at most 1 MiB

  Scenario: an error of the system while syncing is never swallowed
    Then the system's EIO to a sync is an error about the path

  Scenario: a record or a directory of a later format is refused
    Then to read a record of a later format is refused as damaged, saying "has format 2, this program reads 1"
    And to read a directory of a later format is refused as damaged, saying "unknown format"
    And a directory object of entries as there always were has the id that it always had

  Scenario: attributes where there are none, and where they cannot be asked for
    Then the system's ENOTSUP to a look at attributes is borne
    But the system's EBADF to a look at attributes is an error

  Scenario: a file that is not as long as the system says is refused
    Then an ordinary user is answered
      | tries to | place                                          | answer                                  |
      | capture  | a directory whose files lie about their length | refused: … keeps changing while it is read |

  Scenario: a directory that is gone is refused; who may borrow it looks into what its owner has closed
    Then an ordinary user is answered
      | tries to       | place                                       | answer                                               |
      | capture        | a directory that is gone                    | refused: it is gone, or something else took its place |
      | read a file of | a directory of theirs that they have closed | one                                                  |
      | enter          | a directory of theirs that they have closed | PermissionError                                      |

  Scenario: who writes to a large file of a copy that is being made keeps it from being taken for what was captured
    Given the shell has run "head -c 20000000 /dev/urandom > large" in the tree
    When the tree is captured as a project and copied, and the half made copy of "large" is written to
    Then the copy is refused as not what was captured

  Scenario Outline: a copy is what was captured, whatever became of the project meanwhile: <command>
    Given the shell has run "echo one > a; ln a b; mkdir d; echo two > d/c; chmod 400 d/c; ln -s a l; mkfifo p" in the tree
    And the shell has run "seq 1000000 > large; truncate -s 9M large" in the tree
    When the tree is captured as a project, and before it is copied the shell runs "<command>" in it
    Then the copy is what was captured

    Examples:
      | command                                                     |
      | true                                                        |
      | echo two > a                                                |
      | rm a b; mkdir a; mkfifo b                                   |
      | rm -r d; ln -s .. d                                         |
      | rm a; ln -s b a; rm d/c                                     |
      | printf x \| dd of=large bs=1 seek=5000000 conv=notrunc status=none |
      | printf x \| dd of=large bs=1 seek=9000000 conv=notrunc status=none |
      | echo short > large                                          |
      | mv ../tree ../gone                                          |
