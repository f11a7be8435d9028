Feature: The doctor
  `agents doctor` looks at everything that is kept and says what is wrong, each with the command that
  helps. It changes nothing unless asked, and its repairs only add.

  Background:
    Given a git repository
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v; echo w1 > w1"}}
      - {name: second, tool: shell, with: {command: "echo 2 > v; echo w2 > w2"}}
      - {name: third, tool: shell, with: {command: "echo 3 > v; echo w3 > w3"}}
      """

  Scenario: all is well
    Given I have run "agents run ACTION"
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 0
    And the keys of "data" are "healthy, findings, repairs, versions, confinement, disk"
    And the keys of "data.versions" are "sqlite, journal_mode, schema, git, looks"
    And the keys of "data.disk" are "database_bytes, store_bytes, history_bytes, free_bytes, plans"
    And the keys of "data.disk.plans.0" are "plan_id, name, checkpoints, stored_bytes, sandbox_bytes, output_bytes, checkpoint_uses"
    And the data holds
      | field                    | value |
      | healthy                  | true  |
      | repairs                  | []    |
      | disk.plans.0.checkpoints | 5     |
    And the doctor has counted what is on the disk
    When I run "agents doctor"
    Then the exit code is 0
    And the output says "no problem found"
    And the output says "Store"

  Scenario: nothing is kept yet
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor finds nothing of "rows"

  # --- What was interrupted ----------------------------------------------------------------------

  Scenario: an interrupted rollback
    Given I have run "agents run ACTION"
    And a rollback to checkpoint 2 has crashed after its intent was recorded
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 1
    And the doctor finds the problem "its rollback was interrupted" of "operations"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "what was interrupted is finished"
    And a message says "an interrupted rollback to cp2 was finished"
    And the plan's file "v" holds "1"

  Scenario: a run that is at work
    Given the steps
      """
      - {name: waits, tool: shell, with: {command: 'touch started; while [ ! -e "$GATE" ]; do sleep 0.05; done'}, pass_env: [GATE]}
      """
    And a run waits in its step
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor notes "another process is at work" of "locks"

  Scenario: a run that is stopped, and interrupted then
    Given a run is stopped in its step
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "the process that owns it is stopped" of "locks"
    Given the process is killed
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "its run was interrupted" of "interrupted"

  Scenario: unfinished files of killed processes are counted, and removed by the repair
    Given I have run "agents run ACTION"
    And a killed process has left an unfinished pack of 1000 bytes and a file it was building
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 0
    And the doctor notes "2 unfinished files of killed processes (1004 bytes)" of "temporary"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "1 unfinished file removed (1000 bytes)"
    And the doctor says it has done "1 unfinished file removed (4 bytes)"
    And the doctor finds nothing of "temporary"

  Scenario: what a killed rollback had put aside is counted, and removed by the repair
    Given I have run "agents run ACTION"
    And the shell has run "echo too late > late" in the sandbox of the plan
    And "agents plan rollback @ @ --yes" has crashed before it removed what it had put aside
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 0
    And the doctor notes "1 unfinished file of killed processes (9 bytes)" of "temporary"
    And the doctor finds nothing of "operations"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "1 unfinished file removed (9 bytes)"
    And the doctor finds nothing of "temporary"

  Scenario: unfinished packs of killed processes go with the next command, which says so
    Given I have run "agents run ACTION"
    And a killed process has left an unfinished pack of 1000 bytes and a file it was building
    When I run "agents plan checkpoint create @ --format json"
    Then the exit code is 0
    And a message says "1 unfinished file of killed processes was removed (1000 bytes)"
    And nothing unfinished is in the store

  # --- What is gone ------------------------------------------------------------------------------

  Scenario: a sandbox that is missing
    Given I have run "agents run ACTION"
    And the sandbox directory is lost
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "its sandbox is missing" of "sandboxes"
    When I follow the help of the doctor
    Then the exit code is 0
    When I run "agents doctor"
    Then the exit code is 0

  Scenario: H67 a project that was moved
    Given I have run "agents run ACTION"
    And the shell has run "mv ../project ../elsewhere" in the project
    And the project is "elsewhere"
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "was moved or deleted; 1 plan is about it" of "projects"
    When I run "agents plan list"
    Then the exit code is 0
    And the error says "when plans were made for it; let them follow: agents project move"
    Given the shell has run "ln -s elsewhere ../project" in the project
    When I run "agents plan list"
    Then the error says "when plans were made for it; let them follow: agents project move"
    When I run "agents doctor"
    Then the exit code is 1
    And the output says "was moved or deleted; 1 plan is about it"

  Scenario: a sandbox that no plan knows
    Given I have run "agents run ACTION"
    And the shell has run "mkdir ../data/sandboxes/stray" in the project
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor notes "no plan knows the sandbox" of "sandboxes"

  # --- Damage ------------------------------------------------------------------------------------

  Scenario: H54 what the sandbox still has is stored again, whatever cannot be searched
    Given I have run "agents run ACTION"
    And the shell has run "mkdir -p $(printf 'd/%.0s' $(seq 205))" in the project
    And the stored content of "w2" is damaged
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 1
    And the doctor finds the problem "cp3 cannot be restored as a whole" of "content"
    And the doctor notes "1 damaged object in" of "packs"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "1 of 1 lost objects were stored again"
    And a message says "could not be searched as a whole"
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0
    When I run "agents plan rollback @ 3 --yes"
    Then the exit code is 0
    And the plan's file "w2" holds "w2"

  Scenario: H54 what the project still has is stored again, for the base as well
    Given I have run "agents run ACTION"
    And the stored content of "a.txt" is damaged
    And the sandbox directory is lost
    When I run "agents doctor --format json"
    Then the doctor finds the problem "what its sandbox started from is damaged" of "content"
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor says it has done "1 of 1 lost objects were stored again"
    And the doctor finds nothing of "content"

  Scenario: H54 what can be read of a pack that is cut short is stored again
    Given I have run "agents run ACTION"
    And the pack of checkpoint 3 is cut short
    And the sandbox directory is lost
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor finds nothing of "content"
    And the doctor notes "has no readable index" of "packs"
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0

  Scenario: H55 a row without content is told and stays
    Given I have run "agents run ACTION"
    And the pack of checkpoint 3 is gone
    And the sandbox directory is lost
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor finds the problem "cp3 cannot be restored as a whole" of "content"
    And there are 5 checkpoints

  Scenario: damage to what nobody needs does no harm
    Given I have run "agents run ACTION"
    And the stored content of "w2" in checkpoint 3 is damaged
    And I have run "agents doctor --repair"
    When I run "agents doctor --format json"
    Then the exit code is 0
    And the doctor notes "damaged object" of "packs"

  Scenario: the record of what a sandbox started from is lost
    Given I have run "agents run ACTION"
    And the stored record of what the sandbox started from is damaged
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor finds the problem "what its sandbox started from is damaged" of "content"
    When I run "agents doctor --repair"
    Then the output says "it could not be repaired from what is there"
    And the error does not say "agents doctor --repair"

  Scenario: an interrupted rollback that can be neither finished nor taken back
    Given I have run "agents run ACTION"
    And a rollback to checkpoint 2 has crashed after its intent was recorded
    And the stored record of every checkpoint is damaged
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor says it has done "the interrupted rollback was given up"
    And the doctor finds the problem "cannot be restored as a whole" of "content"

  # --- Rows --------------------------------------------------------------------------------------

  Scenario: H48 the rows of a database that was deleted are made again
    Given I have run "agents run ACTION"
    And the database is deleted
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "the database does not know plan" of "rows"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor says it has done "cp1, cp2, cp3, cp4, cp5 made again from the store"
    And the checkpoints are
      | seq | type         | step | pinned |
      | 1   | pre_execute  | 0    | False  |
      | 2   | tool         | 1    | False  |
      | 3   | tool         | 2    | False  |
      | 4   | tool         | 3    | False  |
      | 5   | post_execute | 3    | False  |
    When I run "agents plan rollback @ 3 --yes"
    Then the exit code is 0
    And the plan's file "v" holds "2"
    When I run "agents plan execute @"
    Then the exit code is 0
    And the plan is "execute/complete"
    And the plan's file "w3" holds "w3"
    When I run "agents doctor"
    Then the exit code is 0

  Scenario: H48 a plain folder is rebuilt as well
    Given a plain folder
    And the shell has run "rm -rf .git" in the project
    And I have run "agents run ACTION"
    And I have run "agents run ACTION"
    And the database is deleted
    And I have run "agents doctor --repair"
    When I run "agents plan list --format json"
    Then "data.plans" counts 2
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And the plan's file "v" holds "1"

  Scenario: H48 a project that got new plans since is left alone, and that is told
    Given I have run "agents run ACTION"
    And the database is deleted
    And the shell has run "rm ../data/head" in the project
    And I have run "agents plan use ACTION"
    When I run "agents doctor --repair --format json"
    Then the exit code is 1
    And the doctor says it has done "got new plans since the database was lost"

  Scenario: H69 a database that is older than the store
    Given I have run "agents run ACTION"
    And the rows of checkpoints 4 and 5 are lost
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "cp4, cp5 in the store without a row" of "rows"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And there are 5 checkpoints
    And no checkpoint is left behind

  Scenario: H69 a number that was given again meanwhile stays with the new one
    Given I have run "agents run ACTION"
    And the rows of checkpoints 5 and 5 are lost
    And I have run "agents plan checkpoint create @ --label new"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor notes "1 snapshot that no row needs" of "orphans"
    And there are 5 checkpoints

  Scenario: a checkpoint that has neither row nor record is no longer one
    Given I have run "agents run ACTION"
    And the stored record of checkpoint 5 is damaged
    And the rows of checkpoints 5 and 5 are lost
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor notes "1 damaged object in" of "packs"
    And there are 4 checkpoints

  Scenario: what was deleted on purpose stays deleted
    Given I have run "agents run ACTION"
    And I have run "agents plan checkpoint delete @ 2 --yes"
    When I run "agents doctor --repair --format json"
    Then the exit code is 0
    And the doctor finds nothing of "rows"
    And there are 4 checkpoints

  Scenario: a row that points nowhere
    Given I have run "agents run ACTION"
    And the database was told "UPDATE step_runs SET plan_id = 'nowhere'"
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "the database is damaged" of "database"

  Scenario: a file that is no database can be replaced by what the store knows
    Given I have run "agents run ACTION"
    And the database file holds "nonsense"
    When I run "agents doctor"
    Then the exit code is 1
    And the error says "move it away, then rebuild it from the store: agents doctor --repair"

  Scenario: who asks for more sees what each checkpoint takes
    Given the steps
      """
      - {name: large, tool: shell, with: {command: "head -c 300000 /dev/urandom > large"}}
      - {name: small, tool: write_file, with: {path: small, content: "b"}}
      """
    And I have run "agents run ACTION"
    When I run "agents doctor --verbose"
    Then the exit code is 0
    And each checkpoint that added something has a bar, the longest the one that added most
    When I run "agents doctor"
    Then the output does not say "█"

  Scenario Outline: <part> of <whole> is drawn as "<bar>"
    Then <part> of <whole> is drawn as "<bar>"

    Examples:
      | part | whole | bar                      |
      | 8    | 8     | ████████████████████████ |
      | 1    | 8     | ███                      |
      | 1    | 192   | ▏                        |
      | 1    | 99999 | ▏                        |
      | 9    | 192   | █▏                       |

  # --- Programs and disk -------------------------------------------------------------------------

  Scenario Outline: <what>
    Then with <fact> "<value>" the doctor says <level> of "<check>"

    Examples:
      | what                              | fact         | value   | level     | check  |
      | SQLite old, journal not WAL       | sqlite       | 3.40.1  | a note    | sqlite |
      | SQLite new enough                 | sqlite       | 3.51.3  | nothing   | sqlite |
      | SQLite old with WAL               | journal_mode | wal     | a problem | sqlite |
      | git with a known hole             | git          | 2.39.5  | a note    | git    |
      | git of a mended series            | git          | 2.43.7  | nothing   | git    |
      | git of a mended series, too old   | git          | 2.45.3  | a note    | git    |
      | git new enough                    | git          | 2.50.1  | nothing   | git    |
      | git with a distribution's version | git          | 2.50.1.windows.2 | nothing | git |
      | no git, no repository             | git          | none    | a note    | git    |
      | little space                      | free_bytes   | 1000    | a problem | space  |
      | somebody else's data              | owner        | 4711    | a problem | owner  |

  Scenario: no git where a repository needs it
    Given I have run "agents run ACTION"
    Then without git the doctor finds a problem of "git"

  # --- What was changed in the database ----------------------------------------------------------

  Scenario Outline: <what> that was changed in the database is named
    Given the steps
      """
      - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      - {name: which, decide: {question: "Which?", options: {a: [{name: in, tool: shell, with: {command: "echo a > v"}}], b: []}, choose: a}}
      - {name: last, tool: shell, with: {command: "echo 3 > v"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan checkpoint pin @ 2"
    When I run "agents doctor --format json"
    Then the doctor finds nothing of "contradictions"
    Given the database was told "<statement>"
    And the journal "<journal>"
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 1
    And the doctor finds the problem "its rows are not what was recorded" of "contradictions"
    And the doctor says about it "<told>"

    Examples:
      | what                             | statement                                                                  | journal              | told                                                          |
      | a choice                         | UPDATE decisions SET chosen = 'b' WHERE cursor = '1'                       | tells all            | (Which?): chosen is 'b' in its row and 'a' in the journal     |
      | a choice of an older version     | UPDATE decisions SET chosen = 'b' WHERE cursor = '1'                       | knows no decisions   | (Which?): the row says 'b', steps of 'a' have run             |
      | a reason                         | UPDATE decisions SET rationale = 'because' WHERE cursor = '1'              | tells all            | (Which?): rationale is 'because' in its row and None in       |
      | a question                       | UPDATE decisions SET question = 'What?' WHERE cursor = '1'                 | tells all            | (What?): question is 'What?' in its row and 'Which?' in       |
      | a decision that was taken out    | UPDATE decisions SET superseded_by = 'x' WHERE cursor = '1'                | tells all            | the row says it was taken back, cp7 that it counts            |
      | a decision that is gone          | DELETE FROM decisions WHERE cursor = '1'                                   | tells all            | has no row, and the journal knows it                          |
      | a call                           | UPDATE step_runs SET status = 'failed' WHERE name = 'first'                | tells all            | the row says 'failed', cp2 that it succeeded                  |
      | the type of a checkpoint         | UPDATE checkpoints SET checkpoint_type = 'error' WHERE seq = 3             | tells all            | cp3: type is 'error' in its row and                           |
      | a pin                            | UPDATE checkpoints SET pinned = 0 WHERE seq = 2                            | tells all            | cp2: the row says pinned False, the journal True              |
      | the state of a plan              | UPDATE plans SET state = 'errored'                                         | tells all            | the row says execute/errored, the journal execute/complete    |

  Scenario: the hash of a checkpoint's state that was changed in the database is found
    Given I have run "agents run ACTION"
    And the database was told "UPDATE checkpoints SET state_hash = 'x' WHERE seq = 2"
    When the doctor looks, and everything kept stays as it is
    Then the exit code is 1
    And the doctor finds the problem "cp2 cannot be restored as a whole" of "content"
