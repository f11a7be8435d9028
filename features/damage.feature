Feature: Damage to the store
  Nothing deletes the only good copy: what is about to be replaced or removed is read back, and what
  cannot be read is stored again while the files are still there, or nothing is done at all.

  Scenario: what acts take away from a damaged store comes back, or they are refused
    When the suite "damage" lets "rollback", "apply" and "prune" meet 1 damage of each kind
    Then at least 15 faults have happened
    And the suite found nothing wrong

  Scenario Outline: what <act> reads back follows what goes, not what is there
    Given a plain folder
    And a project of <files> files
    And the steps
      """
      - {name: change, tool: shell, with: {command: "for n in 1 2 3 4 5; do echo new > d$n/f$n; done"}}
      """
    And I have run "agents run ACTION"
    Then <act> reads at most 200 objects of the store

    Examples:
      | act        | files |
      | a rollback | 30    |
      | a rollback | 600   |
      | an apply   | 600   |
