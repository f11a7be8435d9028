Feature: Bounds
  What is left out is marked, what is too large is refused by name, and what takes long can be given up.

  Scenario: output beyond what is kept is marked where it is kept and where it is told
    Given a plain folder
    And the steps
      """
      - {name: loud, tool: shell, with: {command: "head -c 10485770 /dev/zero | tr '\\0' x"}}
      - {name: just, tool: shell, with: {command: "head -c 10485760 /dev/zero | tr '\\0' x"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And of the kept outputs one ends with a mark, and the other has none
    When I run "agents plan log @"
    Then the output says "its output beyond 10.0 MiB was left out"

  Scenario: an action file that is too large is refused
    Given a plain folder
    And an action file with 2097152 letters in a comment
    When I run "agents run ACTION --format json"
    Then the exit code is 2
    And the envelope is that of the error "invalid_input" of "run"
    And the error message says "is too large: 2.0 MiB; 1.0 MiB is the limit"

  Scenario: an answer that is too large is refused
    Given a plain folder
    And the action
      """
      name: test
      strategist: "head -c 2000000 /dev/zero | tr '\\0' ' '"
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "the answer cannot be used: it is longer than 1.0 MiB"

  Scenario Outline: <signal> while <what> is honoured at the next file
    Given a plain folder
    And the shell has run "head -c 5000000 /dev/urandom | split -b 4000 -a 4 - many-" in the project
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    When "agents run ACTION" gets <signal> while <what>
    Then the exit code is 130
    And the error says "agents plan resume"
    And no files of a sandbox are left
    And nothing unfinished is in the store
    When I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "b.txt" holds "b"

    Examples:
      | signal  | what                      |
      | SIGTERM | the project is read       |
      | SIGINT  | the sandbox is written    |
