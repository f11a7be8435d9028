Feature: Git and the sandbox
  Git works in the sandbox as in any repository, and reaches nothing beyond it. What the user's
  repository or a step asks git to run is never run by us.

  Scenario: git works in the sandbox
    Given a git repository
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "git -c user.name=T -c user.email=t@x commit --allow-empty -qm from-the-plan"}}
      - {tool: shell, with: {command: "git log --oneline | grep -c . | grep -x 2 && git branch other && git tag mine && git status"}}
      - {tool: shell, with: {command: "git checkout -q other && git gc -q --prune=now && git fsck --strict"}}
      """
    Then git in the sandbox lists as changed ""
    And the sandbox comes back exactly however it is wrecked

  Scenario: commits, branches and stashes of a step are taken back with its files
    Given a git repository
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "git config user.name T; git config user.email t@x; echo 1 > a.txt; git commit -qam one"}}
      - {tool: shell, with: {command: "echo 2 > a.txt; git stash; git branch other; git rm -q a.txt; git commit -qm two; rm .git"}}
      """
    And the plan is rolled back to before step 1
    Then git in the sandbox says "one" to "log -1 --format=%s"
    And git in the sandbox says "" to "stash list"
    And git in the sandbox says "" to "branch --list other"
    And git in the sandbox lists as changed ""

  Scenario: a step commits as the repository says, where nobody else says who that is
    Given a git repository
    And the shell has run "git config user.name 'Ä Own'; git config user.email own@x; git config core.pager cat" in the project
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "echo 1 > a.txt; git commit -qam one; git config core.pager || true"}}
      """
    Then git in the sandbox says "Ä Own" to "log -1 --format=%an"
    And git in the sandbox says "own@x" to "log -1 --format=%ae"

  Scenario: T17 what a step puts in the place of .git is never run
    Given a git repository
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "rm .git; git init -q .; git config core.fsmonitor 'touch CANARY'; git config core.hooksPath hooks"}}
      - {tool: shell, with: {command: "mkdir hooks; for h in post-checkout post-index-change reference-transaction; do printf '#!/bin/sh\\ntouch CANARY' > hooks/$h; chmod 755 hooks/$h; done"}}
      - {tool: shell, with: {command: "mkdir sub; cp -r .git sub/.git; echo x > sub/x"}}
      """
    And "agents plan diff @" is run
    And "agents plan status @" is run
    And "agents plan checkpoint create @" is run
    And the plan is rolled back to before step 0
    Then no program of the user's repository has run
    And git in the sandbox lists as changed ""

  Scenario: T17 git in a sandbox that lost its .git does not climb to the user's repository
    Given a git repository
    And the data directory lies in a repository "outer"
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "rm .git; rm a.txt"}}
      """
    And "agents plan diff @" is run
    And the plan is rolled back to before step 0
    Then git in the sandbox lists as changed ""
    And the other repository is bit for bit as it was

  Scenario: T13 T14 T15 nothing that the user's repository asks for is run
    Given a git repository
    And the user's repository asks for every program it can
    When a plan runs the steps
      """
      - {tool: write_file, with: {path: b.txt, content: "b"}}
      - {tool: shell, with: {command: "echo more >> a.txt; git status >/dev/null; git add -A"}}
      """
    And "agents plan diff @" is run
    And "agents plan checkpoint create @" is run
    And "agents plan checkpoint verify @ 1" is run
    And the plan is rolled back to before step 0
    Then no program of the user's repository has run

  Scenario: T14 nothing is run either when it starts from the commit
    Given a git repository
    And the user's repository asks for every program it can
    And the variable CLEVERAGENTS_SANDBOX_BASE is "head"
    When a plan runs
    Then no program of the user's repository has run

  Scenario Outline: T15 a repository that promises missing objects cannot make us fetch them: <missing>
    Given a git repository
    And the user's repository promises its <missing>, which is missing, from a program
    When a plan is tried
    Then no program of the user's repository has run

    Examples:
      | missing    |
      | commit     |
      | tree       |
      | blob       |
      | .gitignore |

  Scenario: T16 git variables of the caller, which name another repository, have no effect
    Given a git repository
    And the caller's environment asks for every program it can
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And git in the sandbox lists as changed ""
    And no program of the user's repository has run
    And the other repository is bit for bit as it was

  Scenario: the user's own git configuration has no effect on what a sandbox starts from
    Given a git repository
    And the shell has run "printf '* text eol=crlf\n' > .gitattributes; printf 'one\n' > new; git add -A; git commit -qm attributes" in the project
    And the caller's home asks for every program it can
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And no program of the user's repository has run
