Feature: Hard cases of sandboxes
  What happens to sandboxes and to the user's repository while plans run. The numbers are those of
  the lists of hard cases and threats.

  Scenario: H39 dirty tree
    Given a git repository
    And the shell has run "echo '*.log' > .gitignore; echo 1 > staged; git add .; echo 2 > a.txt; echo 3 > untracked; echo 4 > x.log; mkdir empty" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees but for "x.log"
    And the sandbox comes back exactly after it was wrecked

  Scenario: H40 the user's repository is bit for bit the same after everything
    Given a git repository
    And the shell has run "echo stashed > a.txt; git stash -q; git tag old" in the project
    And the shell has run "git checkout -q -b other; echo other > a.txt; git commit -qam other" in the project
    And the shell has run "git checkout -q main; echo main > a.txt; git commit -qam main" in the project
    And the shell has run "git merge -q other || true; echo staged > staged; git add staged; test -e .git/MERGE_HEAD" in the project
    And the shell has run "printf '#!/bin/sh\nexit 1\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit" in the project
    And the user's project is remembered
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "git branch -D other || git branch other; git checkout -q -b mine; git tag theirs"}}
      - {tool: shell, with: {command: "git config user.name T; git config user.email t@x; git config --unset-all core.bare; git config alias.x y"}}
      - {tool: shell, with: {command: "echo 1 > a.txt; git stash; git stash pop; git add -A; git commit -qm all; git stash clear"}}
      - {tool: shell, with: {command: "git reflog expire --expire=now --all; git gc -q --prune=now; git prune --expire=now; git worktree prune"}}
      - {tool: shell, with: {command: "git update-ref -d HEAD; git reset -q --hard; git clean -qfdx; git pack-refs --all"}}
      - {tool: shell, with: {command: "rm -rf .git; rm -rf ./* .??*"}}
      """
    And "agents plan diff @" is run
    And "agents plan status @" is run
    And the plan is rolled back to before step 0
    Then the user's project is bit for bit as it was
    And the sandbox holds exactly what the user sees

  Scenario: H41 index.lock held by the user
    Given a git repository
    And the shell has run "touch .git/index.lock; echo x > new" in the project
    And the user's project is remembered
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the sandbox comes back exactly after it was wrecked
    And the user's project is bit for bit as it was

  Scenario Outline: H42 sandbox lost: <part>
    Given a git repository
    And a plan has run
    And the sandbox is remembered
    When the sandbox's <part> is lost
    And a rollback to checkpoint 1 is tried
    Then the rollback was refused, saying "the sandbox is missing" with the hint "--rebuild"
    When "agents plan rollback @ 1 --rebuild --yes" is run
    Then the sandbox is exactly as it was
    And git in the sandbox lists as changed ""
    And <parts> of what was left is kept beside

    Examples:
      | part  | parts        |
      | home  | nothing      |
      | tree  | the git part |

  Scenario: H42 sandbox lost: its git directory; the files beside it are saved and all comes back
    Given a git repository
    And a plan has run
    And the sandbox is remembered
    When the sandbox's git is lost
    And a rollback to checkpoint 1 is tried
    Then the sandbox is exactly as it was
    And git in the sandbox lists as changed ""

  Scenario: H43 two plans on one repository
    Given a git repository
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "git config user.name T; git config user.email t@x; echo 1 > one; git add -A; git commit -qm one"}}
      """
    And the sandbox is remembered
    And a plan runs the steps
      """
      - {tool: shell, with: {command: "echo 2 > two; git gc -q --prune=now; git branch --list | grep -c . | grep -x 1"}}
      """
    Then the sandbox is exactly as it was
    And the sandbox has "two"
    And the sandbox has no "one"
    And the sandbox comes back exactly after it was wrecked

  Scenario: T21 the user deletes branches and collects garbage
    Given a git repository
    And the shell has run "git checkout -q -b topic; echo x > b; git add b; git commit -qm topic" in the project
    When a plan runs
    And the shell runs "git checkout -q main; git branch -qD topic; git reflog expire --expire=now --all; git gc -q --prune=now" in the project
    Then git in the sandbox says "topic\nfirst" to "log --format=%s"
    And git in the sandbox says "" to "fsck --strict"
    And git in the sandbox lists as changed ""
    And the sandbox comes back exactly after it was wrecked

  Scenario: T24 nothing of ours is in the user's repository
    Given a git repository
    And the user's project is remembered
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "echo secret > .env; git add -A"}}
      """
    Then the user's project is bit for bit as it was
