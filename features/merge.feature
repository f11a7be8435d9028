Feature: Merging
  Two trees that went their own ways from a common one are merged without touching either: what only
  one side changed is taken, texts are merged line by line, and what does not go together is told
  with all three versions.

  Background:
    Given the shell has run "seq 1 9 > text; printf '\0bin' > bin; mkdir -p d/e empty; echo x > d/e/x; echo y > d/y; ln -s text link" in the tree
    And the tree has scripts that set and get an attribute
    And the shell has run "echo h > h1; ln h1 h2; echo run > run; chmod 644 run text; mkfifo pipe" in the tree

  Scenario Outline: <case>
    When our side runs "<ours>" and their side runs "<theirs>"
    And the two are merged
    Then there is no conflict
    And in the merged tree "<check>" holds

    Examples: one side changed it
      | case                                | ours                | theirs                       | check                                                  |
      | nothing at all                      | true                | true                         | test $(cat text \| wc -l) = 9                          |
      | theirs adds                         | true                | echo n > d/e/new             | test $(cat d/e/new) = n                                |
      | theirs adds a directory             | true                | mkdir -p n/m; echo z > n/m/z | test $(cat n/m/z) = z                                  |
      | theirs adds an empty directory      | true                | mkdir n                      | test -d n                                              |
      | theirs deletes                      | true                | rm d/e/x                     | test ! -e d/e/x -a -d d/e                              |
      | theirs deletes a directory          | true                | rm -r d                      | test ! -e d                                            |
      | ours deletes a directory            | rm -r d             | echo n > run                 | test ! -e d -a $(cat run) = n                          |
      | theirs deletes an empty directory   | true                | rmdir empty                  | test ! -e empty                                        |
      | theirs makes it executable          | true                | chmod 755 run                | test -x run                                            |
      | theirs closes a directory           | true                | chmod 700 d                  | test $(stat -c %a d) = 700                             |
      | theirs turns a link                 | true                | ln -sfn bin link             | test $(readlink link) = bin                            |
      | a file becomes a link               | true                | ln -sfn bin run              | test $(readlink run) = bin                             |
      | a file becomes a directory          | true                | rm run; mkdir run; > run/x   | test -e run/x                                          |
      | a directory becomes a file          | true                | rm -r d; echo f > d          | test $(cat d) = f                                      |
      | ours made a file of a directory     | rm -r d; echo f > d | true                         | test $(cat d) = f                                      |
      | a binary file                       | true                | printf '\\0x' > bin          | test $(wc -c < bin) = 2                                |
      | a hard link is broken up            | true                | rm h2; echo g > h2           | test $(cat h1) = h -a $(cat h2) = g                    |
      | a hard link is written through      | true                | echo g > h2                  | test h1 -ef h2 -a $(cat h1) = g                        |
      | a hard link is added                | true                | ln h1 d/h3                   | test d/h3 -ef h1 -a h1 -ef h2                          |
      | the first of hard links goes        | true                | rm h1; ln h2 h3              | test h2 -ef h3                                         |
      | the first of two goes, one is left  | true                | rm h1                        | test $(stat -c %h h2) = 1                              |
      | a link inside a changed directory   | ln h1 d/e/h3        | rm h2                        | test h1 -ef d/e/h3                                     |
      | a FIFO goes                         | true                | rm pipe                      | test ! -e pipe                                         |

    Examples: both sides changed something
      | case                                | ours                | theirs                       | check                                                  |
      | different files                     | echo o > run        | echo t > d/y                 | test $(cat run) = o -a $(cat d/y) = t                  |
      | different places of a text          | sed -i 1d text      | sed -i 9d text               | test $(cat text \| tr -d '\\n') = 2345678              |
      | the same in both                    | echo s > run        | echo s > run                 | test $(cat run) = s                                    |
      | the same new file in both           | echo s > n          | echo s > n                   | test $(cat n) = s                                      |
      | both delete                         | rm -r d             | rm -r d                      | test ! -e d                                            |
      | text here, mode there               | sed -i 1d text      | chmod 755 text               | test -x text -a $(head -1 text) = 2                    |
      | mode here, text there               | chmod 755 text      | sed -i 1d text               | test -x text -a $(head -1 text) = 2                    |
      | only touched here, deleted there    | touch -d 2001-01-01 run | rm run                   | test ! -e run                                          |
      | only touched here, a file there     | touch -d 2001-01-01 d/y | rm -r d; echo f > d      | test $(cat d) = f                                      |
      | a file here, only touched there     | rm -r d; echo f > d | touch -d 2001-01-01 d/y      | test $(cat d) = f                                      |
      | deleted here, only touched there    | rm run              | touch -d 2001-01-01 run      | test ! -e run                                          |
      | new files in one directory          | echo o > d/o        | echo t > d/t                 | test -e d/o -a -e d/t                                  |
      | new file in a deleted directory     | rm -r d/e           | echo t > d/e/t               | test -e d/e/t -a ! -e d/e/x                            |
      | new directories of one name         | mkdir n; > n/o      | mkdir -m 700 n; > n/t        | test -e n/o -a -e n/t -a $(stat -c %a n) = 755         |
      | both change a directory's mode      | chmod 700 d         | chmod 750 d                  | test $(stat -c %a d) = 700                             |
      | both make a directory of a file     | rm run; mkdir run; > run/o | rm run; mkdir run; > run/t | test -e run/o -a -e run/t                         |
      | deleted here, a directory there     | rm run              | rm run; mkdir run; > run/t   | test -e run/t                                          |
      | an attribute here, text there       | ./set text 1 | sed -i 1d text      | test $(head -1 text) = 2 -a $(./get text) = 1 |

  Scenario Outline: a conflict: <case>
    When our side runs "<ours>" and their side runs "<theirs>"
    And the two are merged
    Then the conflicts are "<paths>", <reason>
    And the merged tree is ours

    Examples:
      | case                             | ours                          | theirs                          | paths       | reason                                    |
      | the same line                    | sed -i s/5/o/ text            | sed -i s/5/t/ text              | text        | changed on both sides                     |
      | a binary file                    | printf '\0a' > bin            | printf '\0b' > bin              | bin         | changed on both sides                     |
      | a text that became binary        | sed -i 1d text                | printf 'a\0' > text             | text        | changed on both sides                     |
      | too large to be merged           | sed -i 1d text                | seq 900000 > text               | text        | changed on both sides                     |
      | modes                            | chmod 755 run                 | chmod 600 run                   | run         | changed on both sides                     |
      | attributes                       | ./set run 1   | ./set run 2     | run         | changed on both sides                     |
      | two new files                    | echo o > n                    | echo t > n                      | n           | added on both sides                       |
      | a new file and a new directory   | echo o > n                    | mkdir n; > n/t                  | n           | of another kind on each side              |
      | a new directory and a new file   | mkdir n; > n/o                | echo t > n                      | n           | of another kind on each side              |
      | changed and deleted              | echo o > run                  | rm run                          | run         | changed on one side, deleted on the other |
      | deleted and changed              | rm run                        | echo t > run                    | run         | changed on one side, deleted on the other |
      | changed in a deleted directory   | echo o > d/e/x; rm d/y        | rm -r d                         | d/e/x       | changed on one side, deleted on the other |
      | links                            | ln -sfn bin link              | ln -sfn run link                | link        | changed on both sides                     |
      | a link and a file                | ln -sfn bin run               | echo t > run                    | run         | of another kind on each side              |
      | a changed directory and a file   | echo o > d/e/x                | rm -r d; echo t > d             | d           | of another kind on each side              |
      | a file and a changed directory   | rm -r d; echo o > d           | chmod 700 d/e                   | d           | of another kind on each side              |
      | several                          | echo o > run; echo o > d/y    | rm run; echo t > d/y            | d/y run     | changed on one side, deleted on the other |

  Scenario: each conflict has all three versions
    When our side runs "echo ours > run" and their side runs "echo theirs > run"
    And the two are merged
    Then the conflict at "run" is between "run", "ours" and "theirs"

  Scenario: what is left alone is ours, whatever theirs made of it
    When our side runs "echo o > run" and their side runs "echo t > run; rm d/y; mkdir -p build/deep; echo b > build/deep/b; echo t > text"
    And the two are merged leaving "run", "d/y" and "build/deep/b" alone
    Then there is no conflict
    And in the merged tree "test $(cat run) = o -a -e d/y -a ! -e build -a $(cat text) = t" holds

  Scenario: equal directories are never opened
    When our side runs "echo o > run" and their side runs "echo t > bin"
    And the two are merged
    Then there is no conflict
    And no directory but the root was read for it

  Scenario: nothing is stored before it is kept
    When our side runs "sed -i 1d text" and their side runs "sed -i 9d text"
    And the two are merged without keeping it
    Then nothing was added to the store
    And the tree is exactly as it was captured

  Scenario: git cannot merge
    Then a text merge by a git that fails says "git merge-file failed"
