Feature: Entries that their owner could not read, and directories of somebody else
  An ordinary user is kept out by modes and owners; what an apply or a rollback could not finish, or
  could not take back, is refused before anything changes.

  Background:
    Given a git repository
    And the shell has run "echo t > text; mkdir d e; echo o > d/x; echo o > e/x; git add -A; git commit -qm more" in the project

  Scenario: a result that closes entries to their owner is refused whole, each with what opens it
    Given the action
      """
      name: close
      steps:
        - tool: shell
          with:
            command: >-
              echo new > text; echo q > n; chmod 000 n; chmod 200 a.txt;
              for m in 000 111 333 644; do mkdir z$m; echo q > z$m/f; chmod $m z$m; done;
              echo x > d/x; chmod 555 d
      """
    And I have run "agents run ACTION"
    And an ordinary user owns the project
    And the user's repository and files are remembered
    When the ordinary user runs "agents plan apply @ --dry-run"
    Then the output says "its owner could not read or change it"
    When the ordinary user runs "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says
      """
      a.txt: its owner could not read or change it
      d: its owner could not read or change it
      n: its owner could not read or change it
      z000: its owner could not read or change it
      z111: its owner could not read or change it
      z333: its owner could not read or change it
      z644: its owner could not read or change it
      chmod u+rwX -- a.txt d n z000 z111 …)
      """
    When the ordinary user runs "agents plan apply @ --as branch --yes"
    Then the exit code is 4
    And the error says
      """
      a.txt: its owner could not read or change it
      n: its owner could not read or change it
      z000: its owner could not read or change it
      z644: its owner could not read or change it
      chmod u+rwX -- a.txt n z000 z644)
      """
    And the user's repository and files are as they were
    And the plan is "execute/complete"
    Given the shell has run "chmod u+rwX a.txt d n z*" in its sandbox
    When the ordinary user runs "agents plan apply @ --yes"
    Then the exit code is 0
    When the ordinary user runs "agents plan unapply @ --yes"
    Then the exit code is 0
    And the user's repository and files are as they were

  @needs_root
  Scenario: what somebody else has in a sticky directory is refused, and the preview says so
    Given the shell has run "mkdir tmp; echo r > tmp/r; git add -A; git commit -qm tmp" in the project
    And the action
      """
      name: replace
      steps:
        - {tool: shell, with: {command: "echo new > text; echo new > tmp/r"}}
      """
    And I have run "agents run ACTION"
    And an ordinary user owns the project
    And the shell has run "chown root tmp tmp/r; chmod 1777 tmp; chmod 666 tmp/r" in the project
    And the user's repository and files are remembered
    When the ordinary user runs "agents plan apply @ --dry-run"
    Then the output says "only its owner may replace or remove it"
    When the ordinary user runs "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "chmod -t the directory"
    And the user's repository and files are as they were

  @needs_root
  Scenario Outline: a closed file that has another name is replaced, and that name stays closed, when <what>
    Given the shell has run "echo c > shut; ln shut ../twin; chmod 000 shut" in the project
    And the action
      """
      name: close
      steps:
        - {tool: shell, with: {command: "chmod 644 shut; echo new > e/x; echo new > shut"}}
      """
    And I have run "agents run ACTION"
    And an apply has been killed <where>
    And an ordinary user owns the project
    And <what>
    When the ordinary user runs "agents plan apply @ --yes"
    Then the error says "<said>"
    And in the project "<check>" holds
    And in the project "test $(stat -c %a ../twin) = 0" holds
    And in the project "! ls -A | grep .cleveragents-" holds

    Examples:
      | what                                                | where                       | said                                | check                                             |
      | the shell has run "true" in the project             | half-way                    | interrupted apply was finished      | test $(cat shut) = new -a $(cat ../twin) = c       |
      | the shell has run "echo mine > e/x" in the project  | after everything was placed | an interrupted apply was taken back | test shut -ef ../twin -a $(cat ../twin) = c           |

  @needs_root
  Scenario: an apply that has closed what it brought ends with the next command
    Given the action
      """
      name: close
      steps:
        - tool: shell
          with:
            command: >-
              echo new > text; echo q > n; chmod 000 n; echo x > d/x; chmod 000 d/x; chmod 111 d;
              mkdir z y; echo q > z/f; chmod 644 z; echo q > y/f; chmod 200 y/f; chmod 000 y
      """
    And I have run "agents run ACTION"
    And an apply has been killed after everything was placed
    And an ordinary user owns the project
    When the ordinary user runs "agents plan unapply @ --yes"
    Then the error says "an interrupted apply was finished"
    And the plan is "apply/applied"

  @needs_root
  Scenario: an apply that has closed what it brought, and that cannot be finished, is taken back
    Given the action
      """
      name: close
      steps:
        - {tool: shell, with: {command: "echo new > text; mkdir z; echo q > z/f; chmod 200 z/f; chmod 000 z; echo x > d/x; chmod 111 d; echo y > e/x"}}
      """
    And the user's repository and files are remembered
    And I have run "agents run ACTION"
    And an apply has been killed after everything was placed
    And an ordinary user owns the project
    And the shell has run "echo mine > e/x" in the project
    When the ordinary user runs "agents plan apply @ --yes"
    Then the error says "an interrupted apply was taken back"
    And the plan is "execute/complete"
    Given the shell has run "echo o > e/x" in the project
    Then the user's repository and files are as they were

  @needs_root
  Scenario: a directory that an applied plan made read-only is taken back
    Given the action
      """
      name: close
      steps:
        - {tool: shell, with: {command: "echo x > d/x; chmod 555 d; mkdir z; echo q > z/f; chmod 555 z"}}
      """
    And the user's repository and files are remembered
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And an ordinary user owns the project
    When the ordinary user runs "agents plan unapply @ --yes"
    Then the exit code is 0
    And the user's repository and files are as they were

  @needs_root
  Scenario Outline: a directory of the project that the user may not change is told before: <what>
    Given the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "echo x > d/x; echo new > text"}}
      """
    And I have run "agents run ACTION"
    And an ordinary user owns the project
    And the shell has run "<what>" in the project
    And the user's repository and files are remembered
    When the ordinary user runs "agents plan apply @ --dry-run"
    Then the output says "no permission to change files in this directory"
    When the ordinary user runs "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "d: no permission to change files in this directory"
    And the error says "make the directories writable for you"
    And the user's repository and files are as they were
    And the plan is "execute/complete"
    Given the shell has run "chmod 555 .git/objects" in the project
    When the ordinary user runs "agents plan apply @ --as branch --yes"
    Then the exit code is 4
    And the error says "/.git/objects: no permission to change files in this directory"

    Examples:
      | what         |
      | chmod 555 d  |
      | chown root d |

  @needs_root
  Scenario Outline: a rollback that a directory of somebody else stands in the way of begins nothing: <act>
    Given the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "mkdir theirs; echo x > theirs/x; echo new > text"}}
      """
    And I have run "agents run ACTION"
    And an ordinary user owns the project
    And the shell has run "chown 0:0 theirs" in the sandbox of the plan
    When the ordinary user runs "agents plan rollback @ 1 <act>"
    Then the exit code is 4
    And the error says "no permission to change theirs"
    When the ordinary user runs "agents plan checkpoint create @"
    Then the exit code is 0
    And no operation is open or stuck

    Examples:
      | act       |
      | --dry-run |
      | --yes     |
