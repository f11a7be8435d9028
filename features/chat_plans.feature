Feature: Commands about plans, met with a chat
  A chat is a plan of another kind: it works in the user's own directory, and its client runs it. What makes sense
  with one works; every other command refuses and names the one that fits.

  Background:
    Given the files
      | file     | content                   |
      | a.txt    | 1\|2\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt    | b                         |
    And I remember the files as "start"
    And this chat
      """
      prompt one
      call c1 Bash: echo x > x; sed -i 's/^2$/two/' a.txt
      stop
      prompt two
      call c2 Bash: rm b.txt
      stop
      """

  Scenario: every command that takes a plan is in the table, and does with a chat what that says
    Given I have run "agents plan checkpoint create @chat --label spare"
    And I have run "agents plan checkpoint create @chat --label newest"
    Then each command that takes a plan does with the chat "session-A" what the table of chats says

  Scenario: @ and names mean plans alone
    When I run "agents plan status @"
    Then the exit code is 3
    When I run "agents status"
    Then the exit code is 0
    And the output says "Chat of claude"
    When I run "agents diff --name-only"
    Then the output says "b.txt"
    When I run "agents plan status claude"
    Then the exit code is 3
    Given the action
      """
      name: claude
      steps:
        - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents plan use ACTION"
    When I run "agents plan status claude --format json"
    Then the data holds
      | field | value  |
      | kind  | "plan" |
    When I run "agents plan list"
    Then the output does not say "execute/queued"
    When I run "agents plan list --kind chat --format json"
    Then the data holds
      | field        | value    |
      | plans.0.kind | "chat"   |
      | plans.0.name | "claude" |
    When I run "agents plan list --kind all --limit 5 --format json"
    Then the data holds
      | field        | value  |
      | plans.0.kind | "plan" |
      | plans.1.kind | "chat" |
    When I run "agents plan list --kind chat --name nonesuch"
    Then the error says "no chat is like that"

  Scenario: after an undo, the next one is named, be it in a chat or on a plan
    Given the action
      """
      name: later
      steps:
        - {name: first, tool: shell, with: {command: "echo 1 > v"}}
      """
    And I have run "agents run ACTION"
    And this chat goes on
      """
      prompt three
      call c3 Bash: echo y > y
      stop
      """
    When I run "agents undo --yes"
    Then the output says "t3"
    And the error says "agents undo    # takes back the newest act on a plan"
    When I run "agents undo --yes"
    Then the output says "step first (plan later"
    And the error says "agents undo    # takes back t2 of a chat (claude)"
    When I run "agents undo --yes"
    Then the output says "t2"
    And the error says "agents undo    # takes back t1"
    When I run "agents undo --yes"
    Then the error does not say "agents undo"
    When I run "agents redo --yes"
    Then the error says "agents undo    # takes it back again"
    When I run "agents undo t2 --yes"
    Then the exit code is 0
    When I run "agents undo --yes"
    Then the files are as in "start"

  Scenario: people are told of a chat in words of its own
    When I run "agents plan list --kind all"
    Then the output says "chat, at rest  -"
    When I run "agents op log"
    Then the output says "t2: two  chat (claude)"
    When I run "agents log @chat"
    Then the output says "begun  chat of claude"
    And the output says "cp1    prompt"
    And the output does not say "prompt: prompt"
    When I run "agents chat list"
    Then the exit code is 2
    And the error says "did you mean: agents timeline"
    And the error does not say "tool list"

  Scenario: where there is no chat, a list of chats says so
    Given a new project beside it
    When I run "agents plan list --kind chat"
    Then the exit code is 0
    And the error says "no chat was recorded here; protect this directory: agents protect"
    When I run "agents plan status @chat"
    Then the exit code is 3

  Scenario: where a chat stands
    Given this chat goes on
      """
      prompt three
      begin c3 Bash: make something
      """
    When I run "agents plan status @chat"
    Then the exit code is 0
    And the output says
      """
      Chat of claude
      (session-A)
      in a turn
      3, with 3 calls that may have written
      """
    And the error says "t3.1 is under way for "
    When I run "agents status @chat --format json"
    Then the data holds
      | field          | value     |
      | kind           | "chat"    |
      | client         | "claude"  |
      | turns          | 3         |
      | files_modified | 3         |
      | under_way      | ["t3.1"]  |
    Given this chat goes on
      """
      end c3 Bash
      stop
      """
    When I run "agents undo --yes"
    And the process dies before it has closed that
    And I run "agents plan status @chat"
    Then the output says "at rest"
    And the error says "interrupted, and not finished yet: undo of t2; finish it: agents undo"
    When I run "agents plan checkpoint create @chat"
    Then the exit code is 4
    And the error says "finish it: agents undo"

  Scenario: a rollback of a chat takes everything back since a checkpoint, by merge
    Given this chat goes on
      """
      user: sed -i 's/^8$/eight/' a.txt
      """
    When I run "agents plan rollback session-A 2 --dry-run --format json"
    Then the exit code is 0
    And the data holds
      | field        | value                                   |
      | kind         | "chat"                                  |
      | taken_back.0 | {"file": "b.txt", "action": "restored"} |
    When I run "agents rollback cp1 --plan @chat"
    Then the exit code is 2
    And the error says "undo of everything since t1"
    When I run "agents plan rollback @chat 1 --yes --format json"
    Then the exit code is 0
    And the keys of "data" are "kind, chat, client, turn, call, taken_back, kept, conflicts, not_covered, unclear, safety, operation, redo, conversation"
    And the files are as in "start" but for
      | file  | content                       |
      | a.txt | 1\|2\|3\|4\|5\|6\|7\|eight\|9 |
    When I run "agents plan rollback @chat 1 --rebuild"
    Then the exit code is 2
    When I run "agents plan rollback @chat"
    Then the exit code is 2
    And the error says "which checkpoint? name one of these"

  Scenario: single paths of a chat since a checkpoint
    When I run "agents plan restore @chat 1 --path x --path b.txt --yes --format json"
    Then the exit code is 0
    And the data holds
      | field        | value                                   |
      | taken_back.0 | {"file": "b.txt", "action": "restored"} |
      | taken_back.1 | {"file": "x", "action": "removed"}      |
    And the files are as in "start" but for
      | file  | content                     |
      | a.txt | 1\|two\|3\|4\|5\|6\|7\|8\|9 |
    When I run "agents plan restore @chat 1 --path nonesuch --dry-run"
    Then the exit code is 0
    And the output says "nothing"

  Scenario Outline: a chat where <verb> takes a checkpoint is told with the form that works
    When I run "agents <verb> @chat"
    Then the exit code is 2
    And the error says "agents <verb> --plan @chat CHECKPOINT"
    When I run "agents <verb> --plan @chat 2 <option>"
    Then the exit code is 0

    Examples:
      | verb     | option    |
      | diff     | --stat    |
      | rollback | --dry-run |

  Scenario Outline: a checkpoint that tells what <turn> changed is not deleted by itself
    When I run "agents plan checkpoint delete @chat <checkpoint> --yes"
    Then the exit code is 4
    And the error says "nobody could tell what <turn> changed"
    And the error says "agents chat delete"
    And the error says "agents forget PATH"

    Examples:
      | checkpoint | turn |
      | 1          | t1   |
      | 2          | t1   |

  Scenario: checkpoints of a chat are made by hand, in place, named, pinned, compared and deleted
    When I run "agents plan checkpoint create @chat --label here --format json"
    Then the exit code is 0
    And the data holds
      | field           | value    |
      | seq             | 4        |
      | checkpoint_type | "manual" |
      | label           | "here"   |
      | pinned          | true     |
      | resource_id     | null     |
      | step_index      | 2        |
    When I run "agents plan rollback @chat here --yes"
    Then the exit code is 0
    And the error says "there is nothing to take back"
    Given this chat goes on
      """
      prompt three
      call c3 Bash: echo y > y
      stop
      user: echo mine > mine
      """
    When I run "agents plan checkpoint diff @chat here --stat"
    Then the exit code is 0
    And the output says
      """
      added   +1 -0  mine
      added   +1 -0  y
      """
    When I run "agents plan checkpoint diff @chat 1 2 --format json"
    Then the exit code is 0
    When I run "agents plan diff @chat --name-only"
    Then the output says
      """
      a.txt
      b.txt
      mine
      x
      y
      """
    When I run "agents plan rollback @chat here --yes"
    Then the exit code is 0
    And the output says "removed  y"
    When I run "agents plan checkpoint unpin @chat here"
    Then the exit code is 0
    When I run "agents plan checkpoint pin @chat 1"
    Then the exit code is 0
    When I run "agents plan checkpoint verify @chat"
    Then the exit code is 0
    And the output says "checkpoints verified"
    When I run "agents plan checkpoint delete @chat here --yes"
    Then the exit code is 4
    And the error says "nobody could tell what t3 changed"
    Given I have run "agents plan checkpoint create @chat --label spare"
    And I have run "agents plan checkpoint create @chat --label newest"
    When I run "agents plan checkpoint delete @chat spare --yes"
    Then the exit code is 0
    When I run "agents plan checkpoint list @chat"
    Then the exit code is 0
    And the output does not say "spare"
    When I run "agents plan checkpoint show @chat 1"
    Then the output says "prompt"
    When I run "agents log @chat"
    Then the exit code is 0
    And the output says "undo"
    When I run "agents find y"
    Then the output says "claude"
    When I run "agents cat 1 b.txt --plan @chat --to ../old"
    Then the exit code is 0

  Scenario: a fork of a chat is an ordinary plan with a sandbox from that checkpoint
    When I run "agents plan fork @chat 1 --name other"
    Then the exit code is 0
    And the plan's file "b.txt" holds "b"
    And the plan has no file "x"
    When I run "agents plan status @ --format json"
    Then the data holds
      | field          | value   |
      | kind           | "plan"  |
      | name           | "other" |
      | execution.files_modified | 0       |
    When I run "agents plan execute @"
    Then the exit code is 0
    When I run "agents plan diff @ @chat --name-only"
    Then the output says "b.txt"
    And the files are as in "start" but for
      | file  | content                     |
      | a.txt | 1\|two\|3\|4\|5\|6\|7\|8\|9 |
      | b.txt | (gone)                      |
      | x     | x                           |

  Scenario: Tab offers chats by id, turns with their prompts, and the checkpoints of a chat
    Then Tab after "agents undo " offers these
      | value | text |
      | t2    | two  |
      | t1    | one  |
    And Tab after "agents undo t1 --chat @" offers "@chat"
    And Tab after "agents undo --chat session-A t1" offers "t1"
    And Tab after "agents undo --chat 0" offers 1 ids
    And Tab after "agents plan checkpoint show @chat 1" offers "1"
    And Tab after "agents plan checkpoint show session-A 3" offers "3"
    And Tab after "agents timeline --ch" offers "--chat"
    Given a new project beside it
    Then Tab after "agents undo " offers ""
