Feature: Damage to the store
  Nothing deletes the only good copy: what is about to be replaced or removed is read back, and what
  cannot be read is stored again while the files are still there, or nothing is done at all.

  Scenario: what acts take away from a damaged store comes back, or they are refused
    When the suite "damage" runs with --operation rollback --operation apply --points 1
    Then at least 10 faults have happened
    And the suite found nothing wrong

  Scenario Outline: what is about to go is stored again though <damage>
    Given the tree holds random files "a, d/b, d/e/c"
    And the tree holds the random file "big" of 9000000 bytes
    And the shell has run "ln -s a link; chmod 0 d/b" in the tree
    And the tree has been captured
    When the store suffers <damage>
    And the tree is made sure of
    Then it is told that what was stored of "<path>" was damaged
    And snapshot 1 brings the tree back exactly

    Examples:
      | damage                                       | path  |
      | a flipped bit in the object of "a"           | a     |
      | a broken header of the object of "a"         | a     |
      | a flipped bit in the object of "d/b"         | d/b   |
      | a flipped bit in the directory "d"           | d     |
      | a flipped bit in the second chunk of "big"   | big   |
      | a flipped bit in the list of the chunks of "big" | big |

  Scenario: damage that nothing can heal is refused with the paths
    Given the tree holds random files "a, b"
    And the tree has been captured
    When the store suffers a flipped bit in the object of "a"
    And the tree loses "a"
    Then to make sure of the tree is refused, naming "a"

  Scenario: damage that there is no room to heal is refused
    Given the tree holds random files "a, b"
    And the tree has been captured
    When the store suffers a flipped bit in the object of "a"
    Then to make sure of the tree without room for a byte is refused

  Scenario: a note names a few of the paths that were healed
    Given the tree holds random files "a, b, c, d, e, f"
    And the tree has been captured
    When the store suffers a flipped bit in the object of "a"
    And the store suffers a flipped bit in the object of "b"
    And the store suffers a flipped bit in the object of "c"
    And the store suffers a flipped bit in the object of "d"
    And the store suffers a flipped bit in the object of "e"
    And the store suffers a flipped bit in the object of "f"
    And the tree is made sure of
    Then it is told that what was stored of "a, b, c, d, e and more" was damaged
    And snapshot 1 brings the tree back exactly

  Scenario: an unapply stores again what it takes out of the project
    Given a plain folder
    And the steps
      """
      - {name: change, tool: shell, with: {command: "echo plan > a.txt; echo new > new"}}
      """
    And I have run "agents run ACTION --apply --yes"
    And the stored content of "new" in the project is damaged
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the error says "what was stored of 1 path was damaged; it was stored again from the files: new"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "new" holds "new"

  Scenario Outline: what <act> reads back follows what goes, not what is there
    Given a plain folder
    And the shell has run "for n in $(seq <files>); do mkdir -p d$((n % 10)); echo file $n > d$((n % 10))/f$n; done" in the project
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
