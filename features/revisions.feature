Feature: A file that changed a little is kept as a difference
  What a file was before is in the store already: of a file that grew, its tail is stored. A row of
  differences is short, what each is a difference to stays as long as it is needed, and a file that
  was written anew is kept whole.

  Scenario Outline: <what> takes little, and every version comes back
    Given the tree holds the random file "log" of <size> bytes
    And the tree has been captured
    And the tree has been captured <times> times, each time with a line more in "log"
    Then each of the last <times> packs takes at most <bytes> bytes in the mean
    And every snapshot brings the tree back exactly

    Examples:
      | what                                          | size    | times | bytes  |
      | a line in a file                              | 60000   | 10    | 1000   |
      | so many that a row ends and another begins    | 20000   | 40    | 3000   |
      | a line in a file of several pieces            | 9000000 | 3     | 2000   |
      | a line in a file that is one piece no longer  | 4194300 | 3     | 2000   |

  Scenario: a file that is written anew is kept whole
    Given the tree holds the random file "log" of 20000 bytes
    And the tree has been captured
    And the tree has been captured 2 times, each time with other bytes in "log"
    When the store is swept and snapshot 1 is forgotten
    Then the sweep freed at least 20000 bytes
    And snapshot 2 brings the tree back exactly
    And snapshot 3 brings the tree back exactly

  Scenario: a sweep keeps what a file is a difference to, also in packs that were joined
    Given the tree holds the random file "log" of 20000 bytes
    And the tree has been captured
    And the tree has been captured 70 times, each time with a line more in "log"
    When the packs are joined
    And the store is swept and snapshot 1 is forgotten
    And the store is swept and snapshot 30 is forgotten
    Then snapshot 2 brings the tree back exactly
    And snapshot 31 brings the tree back exactly
    And snapshot 71 brings the tree back exactly

  Scenario: what is damaged already is no base
    Given the tree holds the random file "log" of 20000 bytes
    And the tree has been captured
    When a bit of the object of "log" flips while the store is open
    And the tree has been captured 1 times, each time with a line more in "log"
    Then snapshot 2 brings the tree back exactly

  Scenario: a list of pieces that cannot be read leaves the file whole
    Given the tree holds the random file "log" of 9000000 bytes
    And the tree has been captured
    When the store suffers a flipped bit in the list of the chunks of "log"
    And the tree has been captured 1 times, each time with a line more in "log"
    Then snapshot 2 brings the tree back exactly

  # They would free what it is a difference to: what they cannot read keeps them from sweeping.
  Scenario: earlier versions do not know a pack with such a file
    Given the tree holds the random file "log" of 20000 bytes
    And the tree has been captured
    And the tree has been captured 1 times, each time with a line more in "log"
    Then the packs end with "capack01, capack02"
