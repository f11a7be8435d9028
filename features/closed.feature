Feature: What steps have closed
  Modes that a step leaves keep nobody but it from its files: the sandbox is ours. Whoever is no root
  sees as much as may be seen, and whatever else is asked for is done.

  Background:
    Given a plain folder
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "manual"
    And the action
      """
      name: closes
      steps:
        - {tool: shell, with: {command: "mkdir -p d/e/g; echo 1 > d/f; echo 2 > d/e/f; echo 3 > d/e/g/f"}}
        - {tool: shell, with: {command: "COMMAND"}}
      """
    And all of it is an ordinary user's

  Scenario Outline: <command>: it is listed, looked through by the doctor, and goes
    Given the step that closes is "<command>"
    And an ordinary user has run "agents run ACTION"
    When an ordinary user runs "agents sandbox list"
    Then the exit code is 0
    And the output says "execute/complete"
    When an ordinary user runs "agents doctor"
    Then the exit code is 0
    When an ordinary user runs "agents doctor --repair"
    Then the exit code is 0
    When in another project an ordinary user runs "agents doctor"
    Then the exit code is 0
    When an ordinary user runs "agents sandbox prune --discard --yes"
    Then the exit code is 0
    And the output says "Removed"
    And no files of a sandbox are left

    Examples:
      | command                        |
      | chmod 644 d/e/g d/e d          |
      | chmod 000 d/e/g; chmod 444 d/e |
      | chmod 444 d .                  |
      | chmod 000 .                    |

  Scenario Outline: a rollback leaves and enters a top directory with mode <mode>
    Given the step that closes is "chmod <mode> ."
    And an ordinary user has run "agents run ACTION"
    And an ordinary user has run "agents plan rollback @ 2 --yes"
    When an ordinary user runs "agents plan rollback @ 4 --yes"
    Then the exit code is 0
    And the plan's file "." has mode <mode>
    When an ordinary user runs "agents plan execute @"
    Then the exit code is 0
    And the plan is "execute/complete"

    Examples:
      | mode |
      | 111  |
      | 000  |

  Scenario: no command can be tried where nobody may enter, and that is told
    Given the step that closes is "chmod 000 ."
    And an ordinary user has run "agents run ACTION"
    When an ordinary user runs "agents plan bisect @ -- 'test ! -e d'"
    Then the exit code is 4
    And the error says "the command cannot run at cp3: nobody may enter its top directory ./ (mode 000)"
    And the error says "--to"
    When an ordinary user runs "agents plan bisect @ --to 2 -- 'test ! -e d'"
    Then the exit code is 0
    And the output says "Fails since   cp2"

  @needs_root
  Scenario Outline: what somebody else has closed there keeps a sandbox, and nothing says that it went: <enabled>
    Given the step that closes is "true"
    And the action's checkpoints are "<enabled>"
    And an ordinary user has run "agents run ACTION"
    And the shell has run "mkdir -m 700 closed; touch closed/f" in the sandbox of the plan
    When in this process an ordinary user runs "agents sandbox prune --discard --yes"
    Then the exit code is 1
    And the output does not say "Removed"
    And the error says "<told>"
    And the error says "removed 0 of 1 sandbox"
    And the error says "<way>"
    And some files of a sandbox are left

    Examples:
      | enabled | told                                      | way                                               |
      | true    | tree could not be removed:                | make it yours, then try again: sudo chown -R      |
      | false   | tree is removed only in part, the rest is | to remove it: sudo rm -r                          |

  @needs_root
  Scenario: what somebody else has left in a sandbox: each refusal names what helps
    Given the step that closes is "mkdir cache; echo 1 > cache/f"
    And an ordinary user has run "agents run ACTION"
    And root has taken the directory "cache" in the sandbox
    When an ordinary user runs "agents plan rollback @ 1 --yes"
    Then the exit code is 4
    And the error says "no permission to change cache"
    And what the error says after "try again: sudo" works as root
    When an ordinary user runs "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    Given an ordinary user has run "agents plan rollback @ 3 --yes"
    And root has taken the directory "cache" in the sandbox
    When in this process an ordinary user runs "agents sandbox prune --discard --yes"
    Then the exit code is 1
    When in another project an ordinary user runs "agents sandbox prune --yes"
    Then the exit code is 0
    And the error says "cache/f; to remove it: sudo rm -r"
    When in this process an ordinary user runs "agents sandbox prune --yes"
    Then the exit code is 0
    When in another project an ordinary user runs "agents doctor"
    Then what the output says after "help: sudo" works as root
    And no files of a sandbox are left

  @needs_root
  Scenario: what somebody else has closed, or what is a disk of its own, is not taken for ours
    Then an ordinary user is answered
      | tries to                        | place                                               | answer                                  |
      | change                          | a directory that root has closed                    | refused: no permission to change place  |
      | capture                         | a directory that root has closed                    | PermissionError                         |
      | sync                            | a closed disk of its own                            | PermissionError about it                |
      | sync                            | a directory of theirs that they have closed         | done                                    |
      | remove                          | a directory that is gone                            | FileNotFoundError about it              |
      | remove                          | a directory of theirs with one that root has closed | PermissionError                         |
      | remove from elsewhere           | a directory of theirs that they have closed         | refused: … it is not removed            |
      | find what is somebody else's in | a directory of theirs with one that root has closed | closed                                  |
      | find what is somebody else's in | a directory of theirs that they have closed         | nothing                                 |
      | find what is somebody else's in | a directory that is gone                            | nothing                                 |
      | share a lock in                 | a directory of root's                               | done                                    |
