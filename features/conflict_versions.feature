Feature: Both versions of a path in conflict, and resolving it
  `plan conflicts PATH` shows what each side has and what it came from; `plan resolve` takes one of them,
  a file, or what the user's merge tool makes of them.

  Background:
    Given a plain folder
    And the shell has run "seq 1 9 > text; printf '\0bin' > bin; echo x > x; mkdir d; ln -s x link; chmod 644 x; echo y > y; printf '\351' > l" in the project
    And the action
      """
      name: group
      steps:
        - subplans:
            mode: parallel
            plans:
              - {name: a, steps: [{tool: shell, with: {command: "sed -i s/5/a/ text; printf '\\0a' > bin; chmod 600 x; ln -sfn text link; echo a > n; echo a > y; printf '\\351a' > l"}}]}
              - {name: b, steps: [{tool: shell, with: {command: "sed -i s/5/b/ text; printf '\\0bb' > bin; chmod 755 x; ln -sfn bin link; mkdir n; echo b > n/b; rm y; printf '\\351b' > l"}}]}
      """
    And I have run "agents run ACTION"

  Scenario: each kind of conflict is told in words
    When I run "agents plan conflicts @ text"
    Then the output says
      """
      Conflict in text
      a file of 18 bytes, mode 644
      a file of 18 bytes, mode 644 (the plan's own)
      a file of 18 bytes, mode 644 (the subplan's)
      """
    When I run "agents plan conflicts @ bin"
    Then the output says
      """
      Conflict in bin
      binary, sha256
      a file of 2 bytes, mode 644, binary, sha256
      a file of 3 bytes, mode 644, binary, sha256
      """
    When I run "agents plan conflicts @ x"
    Then the output says
      """
      Conflict in x
      mode 644
      mode 600 (the plan's own)
      mode 755 (the subplan's)
      """
    When I run "agents plan conflicts @ link"
    Then the output says
      """
      Conflict in link
      a link to x
      a link to text (the plan's own)
      a link to bin (the subplan's)
      """
    When I run "agents plan conflicts @ n"
    Then the output says
      """
      Conflict in n
      no such file
      a file of 2 bytes
      a directory (the subplan's)
      """
    When I run "agents plan conflicts @ l"
    Then the output says
      """
      Conflict in l
      a file of 1 byte, mode 644
      a file of 2 bytes, mode 644, binary
      (the subplan's)
      """
    When I run "agents plan conflicts @ y"
    Then the output says
      """
      Conflict in y
      a file of 2 bytes
      a file of 2 bytes
      no such file (the subplan's)
      """

  Scenario: a text is shown as two diffs to what both came from
    When I run "agents plan conflicts @ text"
    Then the output says
      """
      base → mine:
      -5
      +a
      base → plan:
      -5
      +b
      """
    When I run "agents plan conflicts @ text --format json"
    Then the data holds
      | field     | value  |
      | base.kind | "file" |
      | mine.mode | "100644" |
      | plan.text | "1\n2\n3\n4\nb\n6\n7\n8\n9\n" |
    When I run "agents plan conflicts @ n --format json"
    Then the data holds
      | field     | value       |
      | base      | null        |
      | plan.kind | "directory" |
      | plan.sha256 | null      |

  Scenario: one word alone is a plan, or else a path of the latest one
    When I run "agents plan conflicts text"
    Then the exit code is 0
    And the output says "Conflict in text"
    When I run "agents plan conflicts ./text"
    Then the exit code is 0
    And the output says "Conflict in text"
    When I run "agents plan conflicts @"
    Then the exit code is 0
    And the output says "Conflicts"
    When I run "agents plan conflicts nothing"
    Then the exit code is 3
    And the error says
      """
      no plan and no conflicted path 'nothing'
      in conflict: 7 paths: bin, l, link, n, text, x, y
      see: agents plan list
      """
    When I run "agents plan conflicts nothing text"
    Then the exit code is 3
    When I run "agents plan conflicts ./no"
    Then the exit code is 3
    And the error says "no open conflict"

  Scenario: whose is whose after a refresh
    Given the action
      """
      name: one
      steps:
        - {tool: shell, with: {command: "sed -i s/5/plan/ text; echo plan > x"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "sed -i s/5/mine/ text; echo mine > x" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan conflicts text"
    Then the output says "(your project's)"
    And the output says "(the plan's)"
    When I run "agents plan resolve @ text --take mine"
    Then the exit code is 0
    And in the plan's sandbox "test $(sed -n 5p text) = mine" holds
    And the error says "# takes this one back"
    When I run "agents plan resolve @ x --take plan"
    Then the exit code is 0
    And in the plan's sandbox "test $(cat x) = plan" holds

  Scenario Outline: the user's merge tool makes the version that is taken: <how>
    Given git's merge tool of the user is "<tool>"
    When I run "agents plan resolve @ text <option> --format json"
    Then the exit code is 0
    And in the plan's sandbox "<check>" holds
    When I roll back to the checkpoint that takes it back
    And I run "agents plan conflicts @ text"
    Then the exit code is 0

    Examples:
      | how            | tool                                          | option          | check                           |
      | the configured | cat $LOCAL $BASE $REMOTE > $MERGED            | --tool          | test $(wc -l < text) = 27       |
      | one by name    | sed -i -e '/^<<<<<<</,/^=======/d' -e '/^>>>>>>>/d' $MERGED | --tool=scripted | test $(sed -n 5p text) = b |

  Scenario: a tool that made nothing of it changes nothing
    Given git's merge tool of the user is "true"
    When I run "agents plan resolve @ text --tool"
    Then the exit code is 4
    And the error says "left the file as it was"
    Given git's merge tool of the user is "rm $MERGED"
    When I run "agents plan resolve @ text --tool"
    Then the exit code is 4
    And the error says "left the file as it was"
    Given git's merge tool of the user is "echo more >> $MERGED"
    When I run "agents plan resolve @ text --tool"
    Then the exit code is 4
    And the error says "left marks of conflicts"
    Given git's merge tool of the user is "cp $LOCAL $MERGED"
    When I run "agents plan resolve @ n --tool"
    Then the exit code is 4
    And the error says "a merge tool needs a file"
    Given git's merge tool of the user is "cp $LOCAL $MERGED"
    When I run "agents plan resolve @ y --tool"
    Then the exit code is 4
    And the error says "agents plan resolve"
    Given git's merge tool of the user is "cp $REMOTE $MERGED; true"
    When I run "agents plan resolve @ none --tool"
    Then the exit code is 3
    And the error says "no open conflict in none"
    When I run "agents plan conflicts @ --format json"
    Then "data.conflicts" counts 7

  Scenario: what cannot be meant is said
    When I run "agents plan resolve @ text"
    Then the exit code is 2
    And the error says "say what to take: --take mine|plan|FILE"
    When I run "agents plan resolve @ text --take mine --tool"
    Then the exit code is 2
    And the error says "say what to take"
    When I run "agents plan resolve @ text --tool --dry-run"
    Then the exit code is 2
    And the error says "what a merge tool will make is not known before"
    When I run "agents plan resolve @ text --tool"
    Then the exit code is 2
    And the error says "git's settings name no merge.tool"
    When I run "agents plan resolve @ text --tool=nonsense"
    Then the exit code is 2
    And the error says
      """
      git knows no merge tool 'nonsense'
      git mergetool --tool-help
      git config --global merge.tool NAME
      git config --global mergetool.nonsense.cmd COMMAND
      """
    Given git's setting "mergetool.kdiff3.path" of the user is "/nowhere/kdiff3"
    When I run "agents plan resolve @ text --tool=kdiff3"
    Then the exit code is 2
    And the error says "the merge tool 'kdiff3' is not installed"
    When I run "agents plan resolve @ text --take nothing"
    Then the exit code is 2
    And the error says "--take is mine, plan or a file"

  Scenario: a tool whose exit code git trusts says itself whether it has merged
    Given git's merge tool of the user is "cp $LOCAL $MERGED; false" and git trusts it
    When I run "agents plan resolve @ bin --tool"
    Then the exit code is 1
    And the error says "ended with exit code 1; nothing was changed"

  Scenario: a tool that draws on the terminal is refused where there is none
    Given git's setting "mergetool.vimdiff.path" of the user is "true"
    When I run "agents plan resolve @ text --tool=vimdiff"
    Then the exit code is 2
    And the error says "the merge tool 'vimdiff' needs a terminal, and there is none"
    And the error says "--take mine|plan|FILE"
    When I type on a terminal "agents plan resolve @ text --tool=vimdiff"
    Then the exit code is 4
    And the output says "merge tool vimdiff left the file as it was"
    Given git's setting "mergetool.vimdiff.cmd" of the user is "cp $LOCAL $MERGED"
    When I run "agents plan resolve @ text --tool=vimdiff"
    Then the exit code is 0
