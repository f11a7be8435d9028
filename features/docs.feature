Feature: The pages
  What the pages tell to type works as it stands there and prints what they say.

  Scenario Outline: <page> does what it says
    Then the commands of "<page>" print what it says

    Examples:
      | page                                    |
      | README.md                               |
      | docs/tutorials/undo.md                  |
      | docs/tutorials/resume.md                |
      | docs/tutorials/correct.md               |
      | docs/how-to/take-files-back.md          |
      | docs/how-to/find-what-broke.md          |
      | docs/how-to/checkpoints-at-decisions.md |
      | docs/how-to/keep-disk-use-small.md      |
      | docs/how-to/use-from-ci.md              |
      | docs/how-to/clean-up.md                 |
      | docs/how-to/when-a-plan-is-busy.md      |

  Scenario: no page with commands and their output is left out
    Then the pages with console blocks are those of this feature

  Scenario: every other command line in the pages can be read
    Then every "agents" line in a shell block of the pages is a command line that can be read

  Scenario: a page that tells something else is found
    Then these lines match as told
      | expected   | printed     | match |
      | one        | one         | yes   |
      | one        | two         | no    |
      | 01… (x)    | 01ABC (x)   | yes   |
      | 01… (x)    | 01ABC (y)   | no    |
      | …          | one / two   | yes   |
      | one / …    | one / two   | yes   |
      | one / …    | two / one   | no    |
      | one        | one / two   | no    |
      | one / two  | one         | no    |

  Scenario: the outputs of a page are written anew, and what still holds stays
    Given a page
      """
      ```text names.txt
      ada
      ```

      ```console
      $ cat names.txt
      …a
      $ echo two
      one
      $ word=$(cat names.txt)
      $ echo $word
      ```
      """
    When its outputs are written anew
    Then the page holds
      """
      ```text names.txt
      ada
      ```

      ```console
      $ cat names.txt
      …a
      $ echo two
      two
      $ word=$(cat names.txt)
      $ echo $word
      ada
      ```
      """
