Feature: Whatever agents and a user do in one directory, undo takes back the agents' part alone
  Two agents and a user work on the same files: in calls one after the other and side by side, of subagents,
  cut off, never ended; what they did is taken back and done again at any time, by one process or another.

  Scenario: random lives of agents and a user
    Then 4 random lives of agents and a user end with the user's files, and with all of them after redo

  Scenario: a file that was only touched since it was looked at last
    Given a directory in which an agent has written in a call
    When the user touches every file
    Then all is taken back, and done again

  Scenario: an undo of paths that a turn did not change takes nothing of it back
    Given a directory in which an agent has written in a call
    When the user takes back paths that nobody changed, and there is nothing to do
    Then all is taken back, and done again

  Scenario: a client without ids: the same command again after it was cancelled
    Given a directory in which a client without ids has begun "make", and the user cancelled it
    When the user writes, and prompts, and the client runs "make" from end to end
    Then only what the second "make" did is taken back
    And the first one has no end

  Scenario Outline: an undo in one chat that was cut off after its <moment> is finished before anything in another
    Given a directory in which two agents have written
    And the undo of what the second did is cut off after its <moment>
    When the first one's work is taken back
    Then all is taken back, and done again

    Examples:
      | moment              |
      | intent was recorded |
      | files were restored |

  Scenario: an undo that was cut off is finished by a redo, which then takes it back
    Given a directory in which two agents have written
    And the undo of what the second did is cut off after its intent was recorded
    When the user takes the last undo back
    Then everything is as the agents left it
    And all is taken back, and done again
