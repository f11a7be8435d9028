Feature: One owner
  A plan has one owner, a process or a thread of one. Whoever comes second is told who came first;
  an owner that is stopped or stuck can be ended, and the plan taken over.

  Scenario: a plan has one owner, a thread or a process, and says who
    Then whoever wants a plan is answered
      | had by                          | wanted by              | answer                                  |
      | nobody ever                     | this thread            | it is theirs                            |
      | nobody any more                 | another process        | it is theirs                            |
      | nobody any more                 | another thread         | it is theirs                            |
      | a process that was killed       | another process        | it is theirs                            |
      | this thread                     | this thread            | it is theirs already                    |
      | this thread                     | another thread         | busy: process PID is owning it since …   |
      | this thread                     | another process        | busy: process PID is owning it since …   |
      | this thread, another one        | another thread         | it is theirs                            |
      | one whom its file does not name | another process        | busy: another process owns it           |
      | this thread                     | one who would share it | busy: process PID is owning it since …   |
      | two who share it                | one who would share it | it is theirs                            |
      | two who share it                | another process        | busy: another process owns it           |
      | two who share it                | one who reads it       | it is theirs                            |
      | this thread                     | one who reads it       | it has to wait                          |

  Scenario Outline: a run that <does> while it is looked at is not told as interrupted: agents <line>
    Given a plain folder
    And the steps
      """
      - {name: only, tool: shell, with: {command: 'touch started; until test -e "$GATE"; do sleep 0.02; done'}, pass_env: [GATE]}
      """
    And I have run "agents plan use ACTION"
    When I run "agents <line> --format json" and the run <does> meanwhile
    Then the exit code is 0
    And no run is told as interrupted
    When the gate opens
    And the process comes to its end
    Then the exit code is 0
    And the plan is "execute/complete"

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
    And the error names the stopped process
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

  Scenario: a process is never ended for another that had its pid, and never ends itself
    Then whoever takes a plan over is answered
      | had by          | its file names              | answer                                          |
      | another process | that process                | it was ended                                    |
      | another process | one that had its pid before | busy: process … is sleeping since yesterday     |
      | another process | one that is gone            | busy: process … is gone by now since yesterday  |
      | another process | nothing that can be read    | busy: another process owns it                   |
      | this thread     |                             | busy: process PID is owning it since …          |
      | nobody any more |                             | nobody had it                                   |
