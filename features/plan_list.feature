Feature: Some of the plans
  The list can be cut to the newest plans, to a state and to a name; every format has one order.

  Scenario: some plans, in one order in every format
    Given a plain folder
    And the action
      """
      name: Mend 100% of auth_b
      steps:
        - {name: first, tool: shell, with: {command: "exit 3"}}
      """
    And I have run "agents run ACTION" in vain
    And the action
      """
      name: outer
      steps:
        - subplans:
            plans:
              - name: one
                steps:
                  - {tool: write_file, with: {path: a.txt, content: "a"}}
              - name: two
                steps:
                  - {tool: write_file, with: {path: b.txt, content: "b"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan use ACTION"
    Then the list of plans is
      | options                    | names                                       |
      |                            | outer, outer, one, two, Mend 100% of auth_b |
      | --limit 1                  | outer                                       |
      | --limit 2                  | outer, outer, one, two                      |
      | --state errored            | Mend 100% of auth_b                         |
      | --state complete --limit 2 | outer, outer, one, two                      |
      | --name O                   | outer, outer, one, two, Mend 100% of auth_b |
      | --name TWO                 | two                                         |
      | --name 0%                  | Mend 100% of auth_b                         |
      | --name h_b                 | Mend 100% of auth_b                         |
      | --name d_1                 |                                             |
    When I run "agents plan list --state applied"
    Then the exit code is 0
    And the error says "no plan is like that; see them all: agents plan list"

  Scenario: a project without plans says how to make one, whatever was asked for
    Given a plain folder
    When I run "agents plan list --state applied --limit 3"
    Then the exit code is 0
    And the error says "this project has no plan yet; write a first action: agents init, or run one that you have: agents run ACTION"

  Scenario Outline: <options> is refused
    Given a plain folder
    When I run "agents plan list <options>"
    Then the exit code is 2
    And the error says "<message>"

    Examples:
      | options                       | message                                                                                           |
      | --limit 0                     | Invalid value for '--limit': '0' is not a number from 1 on.                                       |
      | --limit many                  | Invalid value for '--limit': 'many' is not a number from 1 on.                                    |
      | --limit 99999999999999999999  | is not a number from 1 on.                                                                        |
      | --state done                  | 'done' is not one of 'queued', 'processing', 'complete', 'errored', 'applied', 'cancelled'        |
