Feature: Undo and the user's repository
  An undo changes files and never a repository. What a commit has taken over, what lies on another branch and what git
  is in the middle of is git's: it is refused, with the command of git that helps.

  Background:
    Given the files
      | file  | content                   |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                         |
    And the project is a repository
    And I remember the files as "start"

  Scenario: what was committed since is git's to take back
    Given this chat
      """
      prompt edit
      call c1 Bash: sed -i 's/^2$/two/' a.txt; echo x > new.txt; rm b.txt
      stop
      user: git add -A; git commit -qm theirs
      """
    When I undo here and it is refused
    Then it says "a.txt: it was committed since"
    And it says "new.txt: it was committed since"
    And it says "b.txt: it was committed since"
    And it says the command "git revert" with the latest commit
    And the exit code of the refusal is 4
    When the user runs "git revert --no-edit HEAD"
    And I undo here
    Then the files are as in "start"

  Scenario: only the paths that a commit has are refused, and what the user keeps is not asked for
    Given this chat
      """
      prompt edit
      call c1 Bash: sed -i 's/^2$/two/' a.txt; echo x > b.txt
      stop
      user: git add a.txt; git commit -qm some
      """
    When I undo here and it is refused
    Then it says "a.txt: it was committed since"
    And it does not say "b.txt"
    When I undo "--path b.txt" here
    And I undo "t1 --mine a.txt" here
    Then the files are as in "start" but for
      | file  | content                     |
      | a.txt | 1\|two\|3\|4\|5\|6\|7\|8\|9 |
    When I redo here
    And I undo "--anyway" here
    Then the files are as in "start"

  Scenario Outline: a commit that holds the user's work as well is none to revert: <what>
    Given the user runs "<before>"
    And this chat
      """
      prompt edit
      call c1 Bash: <deed>
      stop
      """
    When I undo here and it is refused
    Then it says "new.txt: it was committed since"
    And it says "<told>"
    And it says "take this out of the files alone, and commit that then: --anyway"
    And it does not say "git revert "
    And there is a "mine.txt"
    When I undo "--anyway" here
    Then there is no "new.txt"
    And there is a "mine.txt"

    Examples:
      | what                               | before                                                        | deed                                                                     | told                                                           |
      | a file that was not committed      | echo m > mine.txt                                             | echo x > new.txt; git add -A; git commit -qm all                         | also holds 1 path with what is not taken back here (mine.txt)  |
      | many files                         | for n in 1 2 3; do echo m > mine$n; done; echo m > mine.txt   | echo x > new.txt; git add -A; git commit -qm all                         | also holds 4 paths with what is not taken back here (mine.txt, mine1 and 2 more) |
      | another part of the same file      | echo m > mine.txt; git add -A; git commit -qm m; sed -i 's/^2$/mine/' a.txt | echo x > new.txt; sed -i 's/^8$/eight/' a.txt; git commit -qam 1; git add -A; git commit -qm 2 --amend | also holds 1 path with what is not taken back here (a.txt) |
      | a commit of the user's, amended    | echo m > mine.txt; git add -A; git commit -qm m               | echo x > new.txt; git add -A; git commit -q --amend -m both              | also holds 1 path with what is not taken back here (mine.txt)  |
      | a mode                             | echo m > mine.txt; git add -A; git commit -qm m; chmod +x b.txt | echo x > new.txt; echo x > b.txt; git add -A; git commit -qm all       | also holds 1 path with what is not taken back here (b.txt)     |

  Scenario: a commit of what several calls did to a file is the turn's alone, and others before it are in no way
    Given this chat
      """
      prompt edit
      call c1 Bash: sed -i 's/^2$/two/' a.txt; git commit -qam one; sed -i 's/^5$/five/' a.txt
      call c2 Bash: sed -i 's/^8$/eight/' a.txt; echo x > new.txt
      stop
      user: echo y > y.txt; git add y.txt; git commit -qm theirs
      user: git add -A; git commit -qm rest
      """
    When I undo here and it is refused
    Then it does not say "git revert "
    And it says "also holds 1 path with what is not taken back here (a.txt)"
    Given this chat goes on
      """
      user: git reset -q HEAD~3; git add y.txt; git commit -qm theirs; git add -A; git commit -qm all
      """
    When I undo here and it is refused
    Then it says the command "git revert" with the latest commit
    When the user runs "git revert --no-edit HEAD"
    And I undo here
    Then the files are as in "start" but for
      | file  | content |
      | y.txt | y       |

  Scenario: a commit that holds something else of the path is none that has it
    Given this chat
      """
      prompt edit
      call c1 Bash: sed -i 's/^2$/two/' a.txt; echo x > new.txt
      stop
      user: sed -i 's/^8$/eight/' a.txt; git add a.txt; git commit -qm both; echo y > c.txt; git add c.txt; git commit -qm other
      """
    When I undo here
    Then the files are as in "start" but for
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | c.txt | y                             |

  Scenario Outline: <what> that was committed is found as well
    Given this chat
      """
      prompt edit
      call c1 Bash: <deed>
      stop
      user: <commit>
      """
    When I undo here and it is refused
    Then it says "<path>: it was committed since"
    And it says "<way>"

    Examples:
      | what                           | path  | deed                                     | commit                                                                        | way |
      | a link                         | link  | ln -s a.txt link                         | git add -A; git commit -qm x                                                  | git revert  |
      | a mode                         | a.txt | chmod +x a.txt                           | git add -A; git commit -qm x                                                  | git revert  |
      | a large file                   | large | head -c 5000000 /dev/zero > large        | git add -A; git commit -qm x                                                  | git revert  |
      | a text with ends of lines      | dos   | printf 'a\r\nb\r\n' > dos                | git -c core.autocrlf=input add -A 2> /dev/null; git commit -qm x              | git revert  |
      | one of very many paths         | d/7   | mkdir d; for n in $(seq 220); do echo $n > d/$n; done | git add -A; git commit -qm x                                     | git revert  |
      | a path in a commit of long ago | b.txt | echo x > b.txt                           | git add -A; git commit -qm x; for n in 1 2 3; do git commit -q --allow-empty -m $n; done; echo y > b.txt; git commit -qam y | git revert  |
      | what only a merge has made     | b.txt | git switch -qc side; echo s > b.txt; git commit -qam s; git switch -q main; echo m > b.txt; git commit -qam m; git merge -q side > /dev/null \|\| true; echo sm > b.txt | git commit -qam merged | is a merge |

  Scenario: a mode that a commit has not is no matter of git's
    Given this chat
      """
      prompt edit
      call c1 Bash: chmod 600 a.txt
      call c2 Bash: mkdir d; ln -sf a.txt b.txt
      stop
      user: chmod +x a.txt; rm b.txt; echo z > b.txt; git commit -qam mode; chmod 600 a.txt; ln -sf a.txt b.txt
      """
    Then the preview of undo "-" tells
      | what      | told |
      | obstacles |      |

  Scenario: commits before the prompt are not those of the turn, though no file changed with them
    Given this chat
      """
      prompt look
      stop
      user: echo x > b.txt; git commit -qam x; echo b > b.txt; git switch -qc other; git commit -qam back
      prompt edit
      call c1 Bash: echo x > b.txt
      stop
      """
    When I undo here
    Then the files are as in "start"

  Scenario Outline: another branch is refused as a whole: <how>
    Given the user runs "git branch old; git switch -qc side; echo side > side.txt; git add -A; git commit -qm side; git switch -q <from>"
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; <by the turn>
      stop
      user: <since>
      """
    When I undo here and it is refused
    Then it says "the branch was switched from"
    And it says "<told>"
    And it says "go back first: git switch <way>"
    And it does not say "committed"
    When the user runs "<back>"
    And I undo here
    Then there is no "new.txt"

    Examples:
      | how                   | from          | told         | way      | by the turn        | since              | back                         |
      | by the turn           | main          | main to side | main     | git switch -q side | true               | git switch -q main           |
      | since                 | main          | main to side | main     | true               | git switch -q side | git switch -q main           |
      | from no branch        | --detach main | to side      | --detach | true               | git switch -q side | git switch -q --detach main  |
      | without a log         | main          | main to side | main     | git switch -q side | rm .git/logs/HEAD  | git switch -q main           |

  Scenario: to no branch at all, of which the commit is told
    Given the user runs "git commit -q --allow-empty -m second"
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; git switch -q --detach HEAD~1
      stop
      """
    When I undo here and it is refused
    Then it says "the branch was switched from main to"
    When I undo "--anyway" here
    Then the files are as in "start"

  Scenario Outline: a new branch where HEAD was is no switch: <how>
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; <by the turn>
      stop
      user: <since>
      """
    When I undo here
    Then there is no "new.txt"

    Examples:
      | how                            | by the turn                                       | since                                                     |
      | made by the turn               | git switch -qc new                                | true                                                      |
      | made since, with a commit      | true                                              | git switch -qc new; echo y > y; git add y; git commit -qm y |
      | renamed, with packed names     | true                                              | git branch -m trunk; git pack-refs --all; git commit -q --allow-empty -m y |
      | one that is left again         | git switch -qc new; git commit -q --allow-empty -m y | git switch -q main                                     |
      | no branch, with a commit on it | git switch -q --detach; git commit -q --allow-empty -m y | true                                               |

  Scenario Outline: in the middle of a <what> nothing is taken back
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      user: git switch -qc side; echo s > b.txt; git commit -qam s; git switch -q main; echo m > b.txt; git commit -qam m; <begin> > /dev/null 2>&1 || true
      """
    When I undo here and it is refused
    Then it says "a <what> is in progress"
    When the user runs "<end>"
    And I undo here
    Then there is no "new.txt"
    When the user runs "<begin> > /dev/null 2>&1 || true"
    And I redo here and it is refused
    Then it says "a <what> is in progress"
    When I redo "--anyway" here
    Then there is a "new.txt"

    Examples:
      | what        | begin                                  | end                       |
      | merge       | git merge side                         | git merge --abort         |
      | rebase      | git rebase side                        | git rebase --abort        |
      | cherry-pick | git cherry-pick side                   | git cherry-pick --abort   |
      | revert      | git revert --no-edit HEAD~1            | git revert --abort        |
      | bisect      | git bisect start HEAD HEAD~1           | git bisect reset          |

  Scenario: a repository without a commit, and its first one
    Given the user runs "rm -rf .git; git init -q -b main; git config user.name T; git config user.email t@x"
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      """
    When I undo here
    And I redo here
    And the user runs "git switch -qc trunk; git add -A; git commit -qm first"
    And I undo here and it is refused
    Then it says "new.txt: it was committed since"

  Scenario: a work tree of its own, whose repository lies elsewhere
    Given the project is a work tree of another repository
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; echo x > b.txt
      stop
      user: git add new.txt; git commit -qm new
      """
    When I undo here and it is refused
    Then it says "new.txt: it was committed since"
    And it does not say "b.txt"

  Scenario: a directory inside a repository
    Given the project lies in a repository
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; echo x > b.txt
      stop
      user: git add new.txt; git commit -qm new
      """
    When I undo here and it is refused
    Then it says "new.txt: it was committed since"
    And it does not say "b.txt"

  Scenario: a `.git` that is none, and a commit that is gone
    Given this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt
      stop
      user: git commit -q --amend -m other; git reflog expire --expire=now --all; git gc -q --prune=now; git add -A; git commit -qm new
      """
    When I undo here
    Then the files are as in "start"
    When the user runs "rm -rf .git; mkdir .git"
    And I redo here
    Then there is a "new.txt"
    When the user runs "rm -rf .git; echo gitdir: /nowhere > .git"
    And I undo here
    Then there is no "new.txt"
    When the user runs "rm .git; echo nothing > .git"
    And I redo here
    Then there is a "new.txt"

  Scenario: nothing in the repository is written by recording, previews, refusals or an undo
    Given the user runs "echo x > c.txt; git add c.txt; git commit -qm c; git pack-refs --all; git gc -q"
    And the repository is remembered
    And this chat
      """
      prompt edit
      call c1 Bash: echo x > new.txt; rm c.txt
      stop
      """
    Then the repository is untouched
    And the preview of undo "-" tells
      | what      | told |
      | obstacles |      |
    When I undo here
    And I redo here
    Then the repository is untouched
    When the user runs "git add -A; git commit -qm new"
    And the repository is remembered
    And I undo here and it is refused
    Then the repository is untouched
    And every checkpoint notes the repository

  Scenario: everything on another branch is refused, also where the turn changed nothing
    Given the user runs "git switch -qc side; echo side > side.txt; git add -A; git commit -qm side; git switch -q main"
    And this chat
      """
      prompt look
      call c1 Bash: true
      stop
      user: git switch -q side
      """
    When I undo "t1 --everything" here and it is refused
    Then it says "the branch was switched from main to side"
    And it says "git switch main"
    When I undo "t1 --everything --anyway" here
    Then the files are as in "start"

  Scenario: what the user committed is git's, also where everything is asked for
    Given this chat
      """
      prompt look
      call c1 Bash: true
      stop
      user: echo mine > b.txt; echo new > new.txt; git add b.txt; git commit -qm mine
      """
    When I undo "t1 --everything" here and it is refused
    Then it says "b.txt: it was committed since"
    And it does not say "new.txt"
    When I undo "t1 --everything --anyway" here
    Then the files are as in "start"

  Scenario: a redo on another branch than that of its undo is refused
    Given the user runs "git switch -qc side; echo 9 >> a.txt; git commit -qam side; git switch -q main"
    And this chat
      """
      prompt edit
      call c1 Bash: sed -i 's/^3$/three/' a.txt
      stop
      """
    And I remember the files as "edited"
    When I undo here
    And the user runs "git switch -q side"
    And I redo here and it is refused
    Then it says "the branch was switched from main to side"
    When the user runs "git switch -q main"
    And I redo here
    Then the files are as in "edited"
    When I undo here
    And the user runs "git switch -q side"
    And I redo "--anyway" here
    And the user runs "git diff --quiet main -- b.txt"
    And I undo "--anyway" here
    Then the files are as in "start" but for
      | file  | content                     |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9\|9 |
