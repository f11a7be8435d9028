Feature: Tools
  A step calls a tool. File tools work inside the sandbox only; what a tool refuses or the system
  denies is a failed step, never a crash, and leaves the files as they were before it.

  Background:
    Given a plain folder

  # --- Files -------------------------------------------------------------------------------------

  Scenario: write_file makes a file with the directories on its way
    Given the steps
      """
      - {tool: write_file, with: {path: new/deep/b.txt, content: "ä\n"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step says "wrote new/deep/b.txt (3 bytes)"
    And the plan's files are
      | file           | content |
      | a.txt          | one     |
      | new/deep/b.txt | ä       |

  Scenario: write_file replaces a file as a whole and keeps its mode
    Given the shell has run "chmod 750 a.txt" in the project
    And the steps
      """
      - {tool: write_file, with: {path: a.txt, content: ""}}
      - {name: mode, tool: shell, with: {command: "stat -c %a a.txt; wc -c < a.txt"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "750\n0"

  Scenario: edit_file replaces the one place
    Given the project's file "code.py" holds "def total():\n    return sum\n"
    And the steps
      """
      - {tool: edit_file, with: {path: code.py, old: "return sum", new: ""}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step says "edited code.py"
    And the plan's file "code.py" holds "def total():\n    "

  Scenario: delete_file and move_file
    Given the project's file "b.txt" holds "b"
    And the project's file "dir/c.txt" holds "c"
    And the steps
      """
      - {tool: delete_file, with: {path: a.txt}}
      - {tool: move_file, with: {source: b.txt, target: far/away.txt}}
      - {tool: move_file, with: {source: dir, target: moved}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step says "moved dir to moved"
    And the plan's files are
      | file         | content |
      | far/away.txt | b       |
      | moved/c.txt  | c       |

  Scenario: read_file puts the file into the output of the step
    Given the project's file "b.txt" holds "to be read"
    And the steps
      """
      - {tool: read_file, with: {path: b.txt}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step says "read b.txt (10 bytes)"
    And the step has printed "to be read"

  Scenario: apply_patch changes, makes and deletes files
    Given the project's file "old.txt" holds
      """
      gone
      """
    And the steps
      """
      - tool: apply_patch
        with:
          patch: |
            --- a/a.txt
            +++ b/a.txt
            @@ -1 +1 @@
            -one
            +two
            --- /dev/null
            +++ b/new.txt
            @@ -0,0 +1 @@
            +new
            --- a/old.txt
            +++ /dev/null
            @@ -1 +0,0 @@
            -gone
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step says "patch applied"
    And the plan's files are
      | file    | content |
      | a.txt   | two     |
      | new.txt | new     |

  Scenario Outline: a file tool that cannot do it: <what>
    Given the project's file "dir/b.txt" holds "two two"
    And the shell has run "ln -s a.txt link; ln -s dir dirlink; mkfifo pipe" in the project
    And the steps
      """
      - <step>
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message says "<message>"
    And the plan is "execute/errored"
    And the plan's file "a.txt" holds "one"
    And the plan's file "dir/b.txt" holds "two two"

    Examples:
      | what                          | step                                                              | message                                                  |
      | edit without a match          | {tool: edit_file, with: {path: a.txt, old: three, new: x}}        | a.txt: the text to replace occurs 0 times, not once      |
      | edit with several matches     | {tool: edit_file, with: {path: dir/b.txt, old: two, new: x}}      | dir/b.txt: the text to replace occurs 2 times, not once  |
      | edit what is not there        | {tool: edit_file, with: {path: none, old: a, new: b}}             | No such file or directory                                |
      | edit a pipe                   | {tool: edit_file, with: {path: pipe, old: a, new: b}}             | pipe is not a regular file                               |
      | move onto a file              | {tool: move_file, with: {source: dir/b.txt, target: a.txt}}       | a.txt exists already                                     |
      | move what is not there        | {tool: move_file, with: {source: none, target: x}}                | No such file or directory                                |
      | delete what is not there      | {tool: delete_file, with: {path: none}}                           | No such file or directory                                |
      | delete a directory            | {tool: delete_file, with: {path: dir}}                            | Is a directory                                           |
      | read what is not there        | {tool: read_file, with: {path: none}}                             | No such file or directory                                |
      | read through a link           | {tool: read_file, with: {path: link}}                             | link is a link or passes through one; none is followed   |
      | write over a directory        | {tool: write_file, with: {path: dir, content: x}}                 | dir is not a regular file                     |
      | write through a link          | {tool: write_file, with: {path: dirlink/b.txt, content: x}}       | dirlink/b.txt is a link or passes through one            |
      | write below a file            | {tool: write_file, with: {path: a.txt/b, content: x}}             | a.txt/b is a link or passes through one                  |
      | a path with ..                | {tool: write_file, with: {path: ../b, content: x}}                | '../b' is not a path inside the sandbox                  |
      | an absolute path              | {tool: write_file, with: {path: /tmp/b, content: x}}              | '/tmp/b' is not a path inside the sandbox                |
      | a path with a zero byte       | {tool: write_file, with: {path: "a\0b", content: x}}              | is not a path inside the sandbox                         |
      | a patch that does not fit     | {tool: apply_patch, with: {patch: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-three\n+x\n"}} | git apply failed: error: patch failed: a.txt:1 |
      | a patch that is none          | {tool: apply_patch, with: {patch: "hello"}}                       | git apply failed: error: No valid patches in input       |
      | a patch to the outside        | {tool: apply_patch, with: {patch: "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n"}} | git apply failed: error: invalid path '../x' |
      | a patch beyond a link         | {tool: apply_patch, with: {patch: "--- a/dirlink/b.txt\n+++ b/dirlink/b.txt\n@@ -1 +1 @@\n-two two\n+x\n"}} | git apply failed |

  Scenario Outline: a file tool does not read a directory: <tool>
    Given the shell has run "mkdir dir" in the project
    And the steps
      """
      - {tool: <tool>, with: <with>}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message says "dir is not a regular file"

    Examples:
      | tool      | with                         |
      | read_file | {path: dir}                  |
      | edit_file | {path: dir, old: a, new: b}  |

  # --- Commands ----------------------------------------------------------------------------------

  Scenario: a command that prints and succeeds
    Given the steps
      """
      - {tool: shell, with: {command: "echo out; echo err >&2; pwd > where"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step says "exit code 0"
    And the step has printed "out\nerr"

  Scenario Outline: a command that fails: <what>
    Given the steps
      """
      - {tool: shell, with: {command: "echo x > b; <command>"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message is "step shell failed: <summary>"
    And the step has ended with exit code <code>
    And the plan has no file "b"

    Examples:
      | what             | command     | summary           | code |
      | an exit code     | exit 3      | exit code 3       | 3    |
      | not found        | nonesuch_   | exit code 127     | 127  |
      | a signal         | kill -9 $$  | ended by signal 9 | -9   |

  Scenario: a step that takes too long is stopped, and all it started with it
    Given the steps
      """
      - {tool: shell, with: {command: 'echo x > b; sleep 600 & echo $! > "$GATE.pid"; wait'}, timeout: 0.5, pass_env: [GATE]}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message is "step shell failed: stopped after 0.5 s"
    And nothing that the killed step started is left
    And the plan has no file "b"

  Scenario: the time a tool declares counts where the step names none
    Given the action
      """
      name: slow
      tools:
        - {name: slow, command: sleep 600, timeout: 0.2}
      steps:
        - {tool: slow}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 1
    And the error message is "step slow failed: stopped after 0.2 s"

  Scenario: a very long timeout is no crash
    Given the steps
      """
      - {tool: shell, with: {command: "true"}, timeout: 100000000000000}
      """
    When I run "agents run ACTION"
    Then the exit code is 0

  Scenario: a tool of the action gets its input as JSON
    Given the action
      """
      name: own tools
      tools:
        - {name: greet, command: 'printf "%s" "$CLEVERAGENTS_INPUT"', description: Greets.}
      steps:
        - {tool: greet, with: {who: "it's \"you\"", times: [1, 2.5, true, null]}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "{\"who\":\"it's \\\"you\\\"\",\"times\":[1,2.5,true,null]}"

  Scenario: a tool of the action without input gets an empty object
    Given the action
      """
      name: own tools
      tools:
        - {name: show, command: 'echo "$CLEVERAGENTS_INPUT"'}
      steps:
        - {tool: show}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "{}"

  # --- Python ------------------------------------------------------------------------------------

  @python_step
  Scenario: python calls a function of the sandbox, and prints what it returns
    Given the project's file "jobs.py" holds
      """
      class Math:
          @staticmethod
          def add(a, b=1):
              return {"sum": a + b, "when": __import__("datetime").date(2024, 1, 31)}
      """
    And the steps
      """
      - {tool: python, with: {call: "jobs:Math.add", arguments: {a: 2}}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "{\"sum\": 3, \"when\": \"2024-01-31\"}"

  @python_step
  Scenario: python calls a function that returns nothing
    Given the project's file "jobs.py" holds
      """
      def write():
          open("made.txt", "w").write("made")
      """
    And the steps
      """
      - {tool: python, with: {call: "jobs:write"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed nothing
    And the plan's file "made.txt" holds "made"

  Scenario Outline: python that fails: <what>
    Given the project's file "jobs.py" holds
      """
      def bad():
          open("half", "w").write("half")
          raise RuntimeError("went wrong")
      """
    And the steps
      """
      - {tool: python, with: {call: "<call>", arguments: <arguments>}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "<told>"
    And the plan has no file "half"

    Examples:
      | what                  | call         | arguments | told                            |
      | an exception          | jobs:bad     | {}        | RuntimeError: went wrong        |
      | an unknown module     | nonesuch:bad | {}        | No module named 'nonesuch'      |
      | an unknown function   | jobs:nothing | {}        | has no attribute 'nothing'      |
      | an unknown argument   | jobs:bad     | {x: 1}    | unexpected keyword argument 'x' |

  Scenario: a module of the sandbox cannot stand in for one of the program's own
    Given the project's file "json.py" holds
      """
      raise SystemExit("taken over")
      """
    And the project's file "jobs.py" holds
      """
      def fine():
          return "fine"
      """
    And the steps
      """
      - {tool: python, with: {call: "jobs:fine"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has printed "\"fine\""

  # --- Retries -----------------------------------------------------------------------------------

  Scenario: a retry starts from the files before the step, and there are no more than were asked for
    Given the steps
      """
      - {name: stubborn, tool: shell, with: {command: 'echo try >> log; echo try >> "$GATE"; exit 1'}, retries: 2, pass_env: [GATE]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says
      """
      ✗ 1/1 stubborn (shell)  exit code 1, 2 more to try
      ✗ 1/1 stubborn (shell, attempt 2)  exit code 1, 1 more to try
      ✗ 1/1 stubborn (shell, attempt 3)  exit code 1
      """
    And the runs of steps are
      | step     | attempt | status |
      | stubborn | 1       | failed |
      | stubborn | 2       | failed |
      | stubborn | 3       | failed |
    And in the project "test $(wc -l < ../gate) -eq 3" holds
    And checkpoint 2 holds the file "log" with "try"

  Scenario: a retry that succeeds is the end of it
    Given the steps
      """
      - {name: lucky, tool: shell, with: {command: 'echo try >> log; echo try >> "$GATE"; test "$(wc -l < "$GATE")" -eq 2'}, retries: 5, pass_env: [GATE]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's file "log" holds "try"
    And the runs of steps are
      | step  | attempt | status    |
      | lucky | 1       | failed    |
      | lucky | 2       | succeeded |
    And the plan is "execute/complete"

  Scenario: retries have something to start from even where no checkpoint is made by itself
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_AUTO_CREATE_ON is empty
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo first > first"}}
      - {name: lucky, tool: shell, with: {command: 'echo try >> log; echo try >> "$GATE"; test "$(wc -l < "$GATE")" -eq 2'}, retries: 1, pass_env: [GATE]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's files are
      | file  | content |
      | a.txt | one     |
      | first | first   |
      | log   | try     |
    And the checkpoints are
      | type         | reason                               |
      | pre_execute  | before the plan runs                 |
      | step         | retries of step lucky start from it  |
      | post_execute | after the last step                  |

  # --- Named checkpoints -------------------------------------------------------------------------

  Scenario: a step may ask for a named checkpoint before it
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "echo first > first"}}
      - {name: second, tool: shell, with: {command: "echo second > second"}, checkpoint: before the risky part}
      """
    And I have run "agents run ACTION"
    When I run "agents plan checkpoint show @ 3 --format json"
    Then the data holds
      | field                | value                   |
      | checkpoint_type      | "manual"                |
      | label                | "before the risky part" |
      | pinned               | true                    |
      | step_index           | 1                       |
      | metadata_json.reason | "named by step second"  |
    When I run "agents plan rollback @ 3 --yes"
    Then the plan's files are
      | file  | content |
      | a.txt | one     |
      | first | first   |

  # --- Environment -------------------------------------------------------------------------------

  Scenario: a step sees little of the caller's environment
    Given the variable SECRET is "hidden"
    And the variable GIT_AUTHOR_NAME is "hidden"
    And the variable LANG is "C.UTF-8"
    And the variable TERM is "xterm"
    And the steps
      """
      - {tool: shell, with: {command: env}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has seen "LANG" as "C.UTF-8"
    And the step has seen nothing but HOME, PATH, LANG, TERM, CLEVERAGENTS_STEP

  Scenario: what a step, its tool and the user hand on is seen; git's variables never are
    Given the variable BY_STEP is "1"
    And the variable BY_TOOL is "2"
    And the variable BY_USER is "3"
    And the variable GIT_DIR is "4"
    And the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "BY_USER,NOT_SET"
    And the action
      """
      name: hand on
      tools:
        - {name: show, command: env, pass_env: [BY_TOOL]}
      steps:
        - {tool: show, pass_env: [BY_STEP, GIT_DIR], env: {OWN: "5", BY_USER: "6"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the step has seen "BY_STEP" as "1"
    And the step has seen "BY_TOOL" as "2"
    And the step has seen "BY_USER" as "6"
    And the step has seen "OWN" as "5"
    And the step has not seen "GIT_DIR"
    And the step has not seen "NOT_SET"

  # --- Listing -----------------------------------------------------------------------------------

  Scenario: the tools are listed with what they declare
    When I run "agents tool list --format json"
    Then the exit code is 0
    And "data.tools" counts 8
    And the keys of "data.tools.0" are "name, description, read_only, checkpointable, side_effects, idempotent, timeout, undo, pass_env, origin, parameters"
    When I run "agents tool list"
    Then the output says
      """
      shell
      write_file
      edit_file
      delete_file
      move_file
      apply_patch
      read_file
      python
      """

  Scenario: what a built-in tool does can be taken back with the files, and is told by its name alone
    Then the own tools are those of the table, without effects outside and without an undo

  Scenario: one tool is shown with its parameters
    When I run "agents tool show read_file --format json"
    Then the exit code is 0
    And the data holds
      | field                | value       |
      | name                 | "read_file" |
      | read_only            | true        |
      | checkpointable       | true        |
      | idempotent           | true        |
      | origin               | "built in"  |
      | parameters.path.type | "string"    |
    When I run "agents tool show shel"
    Then the exit code is 3
    And the error says "unknown tool 'shel'"
    And the error says "hint: did you mean 'shell'?"
