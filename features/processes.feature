Feature: The processes of a step
  A step runs in a world of its own, and when it ends nothing that it started is left.

  Background:
    Given a plain folder

  Scenario Outline: T11 nothing survives its step: <what>
    When a step runs
      """
      <command>
      while [ ! -e up ]; do sleep 0.01; done
      """
    Then the step succeeded
    And nothing that the step started is alive

    Examples:
      | what                                 | command                                                            |
      | a child in the background            | (touch up; exec SLEEPER) &                                         |
      | a child that let go of its output    | (touch up; exec SLEEPER) >/dev/null 2>&1 <&- &                     |
      | a child in a session of its own      | setsid sh -c 'touch up; exec SLEEPER' &                            |
      | a child that shed its environment    | env -i /usr/bin/setsid /bin/sh -c '/bin/touch up; exec SLEEPER' &  |
      | a daemon that forked twice           | (setsid sh -c '(touch up; exec SLEEPER) & exit' &)                 |
      | a daemon that shed everything        | (env -i /usr/bin/setsid /bin/sh -c '(/bin/touch up; exec SLEEPER) & exit' &) |
      | a child that ignores all it may      | sh -c 'trap "" TERM HUP INT QUIT; touch up; SLEEPER; SLEEPER' &    |
      | a child that keeps starting others   | (while :; do SLEEPER & touch up; wait $!; done) &                  |
      | several at once                      | for i in 1 2 3 4 5; do setsid SLEEPER & done; touch up             |
      | a child that is stopped              | sh -c 'touch up; kill -STOP $$; SLEEPER' &                         |

  Scenario: nothing survives a step that fails
    When a step runs
      """
      setsid SLEEPER &
      exit 3
      """
    Then the step failed with "exit code 3"
    And nothing that the step started is alive

  Scenario: nothing survives a step that kills itself
    When a step runs
      """
      setsid SLEEPER &
      kill -KILL $$
      """
    Then the step failed with "ended by signal 9"
    And nothing that the step started is alive

  Scenario: nothing survives a tool that an action declares
    When a step runs as a declared tool
      """
      setsid SLEEPER &
      """
    Then the step succeeded
    And nothing that the step started is alive

  Scenario: what the step did not start is left alone
    Given a process of somebody else
    When a step runs in a process of its own
      """
      setsid SLEEPER &
      """
    Then nothing that the step started is alive
    And the process of somebody else is alive

  # --- time --------------------------------------------------------------------------------------

  Scenario: a step that takes too long is ended with everything it started
    Given steps may take 0.3 seconds
    When a step runs
      """
      setsid SLEEPER &
      env -i /usr/bin/setsid SLEEPER &
      SLEEPER
      """
    Then the step failed with "stopped after 0.3 s"
    And nothing that the step started is alive

  Scenario: a step that takes too long is asked to stop first
    Given steps may take 0.3 seconds
    When a step runs
      """
      trap 'echo goodbye; exit 0' TERM
      SLEEPER &
      wait
      """
    Then the step failed with "stopped after 0.3 s"
    And the step has printed "goodbye"

  Scenario: a step that does not listen is ended all the same
    Given steps may take 0.3 seconds
    When a step runs
      """
      trap '' TERM
      SLEEPER & SLEEPER & SLEEPER; SLEEPER
      """
    Then the step failed with "stopped after 0.3 s"
    And nothing that the step started is alive

  # --- output ------------------------------------------------------------------------------------

  Scenario: output is stored
    When a step runs
      """
      echo to one; echo to two >&2; printf 'no end of line'
      """
    Then the step has printed "to one\nto two\nno end of line"

  Scenario: output beyond the cap is read and not kept
    When a step runs
      """
      head -c 11000000 /dev/zero | tr '\0' x
      echo; echo the last words
      exit 3
      """
    Then the step failed with "the last words"
    And the step has printed more than is kept of it

  Scenario: output of any bytes is stored as it is
    When a step runs
      """
      printf '\377\376\000\033[31m\r\n'
      """
    Then the step succeeded
    And the step's output has the bytes "ff fe 00 1b 5b 33 31 6d 0d 0a"

  # --- what a step sees --------------------------------------------------------------------------

  Scenario: T16 a step sees what it is given of the environment and nothing else
    Given the caller's environment has "SECRET, LD_LIBRARY_PATH, GIT_DIR, GIT_INDEX_FILE, GIT_WORK_TREE, PYTHONPATH, WANTED, ALSO, TOLD"
    And the caller's environment has "HOME, LANG, TERM"
    And the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "ALSO,GIT_DIR"
    And steps pass on "WANTED, GIT_INDEX_FILE, MISSING" and set "TOLD, CI"
    When a step runs
      """
      env
      """
    Then the step has seen nothing but ALSO, CI, CLEVERAGENTS_STEP, HOME, LANG, PATH, TERM, TOLD, WANTED
    And the step has seen "TOLD" as "TOLD of the plan"

  Scenario: standard input is empty
    When a step runs
      """
      cat; echo "read all of it"
      """
    Then the step has printed "read all of it"

  Scenario: T10 a step inherits no descriptor
    Given the caller has an open file that its children may inherit
    When a step runs
      """
      ls /proc/$$/fd
      """
    Then the step has printed "0\n1\n2"

  Scenario: a step has a session of its own and no terminal
    When a step runs
      """
      cut -d' ' -f6 /proc/$$/stat | grep -qx $$ || echo "not the leader of a session"
      (: < /dev/tty) 2>/dev/null && echo "it has a terminal"
      pwd
      """
    Then the step has printed the path of its sandbox

  Scenario: a process that cannot be ended is told
    When a step leaves a process that does not end in time
    Then the step is told to have left it
    And with more time it is ended

  Scenario: a process that is gone works in no directory
    Then nobody is found in any directory under the pid of a process that has ended
