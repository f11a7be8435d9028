Feature: The demo
  `agents demo` tells the whole story on a throw-away repository, by the very commands it prints.

  Scenario: the demo runs to its end and names the rollback
    Given a plain folder
    When a process of its own runs "agents demo"
    Then the exit code is 0
    And the output says
      """
      $ agents run ../add-taxes.yaml
      $ agents plan checkpoint list @
      $ agents plan rollback @ 2 --yes
      Rollback complete
      That rollback can be taken back as well:
      Your own files never changed
      agents undo                 take back what was done last
      """
    And the error does not say "Traceback"

  Scenario: the demo of a chat takes back what an agent did in the user's own files
    Given a plain folder
    When a process of its own runs "agents demo --chat"
    Then the exit code is 0
    And the output says
      """
      $ agents protect claude --yes
      > clean up the shop
      $ agents timeline
      $ agents undo --yes
      Everything that the agent did is gone, what rm deleted is back, and notes.txt is yours.
      $ agents redo --yes
      agents undo                 take back what the last prompt changed
      """
    And the error does not say "Traceback"

  Scenario: a demo that goes wrong says so
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_BASE is "nonsense"
    When a process of its own runs "agents demo"
    Then the exit code is 1
    And the error says "agents run ../add-taxes.yaml ended with 2"

  Scenario: the demo answers programs as every command does
    Given a plain folder
    When a process of its own runs "agents demo --format json"
    Then the exit code is 0
    And the envelope is that of a success of "demo"
