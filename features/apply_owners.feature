Feature: Whom applied files belong to
  What an apply replaces keeps its owner and group, and what an unapply brings back has those that it
  had: all of it for root, the group for an ordinary user who is one of it.

  Background:
    Given a git repository
    And the shell has run "echo t > text; mkdir d; echo o > d/old; ln -s text link; echo k > kind; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo plan > text; rm -r d link kind; mkdir kind; echo in > kind/f; echo new > new"}}
      """

  @needs_root
  Scenario: root gives everybody's files back to them
    Given "text d d/old link kind" of the project belong to "1234:2345"
    When the user runs "agents run ACTION"
    And the user runs "agents plan apply @ --yes"
    Then "text" of the project belongs to "1234:2345"
    And "new kind/f" of the project belong to "0:0"
    When the user runs "agents plan unapply @ --yes"
    Then "text d d/old link kind" of the project belong to "1234:2345"

  @needs_root
  Scenario: an ordinary user keeps the group
    Given I have run "agents run ACTION"
    And an ordinary user owns the project
    And the user is a member of group 2345
    And "text" of the project belongs to "1234:2345"
    And "d d/old link kind" of the project belong to "65534:2345"
    When the ordinary user runs "agents plan apply @ --dry-run"
    Then the output says "text  will be yours, not user 1234's"
    And the output does not say "group 2345"
    When the user runs "agents plan apply @ --yes"
    Then "text" of the project belongs to "65534:2345"
    When the user runs "agents plan unapply @ --yes"
    Then "text d d/old link kind" of the project belong to "65534:2345"

  @needs_root
  Scenario: an ordinary user who is not of the group gets files of their own
    Given I have run "agents run ACTION"
    And an ordinary user owns the project
    And the user is a member of group 4711
    And "text d d/old link kind" of the project belong to "65534:2345"
    And the shell has run "ln text ../other" in the project
    When the ordinary user runs "agents plan apply @ --dry-run --format json"
    Then the notes on "text" are "hard link, its other names keep what they hold; will no longer belong to group 2345"
    And the notes on "new" are ""
    When the user runs "agents plan apply @ --yes"
    And the user runs "agents plan unapply @ --yes"
    Then "text d d/old link kind" of the project belong to "65534:65534"

  @needs_root
  Scenario: an apply of the first release can still be taken back
    Given "text d d/old link kind" of the project belong to "1234:2345"
    When the user runs "agents run ACTION"
    And the user runs "agents plan apply @ --yes"
    Given the database was told "UPDATE operations SET intent_json = json_remove(intent_json, '$.owners') WHERE kind = 'apply'"
    When the user runs "agents plan unapply @ --yes"
    Then "text" of the project belongs to "1234:2345"
    And "d d/old link" of the project belong to "0:0"
