Feature: Corrections
  Going back to a decision and saying what should have been chosen: only what followed from it is
  decided again, everything else stands, and nothing is lost.

  Background:
    Given a plain folder
    And a chooser that takes the first option, and the last one once it has guidance
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo first >> log"}}
      - name: storage
        pass_env: [CHOOSER]
        decide:
          question: Which storage
          options:
            sqlite: [{name: lite, tool: shell, with: {command: "echo sqlite >> log"}}]
            postgres: [{name: pg, tool: shell, with: {command: "echo postgres >> log"}}]
          chooser: '"$CHOOSER" storage'
      - name: colour
        pass_env: [CHOOSER]
        decide:
          question: Which colour
          options:
            red: [{name: paint, tool: shell, with: {command: "echo red >> log"}}]
            blue: [{name: paint, tool: shell, with: {command: "echo blue >> log"}}]
          chooser: '"$CHOOSER" colour'
      - name: schema
        pass_env: [CHOOSER]
        decide:
          question: Which schema
          uses: [storage]
          options:
            flat: [{name: make, tool: shell, with: {command: "echo flat >> log"}}]
            deep: [{name: make, tool: shell, with: {command: "echo deep >> log"}}]
          chooser: '"$CHOOSER" schema'
      - {name: last, tool: shell, with: {command: "echo last >> log"}}
      """
    And I have run "agents run ACTION"
    And the plan's log is "first sqlite red flat last"

  Scenario: only what follows from a decision is decided again
    When I correct "storage" by saying "we have a server"
    Then the exit code is 0
    And the output says "✓ OK Correction complete"
    And the plan is "execute/complete"
    And the plan's log is "first postgres red deep last"
    And the choosers were asked "storage, colour, schema, storage, schema"
    And the decisions that count are "plan, red, we have a server, postgres, deep"
    And the chooser was asked
      """
      {"name": "schema", "guidance": ["we have a server"]}
      """
    And the corrections are
      | corrects | state    | guidance         | chosen | replaced     |
      | storage  | complete | we have a server |        | sqlite, flat |

  Scenario: what a correction has made of the result
    Given I have corrected "storage" by saying "we have a server"
    When I run "agents plan diff --correction CORRECTION"
    Then the exit code is 0
    And the output says
      """
      -sqlite
      +postgres
      -flat
      +deep
      """
    And the output does not say "-red"
    When I run "agents plan diff --correction CORRECTION --name-only"
    Then the output is exactly "log"
    When I run "agents plan diff --correction 01NOSUCH"
    Then the exit code is 3

  Scenario: a user may choose
    When I choose "postgres" for "storage" by saying "we have a server"
    Then the exit code is 0
    And the error says "? storage  → postgres  as corrected"
    And the error says "? colour  → red  as decided before"
    And the choosers were asked "storage, colour, schema, schema"
    And the plan's log is "first postgres red deep last"

  Scenario: a correction can be taken back, and everything is as it was
    Given I have corrected "storage" by saying "we have a server"
    When I run "agents plan rollback @ BEFORE --yes"
    Then the exit code is 0
    And the plan's log is "first sqlite red flat last"
    And the decisions that count are "plan, sqlite, red, flat"
    When I correct "schema" by saying "deeper"
    Then the exit code is 0
    And the plan's log is "first sqlite red deep last"
    And the corrections are
      | corrects | state    | guidance         | chosen | replaced     |
      | storage  | complete | we have a server |        | sqlite, flat |
      | schema   | complete | deeper           |        | flat         |

  Scenario: corrections of one plan add up
    Given I have corrected "schema" by saying "deeper"
    When I correct "storage" by saying "we have a server"
    Then the exit code is 0
    And the plan's log is "first postgres red deep last"
    And the chooser was asked
      """
      {"name": "schema", "guidance": ["deeper", "we have a server"]}
      """
    When I choose "blue" for "colour" by saying "no red"
    Then the exit code is 0
    And the plan's log is "first postgres blue deep last"
    And the choosers were asked "storage, colour, schema, schema, storage, schema"

  Scenario: programs are told how a correction ended
    When with the options --yes --format json I correct "storage" by saying "no"
    Then the exit code is 0
    And the data holds
      | field            | value      |
      | correction.state | "complete" |
      | conflicts        | []         |

  Scenario: a dry run tells it all and changes nothing
    When with the options --dry-run --format json I correct "storage" by saying "no"
    Then the exit code is 0
    And the keys of "data" are "plan, decision, checkpoint, standing, merged_again, steps, files, undo, cannot_be_undone, subplans, decisions, checkpoints_left_behind, counts, choose, moving"
    And the data holds
      | field                | value     |
      | decisions.0.chosen   | "sqlite"  |
      | decisions.1.chosen   | "flat"    |
      | standing.0.chosen    | "red"     |
      | files                | [{"file": "log", "action": "restored"}] |
    And "data.decisions" counts 2
    And "data.standing" counts 1
    And "data.steps" counts 7
    And the plan's log is "first sqlite red flat last"
    And the corrections are
      | corrects | state    | guidance         | chosen | replaced     |
    When with the options --dry-run I correct "storage" by saying "no"
    Then the output says
      """
      decide again
      Which storage (was sqlite)
      let stand
      Which colour → red
      run again
      """

  Scenario: a dry run shows what is to be chosen, and takes the steps of the other option back
    When with the options --dry-run --choose postgres I correct "storage" by saying "no"
    Then the output says
      """
      Which storage sqlite → postgres
      Which schema (was flat)
      take back     storage > sqlite
      run again
      """
    When with the options --dry-run --choose postgres --format json I correct "storage" by saying "no"
    Then the data holds
      | field  | value      |
      | choose | "postgres" |
    And the plan's log is "first sqlite red flat last"

  Scenario: without a terminal it needs --yes
    When with the options --format=rich I correct "storage" by saying "no"
    Then the exit code is 2
    And the error says "this needs a confirmation"
    And the error says "--yes"
    And the plan's log is "first sqlite red flat last"

  Scenario: the tree shows what counts, and with --show-superseded what does not
    When I choose "postgres" for "storage" by saying "we have a server"
    Then the exit code is 0
    When I run "agents plan tree @"
    Then the exit code is 0
    And the output says
      """
      What is to be done? → plan
      ├─ ✓ first
      storage: Which storage → postgres
      └─ ✓ pg
      colour: Which colour → red
      schema: Which schema → deep
      because of postgres
      What was wrong with: Which storage → we have a server
      complete: we have a server
      """
    And the output does not say "sqlite"
    When I run "agents plan tree @ --show-superseded"
    Then the output says "storage: Which storage → sqlite"
    And the output says "(superseded)"
    When I run "agents plan tree @ --format json"
    Then the data holds
      | field                                 | value       |
      | decisions.0.name                      | "prompt_definition" |
      | decisions.0.steps.0                   | {"step": "first", "status": "done"} |
      | decisions.0.children.0.chosen         | "red"       |
      | corrections.0.guidance                | "we have a server" |

  Scenario: explaining a decision
    When with the options --format=rich I explain "storage"
    Then the exit code is 0
    And the output says
      """
      Decision storage
      Which storage
      sqlite
      postgres
      Depends on it
      Which schema
      A correction would
      go back to
      """
    When with the options --format json I explain "storage"
    Then the data holds
      | field                          | value     |
      | chosen                         | "sqlite"  |
      | alternatives                   | ["postgres"] |
      | correction.possible            | true      |
      | correction.decisions.1.chosen  | "flat"    |
    And "data.dependents" counts 1

  Scenario: what is not corrected
    When with the options --format json I explain "prompt_definition"
    Then the data holds
      | field               | value |
      | correction.possible | false |
    When I correct "prompt_definition" by saying "other"
    Then the exit code is 4
    And the error says "the root of the plan is decided when it is made"
    When I choose "mongo" for "storage" by saying "no"
    Then the exit code is 2
    And the error says "'storage' has no option 'mongo'"
    And the error says "its options: sqlite, postgres"
    When I run "agents plan correct --yes --guidance x @"
    Then the exit code is 4
    And the error says "the plan has no error; name the decision"
    When I run "agents plan correct --yes --guidance x 01NOSUCH"
    Then the exit code is 3
    When I run "agents plan explain 01NOSUCH"
    Then the exit code is 3
    Given I have corrected "storage" by saying "no"
    When I correct the decision that was replaced
    Then the exit code is 4
    And the error says "the decision does not count any more"
    When I correct the decision that is an intervention
    Then the exit code is 4
    And the error says "cannot be decided again"
    Given the plan is set to "apply/applied" by hand
    When I correct "storage" by saying "no"
    Then the exit code is 4
    And the error says "unapply"

  Scenario: a fix is added by a subplan, and nothing is taken back
    When with the options "--mode append --yes" the fix of "storage" says "we have a server"
    Then the exit code is 0
    And the output says "✓ OK Correction complete"
    And the plan is "execute/complete"
    And the plan's log is "first sqlite red flat last postgres"
    And the choosers were asked "storage, colour, schema, storage"
    And the chooser was asked
      """
      {"name": "storage", "guidance": ["we have a server"]}
      """
    And the decisions that count are "plan, sqlite, red, flat, we have a server, fix 5"
    And the corrections are
      | corrects | state    | guidance         | chosen | replaced |
      | storage  | complete | we have a server |        | sqlite   |
    When I run "agents plan diff --correction CORRECTION"
    Then the output says "+postgres"
    When I run "agents plan rollback @ BEFORE --yes"
    Then the exit code is 0
    And the plan's log is "first sqlite red flat last"
    And the plan's steps are
      | step                    | status |
      | first                   | done   |
      | storage                 | done   |
      | storage > sqlite > lite | done   |
      | colour                  | done   |
      | colour > red > paint    | done   |
      | schema                  | done   |
      | schema > flat > make    | done   |
      | last                    | done   |

  Scenario: a fix with a choice, shown first
    When with the options "--mode append --dry-run --choose sqlite --format json" the fix of "storage" says "again"
    Then the data holds
      | field | value   |
      | added | "fix 5" |
    And the plan's log is "first sqlite red flat last"
    When with the options "--mode append --choose sqlite" the fix of "storage" says "again"
    Then the exit code is 2
    When with the options "--mode append --choose sqlite --yes --format json" the fix of "storage" says "again"
    Then the exit code is 0
    And the plan's log is "first sqlite red flat last sqlite"
    And the choosers were asked "storage, colour, schema"

  Scenario: a fix needs a choice that counts
    When I run "agents plan correct --mode append --yes --guidance x @"
    Then the exit code is 2
    And the error says "needs the decision"
    When with the options "--mode append --yes" the fix of "prompt_definition" says "x"
    Then the exit code is 4
    And the error says "only a choice that counts"
    Given the plan is set to "apply/applied" by hand
    When with the options "--mode append --yes" the fix of "storage" says "x"
    Then the exit code is 4
    And the error says "unapply"

  Scenario: what several decisions and corrections begin with names none of them
    Given I have corrected "colour" by saying "no red"
    And I have corrected "colour" by saying "red after all"
    When I run "agents plan diff --correction 0"
    Then the exit code is 2
    And the error says "names 2 corrections"
    When I run "agents plan explain 0"
    Then the exit code is 2
    And the error says "decisions"
