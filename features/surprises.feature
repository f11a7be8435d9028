Feature: Surprises
  An error that nobody foresaw is told like any other, and all that is needed to look into it is kept
  in a file. What is only a help, such as the name of a store, is never an error at all.

  Scenario Outline: the name of a store that is <damaged> is given anew
    Given a plain folder
    And the steps
      """
      - {name: first, tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And the name of its store is <damaged>
    When 2 processes run "agents plan status" at the same time
    Then all of them end with exit code 0
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan has no file "b.txt"
    And its store has <a name> that is private, and nothing unfinished beside it

    Examples:
      | damaged        | a name  |
      | no text        | a name  |
      | half a name    | a name  |
      | gone           | a name  |
      | a directory    | no name |

  Scenario: a surprise is told to programs, and kept
    Given a plain folder whose plan nobody can read
    When I run "agents --set sandbox.base=head plan status --format json"
    Then the exit code is 1
    And the envelope is that of the error "unforeseen" of "plan status"
    And the error message says "something went wrong that should not have: ValueError: Invalid isoformat string: 'yesterday'"
    And the log that is named is private and tells
      | line                                                                  |
      | command: agents --set                                                 |
      | --set 'sandbox.base=***' plan status --format json                    |
      | cleveragents: 0                                                       |
      | Python: 3                                                             |
      | SQLite: 3                                                             |
      | git: 2                                                                |
      | system: Linux                                                         |
      | ValueError: Invalid isoformat string: 'yesterday'                     |
    When I run "agents plan status --format yaml"
    Then the envelope is that of the error "unforeseen" of "plan status"

  Scenario: people see a sentence and where the rest is; who asks for more sees it at once
    Given a plain folder whose plan nobody can read
    When I run "agents plan status"
    Then the exit code is 1
    And the error does not say "Traceback"
    And the log that is named is private and tells
      | line      |
      | Traceback |
    When I run "agents -v plan status"
    Then the exit code is 1
    And the error says "Traceback"

  Scenario: of many surprises the newest are kept
    Given a plain folder whose plan nobody can read
    When I run "agents plan status" 12 times
    Then the newest 10 logs are there

  Scenario: values on the command line are left out
    Then of "run a.yaml --arg token=s3cret --arg n=1 --project=/x https://me:pw@host/x" a log tells "run a.yaml --arg 'token=***' --arg 'n=***' --project=/x https://me:***@host/x"
    And where a value stands in the message, it is left out there as well

  Scenario Outline: where <place> cannot be written to, the log is <elsewhere>
    Given a plain folder whose plan nobody can read
    And <place> cannot be written to
    When I run "agents plan status --format json"
    Then the exit code is 1
    And the envelope is that of the error "unforeseen" of "plan status"
    And the log is <elsewhere>

    Examples:
      | place                              | elsewhere              |
      | the directory of logs              | in a temporary place   |
      | any directory of logs              | on standard error      |

  Scenario: where the command worked on what is somebody else's, the log is our own
    Then an ordinary user's surprise in a directory of root's is kept in a temporary place

  Scenario: a git that makes no sense keeps no surprise from being told
    Given a git that says what is no text
    Then of a surprise the version of git is told as "unknown ('utf-8' codec can't decode byte 0xff"

  Scenario: an interrupt before the command has begun is told
    Given a plain folder
    Then an interrupt while the command line is read ends with exit code 130 and no traceback
