Feature: Taking back what was done last
  `agents undo` takes back the newest act here that stands, `agents redo` the last undo. The acts are one
  linear list: an undo is never itself the next thing to take back, and a new act ends what can be done
  again.

  # --- Whatever happens ---------------------------------------------------------------------------

  Scenario: which act is next, over random lives of two plans
    Then 40 random lives of a trail go as the model says

  Scenario: every undo and redo leads to just the state that was there, killed on the way or not
    Then 2 random lives of undo and redo go as the model says

  # --- Every kind of act --------------------------------------------------------------------------

  Scenario Outline: <type> is taken back and done again, exactly
    Given a git repository
    And the shell has run "seq 1 9 > text; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {name: first, tool: shell, with: {command: "sed -i s/1/one/ text; echo 1 > v"}}
        - {name: second, tool: shell, with: {command: "echo 2 > v; chmod 755 v; mkdir d; ln -s v d/l"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "<edit>" in the project
    And I have run "agents <first>"
    And all is remembered as "before"
    When I run "agents <act>"
    Then the exit code is 0
    When all is remembered as "after"
    And I run "agents undo --yes --format json"
    Then the exit code is 0
    And the keys of "data" are "kind, plan, act, taken_back, kept, conflicts, safety, operation, redo"
    And the data holds
      | field    | value         |
      | kind     | "plan"        |
      | act.type | "<type>"      |
      | redo     | "agents redo" |
    And all is as "before"
    When I run "agents redo --yes --format json"
    Then the exit code is 0
    And the data holds
      | field    | value    |
      | act.type | "<type>" |
      | redo     | null     |
    And all is as "after"
    When I run "agents undo --yes"
    Then the exit code is 0
    And all is as "before"

    Examples:
      | type     | edit                       | first                  | act                                           |
      | rollback | true                       | plan list              | plan rollback @ 2 --yes                       |
      | rollback | true                       | plan cancel @ --yes    | plan rollback @ 1 --yes                       |
      | restore  | true                       | plan list              | plan restore @ 1 --path v --path d --yes      |
      | revert   | true                       | plan list              | plan revert @ --to-phase strategize --yes     |
      | refresh  | sed -i s/9/nine/ text      | plan list              | plan refresh @ --yes                          |
      | refresh  | sed -i s/1/ONE/ text       | plan list              | plan refresh @ --yes                          |
      | resolve  | sed -i s/1/ONE/ text       | plan refresh @ --yes   | plan resolve @ text --take parent --yes       |
      | apply    | echo mine > mine           | plan list              | plan apply @ --yes                            |
      | apply    | true                       | plan list              | plan apply @ --as branch --yes                |
      | unapply  | true                       | plan apply @ --yes     | plan unapply @ --yes                          |

  Scenario: of a result in a branch it is told what becomes of the branch
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --as branch --yes"
    When I run "agents undo --dry-run"
    Then the output says "last act: apply: 1 path to branch cleveragents/plan-"
    And the output says " goes"
    And the output does not say "Would change"
    When I run "agents undo --yes"
    And I run "agents redo --dry-run"
    Then the output says "last undo: apply"
    And the output says " is made again"
    When I run "agents plan log @"
    Then the output says "undo: 1 path taken back from branch"

  Scenario: a correction is taken back after what it made the plan do
    Given a git repository
    And the action
      """
      name: choice
      steps:
        - name: storage
          decide:
            question: Which storage
            options:
              lite: [{name: lite, tool: shell, with: {command: "echo lite > storage"}}]
              full: [{name: full, tool: shell, with: {command: "echo full > storage"}}]
            choose: lite
        - name: group
          subplans: {plans: [{name: part, steps: [{tool: shell, with: {command: "echo part > part"}}]}]}
      """
    And I have run "agents run ACTION"
    And all is remembered as "before"
    And the storage is decided again as "full"
    Then the acts are
      | type    | text                                        | now        |
      | step    | storage > full > full                       | stands     |
      | step    | Which storage full                          | stands     |
      | correct | to cp8: 2 files put back, 1 call taken back | stands     |
      | step    | Which subplan? part                         | stands     |
      | step    | storage > lite > lite                       | ended      |
      | step    | Which storage lite                          | ended      |
    When I run "agents undo --yes"
    And I run "agents undo --yes"
    And I run "agents undo --yes --format json"
    Then the data holds
      | field    | value     |
      | act.type | "correct" |
    And all is as "before"
    When I run "agents undo --yes --format json"
    Then the data holds
      | field    | value                 |
      | act.text | "Which subplan? part" |
    And the plan has no file "part"
    And the plan's file "storage" holds "lite"

  # --- Whatever state the plan is in ---------------------------------------------------------------

  Scenario Outline: the last step of a plan that is <state> is taken back
    Given a plain folder
    And the action
      """
      name: change
      rollback: {on_failure: <on failure>}
      steps:
        - {name: first, tool: shell, with: {command: "echo 1 > v"}}
        - {name: second, tool: shell, retries: 1, with: {command: "echo 2 > v; echo w > w"}}
        - {name: third, tool: shell, with: {command: "echo 3 > v; exit 1"}}
      """
    And I have run "agents run ACTION" in vain
    And I have run "agents <then>"
    And all is remembered as "before"
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And the data holds
      | field      | value        |
      | act.type   | "step"       |
      | act.text   | "<step>"     |
      | taken_back | <taken back> |
    And the plan is "execute/queued"
    And the plan's file "v" holds "<v>"
    When I run "agents redo --yes"
    Then the exit code is 0
    And all is as "before"

    Examples:
      | state                   | on failure | then              | step   | taken back                                                                        | v |
      | errored, files put back | last_good  | plan list         | second | [{"file": "v", "action": "restored"}, {"file": "w", "action": "removed"}]         | 1 |
      | errored, files kept     | keep       | plan list         | third  | [{"file": "v", "action": "restored"}]                                             | 2 |
      | cancelled               | last_good  | plan cancel @ -y  | second | [{"file": "v", "action": "restored"}, {"file": "w", "action": "removed"}]         | 1 |

  Scenario: typed again, undo takes the step before, until there is nothing left
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents redo --yes"
    Then the exit code is 0
    And the error says "there is nothing to do again"
    When I run "agents undo --yes"
    Then the output says "step second (plan plan, 0"
    And the error says "agents redo    # does it again"
    And the error says "agents undo    # takes back the act before it"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error does not say "agents undo"
    And the plan's files are
      | file  | content |
      | a.txt | one     |
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "there is nothing to take back"
    And the data holds
      | field | value |
      | kind  | null  |
      | act   | null  |
    When I run "agents redo --yes"
    And I run "agents redo --yes"
    Then the error says "agents undo    # takes it back again"
    And the plan's file "v" holds "2"
    And the plan is "execute/complete"
    And the acts are
      | type | text   | now    |
      | step | second | stands |
      | step | first  | stands |

  Scenario: a new act ends what can be done again, and is the next to be taken back
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 >> v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents undo --yes"
    And I have run "agents plan execute @"
    When I run "agents redo --yes"
    Then the error says "there is nothing to do again"
    And the acts are
      | type | text   | now        |
      | step | second | stands     |
      | step | second | undone     |
      | step | first  | stands     |
    When I run "agents op log"
    Then the output says "step second"
    And the output says "undone"
    And the error says "agents undo    # takes back the newest act that stands"

  Scenario: steps without a checkpoint between them go back together, and that is said
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION --set sandbox.checkpoint.auto-create-on=[]"
    When I run "agents undo --dry-run"
    Then the output says "no checkpoint lies between it and the steps before, so these go back too: first"
    When I run "agents undo --yes"
    Then the plan has no file "v"

  Scenario: a run that was killed in a step
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, pass_env: [GATE], with: {command: 'echo 2 > v; touch made; while ! test -e "$GATE"; do sleep 0.02; done'}}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "made"
    And the process is killed
    When I run "agents undo --dry-run --format json"
    Then the data holds
      | field    | value    |
      | act.text | "second" |
    When I run "agents undo --yes"
    Then the exit code is 0
    And the plan's file "v" holds "1"
    And the plan is "execute/queued"
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "v" holds "2"

  Scenario: a plan that another process runs is left alone
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And I remember the plan as the other one
    And the steps
      """
      - {name: waits, tool: shell, pass_env: [GATE], with: {command: 'touch made; while ! test -e "$GATE"; do sleep 0.02; done'}}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "made"
    When I run "agents undo --plan @ --yes"
    Then the exit code is 4
    And the error says "another process is at work on plan"
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "the newest act is of"
    And the error says "or name the plan of the act before: agents undo --plan"
    When I run "agents undo --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field    | value   |
      | act.type | "apply" |
    And a message says "left alone, another process is at work on it"
    When I run "agents op log --format json"
    Then a message says "left alone, another process is at work on it"
    When the gate opens
    And the process comes to its end
    Then the exit code is 0

  # --- What has become of each act -----------------------------------------------------------------

  Scenario: an act stands, is undone, was ended by a later one, or failed
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, pass_env: [GATE], with: {command: "echo 2 > v; touch started; test -e \"$GATE\""}}
      """
    And I have run "agents run ACTION" in vain
    Then the acts are
      | type | text   | now    |
      | step | second | failed |
      | step | first  | stands |
    When the gate opens
    And I run "agents plan execute @"
    And I run "agents plan rollback @ 2 --yes"
    And I run "agents plan execute @"
    And I run "agents plan apply @ --yes"
    And I run "agents plan unapply @ --yes"
    Then the acts are
      | type     | text                                        | now    |
      | unapply  | 2 paths taken back from the project         | stands |
      | apply    | 2 paths to the project                      | ended  |
      | step     | second                                      | stands |
      | rollback | to cp2: 2 files put back, 1 call taken back | stands |
      | step     | second                                      | ended  |
      | step     | second                                      | failed |
      | step     | first                                       | stands |
    When I run "agents op log"
    Then the output says "ended by unapply"
    And the output says "ended by rollback"
    When I run "agents op log --limit 2 --format json"
    Then "data.acts" counts 2
    When I run "agents op log --limit 0"
    Then the exit code is 2
    When I run "agents undo --yes"
    Then the acts are
      | type     | text                                        | now    |
      | unapply  | 2 paths taken back from the project         | undone |
      | apply    | 2 paths to the project                      | stands |
      | step     | second                                      | stands |
      | rollback | to cp2: 2 files put back, 1 call taken back | stands |
      | step     | second                                      | ended  |
      | step     | second                                      | failed |
      | step     | first                                       | stands |

  # --- Several plans -------------------------------------------------------------------------------

  Scenario: the acts of all plans are one list by time; --plan looks at one alone
    Given a plain folder
    And the steps
      """
      - {name: one, tool: shell, with: {command: "echo 1 > first"}}
      """
    And I have run "agents run ACTION --apply --yes"
    And I remember the plan
    And the steps
      """
      - {name: two, tool: shell, with: {command: "echo 2 > second"}}
      """
    And I have run "agents run ACTION --apply --yes"
    Then the acts are
      | type  | text                  | now    |
      | apply | 1 path to the project | stands |
      | step  | two                   | stands |
      | apply | 1 path to the project | stands |
      | step  | one                   | stands |
    When I run "agents undo --plan PLAN --yes"
    Then in the project "test -e second && ! test -e first" holds
    When I run "agents undo --yes"
    Then in the project "! test -e second && ! test -e first" holds
    When I run "agents redo --yes"
    Then in the project "test -e second && ! test -e first" holds
    When I run "agents redo --yes"
    Then in the project "test -e second && test -e first" holds
    When I run "agents undo --plan PLAN --yes"
    And I run "agents undo --yes"
    And I run "agents undo --yes"
    Then the plan has no file "second"
    When I run "agents plan execute @"
    And I run "agents redo --yes --format json"
    Then a message is "there is nothing to do again"
    When I run "agents redo --plan PLAN --yes"
    Then in the project "test -e first" holds

  # --- Questions and refusals ----------------------------------------------------------------------

  Scenario: without a plan there is nothing to look for
    Given a plain folder
    When I run "agents undo --yes"
    Then the exit code is 3
    And the error says "this project has no plan yet"
    And the error says "no chat was recorded here"
    And the error says "protect this directory: agents protect"
    When I run "agents op log"
    Then the exit code is 3
    And the error says "this project has no plan yet"

  Scenario: it is shown first, then asked about; no terminal and no yes is no
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents undo"
    Then the exit code is 2
    And the error says "last act: step first (plan plan, 0"
    And the error says "confirm it: agents undo --yes"
    And the plan's file "v" holds "1"
    When I answer "n" to "agents undo"
    Then the exit code is 1
    And the output says "declined; nothing was changed"
    And the plan's file "v" holds "1"
    When I answer "y" to "agents undo"
    Then the exit code is 0
    And the plan has no file "v"
    When I run "agents redo"
    Then the exit code is 2
    And the error says "last undo: step first (plan plan, 0"

  Scenario: what somebody else has taken back while the question stands is not taken back again
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When somebody runs "agents undo --yes" while the question of "agents undo" stands
    Then the exit code is 4
    And the output says "what was to be done has changed meanwhile; nothing was done"

  Scenario: a step that was cut off is taken back, and not done again
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, pass_env: [GATE], with: {command: "echo half >> half; touch started; while [ ! -e \"$GATE\" ]; do sleep 0.05; done"}}
      """
    And a process of its own has started "agents run ACTION"
    And its step has made "started"
    And the process is killed
    When I run "agents undo --yes"
    Then the exit code is 0
    And the plan has no file "half"
    When I run "agents redo --yes"
    Then the exit code is 4
    And the error says "was cut off when its process died, and cannot be done again so"
    When the gate opens
    And I run "agents plan execute @"
    Then the exit code is 0
    And the plan's file "half" holds "half"

  Scenario: what was shown is done, or nothing
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    When somebody runs "agents undo --yes" while the question of "agents undo" stands
    Then the exit code is 4
    And the output says "what it would do has changed since you were shown this; it was not done"
    And the plan's file "v" holds "1"
    When the sandbox gets the file "late" while the question of "agents redo" stands
    Then the exit code is 4
    And the plan's file "v" holds "1"

  Scenario: what the user edited since an apply stands in the way, and is told
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v; echo more >> a.txt"}}
      """
    And I have run "agents run ACTION --apply --yes"
    And the shell has run "echo mine > v" in the project
    When I run "agents undo --dry-run --format json"
    Then the exit code is 4
    And the data holds
      | field              | value   |
      | act.type           | "apply" |
      | conflicts.0.file   | "v"     |
      | counts.files       | 1       |
    When I run "agents undo --dry-run"
    Then the output says "In the way"
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "undo of apply: 2 paths to the project (plan plan)"
    And the project's file "v" holds "mine"
    When I run "agents undo"
    Then the exit code is 4
    When the shell runs "echo 1 > v; echo other > other" in the project
    And I run "agents undo --yes"
    Then the exit code is 0
    And in the project "! test -e v && test -e other" holds
    When the shell runs "seq 1 9 > text" in the project
    And I run "agents redo --yes"
    Then the exit code is 0
    And the output says "applied  v"
    And the output says "Applied again"
    And the project's file "v" holds "1"
    And in the project "test -e other && test -e text" holds
    When I run "agents undo --yes"
    And the shell runs "echo theirs > v" in the project
    And I run "agents redo --yes"
    Then the exit code is 4
    And the project's file "v" holds "theirs"

  Scenario: the state before an act may be gone by the limit, and that is said
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint delete @ 2 --yes"
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "the state to go to is gone: cp2 was deleted by hand on"
    And the error says "nearest: cp1, cp3"
    And the error says "undo of step second (plan plan)"
    And the plan's file "v" holds "2"

  Scenario: a plan without checkpoints cannot be taken back
    Given a plain folder
    And the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "nothing was saved before it"
    And the error says "undo of step first (plan bare)"

  Scenario Outline: damage is met before anything changes: <what>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And <what> is damaged
    When I run "agents undo <how> --format json"
    Then the exit code is 1
    And the envelope is that of the error "damaged" of "undo"
    And the plan's file "v" holds "2"
    And the plan is "execute/complete"

    Examples:
      | what                                       | how       |
      | the stored content of "v" in checkpoint 2  | --yes     |
      | the stored record of checkpoint 2          | --dry-run |

  Scenario: no name acts on the terminal
    Given a plain folder
    And the steps
      """
      - {name: "\e[31mred", tool: shell, with: {command: "echo 1 > \"$(printf 'a\\033[1mb')\""}}
      """
    And I have run "agents run ACTION"
    When I run "agents undo --dry-run"
    Then the exit code is 0
    And the output holds no character that acts on a terminal
    When I run "agents op log"
    Then the output holds no character that acts on a terminal

  # --- Crashes -------------------------------------------------------------------------------------

  Scenario Outline: an undo that was cut off <moment> is finished, and that is all
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents <first>"
    And "agents <cut off> --yes" has crashed, as a <kind>, <moment>
    And everything that is stored is remembered
    When I run "agents undo --dry-run"
    Then the exit code is 4
    And the error says "interrupted, and not finished yet: <kind> of plan"
    And nothing that is stored has changed
    When I run "agents <cut off> --yes --format json"
    Then the exit code is 0
    And a message is "the interrupted <cut off> was finished just now; nothing else was done"
    And the data holds
      | field    | value    |
      | act.type | "<type>" |
    When I run "agents <next> --yes --format json"
    Then the data holds
      | field    | value    |
      | act.type | "<last>" |

    Examples:
      | first              | cut off | kind     | moment                        | type  | next | last  |
      | plan list          | undo    | rollback | after its intent was recorded | step  | redo | step  |
      | plan list          | undo    | rollback | after its files were restored | step  | undo | step  |
      | plan apply @ --yes | undo    | unapply  | after its intent was recorded | apply | redo | apply |
      | undo --yes         | redo    | rollback | after its intent was recorded | step  | undo | step  |

  Scenario: an act that was cut off is finished, then it is the one to take back
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v"}}
      """
    And I have run "agents run ACTION"
    And "agents plan rollback @ 1 --yes" has crashed, as a rollback, after its intent was recorded
    When I run "agents undo --yes --format json"
    Then the exit code is 0
    And a message is "an interrupted rollback to cp1 was finished"
    And the data holds
      | field    | value      |
      | act.type | "rollback" |
    And the plan's file "v" holds "2"
    And the plan is "execute/complete"

  Scenario: a stuck operation of the plan refuses
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And "agents plan rollback @ 1 --yes" has crashed, as a rollback, after its intent was recorded
    And the intent of the latest operation cannot be read
    When I run "agents undo --yes"
    Then the exit code is 4
    And the error says "an interrupted rollback of this plan cannot be finished"
