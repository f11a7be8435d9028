Feature: The launcher
  It confines itself, act by act as it is ordered, and becomes the command. There are two that do the
  same, in C and in Python. What stands here as `$HERE` is a folder of the user who runs it.

  Scenario Outline: what is read-only cannot be changed from inside, what is beside it can, and nothing is different outside: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      itself $HERE/kept
      readonly $HERE/kept
      run sh -c '
        echo 1 > "$HERE/beside/new"
        mv "$HERE/kept" "$HERE/moved" || echo kept
        echo 1 > "$HERE/kept/new"'
      """
    Then the ordered command ended with exit code 2, and said "kept"
    And it complained "Read-only file system"
    And "beside/new" is there, and "kept/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: where all is read-only, what is made writable is not: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      readonly /
      unlock /proc
      writable $HERE/beside
      run sh -c '
        echo 1 > "$HERE/beside/new" && echo beside
        echo renamed > /proc/self/comm && echo proc
        echo 1 > "$HERE/kept/new"'
      """
    Then the ordered command ended with exit code 2, and said "beside proc"
    And it complained "Read-only file system"
    And "beside/new" is there, and "kept/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: what is locked read-only below a writable directory stays so: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      itself $HERE/beside/below
      readonly $HERE/beside/below
      enter user+mount
      readonly /
      writable $HERE/beside
      run sh -c '
        echo 1 > "$HERE/beside/new" && echo beside
        echo 1 > "$HERE/beside/below/new"'
      """
    Then the ordered command ended with exit code 2, and said "beside"
    And it complained "Read-only file system"
    And "beside/new" is there, and "beside/below/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: in a second layer not even root takes a cover away: <language>
    Given the launcher in <language>, run by root
    When it is ordered
      """
      enter user+mount
      private
      itself $HERE/kept
      readonly $HERE/kept
      <layer>
      run sh -c '
        mount -o remount,bind,rw "$HERE/kept" 2> /dev/null && echo remounted
        umount "$HERE/kept" 2> /dev/null && echo unmounted
        echo done'
      """
    Then the ordered command ended with exit code 0, and said "<said>"

    Examples:
      | language | layer            | said                     |
      | C        | private          | remounted unmounted done |
      | C        | enter user+mount | done                     |
      | Python   | private          | remounted unmounted done |
      | Python   | enter user+mount | done                     |

  Scenario Outline: root keeps every user and group that there is: <language>
    Given the launcher in <language>, run by root
    When it is ordered
      """
      enter user+mount
      enter user+mount
      run sh -c 'chown 12345:54321 "$HERE/beside" && stat -c "%u %g" "$HERE/beside" && id -u && id -g'
      """
    Then the ordered command ended with exit code 0, and said "12345 54321 0 0"
    And "beside" is of user 12345 and group 54321

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: an ordinary user stays the only one: <language>
    Given the launcher in <language>, run by an ordinary user
    When it is ordered
      """
      enter user+mount
      run sh -c 'test "$(id -u):$(id -g)" = "$(stat -c %u:%g "$HERE")" && grep -c . /proc/self/uid_map /proc/self/gid_map && cat /proc/self/setgroups'
      """
    Then the ordered command ended with exit code 0, and said "/proc/self/uid_map:1 /proc/self/gid_map:1 deny"

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: a process that has changed its user for a while may start it: <language>
    Given the launcher in <language>, run by root
    And whoever starts it is an ordinary user for a while
    When it is ordered
      """
      enter user+mount
      run id -u
      """
    Then the ordered command ended with exit code 0, and said "65534"

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: a directory is found in another's place: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      place $HERE/beside $HERE/kept
      run sh -c 'echo 1 > "$HERE/kept/new"'
      """
    Then the ordered command ended with exit code 0, and said ""
    And "beside/new" is there, and "kept/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: a directory is empty, and nothing can be put there: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      empty $HERE/secret
      empty $HERE/absent
      empty $HERE/secret/key/absent
      run sh -c '
        cat "$HERE/secret/key" 2> /dev/null || echo gone
        touch "$HERE/secret/new" 2> /dev/null || echo closed'
      """
    Then the ordered command ended with exit code 0, and said "gone closed"
    And "secret/key" is there, and "secret/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: a file tells nothing and takes nothing, and nobody is reached through a socket: <language>, <user>
    Given the launcher in <language>, run by <user>
    And a server listens at "open" and at "closed"
    When it is ordered
      """
      enter user+mount
      private
      conceal $HERE/closed $HERE/beside/of-nothing
      conceal $HERE/secret/key $HERE/beside/of-nothing
      conceal $HERE/absent $HERE/beside/of-nothing
      run sh -c '
        cat "$HERE/secret/key" 2> /dev/null
        chmod 600 "$HERE/secret/key" 2> /dev/null || echo "not changed"
        { echo lost > "$HERE/secret/key"; } 2> /dev/null || echo "not written"
        ls -A "$HERE/beside"
        "$PYTHON" -ISc "$CONNECT" "$HERE/open"
        "$PYTHON" -ISc "$CONNECT" "$HERE/closed"'
      """
    Then the ordered command ended with exit code 0, and said "not changed not written below connected <closed>"

    Examples:
      | language | user             | closed       |
      | C        | root             | ECONNREFUSED |
      | C        | an ordinary user | EACCES       |
      | Python   | root             | ECONNREFUSED |
      | Python   | an ordinary user | EACCES       |

  Scenario Outline: of a directory nothing is seen but what is kept: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      keep $HERE/beside
      keep $HERE/secret/key
      keep $HERE/kept/absent
      cover $HERE
      run sh -c '
        cat "$HERE/secret/key"; ls -A "$HERE" "$HERE/secret"
        mkdir "$HERE/new" 2> /dev/null || echo "not made"
        echo in > "$HERE/beside/new" && cat "$HERE/beside/new"'
      """
    Then the ordered command ended with exit code 0, and said "the key $HERE: beside secret $HERE/secret: key not made in"

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: a value of the kernel is set for the inside: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      write /proc/sys/user/max_cgroup_namespaces 0
      run cat /proc/sys/user/max_cgroup_namespaces
      """
    Then the ordered command ended with exit code 0, and said "0"
    And "/proc/sys/user/max_cgroup_namespaces" holds another number outside

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: devices are few, terminals and shared memory its own: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      private
      devices own
      run sh -c '
        ls -x -w 200 /dev
        echo lost > /dev/null && head -c 1 /dev/zero | wc -c
        echo through | cat /dev/stdin
        ls /dev/shm
        touch "/dev/shm/$MARK"
        "$PYTHON" -ISc "import posix; print(posix.ttyname(posix.openpty()[1]))"'
      """
    Then the ordered command ended with exit code 0, and said "$DEVICES 1 through /dev/pts/0"
    And in the shared memory outside there is nothing of it

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: devices are few, shared memory the machine's: <language>, <user>
    Given the launcher in <language>, run by <user>
    And in the shared memory outside there is something
    When it is ordered
      """
      enter user+mount
      private
      devices shared
      run sh -c 'ls -x -w 200 /dev; cat "/dev/shm/$MARK"'
      """
    Then the ordered command ended with exit code 0, and said "$DEVICES something"

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: it sees no processes but its own, of which none outlives it: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount+processes
      private
      processes
      proc
      run sh -c '
        setsid sleep 1000 &
        cd /proc && echo [0-9]*
        kill -9 1; exit 3'
      """
    Then the ordered command ended with exit code 3, and said "1 2 3"
    And no process of it is left

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: process 1 enters a second layer, whatever number /proc has for it: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount+processes
      private
      processes
      enter user+mount
      run sh -c 'grep -q . /proc/self/uid_map && echo mapped'
      """
    Then the ordered command ended with exit code 0, and said "mapped"

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: with process 1 between, a command ends as it would without: <language>, <user>
    Given the launcher in <language>, run by <user>
    Then commands end as they do without, with and without process 1
      | command                   | ends |
      | exit 0                    | 0    |
      | exit 125                  | 125  |
      | exit 255                  | 255  |
      | kill -TERM $$             | -15  |
      | kill -KILL $$             | -9   |
      | kill -ABRT $$             | -6   |
      | kill -SEGV $$             | -11  |
      | kill -PIPE $$             | -13  |
      | (sleep 0 & exit 1); exit 4  | 4    |

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: a signal to the whole group leaves the command its time: <language>, <user>
    Given the launcher in <language>, run by <user>
    And it is ordered and has begun
      """
      enter user+mount+processes
      private
      processes
      proc
      run sh -c '
        trap "echo cleaned up; exit 7" TERM
        sleep 1000 & echo begun; wait'
      """
    Then its answers have ended
    And it keeps no descriptors that it does not need
    When its whole group is told to end by SIGTERM
    Then the ordered command ended with exit code 7, and said "cleaned up"
    And no process of it is left

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: without the stand-in there are no processes, without process 1 no stand-in: <language>, <killed>
    Given the launcher in <language>, run by root or whoever runs this
    And it is ordered and has begun
      """
      enter user+mount+processes
      private
      processes
      proc
      run sh -c 'setsid sleep 1000 & echo begun; wait'
      """
    When <killed> is killed
    Then the ordered command ended with exit code -9, and said ""
    And soon no process of it is left

    Examples:
      | language | killed       |
      | C        | the stand-in |
      | C        | process 1    |
      | Python   | the stand-in |
      | Python   | process 1    |

  Scenario Outline: what is changed in a layer is changed for the command alone: <language>, <user>
    Given the launcher in <language>, run by <user>
    And that user can have layers of directories there
    When it is ordered
      """
      enter user+mount
      private
      readonly /
      writable $HERE/beside
      layer $HERE/secret "$HERE/beside/a space, of its own: \n"
      run sh -c '
        cd "$HERE/secret" && cat key && echo new > key && cat key && mkdir in && rmdir in &&
        mv key moved && cat moved && stat -c %a . && ls -A'
      """
    Then the ordered command ended with exit code 0, and said "the key new new 755 moved"
    And "secret/key" is there, and "secret/moved" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: where a layer cannot be had, as on another layer, the directory can be read: <language>, <user>
    Given the launcher in <language>, run by <user>
    And that user can have layers of directories there
    When it is ordered
      """
      enter user+mount
      private
      readonly /
      writable $HERE/beside
      layer $HERE/kept $HERE/beside/space
      layer $HERE/secret $HERE/kept/space
      run sh -c 'echo new > "$HERE/kept/new"; cat "$HERE/secret/key"; echo new > "$HERE/secret/key"'
      """
    Then the ordered command ended with exit code 2, and said "the key"
    And it complained "Read-only file system"

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: what a command used of the processor is counted, also behind process 1: <language>
    Given the launcher in <language>, run by root or whoever runs this
    When it is ordered
      """
      enter user+mount+processes
      processes
      proc
      run sh -c '"$PYTHON" -ISc "$BUSY"'
      """
    Then who has started it was told of 0.2 seconds of the processor

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: its loopback can be used: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount+network
      <act>
      run sh -c '"$PYTHON" -ISc "$LOOP"'
      """
    Then the ordered command ended with exit code 0, and said "<said>"

    Examples:
      | language | user             | act      | said        |
      | C        | root             | private  | ENETUNREACH |
      | C        | root             | loopback | connected   |
      | C        | an ordinary user | loopback | connected   |
      | Python   | root             | loopback | connected   |
      | Python   | an ordinary user | loopback | connected   |

  Scenario Outline: it keeps some capabilities, whoever it becomes: <language>, <user>, <mask>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      enter user+mount
      capabilities <mask>
      run sh -c 'sed -n "s/^Cap...:\t0*\(.\)/\1/p" /proc/self/status'
      """
    Then the ordered command ended with exit code 0, and said "<said>"

    Examples: inheritable, permitted, effective, bounding, ambient
      | language | user             | mask          | said                                |
      | C        | root             | 0             | 0 0 0 0 0                           |
      | C        | root             | 274877906945  | 0 4000000001 4000000001 4000000001 0 |
      | C        | an ordinary user | 0             | 0 0 0 0 0                           |
      | C        | an ordinary user | 1             | 0 0 0 1 0                           |
      | Python   | root             | 0             | 0 0 0 0 0                           |
      | Python   | root             | 274877906945  | 0 4000000001 4000000001 4000000001 0 |
      | Python   | an ordinary user | 0             | 0 0 0 0 0                           |
      | Python   | an ordinary user | 1             | 0 0 0 1 0                           |

  Scenario Outline: the keys of the session stay behind: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      keyring
      run sh -c '"$PYTHON" -ISc "$SESSION"'
      """
    Then it has printed something else than it prints without a launcher

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  Scenario Outline: it gains no rights: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      no-new-privileges
      run sed -n s/^NoNewPrivs:.//p /proc/self/status
      """
    Then the ordered command ended with exit code 0, and said "1"

    Examples:
      | language | user             |
      | C        | root             |
      | Python   | root             |
      | C        | an ordinary user |

  Scenario Outline: signals and abstract sockets of others are out of reach: <language>, <user>, <act>
    Given the launcher in <language>, run by <user>
    And the kernel knows scopes
    And a server listens, of the same user, at an abstract address
    When it is ordered
      """
      no-new-privileges
      <act>
      run sh -c '
        kill -0 "$SERVER" 2> /dev/null && echo seen
        "$PYTHON" -ISc "$CONNECT" "@$MARK"
        sleep 1000 & kill $!'
      """
    Then the ordered command ended with exit code 0, and said "<said>"

    Examples:
      | language | user             | act               | said           |
      | C        | root             | no-new-privileges | seen connected |
      | C        | root             | scope             | EPERM          |
      | C        | an ordinary user | scope             | EPERM          |
      | Python   | root             | scope             | EPERM          |
      | Python   | an ordinary user | scope             | EPERM          |
      | C        | root             | ruleset change sockets+signals; allow /dev/null change; restrict | EPERM |
      | C        | an ordinary user | ruleset change sockets+signals; allow /dev/null change; restrict | EPERM |
      | Python   | root             | ruleset change sockets+signals; allow /dev/null change; restrict | EPERM |
      | Python   | an ordinary user | ruleset change sockets+signals; allow /dev/null change; restrict | EPERM |
      | C        | an ordinary user | ruleset none signals; restrict | connected |
      | Python   | an ordinary user | ruleset none signals; restrict | connected |

  @without_namespaces
  Scenario Outline: by rules, files are changed where that is allowed, and read anywhere: <language>, <user>
    Given the launcher in <language>, run by <user>
    And the kernel knows rules for files
    And what is ordered first
      """
      no-new-privileges
      ruleset change none
      allow $HERE/beside change
      restrict
      """
    Then what is tried under that ends so
      | deed                               | ends   |
      | make beside/new                    | works  |
      | write beside/new                   | works  |
      | truncate beside/new                | works  |
      | mkdir beside/made                  | works  |
      | rename beside/new beside/below/new | works  |
      | symlink anywhere beside/link       | works  |
      | mkfifo beside/pipe                 | works  |
      | link beside/pipe beside/below/pipe | works  |
      | unlink beside/pipe                 | works  |
      | rmdir beside/made                  | works  |
      | read secret/key                    | works  |
      | listdir secret                     | works  |
      | write secret/key                   | EACCES |
      | write beside/../secret/key         | EACCES |
      | write /proc/self/cwd/secret/key    | EACCES |
      | truncate secret/key                | EACCES |
      | make secret/new                    | EACCES |
      | mkdir secret/new                   | EACCES |
      | mkfifo secret/new                  | EACCES |
      | symlink key secret/new             | EACCES |
      | link secret/key beside/key         | EXDEV  |
      | link beside/below/pipe secret/new  | EACCES |
      | unlink secret/key                  | EACCES |
      | rmdir kept                         | EACCES |
      | rename secret/key secret/new       | EACCES |
      | rename secret/key beside/key       | EACCES |
      | rename beside/below/new secret/new | EACCES |
      | rename beside moved                | EACCES |
    And "secret/key" is there, and "secret/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  @without_namespaces
  Scenario Outline: by rules, files move between two places if both allow it: <language>, <user>
    Given the launcher in <language>, run by <user>
    And the kernel knows rules for files
    And what is ordered first
      """
      no-new-privileges
      ruleset change none
      allow $HERE/beside change
      allow $HERE/kept change
      allow $HERE/secret make+remove+write+truncate
      restrict
      """
    Then what is tried under that ends so
      | deed                         | ends  |
      | mkdir beside/new             | works |
      | rename beside/new kept/new   | works |
      | rename kept/new beside/new   | works |
      | rename secret/key secret/new | works |
      | rename secret/new secret/key | works |
      | rename beside/new secret/new | EXDEV |
      | link secret/key beside/key   | EXDEV |
    And "beside/new" is there, and "kept/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  @without_namespaces
  Scenario Outline: by rules, a single file can be changed, and what cannot be reached is passed over: <language>, <user>
    Given the launcher in <language>, run by <user>
    And the kernel knows rules for files
    And "way" leads to "kept"
    And "round" leads to "round"
    And only root can enter "beside"
    And what is ordered first
      """
      no-new-privileges
      ruleset change none
      allow $HERE/secret/key change
      allow $HERE/secret make
      allow $HERE/secret/key make
      allow /dev/null change
      allow $HERE/absent change
      allow $HERE/secret/key/absent change
      allow $HERE/round/absent change
      allow $HERE/beside/below change
      allow $HERE/way change
      allow $HERE/way/. truncate
      restrict
      """
    Then what is tried under that ends so
      | deed                         | ends    |
      | write secret/key             | works   |
      | truncate secret/key          | works   |
      | write /dev/null              | works   |
      | mkdir secret/new             | works   |
      | unlink secret/key            | EACCES  |
      | rename secret/key secret/new | EACCES  |
      | make absent                  | EACCES  |
      | make kept/new                | EACCES  |
      | unlink way                   | EACCES  |
    And "secret/new" is there, and "kept/new" is not

    Examples:
      | language | user             |
      | C        | root             |
      | C        | an ordinary user |
      | Python   | root             |
      | Python   | an ordinary user |

  @without_namespaces
  Scenario Outline: rules can be followed by others, which refuse more: <language>
    Given the launcher in <language>, run by root or whoever runs this
    And the kernel knows rules for files
    And what is ordered first
      """
      no-new-privileges
      ruleset change none
      allow $HERE/beside change
      allow $HERE/secret change
      restrict
      ruleset make none
      allow $HERE/beside make
      allow $HERE/kept make
      restrict
      """
    Then what is tried under that ends so
      | deed             | ends   |
      | make beside/new  | works  |
      | write secret/key | works  |
      | make secret/new  | EACCES |
      | make kept/new    | EACCES |

    Examples:
      | language |
      | C        |
      | Python   |

  @without_namespaces
  Scenario Outline: rules that were told and not put in force are not handed on: <language>
    Given the launcher in <language>, run by root or whoever runs this
    And the kernel knows rules for files
    When it is ordered
      """
      ruleset change none
      allow $HERE change
      run sh -c 'exec "$PYTHON" -ISc "$DESCRIPTORS"'
      """
    Then the ordered command ended with exit code 0, and said "0 1 2"

    Examples:
      | language |
      | C        |
      | Python   |

  @without_namespaces
  Scenario Outline: rules that make no sense are told, and nothing is run: <language>
    Given the launcher in <language>, run by an ordinary user
    And the kernel knows rules for files
    Then each of these orders fails, and leaves nothing
      | orders                                              | answer           |
      | ruleset write; run                                  | 22 ruleset 2     |
      | ruleset x none; run true                            | 22 ruleset x     |
      | ruleset write x; run true                           | 22 ruleset 2     |
      | ruleset none none; run true                         | 42 ruleset 0     |
      | ruleset write none; ruleset write none; run true    | 22 ruleset 2     |
      | allow $HERE write; run true                         | 9 allow $HERE    |
      | ruleset write none; allow $HERE x; run true         | 22 allow $HERE   |
      | ruleset write none; allow $HERE read; run true      | 22 allow $HERE   |
      | ruleset write none; restrict; run true              | 1 restrict       |
      | no-new-privileges; restrict; run true               | 9 restrict       |

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: it may use less: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      limit NOFILE 60 60
      limit NOFILE 70 70
      limit FSIZE 4 4
      limit CPU 1000 2000
      limit CORE 0 0
      run sh -c '
        ulimit -n; ulimit -Hn; ulimit -t; ulimit -Ht
        echo 12345678 > "$HERE/beside/new"'
      """
    Then the ordered command ended with exit code -25, and said "60 60 1000 2000"

    Examples:
      | language | user             |
      | C        | root             |
      | Python   | root             |
      | C        | an ordinary user |

  Scenario Outline: it begins in a directory, as what it was told: <language>, <user>
    Given the launcher in <language>, run by <user>
    When it is ordered
      """
      directory $HERE/beside
      run sh -c 'pwd; printf "[%s]" "$@"' sh first "" "sec ond" run
      """
    Then the ordered command ended with exit code 0, and said "$HERE/beside [first][][sec ond][run]"

    Examples:
      | language | user             |
      | C        | root             |
      | Python   | root             |
      | C        | an ordinary user |

  Scenario Outline: its environment is the one that the launcher was given: <language>, <acts>
    Given the launcher in <language>, run by root or whoever runs this
    When it is ordered, with an environment of hostile bytes
      """
      <acts>
      run /bin/cat /proc/self/environ
      """
    Then it has printed exactly that environment

    Examples:
      | language | acts                                        |
      | C        | no-new-privileges                           |
      | C        | enter user+mount+processes; processes; proc |
      | Python   | no-new-privileges                           |
      | Python   | enter user+mount+processes; processes; proc |

  Scenario Outline: it has the descriptors that were handed on, and no other: <language>, <acts>
    Given the launcher in <language>, run by root or whoever runs this
    When it is ordered, and handed a descriptor
      """
      <acts>
      run sh -c 'echo told > "/proc/self/fd/$HANDED"; exec "$PYTHON" -ISc "$DESCRIPTORS"'
      """
    Then the ordered command ended with exit code 0, and said "0 1 2 $HANDED"
    And through the descriptor it said "told"

    Examples:
      | language | acts                                        |
      | C        | no-new-privileges                           |
      | C        | enter user+mount+processes; processes; proc |
      | Python   | no-new-privileges                           |
      | Python   | enter user+mount+processes; processes; proc |

  Scenario Outline: signals are taken as the launcher was told to take them: <language>, <acts>
    Given the launcher in <language>, run by root or whoever runs this
    And of what starts it USR1 and CHLD are ignored, and USR2 is blocked
    When it is ordered
      """
      <acts>
      run grep -E "Sig(Blk|Ign|Cgt)" /proc/self/status
      """
    Then it has printed what it prints without a launcher

    Examples:
      | language | acts                                        |
      | C        | enter user+mount                            |
      | C        | enter user+mount+processes; processes; proc |
      | Python   | enter user+mount                            |
      | Python   | enter user+mount+processes; processes; proc |

  Scenario Outline: a command is looked for along the path: <language>
    Given the launcher in <language>, run by root or whoever runs this
    When it is ordered
      """
      run true
      """
    Then the ordered command ended with exit code 0, and said ""

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: what cannot be done is told, and nothing is run: <language>
    Given the launcher in <language>, run by root or whoever runs this
    Then each of these orders fails, and leaves nothing
      | orders                                                            | answer                          |
      |                                                                   | 22                              |
      | no-new-privileges                                                 | 22                              |
      | run                                                               | 22 run                          |
      | dance $HERE; run true                                             | 22 dance                        |
      | place $HERE                                                       | 22 place $HERE                  |
      | enter many; run true                                              | 22 enter many                   |
      | enter -1; run true                                                | 22 enter -1                     |
      | enter 1; run true                                                 | 22 enter 1                      |
      | enter user+mount; readonly $HERE/beside; run true                 | 22 readonly $HERE/beside        |
      | enter user+mount; unlock $HERE/beside; run true                   | 22 unlock $HERE/beside          |
      | enter user+mount; private; itself $HERE/absent; run true          | 2 itself $HERE/absent           |
      | enter user+mount; private; writable $HERE/absent; run true        | 2 writable $HERE/absent         |
      | enter user+mount; private; place $HERE/absent $HERE; run true     | 2 place $HERE/absent            |
      | enter user+mount; private; conceal $HERE/beside $HERE/kept/new; run true | 20 conceal $HERE/beside    |
      | enter user+mount; private; layer $HERE/absent $HERE/beside/new; run true | 2 layer $HERE/absent     |
      | enter user+mount; private; layer $HERE/kept $HERE/beside; run true | 17 layer $HERE/kept            |
      | enter user+mount; write $HERE/absent 1; run true                  | 2 write $HERE/absent            |
      | enter user+mount; write /proc/self/uid_map none; run true         | 1 write /proc/self/uid_map      |
      | enter user+mount; private; devices some; run true                 | 22 devices some                 |
      | enter user+mount; processes; run true                             | 22 processes                    |
      | capabilities x; run true                                          | 22 capabilities x               |
      | limit 99 1 1; run true                                            | 22 limit 99                     |
      | limit NOFILE x 1; run true                                        | 22 limit 7                      |
      | limit NOFILE 1 x; run true                                        | 22 limit 7                      |
      | join x; run true                                                  | 22 join x                       |
      | join 99; run true                                                 | 9 join 99                       |
      | directory $HERE/absent; run true                                  | 2 directory $HERE/absent        |
      | directory "two\nlines"; run true                                  | 2 directory two?lines           |
      | run $HERE/absent                                                  | 2 run $HERE/absent              |
      | run $HERE                                                         | 13 run $HERE                    |
      | enter user+mount+processes; processes; directory /absent; run true | 2 directory /absent             |
      | enter user+mount+processes; processes; run $HERE/absent           | 2 run $HERE/absent              |

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: what an ordinary user may not do is told: <language>
    Given the launcher in <language>, run by an ordinary user
    Then each of these orders fails, and leaves nothing
      | orders                                | answer         |
      | private; run true                     | 1 private      |
      | proc; run true                        | 1 proc         |
      | empty $HERE/secret; run true          | 1 empty $HERE/secret |
      | devices own; run true                 | 1 devices own  |
      | capabilities 0; run true              | 1 capabilities 0 |
      | scope; run true                       | 1 scope        |

    Examples:
      | language |
      | C        |
      | Python   |

  Scenario Outline: the launcher is compiled where the project is built <how>
    When the launcher is built <how>
    Then there is <result>

    Examples:
      | how                                            | result                           |
      | with a compiler                                | a launcher that runs             |
      | with a compiler that has no static library     | a launcher that runs             |
      | with a compiler that fails                     | no launcher                      |
