Feature: Forgetting paths
  Every stored version of a path goes from all plans of a project, really: no pack holds it, whole or
  as a difference. The checkpoints stay good, and going to one leaves the path alone.

  Scenario Outline: a password that checkpoints hold goes: <who>
    Given <project>
    And the shell has run "echo PASSWORD=hunter2 > .env; mkdir conf; echo kept > conf/kept" in the project
    And the action
      """
      name: leaky
      steps:
        - {tool: shell, with: {command: "cat .env .env > x; mv x .env; echo 1 > a"}}
        - {tool: shell, with: {command: "cp .env conf/copy; echo 2 > a"}}
        - {tool: shell, with: {command: "rm .env conf/copy; echo 3 > a"}}
      """
    And all of it is an ordinary user's
    When <who> "agents run ACTION"
    Then the exit code is 0
    And "hunter2" is stored
    Given what every checkpoint holds is remembered
    And everything that is stored is remembered
    When <who> "agents forget .env --dry-run --format json"
    Then the exit code is 0
    And a message says "nothing was changed; this cannot be undone"
    And the data holds
      | field                    | value                                  |
      | dry_run                  | true                                   |
      | bytes_freed              | null                                   |
      | forgotten.0.path         | ".env"                                 |
      | forgotten.0.versions     | 2                                      |
      | forgotten.0.checkpoints  | 3                                      |
      | forgotten.0.plans        | ["leaky"]                              |
      | same_bytes               | [{"checkpoints": 1, "path": "conf/copy"}] |
    And nothing that is stored has changed
    When <who> "agents forget .env"
    Then the exit code is 2
    And the error says "--everywhere forgets these as well"
    When <who> "agents forget .env conf/copy"
    Then the exit code is 2
    And the error says "Would forget"
    And the error says "agents forget .env conf/copy --yes"
    And nothing that is stored has changed
    When <who> "agents forget .env conf/copy --yes"
    Then the exit code is 0
    And the output says "2 versions (51 B) in 3 checkpoints of 1 plan"
    And the error says "agents config set sandbox.checkpoint.exclude .env,conf/copy"
    And "hunter2" is stored nowhere
    And every checkpoint is as it was but for ".env, conf/copy"
    When <who> "agents doctor --format json"
    Then the exit code is 0
    When <who> "agents forget .env --yes --format json"
    Then the exit code is 0
    And a message says "nothing is stored of .env"
    And the data holds
      | field     | value |
      | forgotten | []    |

    Examples:
      | who                   | project          |
      | I run                 | a plain folder   |
      | an ordinary user runs | a git repository |

  Scenario: what was an earlier version of something else is stored whole
    Given a plain folder
    And the shell has run "mkdir many; seq 60 | sed 's,.*,many/a-rather-long-name-&,' | xargs touch; (echo hunter2; seq 3000) > big" in the project
    And the action
      """
      name: leaky
      steps:
        - {tool: shell, with: {command: "echo more >> big; echo 1 > many/first; echo hunter2 > many/secret"}}
        - {tool: shell, with: {command: "sed -i s/hunter2/nothing/ big; cp big other; echo 2 > many/first"}}
        - {tool: shell, with: {command: "rm big many/secret; echo 3 > many/first"}}
      """
    And packs are joined from 2 on
    And I have run "agents run ACTION"
    And what every checkpoint holds is remembered
    When I run "agents forget big many/secret --yes --format json"
    Then the exit code is 0
    And the data holds
      | field              | value   |
      | same_bytes.0.path  | "other" |
    And "hunter2" is stored nowhere
    And every checkpoint is as it was but for "big, many/secret"

  Scenario: a directory, seen from where one stands, and names that mean something elsewhere
    Given a git repository
    And the shell has run "mkdir -p sub/keys; echo hunter2 > sub/keys/k; echo hunter2 > 'a[b]*'; echo kept > ab; echo kept > keys" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And I have run "agents run ACTION"
    And what every checkpoint holds is remembered
    When I run "agents forget keys 'a[b]*' --yes" below sub
    Then the exit code is 0
    And the output says "sub/keys"
    And "hunter2" is stored nowhere
    And every checkpoint is as it was but for "sub/keys, a[b]*"
    When I run "agents forget ../.. --yes" below sub
    Then the exit code is 2
    When I run "agents plan restore @ 1 --path sub/keys/k --dry-run"
    Then the exit code is 4
    And the error says "cp1 knows nothing of sub/keys/k: it was forgotten"
    When I run "agents cat 1 sub/keys/k"
    Then the exit code is 3
    And the error says "it was forgotten"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the error says "left as it is, it was forgotten: sub/keys"
    When I run "agents forget ab no-such-file --yes"
    Then the exit code is 0
    And the error says "nothing is stored of no-such-file"
    And the error says "agents forget keys    # the same bytes"

  Scenario: a checkpoint whose metadata cannot be read, and a path as the whole way to it
    Given a plain folder
    And the shell has run "echo hunter2 > .env" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And I have run "agents run ACTION"
    And what every checkpoint holds is remembered
    And the metadata of checkpoint 2 is "{"
    When I run "agents forget PROJECT/.env --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    And every checkpoint is as it was but for ".env"
    When I run "agents plan checkpoint verify --all"
    Then the exit code is 0

  Scenario: what was applied and then forgotten stays in the project, and an unapply says so
    Given a plain folder
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "mkdir d; echo hunter2 > d/key; echo 1 > top"}}]
      """
    And I have run "agents run ACTION --apply --yes"
    And I have run "agents forget d/key top --yes"
    When I run "agents plan unapply @ --dry-run"
    Then the error says "left as you have it: d/key, top"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the output says "Put 0 paths back"
    And the error says "left as you have it: d/key, top"
    And in the project "test -e d/key && test -e top" holds
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "left as you have it: d/key, top"
    When I run "agents redo --yes"
    Then the exit code is 0
    And the error says "left as you have it: d/key, top"
    And in the project "test -e d/key && test -e top" holds

  Scenario: the same bytes go from other projects as well, if that is wanted
    Given a plain folder
    And the shell has run "echo hunter2 > .env; echo hunter2 > copy; touch empty" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And another project where ".env" has been stored as "elsewhere"
    And I have run "agents run ACTION"
    And what every checkpoint holds is remembered
    When I run "agents forget .env --everywhere --yes --format json"
    Then the exit code is 0
    And the paths ".env, copy, elsewhere" are forgotten
    And "hunter2" is stored nowhere
    When I run "agents doctor --format json"
    Then the exit code is 0
    And every checkpoint is as it was but for ".env, copy, elsewhere"

  Scenario: a plan that is applied goes back, a deletion of the user's stands, and undo leaves the path alone
    Given a plain folder
    And the shell has run "echo hunter2 > .env; echo hunter2 > mine; echo 1 > a" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 2 > a; echo hunter2 > new"}}]
      """
    And I have run "agents run ACTION"
    And the shell has run "rm mine" in the project
    And I have run "agents forget mine --yes"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project has "a: 2, new: hunter2, .env: hunter2" and no "mine"
    When I run "agents forget .env new mine --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    When I run "agents undo --yes"
    Then the exit code is 0
    And the project has "a: 1, new: hunter2, .env: hunter2" and no "mine"
    When I run "agents redo --yes"
    Then the exit code is 0
    And the project has "a: 2, new: hunter2, .env: hunter2" and no "mine"
    When I run "agents doctor --format json"
    Then the exit code is 0

  Scenario: subplans, a fork, a refresh and a rollback
    Given a plain folder
    And the shell has run "echo hunter2 > .env; echo 1 > a" in the project
    And the action
      """
      name: parent
      steps:
        - subplans:
            plans:
              - {name: sub, steps: [{tool: shell, with: {command: "cat .env .env > s; echo 2 > b"}}]}
        - {tool: shell, with: {command: "echo 3 > c"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "echo 9 > d" in the project
    And I have run "agents plan refresh @ --yes"
    And I have run "agents plan rollback @ 1 --yes"
    And I have run "agents plan execute @"
    And I have run "agents plan fork @ 1 --name forked"
    And I have run "agents plan execute @"
    And what every checkpoint holds is remembered
    When I run "agents forget .env s --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    When I run "agents plan checkpoint verify --all"
    Then the exit code is 0
    And every checkpoint is as it was but for ".env, s"
    When I run "agents doctor --format json"
    Then the exit code is 0
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project has ".env: hunter2, d: 9, c: 3" and no "x"

  Scenario: a fork whose first plan was deleted can still be applied
    Given a plain folder
    And the shell has run "echo 1 > a; echo hunter2 > .env" in the project
    And the action
      """
      name: first
      steps: [{tool: shell, with: {command: "echo 2 > a"}}]
      """
    And I have run "agents run ACTION"
    And I have run "agents plan fork @ 1 --name forked"
    And I have run "agents plan execute @"
    And I have run "agents plan delete first --discard --yes"
    When I run "agents forget .env --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project has "a: 2, .env: hunter2" and no "x"

  Scenario: refused while a plan runs
    Given a plain folder
    And the shell has run "echo hunter2 > .env" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "touch begun; until [ -e \"$GATE\" ]; do sleep 0.05; done"}}]
      """
    And the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "GATE"
    And a process of its own has started "agents run ACTION"
    And its step has made "begun"
    When I run "agents forget .env --dry-run"
    Then the exit code is 4
    And the error says "leaky is in use by another process"
    When I run "agents forget .env --yes"
    Then the exit code is 4
    And the error says "busy: "
    And the error does not say "+00:00"
    And the error says "is executing the plan"
    When the gate opens
    And the process comes to its end
    And I run "agents forget .env --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere

  Scenario: nothing was ever stored here
    Given a plain folder
    When I run "agents forget .env --yes"
    Then the exit code is 3
    And the error says "no plan was made for it"

  Scenario Outline: <what> of something else keeps it from beginning
    Given a plain folder
    And the shell has run "echo hunter2 > .env; echo kept > kept" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And I have run "agents run ACTION"
    And <what>
    And the store and its rows are remembered
    When I run "agents forget .env --yes"
    Then the exit code is <code>
    And the error says "<says>"
    And the store and its rows are as they were

    Examples:
      | what                                                 | code | says                            |
      | the stored content of "kept" is damaged | 1 | agents doctor --repair          |
      | an operation that cannot be read is open             | 4    | was interrupted and cannot be finished |
      | a conflict about ".env" is open                      | 4    | a conflict about .env is open   |

  Scenario: a pack that nobody can read goes with what it holds, once all else is there
    Given a plain folder
    And the shell has run "echo hunter2 > .env; echo kept > kept" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And I have run "agents run ACTION"
    And what every checkpoint holds is remembered
    And a copy of every pack lies there that is cut short
    When I run "agents forget .env --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    And every checkpoint is as it was but for ".env"

  Scenario Outline: what a crash left of it goes with <what>
    Given a plain folder
    And the shell has run "echo hunter2 > .env" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And I have run "agents run ACTION"
    And forgetting ".env" was killed <when>
    When I run "agents plan checkpoint verify --all"
    Then the exit code is 0
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the output says "forgetting paths of"
    When I run "agents <what>"
    Then the exit code is 0
    And forgetting is <finished>
    When I run "agents doctor --format json"
    Then the exit code is 0

    Examples:
      | when                  | what                                      | finished            |
      | before the rows       | doctor --repair --format json | as if never begun   |
      | after the rows        | doctor --repair --format json | finished            |
      | after the rows        | plan checkpoint create @ --label x --set sandbox.checkpoint.exclude=.env | finished |

  Scenario: a snapshot that a crash left without a row goes, too
    Given a plain folder
    And the shell has run "echo hunter2 > .env; echo kept > kept" in the project
    And the action
      """
      name: leaky
      steps: [{tool: shell, with: {command: "echo 1 > one"}}]
      """
    And I have run "agents run ACTION"
    And the row of the newest checkpoint is lost
    And a killed restore has put ".env" aside
    And a conflict about ".env" was resolved
    When I run "agents forget .env --yes"
    Then the exit code is 0
    And "hunter2" is stored nowhere
    And nothing lies aside
    And no conflict is known any more

  Scenario Outline: the data directory of an earlier version: <version>
    Given the data directory of <version>, unpacked where it was made
    And what every checkpoint holds is remembered
    When I run "agents forget v --yes"
    Then the exit code is 0
    And every checkpoint is as it was but for "v"

    Examples:
      | version           |
      | the first version |
      | version 0.2.0     |

  Scenario: whatever is forgotten of whatever a plan has made
    Then in 2 lives of a sandbox a path is forgotten, and nothing else
