Feature: What every part of a kind promises
  A second database, strategy or engine is worth what it keeps of these. A part that is new is one row
  more here.

  Scenario Outline: <place> is a workplace: <kind>
    Given <kind>
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo plan > text"}}
      """
    And I have run "agents run ACTION"
    Then <place> keeps what every workplace promises
      | promise                                     |
      | becomes what it is brought to               |
      | is brought there twice as once              |
      | leaves alone what does not differ           |
      | goes on after a kill at any of its calls    |
      | is whole after an error at any of its calls |
      | loses nothing that was written meanwhile    |

    Examples:
      | place                | kind             |
      | the files of a plan  | a git repository |
      | the files of a plan  | a plain folder   |
      | the user's directory | a git repository |
      | the user's directory | a plain folder   |

  Scenario Outline: <strategy> is a strategy
    Given <kind>
    And the shell has run "echo one > text; mkdir -p d/empty; ln -s text link; echo two > d/f" in the project
    Then a sandbox by <strategy> keeps what every strategy promises
      | promise                                      |
      | starts from what the user sees               |
      | leaves the user alone                        |
      | looks as it captures                         |
      | makes the same twice                         |
      | leaves nothing when it is given up           |
      | finds the project as it was until it changes |

    Examples:
      | strategy        | kind             |
      | git_worktree    | a git repository |
      | filesystem_copy | a plain folder   |
      | filesystem_copy | a git repository |

  Scenario Outline: <kind> are dispatched
    Then the dispatcher of <kind> keeps what every dispatcher promises
      | promise                                    |
      | tells each end once                        |
      | runs no more at once than it may           |
      | takes what waits out of the queue          |
      | stops what has begun                       |
      | takes a plan again once it has ended       |
      | stops what runs when it is left in a hurry |

    Examples:
      | kind    |
      | threads |
