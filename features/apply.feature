Feature: Apply
  The result of a finished plan reaches the user's project whole or not at all, without touching
  anything else there, and can be taken out again.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; echo k > keep; mkdir d; echo o > d/old; printf '*.o\n__pycache__/\n' > .gitignore; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      description: Changes a few things
      steps:
        - {name: first, tool: shell, with: {command: "sed -i 1d text; echo plan > new; mkdir -p n/m; echo in > n/m/f; rm d/old; rmdir d; echo p > p.o; mkdir __pycache__; echo c > __pycache__/c; ln -s keep link; echo '#!/bin/sh' > run; chmod 755 run"}}
      """
    And I have run "agents run ACTION"

  # --- as changes --------------------------------------------------------------------------------

  Scenario Outline: as changes, on a project that is <state>
    Given the shell has run "<before>" in the project
    And the user's repository and files are remembered
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the output says "Changed 6 files in your project"
    And the plan is "apply/applied"
    And the project has the plan's result and all else is as it was
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the plan is "execute/complete"
    And the user's repository and files are as they were

    Examples:
      | state                 | before                                                                                     |
      | clean                 | true                                                                                       |
      | staged                | echo s > s; echo more >> keep; git add -A                                                  |
      | unstaged              | echo more >> keep; rm -f .gitattributes                                                    |
      | untracked             | echo u > untracked; mkdir u; echo u > u/u                                                  |
      | stashed               | echo stash >> keep; git stash -q                                                           |
      | detached              | git checkout -q --detach                                                                   |
      | on another branch     | git checkout -q -b other; echo other > other; git add other; git commit -qm other          |
      | with ignored files    | echo mine > mine.o; mkdir -p __pycache__; echo mine > __pycache__/mine                     |
      | with ignored ones alike | echo mine > p.o; mkdir -p __pycache__; echo mine > __pycache__/c                         |
      | committed since       | echo c > committed; git add committed; git commit -qm since                                |
      | of a linked work tree | git worktree add -q ../linked; echo l > ../linked/l                                        |

  Scenario: applied and taken back twice, space is freed all the same
    Given I have run "agents plan checkpoint create @"
    And I have run "agents plan apply @ --yes"
    And I have run "agents plan unapply @ --yes"
    And I have run "agents plan apply @ --yes"
    And I have run "agents plan unapply @ --yes"
    When I run "agents plan checkpoint delete @ 2 --yes"
    Then the exit code is 0
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field                 | value |
      | unfinished_operations | []    |
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0

  Scenario: the user's change in another place of the same file survives
    Given the shell has run "sed -i 9d text" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "text" holds "2\n3\n4\n5\n6\n7\n8"

  Scenario: a preview tells everything and changes nothing
    Given the user's repository and files are remembered
    When I run "agents plan apply @ --dry-run"
    Then the exit code is 0
    And the output says
      """
      Would apply change
      modified
      +0 -1
      link to keep
      executable
      2 ignored files are left out
      """
    And the output does not say "p.o"
    When I run "agents plan apply @ --dry-run --as branch --include-ignored"
    Then the error says " --as branch --include-ignored"
    And the user's repository and files are as they were
    And the plan is "execute/complete"
    When I run "agents plan apply @ --dry-run --format json"
    Then "data.files" counts 6
    And the data holds
      | field     | value   |
      | ignored   | 2       |
      | obstacles | []      |
      | as        | "changes" |

  Scenario: what will run later is shown first
    Given the action
      """
      name: later
      steps:
        - {tool: shell, with: {command: "mkdir -p .github/workflows src; echo x > .github/workflows/ci.yml; echo x > Makefile; echo x > src/conftest.py; ln -s /etc/passwd out; ln -s ../.. up; mkdir .husky; echo x > .husky/pre-commit"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --dry-run"
    Then the output says
      """
      Look at these first
      .github/workflows/ci.yml  runs later
      link to /etc/passwd, outside the project
      link to ../.., outside the project
      """
    And the output says "Makefile"
    And the output says ".husky/pre-commit"

  Scenario: ignored files are applied if they are asked for
    When I run "agents plan apply @ --yes --include-ignored"
    Then the exit code is 0
    And the project's file "p.o" holds "p"
    And the project's file "__pycache__/c" holds "c"

  Scenario: a file that was there before is applied even if the result ignores it
    Given the action
      """
      name: ignore
      steps:
        - {tool: shell, with: {command: "echo keep >> .gitignore; echo changed > keep"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "keep" holds "changed"

  Scenario: what the project's own list ignores is not applied
    Given the shell has run "echo new >> .git/info/exclude" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project has no "new"

  Scenario: asking
    Given the user's repository and files are remembered
    When I run "agents plan apply @"
    Then the exit code is 2
    And the error says "--yes"
    And the user's repository and files are as they were
    When I type on a terminal "agents plan apply @"
      | question       | answer |
      | Change 6 files | n      |
    Then the exit code is 1
    And the user's repository and files are as they were
    When I type on a terminal "agents plan apply @"
      | question       | answer |
      | Change 6 files | y      |
    Then the exit code is 0
    And the output says "Applied"
    When I run "agents plan status @"
    Then the output says "Files modified  6"
    And the error says "# takes it out of your project"
    When I type on a terminal "agents plan unapply @"
      | question    | answer |
      | Put 6 paths | y      |
    Then the exit code is 0
    And the user's repository and files are as they were

  Scenario: what changed while the question stood is not applied
    When somebody edits "text" while the question of "agents plan apply @" stands
    Then the exit code is 4
    And the output says "has changed since you were shown this"
    And the project has no "new"

  Scenario: modes, times and what belongs to whom
    Given the shell has run "chmod 600 text; touch -d 2001-01-01 text keep; chown 1234 text || true; stat -c %u text > ../owner" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And in the project "test $(stat -c %a text) = 600 -a $(stat -c %a run) = 755 -a text -nt .gitignore" holds
    And in the project "test $(stat -c %Y keep) -lt 1000000000 -a $(stat -c %u text) = $(cat ../owner)" holds

  # --- as a branch -------------------------------------------------------------------------------

  Scenario: as a branch, nothing else changes
    Given the shell has run "echo more >> keep; echo u > untracked" in the project
    And the user's repository and files are remembered
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 0
    And the output says "Committed 6 files to branch cleveragents/plan-"
    And the user's repository and files are as they were
    And "git for-each-ref --format='%(refname:short)' refs/heads | sed s/$PLAN/PLAN/" in the project prints
      """
      cleveragents/plan-PLAN
      main
      """
    And the plan's branch changes ".gitignore" not and "A link, A n/m/f, A new, A run, D d/old, M text"
    When I type on a terminal "agents plan unapply @"
      | question                         | answer |
      | Remove branch cleveragents/plan- | y      |
    Then the exit code is 0
    And the output says "Removed branch"
    And the output says "your files were not touched"
    And the output says " --as branch    # applies it again"
    And the user's repository and files are as they were

  Scenario: as a branch, uncommitted work that the plan did not touch stays out of it
    Given the shell has run "echo uncommitted >> keep" in the project
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 0
    And the plan's branch changes ".gitignore" not and "A link, A n/m/f, A new, A run, D d/old, M text"

  Scenario: as a branch, on top of uncommitted work in another place
    Given the shell has run "sed -i 9d text" in the project
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 0
    And "git show cleveragents/plan-$PLAN:text" in the project prints
      """
      2
      3
      4
      5
      6
      7
      8
      9
      """

  Scenario: as a branch, on top of uncommitted work in the same place
    Given the shell has run "sed -i '1s/.*/mine/' text" in the project
    And the action
      """
      name: same
      steps:
        - {tool: shell, with: {command: "sed -i '1s/.*/plan/' text"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --dry-run --as branch --format json"
    Then the paths in the way are "text"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 4
    And the error says "text: the plan builds on changes that are in no commit"
    And the error says "commit them and refresh the plan"

  Scenario: line ends are as git keeps them, filters are refused
    Given the shell has run "printf '*.crlf text eol=crlf\n*.lfs filter=lfs\n' > .gitattributes; printf 'a\r\nb\r\n' > a.crlf; git add -A; git commit -qm crlf" in the project
    And the action
      """
      name: ends
      steps:
        - {tool: shell, with: {command: "printf 'a\\r\\nb\\r\\nc\\r\\n' > a.crlf"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 0
    And "git show cleveragents/plan-$PLAN:a.crlf | od -c | head -1" in the project prints
      """
      0000000   a  \n   b  \n   c  \n
      """
    Given the action
      """
      name: filter
      steps:
        - {tool: shell, with: {command: "echo large > a.lfs"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 4
    And the error says "pass a filter"

  Scenario: a branch that moved is not taken back
    Given I have run "agents plan apply @ --yes --as branch"
    And the shell has run "git checkout -q cleveragents/plan-*  2>/dev/null || git checkout -q $(git branch --list 'cleveragents/*' --format '%(refname:short)')" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says ": it is checked out in "
    And the error says " switch -"
    Given the shell has run "echo more > more; git add more; git commit -qm more; git checkout -q main" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says ": it has commits of yours"
    And the error says "git branch -m cleveragents/plan-"

  Scenario: a branch of the same name is never replaced
    Given the shell has run "git branch cleveragents/plan-$PLAN" in the project
    When I run "agents plan apply @ --dry-run --as branch"
    Then the output says "there is a branch of this name already"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 4
    And the plan is "execute/complete"

  Scenario Outline: where there is nothing to branch from: <where>
    Given the shell has run "<make>" in the project
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 4
    And the error says "<says>"

    Examples:
      | where          | make                                     | says                          |
      | a plain folder | rm -rf .git                              | is no git repository          |
      | no commit yet  | rm -rf .git; git init -q -b main .       | a branch has nothing to stand |

  Scenario: what an apply keeps is let go once it is taken back
    When I run "agents plan apply @ --yes"
    Then operations keep the versions of the latest apply
    When I run "agents plan unapply @ --yes"
    Then operations keep 0 snapshots
    When I run "agents plan refresh @ --yes"
    Then operations keep 1 snapshots
    When I run "agents plan apply @ --yes"
    Then operations keep the versions of the latest apply
    And the exit code is 0
    When I run "agents plan diff @ --name-only"
    Then the output says "new"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the plan is "execute/complete"
