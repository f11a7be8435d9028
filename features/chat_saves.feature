Feature: An undo in the user's directory while the user goes on saving
  An undo is done completely or not at all. What somebody saves while it goes back is left, all else goes back: in one
  go, however many saves there are.

  Scenario Outline: a save at each step, of <names>, by <how>
    Given the shell has run "for n in a b c d e f g h i j k l; do echo old > $n.txt; done" in the project
    And this chat
      """
      prompt edit
      call c1 Bash: for n in a b c d e f g h i j k l; do echo agent > $n.txt; done
      stop
      """
    And I remember the files as "agent"
    When I undo here while the user saves <how>, a file at each rename: <names>
    Then it says "nothing was changed"
    And it says "edited meanwhile, left as it is"
    And the exit code of the refusal is 4
    And all of it is there, and every other file as the agent left it
    And nothing of ours is left in the directory
    And no operation is open

    Examples:
      | how               | names                                           |
      | in place          | c.txt d.txt a.txt e.txt b.txt f.txt             |
      | in place          | f.txt a.txt e.txt b.txt d.txt             |
      | by new files      | c.txt d.txt a.txt e.txt b.txt f.txt             |
      | by new files      | f.txt a.txt e.txt b.txt d.txt             |

  Scenario Outline: before rename <rename>: <command>
    Given the shell has run "mkdir d was; for n in a b z d/x d/y was/in gone; do echo old > $n.txt; done" in the project
    And this chat
      """
      prompt edit
      call c1 Bash: for n in a b z d/y; do echo agent > $n.txt; done; rm gone.txt d/x.txt; mkdir new; echo n > new/n; rm -r was; echo file > was
      stop
      """
    When I undo here and at rename <rename> the user runs "<command>"
    Then it says "nothing was changed"
    And in the project "test $(cat z.txt) = saved" holds
    And in the project "test $(cat a.txt)$(cat b.txt) = agentagent" holds
    And in the project "test ! -e gone.txt" holds
    And in the project "<then>" holds
    And nothing of ours is left in the directory
    And no operation is open

    Examples:
      | rename | command                             | then                                         |
      | 4      | rm -r d                             | test ! -e d                                  |
      | 7      | rm -r d                             | test ! -e d                                  |
      | 7      | rm -r d; echo mine > d              | test $(cat d) = mine                         |
      | 4      | rm -rf new; echo mine > new         | test $(cat new) = mine                       |
      | 8      | echo mine > was/mine                | test $(cat was/mine) = mine                  |
      | 8      | rm -r was; echo mine > was          | test $(cat was) = mine                       |
      | 6      | mkdir -p new; echo mine > new/mine  | test $(cat new/mine)$(cat new/n) = minen     |
      | 5      | chmod 700 d                         | test $(stat -c %a d) = 700                   |

  Scenario: what is saved twice, the second time just as the first goes back to its place, stays
    Given the files
      | file  | content |
      | a.txt | old     |
    And this chat
      """
      prompt edit
      call c1 Bash: echo agent > a.txt
      stop
      """
    When I undo here while the user saves by new files, a file at each rename: a.txt a.txt
    Then it says "changed meanwhile by somebody else"
    And in the project "grep 'save 2' a.txt" holds
    And nothing of ours is left in the directory
    And no operation is open
