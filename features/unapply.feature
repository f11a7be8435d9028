Feature: Unapply merges as apply does
  An apply is taken back path by path. What the user has changed since elsewhere in a file stays, what
  is as before already is done, and what was changed in the same place is refused, or kept on demand.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; printf '\0one' > bin; echo r > run; mkdir d; echo o > d/old; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "sed -i 5s/5/plan/ text; printf '\\0two' > bin; echo plan > new; rm -r d; echo plan > run; chmod 755 run"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"

  Scenario Outline: what does not overlap stays, and all else goes back: <case>
    Given the shell has run "<mine>" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the error says "<says>"
    And in the project "<check>" holds
    And in the project "test ! -e new -a -e d/old" holds
    And the plan is "execute/complete"

    Examples:
      | case                          | mine                               | says                                     | check                                           |
      | an edit elsewhere in the file | sed -i 1s/1/mine/ text             | your changes stay in text                | test $(tr -d '\n' < text) = mine23456789        |
      | another mode                  | chmod 600 text                     | your changes stay in text                | test $(stat -c %a text) = 600 -a $(sed -n 5p text) = 5 |
      | a file as before already      | git checkout -q text; rm new       | 2 paths were as before already           | git diff --quiet                                |
      | new lines at the end          | echo mine >> text; echo u > u      | your changes stay in text                | test $(tail -1 text) = mine -a -e u             |

  Scenario Outline: what overlaps is refused, every path told, or left as it is on demand: <case>
    Given the shell has run "<mine>" in the project
    And the user's repository and files are remembered
    When I run "agents plan unapply @ --dry-run"
    Then the exit code is 4
    And the output says "<path>  edited since the plan was applied: <why>"
    And the error says "--keep-mine"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says "1 path is in the way; nothing was changed"
    And the error says "leave yours as they are: agents plan unapply"
    And the user's repository and files are as they were
    And the plan is "apply/applied"
    When I run "agents plan unapply @ --keep-mine --yes --format json"
    Then the exit code is 0
    And the data holds
      | field       | value    |
      | mine.0.path | "<path>" |
    And in the project "<check>" holds
    And the plan is "execute/complete"

    Examples:
      | case                          | mine                       | path | why                                | check                                      |
      | the same line                 | sed -i 5s/plan/mine/ text  | text | in the same place as the plan      | test $(sed -n 5p text) = mine -a ! -e new  |
      | a binary file                 | printf '\0mine' > bin      | bin  | in the same place as the plan      | grep -q mine bin -a; test ! -e new         |
      | a file that the user deleted  | rm text                    | text | you deleted it                     | test ! -e text -a ! -e new                 |
      | a new file of the plan's      | echo more >> new           | new  | it was new with the plan           | test $(wc -l < new) = 2 -a -e d/old        |
      | one in the place of another   | echo mine > d              | d    | there is one of yours in its place | test $(cat d) = mine -a ! -e new           |

  Scenario: an unapply of what an undo took out names the redo
    Given the shell has run "git checkout -q .; rm new" in the project
    When I run "agents undo --yes"
    Then the exit code is 0
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says "an undo took it out: agents redo --plan"
    When I run "agents redo --yes"
    And I run "agents plan unapply @ --yes"
    Then the exit code is 0

  Scenario: where all is left as the user has it, nothing is said to be put back
    Given the shell has run "sed -i 5s/plan/mine/ text; echo more >> new; printf '\0mine' > bin; rm -rf d; echo mine > d; echo mine > run" in the project
    When I run "agents plan unapply @ --keep-mine --yes"
    Then the exit code is 0
    And the output says "Nothing was put back: "
    And the output says "stay as you have it"
    And the output does not say "Your project is as before"

  Scenario Outline: taken back, an unapply that left <path> leaves it alone again, and older acts go on
    Given the shell has run "<mine>" in the project
    And the user's repository and files are remembered
    And I have run "agents plan unapply @ --keep-mine --yes"
    When I run "agents undo --dry-run"
    Then the exit code is 0
    And the output says "left as you have it: <path>"
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And the data holds
      | field       | value                 |
      | act.type    | "unapply"             |
      | kept.0.file | "<path>"              |
      | kept.0.why  | "left as you have it" |
    And the user's repository and files are as they were
    And the plan is "apply/applied"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "left as you have it: <path>"
    And in the project "<check>" holds
    And the plan is "execute/complete"
    When I run "agents redo --yes"
    Then the exit code is 0
    And the user's repository and files are as they were
    When I press on a terminal of 100 by 30 "agents undo --pick"
      | when it shows               | keys     |
      | left as you have it: <path> | enter    |
      | Take back 1 act?            | y, enter |
    Then the exit code is 0
    And in the project "<check>" holds
    When I run "agents redo --yes"
    And I run "agents redo --yes"
    Then the exit code is 0
    And in the project "<check>" holds
    When I run "agents undo --yes"
    And I run "agents undo --yes"
    And I run "agents undo --yes"
    Then the exit code is 0
    And in the project "<check>" holds
    And the plan has no file "new"

    Examples:
      | mine                      | path | check                                                        |
      | sed -i 5s/plan/mine/ text | text | test $(sed -n 5p text) = mine -a ! -e new -a -e d/old        |
      | echo mine > d             | d    | test $(cat d) = mine -a ! -e new                             |
      | rm bin                    | bin  | test ! -e bin -a ! -e new -a -e d/old                        |

  Scenario: an unapply is taken back where the project has all of it already
    Given the shell has run "cp -a . ../copy" in the project
    And I have run "agents plan unapply @ --yes"
    And the shell has run "rm -r d; cp -a ../copy/. ." in the project
    When I run "agents undo --yes"
    Then the exit code is 0
    And the plan is "apply/applied"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the project's file "new" holds "plan"

  Scenario: what was kept is in the way of the next apply, as any change is
    Given the shell has run "sed -i 5s/plan/mine/ text" in the project
    And I have run "agents plan unapply @ --keep-mine --yes"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "text: you changed it in the same place as the plan"

  Scenario: what changed while the question stood is not taken back
    When somebody edits "text" while the question of "agents plan unapply @" stands
    Then the exit code is 4
    And the project's file "new" holds "plan"

  @needs_root
  Scenario: an ordinary user takes back what they applied, with their edits
    Given an ordinary user owns the project
    And the shell has run "sed -i 1s/1/mine/ text" in the project
    When the ordinary user runs "agents plan unapply @ --yes"
    Then the exit code is 0
    And the project's file "text" holds "mine\n2\n3\n4\n5\n6\n7\n8\n9"

  Scenario: an unapply that merges and is killed anywhere is finished, or never began
    Given the shell has run "sed -i 1s/1/mine/ text" in the project
    When an unapply is killed at each of its steps and recovered
    Then it was before or after each time
    And more than 5 moments were tried

  Scenario: a branch that is gone, with its commit, has nothing to be taken back
    Given a git repository
    And the steps
      """
      - {tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --as branch --yes"
    And the shell has run "git branch -q -D cleveragents/plan-$PLAN && git reflog expire --expire=now --all && git gc -q --prune=now" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the plan is "execute/complete"

  Scenario: of a branch that was merged it says what is left to git
    Given I have run "agents plan unapply @ --yes"
    And I have run "agents plan apply @ --as branch --yes"
    And the shell has run "git add -A; git stash -q; git merge -q $(git for-each-ref --format='%(refname)' refs/heads/cleveragents)" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the output says "Removed branch cleveragents/plan-"
    And the error says "main has what was in the plan's branch, and keeps it"
    And the error says "git revert "
    And the project's file "new" holds "plan"

  # --- What an apply tells -------------------------------------------------------------------------

  Scenario: an apply of nothing says so, and the plan stays as it was
    Given I have run "agents plan unapply @ --yes"
    And the shell has run "sed -i 5s/5/plan/ text; printf '\0two' > bin; echo plan > new; rm -r d; echo plan > run; chmod 755 run" in the project
    When I run "agents plan apply @ --dry-run"
    Then the exit code is 0
    And the error does not say "agents plan apply"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the output says "Nothing to apply"
    And the output does not say "Applied"
    And the plan is "execute/complete"

  Scenario: what was applied is told with a verb and a way to see new files
    Given I have run "agents plan unapply @ --yes"
    When I run "agents plan apply @ --yes"
    Then the output says "Changed 5 files in your project"
    And the error says "# with new files, which git diff leaves out"

  Scenario: a preview of an apply with something in the way exits as the apply would
    Given I have run "agents plan unapply @ --yes"
    And the shell has run "echo mine > new" in the project
    When I run "agents plan apply @ --dry-run"
    Then the exit code is 4
    And the error says "agents plan refresh"
    And the error does not say "agents plan apply"
