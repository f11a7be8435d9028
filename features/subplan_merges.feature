Feature: Merging subplans
  What a subplan changed is merged into its parent, against what it really started from. Where both
  changed the same, the strategy of the group says what happens.

  Background:
    Given a plain folder
    And the shell has run "seq 1 9 > text; printf '\0bin' > bin; echo x > x; mkdir d; echo y > d/y; ln -s x link; chmod 644 text x" in the project

  # --- Strategies ----------------------------------------------------------------------------------

  Scenario Outline: <strategy>: <case>
    Given the action
      """
      name: group
      steps:
        - name: fan
          subplans:
            mode: parallel
            merge: <strategy>
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "<a>"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "<b>"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And in the plan's sandbox "<check>" holds
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts <conflicts>

    Examples: nothing in common
      | strategy         | case                        | a                            | b                                   | check                                           | conflicts |
      | git_three_way    | different places of a text  | sed -i s/1/a/ text           | sed -i s/9/b/ text; rm x            | test $(cat text \| tr -dc 0-9a-z) = a2345678b     | 0         |
      | sequential_apply | different places of a text  | sed -i s/1/a/ text           | sed -i s/9/b/ text                  | test $(cat text \| tr -dc 0-9a-z) = a2345678b     | 0         |
      | fail_on_conflict | different places of a text  | sed -i s/1/a/ text           | sed -i s/9/b/ text                  | test $(cat text \| tr -dc 0-9a-z) = a2345678b     | 0         |
      | last_wins        | different places of a text  | sed -i s/1/a/ text           | sed -i s/9/b/ text                  | test $(cat text \| tr -dc 0-9a-z) = a2345678b     | 0         |
      | git_three_way    | kinds, modes, links, deaths | chmod 755 x; rm link         | rm -r d; echo d > d; ln -s x l2     | test -x x -a ! -e link -a -f d -a -L l2         | 0         |
      | sequential_apply | added lines before          | sed -i '1i new\\nnew2' text  | sed -i s/5/b/ text                  | test $(sed -n 7p text) = b                      | 0         |
      | sequential_apply | no newline at the end       | sed -i s/1/a/ text           | printf end >> text                  | test $(tail -1 text) = end -a $(head -1 text) = a | 0       |

    Examples: the same in both
      | strategy         | case                        | a                            | b                                   | check                                           | conflicts |
      | git_three_way    | a line                      | sed -i s/5/a/ text           | sed -i s/5/b/ text; echo b > b      | test $(sed -n 5p text) = a -a -e b              | 1         |
      | git_three_way    | a binary file               | head -c 2 /dev/zero > bin    | head -c 3 /dev/zero > bin           | test $(wc -c < bin) = 2                         | 1         |
      | git_three_way    | a mode                      | chmod 600 x                  | chmod 755 x                         | test $(stat -c %a x) = 600                      | 1         |
      | git_three_way    | a link                      | ln -sfn text link            | ln -sfn bin link                    | test $(readlink link) = text                    | 1         |
      | git_three_way    | a new file                  | echo a > n                   | echo b > n                          | test $(cat n) = a                               | 1         |
      | git_three_way    | changed here, deleted there | echo a > x                   | rm x                                | test $(cat x) = a                               | 1         |
      | git_three_way    | deleted here, changed there | rm -r d                      | echo b > d/y                        | test ! -e d                                     | 1         |
      | git_three_way    | a file and a directory      | echo a > n                   | mkdir n; echo b > n/b               | test $(cat n) = a                               | 1         |
      | git_three_way    | the very same               | echo s > n; sed -i 1d text   | echo s > n; sed -i 1d text          | test $(cat n) = s -a $(head -1 text) = 2        | 0         |
      | sequential_apply | a line                      | sed -i s/5/a/ text           | sed -i s/5/b/ text; echo b > b      | test $(sed -n 5p text) = a -a -e b              | 1         |
      | last_wins        | a line                      | sed -i 's/5/a/;s/1/a/' text  | sed -i s/5/b/ text                  | test $(sed -n 5p text) = b                      | 0         |
      | last_wins        | changed here, deleted there | echo a > x                   | rm x                                | test ! -e x                                     | 0         |
      | last_wins        | deleted here, changed there | rm -r d; echo a > a          | echo b > d/y                        | test $(cat d/y) = b -a -e a                     | 0         |
      | last_wins        | a file and a directory      | echo a > n                   | mkdir n; echo b > n/b               | test $(cat n/b) = b                             | 0         |

  # A patch needs no more than the lines around it; a merge wants one between two changes.
  Scenario: patches on a moving base fit where a merge does not
    Given the action
      """
      name: group
      steps:
        - subplans:
            mode: parallel
            merge: sequential_apply
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/4/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/6/b/ text"}}]}
              - {name: c, steps: [{tool: shell, with: {command: "sed -i '9a c' text"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the plan's file "text" holds "1\n2\n3\na\n5\nb\n7\n8\n9\nc"

  Scenario: a conflict that is not wanted fails the step, and nothing of that subplan is merged
    Given the action
      """
      name: group
      steps:
        - name: fan
          subplans:
            mode: parallel
            merge: fail_on_conflict
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text; echo b > b"}}]}
              - {name: c, steps: [{tool: shell, with: {command: "echo c > c"}}]}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "b: subplan b and its parent changed the same; text: changed on both sides"
    And the plan's file "c" holds "c"
    And the plan has no file "b"
    And the subplans are
      | name | state            | merged |
      | a    | execute/complete | yes    |
      | b    | execute/complete | no     |
      | c    | execute/complete | yes    |
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 0

  # --- Conflicts -----------------------------------------------------------------------------------

  Scenario Outline: a conflict is listed until somebody chooses: <take>
    Given the action
      """
      name: group
      steps:
        - subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
      """
    And I have run "agents run ACTION"
    And the shell has run "echo mine > ../mine" in the project
    When I run "agents plan conflicts @"
    Then the exit code is 0
    And the output says "changed on both sides"
    And the error says "agents plan resolve"
    When I run "agents plan resolve @ text --take <take>"
    Then the exit code is 0
    And in the plan's sandbox "<check>" holds
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 0

    Examples:
      | take    | check                        |
      | parent  | test $(sed -n 5p text) = a   |
      | child   | test $(sed -n 5p text) = b   |
      | ../mine | test $(cat text) = mine      |

  Scenario: open conflicts are told wherever a plan is, and no apply is offered before they are resolved
    Given the action
      """
      name: group
      steps:
        - subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
      """
    When I run "agents run ACTION"
    Then the output says "1 open: text"
    And the output says "with 1 conflict"
    And the error says "1 conflict is open"
    And the error says "agents plan conflicts"
    And the error does not say "plan apply"
    When I run "agents plan execute @ --format json"
    Then "data.conflicts" counts 1
    And the status in the envelope is "warn"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field     | value                                                 |
      | conflicts | [{"file": "text", "reason": "changed on both sides"}] |
    When I run "agents plan list"
    Then the output says "execute/complete (1 conflict)"
    When I run "agents plan list --format json"
    Then the data holds
      | field             | value |
      | plans.0.conflicts | 1     |
    When I run "agents plan resolve @ text --take child"
    Then the error says "agents plan apply"
    When I run "agents plan status @"
    Then the output does not say "conflict"
    And the error says "agents plan apply"

  Scenario: going back to before a merge takes its conflicts along
    Given the action
      """
      name: group
      steps:
        - subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text"}}]}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan rollback @ 3 --yes"
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 0
    When I run "agents plan execute @"
    And I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 1
