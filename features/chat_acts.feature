Feature: What an apply brings into a directory with chats is ours
  A plan that is applied, or taken out again, between two calls of a turn, during one or after it, changes files that
  are neither the agent's nor unclear nor the user's by hand. Undo of the turn leaves them, or says why it cannot.

  Background:
    Given the files
      | file  | content                   |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                         |
    And the action
      """
      name: plan
      steps:
        - {tool: shell, with: {command: "mkdir new; echo p > new/p; sed -i 's/^8$/eight/' a.txt; rm b.txt"}}
      """
    And I have run "agents run ACTION"

  Scenario: who takes back what an apply changed too is told so
    Given this chat
      """
      prompt one
      call c1 Bash: sed -i 's/^7$/seven/' a.txt
      stop
      """
    And the action
      """
      name: after
      steps:
        - {tool: shell, with: {command: "sed -i 's/^seven$/SEVEN/' a.txt"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    When I undo here and it is refused
    Then it says "a.txt: an apply of a plan changed the same"
    And it says "take that back first: agents undo --plan 01"
    And it says nothing of "you changed"
    When I run "agents undo --plan @ --yes"
    And I undo here
    Then the directory holds
      | file  | content                   |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                         |

  Scenario Outline: applied <when>
    Given this chat
      """
      prompt one
      begin c1 <tool>: y
      <during>
      <then>
      """
    And I have run "agents plan apply @ --yes"
    And this chat goes on
      """
      <afterwards>
      <at last>
      stop
      prompt two
      """
    Then the timeline tells
      | turn | what     | paths    |
      | t1   | t1.1     | a.txt, x |
      | t1   | external |          |
      | t1   | unclear  |          |
      | t2   | external |          |
    When I undo "t1 --unclear take" here
    Then the directory holds
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | new/p | p                             |
    When I redo here
    Then the directory holds
      | file  | content                         |
      | a.txt | 1\|two\|3\|4\|5\|6\|7\|eight\|9 |
      | new/p | p                               |
      | x     | x                               |
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the directory holds
      | file  | content                     |
      | a.txt | 1\|two\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                           |
      | x     | x                           |

    Examples:
      | when                               | tool           | during                                    | then                             | afterwards                            | at last     |
      | between calls                      | Bash           | user: sed -i 's/^2$/two/' a.txt; echo x>x | end c1 Bash                      | call c2 Bash: :                       | start       |
      | during a call, which wrote before  | Bash           | user: sed -i 's/^2$/two/' a.txt; echo x>x | start                            | end c1 Bash                           | start       |
      | during a call, which writes then   | Bash           | user: echo x > x                          | start                            | user: sed -i 's/^2$/two/' a.txt       | end c1 Bash |
      | while a call writes                | Bash           | user: sed -i 's/^2$/zwei/' a.txt          | start                            | user: sed -i 's/^zwei$/two/' a.txt; echo x>x | end c1 Bash |
      | during a call that names its paths | Edit a.txt x   | user: sed -i 's/^2$/zwei/' a.txt          | user: echo x > x                 | user: sed -i 's/^zwei$/two/' a.txt    | end c1 Edit |
      | after the turn                     | Bash           | user: sed -i 's/^2$/two/' a.txt; echo x>x | end c1 Bash                      | stop                                  | start       |

  Scenario: a call that goes over what was applied meanwhile goes back to that
    Given this chat
      """
      prompt one
      begin c1 Bash: y
      """
    And I have run "agents plan apply @ --yes"
    And this chat goes on
      """
      user: sed -i 's/^eight$/acht/' a.txt; rm -r new; echo other > b.txt
      end c1 Bash
      stop
      """
    When I undo here
    Then the directory holds
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | new/p | p                             |

  Scenario: taken out and applied again while a call runs, with what the call did in between
    Given I have run "agents plan apply @ --yes"
    And this chat
      """
      prompt one
      begin c1 Bash: y
      user: sed -i 's/^1$/one/' a.txt
      """
    And I have run "agents plan unapply @ --yes"
    And this chat goes on
      """
      user: sed -i 's/^3$/three/' a.txt
      """
    And I have run "agents plan apply @ --yes"
    And I have run "agents plan unapply @ --yes"
    And this chat goes on
      """
      user: echo x > x
      end c1 Bash
      stop
      """
    Then what acts have placed is kept
    And the timeline tells
      | turn | what     | paths    |
      | t1   | t1.1     | a.txt, x |
      | t1   | unclear  |          |
    When I undo here
    Then the directory holds
      | file  | content                   |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                         |

  Scenario: an apply that was killed half-way, and finished when others had been heard of
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      """
    And an apply has been killed half-way
    And this chat goes on
      """
      call c2 Bash: echo y > y
      """
    And I have run "agents plan apply @"
    And this chat goes on
      """
      call c3 Bash: echo z > z
      stop
      """
    Then the timeline tells
      | turn | what     | paths |
      | t1   | t1.1     | x     |
      | t1   | t1.2     | y     |
      | t1   | t1.3     | z     |
      | t1   | unclear  |       |
    When I undo here
    Then the directory holds
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
      | new/p | p                             |

  Scenario: of a plan that was deleted nobody knows what it had changed during a call
    Given this chat
      """
      prompt one
      begin c1 Bash: y
      """
    And I have run "agents plan apply @ --yes"
    And I have run "agents plan delete @ --yes"
    And this chat goes on
      """
      user: echo x > x
      end c1 Bash
      stop
      """
    Then the timeline tells
      | turn | what    | paths                    |
      | t1   | t1.1    |                          |
      | t1   | unclear | a.txt, b.txt, new/p, x   |

  Scenario: on the command line the newest act goes first, be it an apply or a turn
    Given this chat
      """
      prompt one
      call c1 Bash: echo x > x
      """
    And I have run "agents plan apply @ --yes"
    And this chat goes on
      """
      stop
      """
    When I run "agents op log --format json"
    Then the data holds
      | field       | value   |
      | acts.0.type | "apply" |
      | acts.1.type | "turn"  |
    When I run "agents undo t1 --everything --dry-run --format json"
    Then the data holds
      | field | value                       |
      | users | ["a.txt", "b.txt", "new/p"] |
    When I run "agents undo --yes"
    And I run "agents undo --yes"
    Then the exit code is 0
    And the directory holds
      | file  | content                   |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | b                         |
