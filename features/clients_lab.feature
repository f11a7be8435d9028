Feature: The lab of real clients: a model on loopback that plays scripts
  The nox session `clients` needs npm and minutes. These scenarios ask its model what clients ask it,
  in their protocols, and hold its judge to a project that was left as the agent left it.

  Scenario Outline: a client plays a script to its end in <protocol>
    When a client of "<protocol>" plays the script "edit"
    Then it was told in order to call "<tools>"
    And the arguments of the last call name "shared.txt" and "line 28 of the agent"

    Examples:
      | protocol         | tools                                |
      | Messages         | Read, Edit                           |
      | Responses        | exec_command, apply_patch            |
      | Chat Completions | read_file, edit                      |
      | Gemini           | read_file, replace                   |

  Scenario Outline: calls of one model turn come together in <protocol>
    When a client of "<protocol>" plays the script "parallel"
    Then it was told in order to call "<tools>"
    And all of it was one turn of the model

    Examples:
      | protocol         | tools                                            |
      | Messages         | Bash, Bash, Write                                |
      | Responses        | exec_command, exec_command, apply_patch          |
      | Chat Completions | run_shell_command, run_shell_command, write_file |
      | Gemini           | run_shell_command, run_shell_command, write_file |

  Scenario: a new prompt begins its own script, whatever was played before
    When a client of "Messages" plays the scripts "write, failing"
    Then it was told in order to call "Write, Bash"

  Scenario: a client that knows its subagents is told to wait for them
    When a client of "Responses" plays the script "subagent"
    Then it was told in order to call "spawn_agent, wait_agent"
    And the arguments of the last call name "01a1eee9-e747-7cc3-a333-fe0ba45449dc"

  Scenario: a request without tools, or without a script, gets words alone
    Then in every protocol a request without tools is answered with words
    And in every protocol a prompt without a script is answered with words

  Scenario: a question by a schema is answered by an object of its shape
    When Gemini asks by a schema which model to take
    Then the answer is an object with "complexity_reasoning" and "complexity_score"

  Scenario: the user acts once while the model thinks, even if a client asks twice
    When a client of "Messages" asks twice for the same round of "between"
    Then the user acted once

  Scenario: the judge sees a project that was not taken back
    Given the project of the lab
    When the agent's file and mode are left there
    Then the judge tells "made.txt: only in the second (file)" and "mode.txt: mode 0644 became 0600"
    And a file in .git that is written anew with the same bytes is noticed

  Scenario: whatever a client leaves behind is ended by its mark
    When a marked program leaves a child in a session of its own
    Then the child is found by its mark, and ended
