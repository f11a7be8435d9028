Feature: The history that sandboxes borrow
  One mirror per project holds it. Whatever happens to the mirror, the next plan has its history,
  plans that are there keep theirs, and the doctor sees it and makes it again.

  Background:
    Given a git repository
    And a plan looks at its history

  Scenario Outline: a damaged mirror is made again by whatever needs it: <damage>
    When the mirror is damaged: <damage>
    And the plan is rolled back to before step 0
    And the plan is executed again
    Then the plan succeeded
    And the error says "was made again"
    When the mirror is damaged: <damage>
    And a plan looks at its history
    Then the mirror is whole
    When the mirror is damaged: <damage>
    And "agents plan fork @ 1" is run
    Then the mirror is whole
    When the mirror is damaged: <damage>
    And the doctor looks, and everything kept stays as it is
    Then the doctor finds the problem "the git history that sandboxes of" of "history"
    When the doctor repairs
    Then the doctor says it has done "was made again"
    And the doctor finds nothing of "history"
    And the mirror is whole
    And git works in every sandbox

    Examples:
      | damage              |
      | a ref is locked     |
      | a pack is cut short |

  Scenario Outline: what is no mirror at all is made anew: <damage>
    When the mirror is damaged: <damage>
    And a plan looks at its history
    Then the mirror is whole
    And git works in every sandbox

    Examples:
      | damage                   |
      | a file is in its place   |
      | only half of it was made |

  Scenario: a flipped bit is found by the doctor
    When the mirror is damaged: a bit of a pack is flipped
    And the doctor looks, and everything kept stays as it is
    Then the doctor finds the problem "the git history that sandboxes of" of "history"
    When the doctor repairs
    Then the doctor says it has done "was made again"
    And the mirror is whole
    And git works in every sandbox

  Scenario: a tree that cannot be read is met by the next plan
    When the mirror is damaged: the tree of the commit is overwritten
    And a plan looks at its history
    Then the mirror is whole
    And git works in every sandbox

  Scenario Outline: what only the mirror has stays: <damage>
    Given the shell has run "git commit -q --amend -m first --date=2001-01-01T00:00:00; git reflog expire --expire=now --all; git gc -q --prune=now" in the project
    When the mirror is damaged: <damage>
    And a plan looks at its history
    Then the mirror is whole
    And git works in every sandbox

    Examples:
      | damage                                 |
      | its configuration is empty             |
      | a ref is empty                         |
      | a pack has no index                    |
      | the end of a pack is cut off           |
      | its objects are loose, one of them bad |
      | a crash came before the new one's name |

  Scenario: what nobody has any more is told
    Given the shell has run "rm -r .git" in the project
    When the mirror is damaged: its objects are gone
    And the doctor repairs
    Then the doctor says it has done "is lost"
    And the doctor says it has done "was made again"

  Scenario: without the user's repository what is left is kept
    Given the shell has run "rm -r .git" in the project
    When the mirror is damaged: its HEAD is empty
    And the doctor repairs
    Then the doctor says it has done "was made again"
    And git works in every sandbox

  Scenario: what cannot be made again is told, and stays
    Given the shell has run ": > .git/HEAD" in the project
    When the mirror is damaged: only half of it was made
    And the doctor repairs
    Then the doctor says it has done "was not made again"
    And the doctor finds the problem "the git history that sandboxes of" of "history"

  Scenario: a commit that lacks something in the user's repository leaves the mirror as it is
    Given the shell has run "echo 2 > two; git add -A; git commit -qm second" in the project
    And a plan has run
    And the shell has run "echo 3 > three; git add -A; git commit -qm third; rm .git/objects/$(git rev-parse :three | sed 's,..,&/,')" in the project
    When a plan runs
    Then a note of the sandbox says "the sandbox has no git history"
    And the mirror is whole
    And git works in the first sandbox

  Scenario: a repository of another kind leaves the mirror alone
    Given the shell has run "rm -r .git; git init -q --object-format=sha256 -b main .; git add -A; git -c user.name=T -c user.email=t@x commit -qm first" in the project
    When a plan runs
    Then a note of the sandbox says "is of another kind than your repository"
    And the mirror is whole
    And git works in the first sandbox

  Scenario: a kill at any git call that makes it leaves nothing that is taken for it
    Given the mirror is damaged: it is gone
    When plans are killed at each git call that makes the mirror
    And a plan looks at its history
    Then the mirror is whole
    And in the project "test $(ls -d ../data/projects/*/mirror* | wc -l) -eq 2" holds
    And git works in every sandbox
