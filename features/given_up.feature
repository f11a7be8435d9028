Feature: Acts that are given up
  A signal is heeded at the next file. Before an act is recorded nothing has happened; afterwards
  the next command that changes the plan finishes it, and that is said. The user's project changes
  whole: it may be given up while the new is built, not between two of its files.

  Background:
    Given a plan has changed many files of a folder

  Scenario Outline: <signal> in <work> of "<command>" leaves all as it was
    Given somebody has written to them since
    When <signal> comes at file 2 of <work> in "agents <command>"
    Then the exit code is 130
    And the error says "interrupted; nothing was changed"
    And nothing has changed by it
    And nothing unfinished lies in the store
    When I run "agents <command>"
    Then the exit code is 0

    Examples:
      | command                      | work                   | signal  |
      | plan checkpoint create @     | saving files           | SIGINT  |
      | plan checkpoint verify @     | reading cp1 back       | SIGTERM |
      | doctor                       | reading what is stored | SIGHUP  |
      | plan rollback @ 1 --yes      | saving files           | SIGTERM |
      | plan restore @ 1 --path f1 --yes | saving files           | SIGINT  |
      | plan apply @ --yes           | saving files           | SIGHUP  |

  Scenario Outline: <signal> while an <act> builds what is new leaves the project as it was
    Given <before>
    When <signal> comes at file 2 of changing your files in "agents <command>"
    Then the exit code is 130
    And the error says "interrupted; nothing was changed"
    And the files of the project end with "<line>"
    And the plan is "<stage>"
    And the files of its sandbox are <where>
    When I run "agents <command>"
    Then the exit code is 0
    And the files of the project end with "<other>"

    Examples:
      | act     | before                                | command              | signal  | line   | stage            | other  | where |
      | apply   | somebody has written to them since    | plan apply @ --yes   | SIGTERM | ours   | execute/complete | mine   | there |
      | unapply | I have run "agents plan apply @ --yes" | plan unapply @ --yes | SIGINT  | second | apply/applied    | ours   | gone  |

  Scenario: from the first file of the project that changes, an apply comes to its end
    When SIGINT comes as the first file of the project changes by "agents plan apply @ --yes"
    Then the exit code is 0
    And the error says "interrupted while removing its sandbox: what was done stands"
    And the plan is "apply/applied"
    And the files of the project end with "second"

  Scenario Outline: <signal> while <act> changes the files of the plan leaves it to the next command
    When <signal> comes at file 2 of restoring files in "agents <command>"
    Then the exit code is 130
    And the error says "interrupted; the next command that changes the plan finishes the <act>"
    And the error says "see where it stands: agents plan status @"
    When I run "agents plan status @"
    Then the error says "an interrupted <act> is finished by the next command"
    When I run "agents <next>"
    Then the exit code is 0
    And a message says "an interrupted <act>"
    And the files of the plan end with "<line>"

    Examples:
      | act      | command                 | next                                   | signal  | line  |
      | rollback | plan rollback @ 1 --yes | plan checkpoint create @ --format json | SIGINT  | ours  |
      | rollback | undo --yes              | plan checkpoint create @ --format json | SIGHUP  | first |

  Scenario: an act that is finished by another one may be given up as often as anybody likes
    When SIGTERM comes at file 2 of restoring files in "agents plan rollback @ 1 --yes"
    Then the exit code is 130
    When SIGTERM comes at file 2 of restoring files in "agents doctor --repair"
    Then the exit code is 130
    And the error says "the next command that changes the plan finishes the rollback"
    When I run "agents doctor --repair"
    Then the exit code is 0
    And the files of the plan end with "ours"

  Scenario: space that is not freed yet is freed by a later command
    When SIGINT comes at file 2 of freeing space in "agents plan checkpoint delete @ 2 --yes"
    Then the exit code is 0
    And the error says "a later command frees it"
    When I run "agents plan checkpoint verify @"
    Then the exit code is 0
    When I run "agents doctor --repair"
    Then the exit code is 0

  Scenario: the checkpoint of a step that has run comes to its end, so that it does not run again
    When SIGINT comes at file 2 of saving files in "agents run ACTION"
    Then the exit code is 130
    And it says how to resume the very plan
    And the steps that count are
      | step  | attempt |
      | first | 1       |
    When I run "agents plan resume @"
    Then the exit code is 0
    And the error says "no finished step runs again"
    And the files of the plan end with "second"
    And the steps that count are
      | step   | attempt |
      | first  | 1       |
      | second | 1       |

  Scenario Outline: a process that gets <signal> in <work> ends like that
    Given somebody has written to them since
    When <signal> comes at file 20 of <work> in a process that runs "agents <command>"
    Then the exit code is 130
    And the error says "<said>"
    And the error does not say "Traceback"

    Examples:
      | command                  | work            | signal  | said                              |
      | plan checkpoint create @ | saving files    | SIGTERM | interrupted; nothing was changed  |
      | plan rollback @ 1 --yes  | restoring files | SIGINT  | finishes the rollback             |
