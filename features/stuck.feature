Feature: Operations that cannot be carried out
  What a crash left open and nobody can finish, because of damage, a broken intent or a mistake of ours,
  is set aside: it refuses what would change the same files, and nothing else. Reading commands show
  it, `agents doctor --repair` gives it up. What the machine is to blame for is tried again.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v; head -c 900000 /dev/urandom > big"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v; rm big"}}
      """
    And I have run "agents run ACTION"

  Scenario Outline: every kind whose intent <fault> refuses acts on its files alone, and can be given up
    Then each kind of operation whose intent <fault> lets go on and refuses what it should

    Examples:
      | fault                   |
      | lacks what it needs     |
      | cannot be read          |
      | names what is gone      |

  Scenario: a rollback neither of whose ends can be read is shown, and given up with the way to go on
    Given the plan's file "v" is changed to "by hand"
    And a rollback to checkpoint 1 has crashed after its intent was recorded
    And the plan's file "v" is changed to "torn"
    And the stored record of checkpoint 1 is damaged
    And the stored record of checkpoint 5 is damaged
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 4
    And the error says "an interrupted rollback of this plan cannot be finished"
    And the error says "cp5 holds what was there before"
    And the error says "agents doctor --repair"
    When I run "agents plan checkpoint pin @ 2"
    Then the exit code is 0
    When I run "agents plan status @ --format json"
    Then the exit code is 0
    And the data holds
      | field                   | value        |
      | unfinished_operations   | ["rollback"] |
      | stuck_operations.0.kind | "rollback"   |
    When I run "agents plan log @"
    Then the exit code is 0
    And the output says "cannot be finished"
    When I run "agents doctor"
    Then the exit code is 1
    And the output says "and cannot be finished"
    And the output says "cp5 holds what was there before"
    When I run "agents doctor --repair"
    Then the output says "the interrupted rollback was given up"
    And the plan's file "v" holds "torn"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan's file "v" holds "1"

  Scenario: in a plan without checkpoints what cannot be finished leads to what it has changed
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps: [{tool: shell, with: {command: "echo 1 > v"}}]
      """
    And I have run "agents run ACTION"
    And something of another version has been interrupted
    When I run "agents plan checkpoint create @"
    And I run "agents doctor"
    Then the exit code is 1
    And the output says "the files of its sandbox are as it left them"
    And the output says "agents plan diff"

  # What measures coverage could not grow either, and would be left half written.
  @unmeasured
  Scenario: what the machine is to blame for is tried again by the next command
    Given a rollback to checkpoint 2 has crashed after its intent was recorded
    When no file can grow beyond 600000 bytes while the plan is executed
    Then the operation is "open"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the error says "an interrupted rollback to cp2 was finished"

  Scenario: a sweep that fails for a reason of its own holds up nothing
    Given a prune of this plan has been interrupted
    And to look for what can be freed is a mistake
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "space could not be freed: ZeroDivisionError"
    And the operation is "stuck"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0

  Scenario: a merge that was taken back because its result is damaged is told, and the command goes on
    Given a merge whose result is gone has been interrupted
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the error says "an interrupted merge could not be finished and was taken back"
    And the operation is "aborted"
