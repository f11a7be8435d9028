Feature: Looks at directories
  Compiled code looks at directories where the set-up found a compiler. It finds exactly what Python
  finds; what it cannot do, and where there is none that fits, Python does.

  Scenario: the compiled look finds what the one in Python finds
    Given the look at directories is compiled
    Then both looks find the same in 60 random directories and fail alike

  Scenario: the compiled look keeps to the memory it was given
    Given the look at directories is compiled with sanitizers
    Then both looks find the same in 20 random directories and fail alike, in a process that checks memory

  Scenario Outline: a tree that changes is seen as it is, looked at by <look>
    Given the look at directories is <made>
    And directories are looked at by <look>
    And a tree to walk in
    And changes are found by scanning with trust, each time in another process
    When the tree is changed at random 40 times and captured after every 2, walk 15
    Then every capture found what a look at everything finds

    Examples:
      | made         | look          |
      | compiled     | compiled code |
      | not compiled | Python        |

  Scenario Outline: directories are looked at by Python where the compiled file is <made>
    Given the look at directories is <made>
    Then directories are looked at by Python

    Examples:
      | made                                  |
      | not compiled                          |
      | cut short                             |
      | a folder                              |
      | compiled, and says it another way     |

  Scenario Outline: the project is built <how>
    Given the look at directories is not compiled
    When the project is built <how>
    Then directories are looked at by <look>

    Examples:
      | how                         | look          |
      | with a compiler             | compiled code |
      | without a compiler          | Python        |
      | with a compiler that fails  | Python        |

  Scenario Outline: the doctor tells that directories are looked at by <look>
    Given a plain folder
    And the look at directories is <made>
    When the doctor of this process looks
    Then it tells that directories are looked at by "<told>"

    Examples:
      | made         | look          | told     |
      | compiled     | compiled code | compiled |
      | not compiled | Python        | python   |

  Scenario: what was compiled of another source goes when the project is built without a compiler
    Given the look at directories is compiled
    When the project is built without a compiler
    Then directories are looked at by Python
