Feature: Paths that are typed to undo and redo
  `--path`, `--mine` and `--before` are read from where the user stands, as git reads them; previews and JSON name
  paths of the project. What is in the way is named as a whole, in words that can be typed as they stand.

  Background:
    Given a git repository
    And the files
      | file             | content                   |
      | a.txt            | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | src/a.txt        | inner                     |
      | src/app/[id].tsx | page                      |
      | src/app/i.tsx    | other                     |
    And I remember the files as "start"

  # --- Where somebody stands ---------------------------------------------------------------------

  Scenario Outline: <what> that an edit names is the agent's
    Given the shell has run "ln -s src/a.txt link; ln -s src folder; ln -s ../outside.txt out" in the project
    And I remember the files as "linked"
    And this chat
      """
      prompt one
      call c1 Edit <path>: <command>
      stop
      """
    When I undo here
    Then the files are as in "linked"
    And there is nothing to undo

    Examples:
      | what                                     | path         | command            |
      | a link                                   | link         | rm link            |
      | a link that leads out                    | out          | rm out             |
      | a file by a link to it                   | link         | echo x > src/a.txt |
      | a file by a link to its directory        | folder/a.txt | rm src/a.txt       |
      | a directory by a link to it with a slash | folder/      | rm src/a.txt       |

  Scenario: paths from below and above, of the top, absolute, by a link, globs, and names that look like one
    Given this chat
      """
      prompt one
      call c1 Bash: for f in a.txt src/a.txt src/app/*.tsx; do echo x > "$f"; done
      stop
      user: ln -s "$PWD" ../linked
      """
    Then typed to undo, each of these paths means just these files
      | below   | typed                       | files                                                 |
      | .       | a.txt                       | a.txt                                                 |
      | .       | ./src//a.txt                | src/a.txt                                             |
      | src     | a.txt                       | src/a.txt                                             |
      | src     | *.txt                       | src/a.txt                                             |
      | src/app | ../../a.txt                 | a.txt                                                 |
      | src/app | :/a.txt                     | a.txt                                                 |
      | src/app | :/src/a.*                   | src/a.txt                                             |
      | src/app | PROJECT/src/a.txt           | src/a.txt                                             |
      | src/app | PROJECT/../linked/src/a.txt | src/a.txt                                             |
      | src/app | [id].tsx                    | src/app/[id].tsx                                      |
      | src     | app/[hij].tsx               | src/app/i.tsx                                         |
      | src/app | .                           | src/app/[id].tsx, src/app/i.tsx                       |
      | src/app | ..                          | src/a.txt, src/app/[id].tsx, src/app/i.tsx            |
      | src/app | :/                          | a.txt, src/a.txt, src/app/[id].tsx, src/app/i.tsx     |
      | src/app | PROJECT                     | a.txt, src/a.txt, src/app/[id].tsx, src/app/i.tsx     |
      | .       | .                           | a.txt, src/a.txt, src/app/[id].tsx, src/app/i.tsx     |
    When I run "agents undo --path a.txt --yes" below src
    Then the exit code is 0
    And the files are as in "start" but for
      | file             | content |
      | a.txt            | x       |
      | src/app/[id].tsx | x       |
      | src/app/i.tsx    | x       |

  Scenario: a path outside of the project is refused, with the option that it was given to
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > a.txt
      stop
      """
    When I run "agents undo --path ../b --yes"
    Then the exit code is 2
    And the error says "--path ../b is outside of the project"
    When I run "agents undo --mine ../../b --yes" below src
    Then the exit code is 2
    And the error says "--mine ../../b is outside of the project"
    When I run "agents undo --before /etc/passwd --yes" below src
    Then the exit code is 2
    And the error says "--before /etc/passwd is outside of the project"
    When I run "agents undo --path '' --dry-run"
    Then the exit code is 2
    And the error says "--path names nothing"

  Scenario: a path of a checkpoint of a chat is read from there, too
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > a.txt; echo x > src/a.txt
      stop
      """
    When I run "agents plan restore @chat 1 --path a.txt --yes --format json" below src
    Then the exit code is 0
    And the data holds
      | field             | value       |
      | taken_back.0.file | "src/a.txt" |

  # --- Nothing there -----------------------------------------------------------------------------

  Scenario: a path that the turn did not change is named, with the turns that did
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > a.txt
      stop
      prompt two
      call c2 Bash: echo x > src/a.txt
      stop
      """
    When I run "agents undo --path a.txt --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: t2 changed nothing at a.txt"
    And the error says "agents undo t1 --path a.txt"
    When I run "agents undo --path a.txt --dry-run"
    Then the exit code is 0
    And the error says "t2 changed nothing at a.txt"
    And the error says "agents undo t1 --path a.txt"
    When I run "agents undo --path nowhere --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: t2 changed nothing at nowhere"
    And the error says "agents timeline"
    When I run "agents undo --path src --mine typo --yes"
    Then the exit code is 2
    And the error says "--mine typo names nothing that the undo of t2 is about"
    When I run "agents undo --path src --yes"
    Then the exit code is 0
    When I run "agents undo t2 --path src --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back: t2 left nothing here that is still so"

  Scenario: what another chat changed at a path is named with that chat
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > a.txt
      stop
      chat B
      prompt two
      call c2 Bash: echo x > src/a.txt
      stop
      """
    When I run "agents undo --path a.txt --yes"
    Then the exit code is 0
    And the error says "agents undo t1 --chat 01"

  # --- What is in the way ------------------------------------------------------------------------

  Scenario: every path in the way is named, so that it can be typed where the user stands
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > a.txt; echo x > src/a.txt; echo x > "src/app/[id].tsx"; echo x > "src/with space"
      stop
      user: for f in a.txt src/a.txt "src/app/[id].tsx" "src/with space"; do echo y > "$f"; done
      """
    And I remember the files as "end"
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "keep yours: agents undo --mine a.txt --mine src/a.txt --mine 'src/app/[id].tsx' --mine 'src/with space'"
    When I run "agents undo --dry-run" below src
    Then the exit code is 4
    And the error says "or what was there before: agents undo --before :/a.txt --before a.txt --before 'app/[id].tsx' --before 'with space'"
    When I run "agents undo --mine :/a.txt --mine a.txt --mine 'app/[id].tsx' --before 'with space' --yes" below src
    Then the exit code is 0
    And the files are as in "end" but for
      | file           | content |
      | src/with space | (gone)  |

  Scenario: of very many paths in the way the first are named, and the rest counted
    Given this chat
      """
      prompt one
      call c1 Bash: for i in $(seq 10 22); do echo x > f$i; done
      stop
      user: for i in $(seq 10 22); do echo y > f$i; done
      """
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "--mine f19    # and 3 more paths"

  Scenario: what the user did is told by its kind
    Given the shell has run "for i in 1 2 3 4 5 6; do echo $i > f$i; done; ln -s a.txt link" in the project
    And this chat
      """
      prompt one
      call c1 Bash: rm f1 f2; mkdir f1 f2; echo x > f1/x; echo x > f2/x; echo x > f3; ln -sf src f4
      call c2 Bash: chmod 600 f5; printf 'x\000' > f6; head -c 5000000 /dev/zero > a.txt; ln -sf src/a.txt link
      stop
      user: echo y > f1/x; rm -r f2; echo y > f2; ln -sf src f3; ln -sfn /tmp f4
      user: chmod 755 f5; printf 'y\000' > f6; echo y >> a.txt; ln -sf src/app/i.tsx link
      """
    When I undo here and it is refused
    Then it says "f1: the agent made it a directory, before it was a file; you changed something in it"
    And it says "f2: you made it a file; the agent had left a directory"
    And it says "f3: you made it a symbolic link; the agent had left a file"
    And it says "f4: the agent made it a symbolic link, before it was a file; you changed it"
    And it says "f5: you changed its mode or attributes too"
    And it says "f6: you changed it too, and it is no text that could be merged"
    And it says "a.txt: you changed it too, and it is too large to merge its lines"
    And it says "link: you changed it too"

  Scenario: a later turn that wrote into the directory of an earlier one is named
    Given this chat
      """
      prompt one
      call c1 Bash: rm a.txt; mkdir a.txt; echo x > a.txt/x
      stop
      prompt two
      call c2 Bash: echo y > a.txt/x
      stop
      chat B
      prompt other
      stop
      """
    When I undo "t1 --chat A" here and it is refused
    Then it says "a.txt: t2 changed the same"
    And it says "or both: agents undo --since t1 --chat 01"

  # --- What does not go together -----------------------------------------------------------------

  Scenario: a path can be kept or taken back, not both, and a turn is named once
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > a.txt; echo x > src/a.txt
      stop
      """
    And I remember the files as "end"
    When I run "agents undo --mine a.txt --before ./a.txt --yes"
    Then the exit code is 2
    And the error says "--mine and --before both name a.txt"
    When I run "agents undo --mine src --before src/a.* --dry-run"
    Then the exit code is 2
    And the error says "--mine and --before both name src/a.txt"
    When I run "agents undo --since t1 t1 --yes"
    Then the exit code is 2
    And the error says "t1 and --since t1 were both given"
    And the error says "everything since then: agents undo --since t1"
    And the files are as in "end"
    When I run "agents undo --yes"
    And I run "agents redo --mine a.txt --before a.txt --yes"
    Then the exit code is 2

  Scenario: what was decided already is not asked about again
    Given this chat
      """
      prompt one
      late c1 Bash: echo x > a.txt; echo x > src/a.txt
      stop
      """
    Then the preview of undo "--unclear take --mine a.txt" tells
      | what      | told |
      | questions | nobody looked at the files in time before t1.1 (Bash echo x > a.txt; echo x > src/a.txt): what it changed and what you changed just before it cannot be told apart: src/a.txt |
    And the preview of undo "--unclear take --mine a.txt --before src" tells
      | what      | told |
      | questions |      |
