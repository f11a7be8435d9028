Feature: Commands to type
  A command that is printed can be pasted into a shell, whatever names are in it; nothing in it acts on
  the terminal.

  Scenario Outline: every word comes back from <shell> as it was
    Then <shell> reads each quoted word as it was, and all of it can be printed

    Examples:
      | shell |
      | bash  |

    @needs_zsh
    Examples:
      | shell |
      | zsh   |

  Scenario: what a restore prints takes it back
    Given a plain folder
    And a plan whose steps write files with every kind of name
    When all of these are restored from checkpoint 2
    Then they all hold "1"
    When the command that takes it back is pasted into bash
    Then they all hold "2"
