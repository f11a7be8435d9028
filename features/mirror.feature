Feature: The history that sandboxes borrow
  One mirror per project holds it. Whatever happens to the mirror, the next plan has its history,
  plans that are there keep theirs, and the doctor sees it and makes it again.

  Background:
    Given a git repository
    And a plan has looked at its history

  Scenario Outline: a damaged mirror is made again by whatever needs it: <damage>
    When the mirror is damaged: <damage>
    And the plan is rolled back to before step 0
    And the plan is executed again
    Then the plan succeeded
    And the user is told that the history was made again
    When the mirror is damaged: <damage>
    And another plan looks at its history
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
    And another plan looks at its history
    Then the mirror is whole
    And git works in every sandbox

    Examples:
      | damage                   |
      | a file is in its place   |
      | only half of it was made |

  Scenario: a flipped bit is found by the doctor
    When a bit of a pack of the mirror is flipped
    And the doctor looks, and everything kept stays as it is
    Then the doctor finds the problem "the git history that sandboxes of" of "history"
    When the doctor repairs
    Then the doctor says it has done "was made again"
    And the mirror is whole
    And git works in every sandbox

  Scenario: a tree that cannot be read is met by the next plan
    When the tree of the commit is damaged in the mirror
    And another plan looks at its history
    Then the mirror is whole
    And git works in every sandbox

  Scenario Outline: what only the mirror has stays: <damage>
    Given the user's repository has forgotten the commit
    When the mirror is damaged: <damage>
    And another plan looks at its history
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
    Given the user's repository is gone
    When the mirror is damaged: its objects are gone
    And the doctor repairs
    Then the doctor says it has done "is lost"
    And the doctor says it has done "was made again"

  Scenario: without the user's repository what is left is kept
    Given the user's repository is gone
    When the mirror is damaged: its HEAD is empty
    And the doctor repairs
    Then the doctor says it has done "was made again"
    And git works in every sandbox

  Scenario: what cannot be made again is told, and stays
    Given the user's repository is damaged
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
    Given the user has made a repository of another kind
    When a plan runs
    Then a note of the sandbox says "is of another kind than your repository"
    And the mirror is whole
    And git works in the first sandbox

  Scenario: a kill at any git call that makes it leaves nothing that is taken for it
    Given the mirror is gone
    When plans are killed at each git call that makes the mirror
    And another plan looks at its history
    Then the mirror is whole
    And nothing lies beside the mirror
    And git works in every sandbox
