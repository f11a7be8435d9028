Feature: One owner
  A plan has one owner, a process or a thread of one. Whoever comes second is told who came first;
  an owner that is stopped or stuck can be ended, and the plan taken over.

  Scenario: threads own plans as processes do
    Then a thread that owns a plan may take it again
    And another thread of the process is told who owns it
    And threads may own different plans at the same time

  Scenario: a sandbox is made of a project while nobody owns it
    Then a sandbox waits for the owner of the project

  Scenario Outline: a run that <does> while it is looked at is not told as interrupted: agents <line>
    Given a plain folder
    And a plan that runs until the gate opens
    When I run "agents <line> --format json" and the run <does> meanwhile
    Then the exit code is 0
    And no run is told as interrupted
    And the run comes to its end

    Examples:
      | does   | line          |
      | begins | doctor        |
      | ends   | doctor        |
      | ends   | plan status @ |
      | ends   | plan list     |

  Scenario: H44 the second owner is refused, and an owner that is stopped is still the owner
    Given a plain folder
    And a run is stopped in its step
    When I run "agents plan resume @ --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "plan resume"
    And the error message says "is executing the plan since"
    And the busy process is the one that was stopped
    When I run "agents plan resume @ --dry-run"
    Then the exit code is 0
    And the error says "moving: another process is at work on the plan"
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field       | value |
      | interrupted | false |

  Scenario Outline: H45 <command> takes a plan over from a stopped owner, which never writes again
    Given a plain folder
    And a run is stopped in its step
    And the gate is open
    When another process runs "agents plan <command> --take-over"
    Then the exit code is 0
    And the error says "is executing the plan since"
    And the stopped process was killed
    And nothing that the killed step started is left
    And the plan is "<stage>"

    Examples:
      | command               | stage            |
      | execute @             | execute/complete |
      | resume @              | execute/complete |
      | rollback @ 1 --yes    | execute/queued   |

  Scenario: taking over a plan that nobody owns
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan execute @ --take-over"
    Then the exit code is 0
    And the error says "nobody owned the plan"

  Scenario: a process is never ended for another that had its pid
    Then the owner of a lock is ended only if it is the very process that signed
    And a lock whose owner cannot be told is not taken over
    And a process does not end itself to take over
    And an owner that cannot be ended is named
