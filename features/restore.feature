Feature: Taking single paths back
  `agents plan restore` takes files or directories back from a checkpoint. It is an act of its own, with
  a checkpoint before it and one after it; nothing else of the plan changes, and it can be taken back.

  Background:
    Given a git repository
    And the shell has run "mkdir -p src/deep; echo 1 > src/auth.py; echo x > src/deep/x; echo k > keep" in the project
    And the action
      """
      name: change
      steps:
        - {name: first, tool: shell, with: {command: "echo 2 > src/auth.py; chmod 755 src/auth.py; echo n > src/new"}}
        - {name: second, tool: shell, with: {command: "rm -r src/deep; echo 2 > keep; echo m > more"}}
      """
    And I have run "agents run ACTION"
    And the sandbox is remembered

  # --- What it does ------------------------------------------------------------------------------

  Scenario: one file comes back, all else stays as it is
    When I run "agents plan restore @ 1 --path src/auth.py --yes"
    Then the exit code is 0
    And the output says "restored  src/auth.py"
    And the output says "✓ OK Restored"
    And the plan's files are
      | file        | content |
      | a.txt       | one     |
      | src/auth.py | 1       |
      | src/new     | n       |
      | keep        | 2       |
      | more        | m       |
    And "stat -c %a src/auth.py" in the sandbox prints
      """
      644
      """
    And the plan is "execute/complete"
    And the plan is at step 2
    And the plan's steps are
      | step   | status |
      | first  | done   |
      | second | done   |
    And the checkpoints are
      | seq | type         | reason                           |
      | 1   | pre_execute  | before the plan runs             |
      | 2   | tool         | after shell in step first        |
      | 3   | tool         | after shell in step second       |
      | 4   | post_execute | after the last step              |
      | 5   | manual       | took src/auth.py back from cp1   |
    And no checkpoint is left behind

  Scenario: a directory comes back as a whole; what the checkpoint does not hold goes
    When I run "agents plan restore @ 1 --path src --path ./more --yes --format json"
    Then the exit code is 0
    And the envelope is that of a success of "plan restore"
    And the keys of "data" are "plan, checkpoint, paths, changes, safety, record"
    And the data holds
      | field   | value                                                                                                                                                                         |
      | paths   | [{"path": "src"}, {"path": "more"}]                                                                                                                                           |
      | changes | [{"file": "more", "action": "removed"}, {"file": "src/auth.py", "action": "restored"}, {"file": "src/deep/x", "action": "restored"}, {"file": "src/new", "action": "removed"}] |
    And the plan's files are
      | file        | content |
      | a.txt       | one     |
      | src/auth.py | 1       |
      | src/deep/x  | x       |
      | keep        | 2       |

  Scenario Outline: the printed command takes it back exactly: <paths>
    When I run "agents plan restore @ 1 <paths> --yes"
    Then the exit code is 0
    When I follow the hint that takes it back
    Then the exit code is 0
    And the sandbox is exactly as it was
    And checkpoints 4, 6 have the same state hash
    And the plan is "execute/complete"

    Examples:
      | paths                                  |
      | --path src/auth.py                     |
      | --path src/deep/x --path src/new       |
      | --path src --path src/auth.py          |

  Scenario: what nobody had saved is kept before it is overwritten
    Given the plan's file "keep" is changed to "by hand"
    When I run "agents plan restore @ 1 --path keep --yes"
    Then the exit code is 0
    And checkpoint 5 holds the file "keep" with "by hand"
    And checkpoint 6 holds the file "keep" with "k"
    And the checkpoints hold one of type "safety"

  Scenario: what goes on from the latest checkpoint goes on from what was taken back
    Given I have run "agents plan rollback @ 2 --yes"
    And I have run "agents plan restore @ 1 --path src/auth.py --yes"
    When I run "agents plan resume @"
    Then the exit code is 0
    And the plan's file "src/auth.py" holds "1"
    And the plan's file "more" holds "m"

  Scenario: hard links of which one or all come back
    Given the shell has run "rm -rf .git; ln keep keep2" in the project
    And the action
      """
      name: links
      steps:
        - {name: write, tool: shell, with: {command: "echo both > keep"}}
        - {name: part, tool: shell, with: {command: "rm keep; echo alone > keep"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan restore @ 2 --path keep --yes"
    Then the exit code is 0
    And "stat -c %h keep keep2" in the sandbox prints
      """
      1
      1
      """
    When I run "agents plan restore @ 2 --path keep --path keep2 --yes"
    Then the exit code is 0
    And "stat -c %h keep keep2; cat keep keep2" in the sandbox prints
      """
      2
      2
      both
      both
      """
    When I run "agents plan restore @ 1 --path keep --yes"
    Then the exit code is 0
    And the output says "relinked  keep2"
    And "stat -c %h keep keep2; cat keep keep2" in the sandbox prints
      """
      1
      1
      k
      both
      """

  # --- Looking first -----------------------------------------------------------------------------

  Scenario: a dry run tells what would come back and what would go
    When I run "agents plan restore @ 1 --path src/auth.py --path src/new --dry-run"
    Then the exit code is 0
    And the output says
      """
      restored  src/auth.py
      removed   src/new
      not in cp1, so it goes: src/new
      """
    And the error says "dry run: nothing was changed"
    And the sandbox is exactly as it was
    And there are 4 checkpoints

  Scenario: without a terminal and without --yes nothing is done
    When I run "agents plan restore @ 1 --path src/new"
    Then the exit code is 2
    And the error says "not in cp1, so it goes: src/new"
    And the error says "1 --path src/new --yes"
    And the sandbox is exactly as it was

  Scenario: what is just so already needs no checkpoint
    When I run "agents plan restore @ 3 --path src/auth.py --yes --format json"
    Then the exit code is 0
    And a message is "this is as in cp3 already; there was nothing to do"
    And the data holds
      | field   | value |
      | changes | []    |
      | safety  | null  |
    And there are 4 checkpoints

  # --- Refusals ----------------------------------------------------------------------------------

  Scenario Outline: <what> is refused and nothing changes
    When I run "agents plan restore @ <arguments> --yes --format json"
    Then the exit code is <code>
    And the error message says "<message>"
    And a suggestion says "<hint>"
    And the sandbox is exactly as it was
    And there are 4 checkpoints

    Examples:
      | what                    | arguments               | code | message                                   | hint                                     |
      | an unknown checkpoint   | 99 --path keep          | 3    | no checkpoint '99'                        | agents plan checkpoint list              |
      | a name with a slip      | 1 --path src/auht.py    | 3    | there is no src/auht.py, neither in the   | did you mean src/auth.py                 |
      | another directory       | 1 --path lib/auth.py    | 3    | there is no lib/auth.py                   | did you mean src/auth.py                 |
      | a path that leads out   | 1 --path src/../../x    | 2    | is not a path inside the sandbox          | as seen from the top of the project      |
      | an absolute path        | 1 --path /etc/passwd    | 2    | is not a path inside the sandbox          | as seen from the top of the project      |
      | everything              | 1 --path ./             | 2    | is everything                             | agents plan rollback PLAN CHECKPOINT     |

  Scenario: a name that is like no other
    When I run "agents plan restore @ 1 --path zzz --yes"
    Then the exit code is 3
    And the error does not say "did you mean"

  Scenario: a path is needed
    When I run "agents plan restore @ 1 --yes"
    Then the exit code is 2
    And the error says "--path"

  Scenario: a file stands where a directory would have to be
    Given the shell runs "rm -rf src; echo f > src" in the sandbox
    When I run "agents plan restore @ 1 --path src/auth.py --yes"
    Then the exit code is 4
    And the error says "src/auth.py cannot be put back: src is no directory any more"
    And the error says "--path src"
    And the plan's file "src" holds "f"
    When I run "agents plan restore @ 1 --path src --path src/auth.py --yes"
    Then the exit code is 0
    And the plan's file "src/auth.py" holds "1"

  Scenario: an applied plan is refused
    Given I have run "agents plan apply @ --yes"
    When I run "agents plan restore @ 1 --path keep --yes"
    Then the exit code is 4
    And the error says "agents plan unapply"

  Scenario: a plan that another process owns is refused
    Given somebody else owns the plan
    When I run "agents plan restore @ 1 --path keep --yes --format json"
    Then the exit code is 4
    And the envelope is that of the error "busy" of "plan restore"

  Scenario: after a run that died the plan goes on first
    Given the plan is set to "execute/processing" by hand
    When I run "agents plan restore @ 1 --path keep --yes"
    Then the exit code is 4
    And the error says "while a plan is execute/processing"

  Scenario: what checkpoints leave out is left alone
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "cache"
    And the shell runs "mkdir -p src/cache; echo c > src/cache/c" in the sandbox
    And I have run "agents plan checkpoint create @"
    When I run "agents plan restore @ 5 --path src/cache/c --yes"
    Then the exit code is 4
    And the error says "cp5 knows nothing of src/cache/c: sandbox.checkpoint.exclude left it out"
    When I run "agents plan restore @ 1 --path src --yes"
    Then the exit code is 4
    And the error says "sandbox.checkpoint.exclude leaves out what would change"
    And the error says "src/cache/c"
    And the plan's file "src/cache/c" holds "c"

  Scenario: a directory that holds what was left out stays
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "cache"
    And I have run "agents plan checkpoint create @"
    And the shell runs "mkdir -p made/cache; echo c > made/cache/c; echo f > made/f" in the sandbox
    When I run "agents plan restore @ 5 --path made --yes"
    Then the exit code is 0
    And the error says "kept, because it holds excluded files: made"
    And the plan's file "made/cache/c" holds "c"
    And the plan has no file "made/f"

  Scenario: damaged content is found before anything changes
    Given the stored content of "keep" in checkpoint 1 is damaged
    When I run "agents plan restore @ 1 --path keep --yes --format json"
    Then the exit code is 1
    And the envelope is that of the error "damaged" of "plan restore"
    And the sandbox is exactly as it was
    And there are 4 checkpoints

  # --- Crashes -----------------------------------------------------------------------------------

  Scenario Outline: an interrupted restore is finished by the next command: <moment>
    Given a restore of "src/auth.py" from checkpoint 1 has crashed after its <moment>
    When I run "agents plan status @"
    Then the error says "an interrupted restore is finished by the next command"
    When I run "agents plan resume @ --dry-run"
    Then the exit code is 4
    When I run "agents plan checkpoint list @ --format json"
    Then "data.checkpoints" counts 4
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "note: an interrupted restore from cp1 was finished"
    And the plan's file "src/auth.py" holds "1"
    And the plan is "execute/complete"
    And there are 6 checkpoints
    When I run "agents plan log @"
    Then the story says
      """
      restore    src/auth.py from cp1: 1 file put back
      cp5        manual: took src/auth.py back from cp1
      """

    Examples:
      | moment              |
      | intent was recorded |
      | files were restored |

  Scenario: a restore that was killed at each of its transactions is whole or was never begun
    When a restore of "src/auth.py" from checkpoint 1 is killed at each of its transactions in turn
    Then it was killed at least 3 times
    And each time the file was "2" with 4 checkpoints or "1" with 5
    And both have happened

  Scenario: a restore whose content was lost is taken back
    Given a restore of "keep" from checkpoint 1 has crashed after its intent was recorded
    And the stored content of "keep" in checkpoint 1 is damaged
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the error says "an interrupted restore could not be finished and was taken back"
    And the sandbox is exactly as it was
    When I run "agents plan log @"
    Then the story says
      """
      restore    keep from cp1 (could not be finished, was taken back)
      """
