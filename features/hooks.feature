Feature: Hooks, in processes of their own
  An agent calls one small file in the data directory, for ever. It works whatever state the keeper is
  in, and says nothing.

  Scenario: the first event starts a keeper, which owes nothing to the agent
    Given a protected project with an installed hook
    When an agent with secrets in its environment works in processes of their own
    Then 4 moments are recorded, none of them late
    And the agent was told nothing
    And the keeper has a session of its own, no terminal, no secrets and no directory of the project
    And nothing lies in the spool

  Scenario: what the agent has open is not kept open by the keeper
    Given a protected project with an installed hook
    When an agent whose shell holds a lock tells "claude:PreToolUse" with "rm a"
    Then the keeper runs, and the lock is free

  Scenario: a keeper that was killed is replaced at the next event
    Given a protected project with an installed hook
    When an agent works in processes of their own
    And the keeper is killed
    And the agent goes on
    Then 6 moments are recorded, none of them late

  Scenario: a keeper that hangs is waited for no longer than the budget; nothing is lost
    Given a protected project with an installed hook and a budget of 0.3 seconds
    When an agent works in processes of their own, until all is recorded
    And the keeper is stopped
    And the agent goes on
    Then 2 events lie in the spool, each for its owner alone
    When the keeper continues
    And the agent goes on, until all is recorded
    Then moments are recorded once each, and 2 of them late

  Scenario: where no socket can be, each event is recorded by a process of its own
    Given a protected project with an installed hook and a budget of 20 seconds
    And there is no place for a socket
    When an agent tells "claude:PreToolUse" with "rm a"
    And an agent tells "claude:UserPromptSubmit" with "what now"
    Then 2 moments are recorded, none of them late
    And no keeper runs

  Scenario: where no socket can be and a process of its own takes too long, the event is spooled
    Given a protected project with an installed hook and a budget of 0.02 seconds
    And there is no place for a socket
    When an agent tells "claude:PreToolUse" with "rm a"
    Then 1 events lie in the spool, each for its owner alone

  @needs_root
  Scenario: an event that is lost on a full disk leaves nothing half-written, and the doctor tells of it
    Given a data directory on a disk of 4m
    And a protected project with an installed hook and a budget of 0.02 seconds
    And there is no place for a socket
    And all but 0k of its disk is taken
    When an agent tells "claude:PreToolUse" with "rm a"
    Then nothing lies in the spool
    When what took its disk is gone
    And I run "agents doctor --format json"
    Then the exit code is 1
    And the doctor finds the problem "a hook failed at" of "hooks"
    When I run "agents doctor --repair --format json"
    Then the doctor says it has done "cleared: a hook failed at"
    And the doctor finds nothing of "hooks"

  Scenario: events that nobody can read are named, and cleared by the repair
    Given a protected project with an installed hook
    And this in the spool
      | name         | what       |
      | 1.event.bad  | not JSON   |
      | .2.event     | unfinished |
      | .3.event     | unfinished |
    And ".2.event" in the spool is of an hour ago
    When I run "agents protect --check claude"
    Then it warns "2 events of agents cannot be read"
    When I run "agents doctor --format json"
    Then the doctor finds the problem "2 events of agents cannot be read" of "hooks"
    When I run "agents doctor --repair --format json"
    Then the doctor says it has done "2 events of agents cannot be read"
    And the spool holds ".3.event"

  Scenario: what lies in the spool is recorded before the user is told of agents or takes anything back
    Given a protected project with an installed hook
    When an agent works in processes of their own
    And I run "agents keeper stop"
    And an event lies in the spool
    And I run "agents timeline"
    Then the exit code is 0
    And nothing lies in the spool
    And moments are recorded once each, 5 of them, and 1 of them late

  Scenario: keeper and hook of different versions: the keeper ends and the hook starts its own
    Given a protected project with a keeper that speaks "0/old"
    And the hook is installed
    When an agent tells "claude:PreToolUse" with "rm a"
    Then the keeper ends
    And 1 moments are recorded, none of them late

  Scenario: before the database is brought up to date the keeper ends
    Given the data directory of version 0.2.0, unpacked in another place
    And a keeper beside it
    When I run "agents plan list"
    Then no keeper runs

  Scenario: the file that agents call is put right, and only then written
    Given a protected project with an installed hook
    And the hook is as the settings say
    Then the hook can be executed by its owner alone
    When I run "agents plan list"
    Then the hook is as it was, to the inode
    When the hook is another version's
    And I run "agents plan list"
    Then the hook is right again
    When the setting "chat.strict" is on
    And I run "agents plan list"
    Then the hook blocks late calls of every agent that can be told so
    When the hook is gone
    And I run "agents plan list"
    Then there is no hook

  Scenario: the file that agents call follows a setting as soon as that is made
    Given a protected project with an installed hook
    And the hook is as the settings say
    When I run "agents config set chat.strict true"
    Then the hook blocks late calls of every agent that can be told so
    When I run "agents config unset chat.strict"
    Then the hook blocks nothing

  Scenario: a keeper that runs follows the settings
    Given a protected project with an installed hook
    When an agent works in processes of their own
    And I run "agents config set chat.texts none"
    And an agent tells "claude:UserPromptSubmit" with "not this"
    Then the texts that are kept are "touch b, touch b, touch b"
    When I run "agents config unset chat.texts"
    And an agent tells "claude:UserPromptSubmit" with "but this"
    Then the texts that are kept are "touch b, touch b, touch b, but this"

  Scenario: what a hook imports is this and no more
    Given a protected project with an installed hook
    When an agent works in processes of their own
    Then a hook imports exactly these modules beyond what Python starts with
      | module                         |
      | _blake2                        |
      | _json                          |
      | _socket                        |
      | cleveragents                   |
      | cleveragents.hooks             |
      | cleveragents.hooks.client      |
      | cleveragents.hooks.payloads    |
      | cleveragents.hooks.plain_json  |
      | cleveragents.hooks.roots       |
      | cleveragents.hooks.spool       |
      | cleveragents.storage           |
      | cleveragents.storage.address   |
      | select                         |

  Scenario: the keeper tells what it does, and ends when it is asked to
    Given a protected project with an installed hook
    When I run "agents keeper status --format json"
    Then the keeper is told as not running
    When I run "agents keeper stop"
    Then it says that no keeper is running
    When an agent works in processes of their own
    And I run "agents keeper status --format json"
    Then the keeper is told as running, with 4 events and the project
    When I run "agents keeper status"
    Then the exit code is 0
    And the output does not say "+00:00"
    When I run "agents keeper stop --format json"
    Then no keeper runs

  Scenario: a keeper that does not answer is ended all the same
    Given a protected project with an installed hook
    When an agent works in processes of their own
    And the keeper is stopped
    And I run "agents keeper status"
    Then it says that the keeper does not answer
    When I run "agents keeper stop"
    Then no keeper runs

  Scenario: a keeper that does not listen is ended all the same
    Given a protected project with an installed hook
    And a process that is the keeper and does not listen
    When I run "agents keeper status"
    Then it says that the keeper does not answer
    When I run "agents keeper stop"
    Then no keeper runs

  Scenario: a keeper keeps few directories open, those heard of last
    Given a protected project with an installed hook
    When a recorder hears of 18 directories
    Then it has the last 16 of them open
    And each of the 18 has its moment
    And an event of a directory that is no longer there is refused for good

  Scenario: the process that is the keeper is one until it is asked to end
    Given a protected project with an installed hook
    When this process is the keeper while an agent tells 3 events
    Then 3 moments are recorded, none of them late
    When this process is to be the keeper where another one is
    Then it ends at once

  Scenario: agents hook records an event by itself, and prints its answer alone
    Given a protected project with an installed hook
    When "agents hook" is told these
      | event                   | text   | where   |
      | claude:UserPromptSubmit | do it  | .       |
      | claude:PreToolUse       | rm a   | .       |
      | claude:Unheard          |        | .       |
      | claude:PreToolUse       | rm b   | ../else |
    Then each of them succeeded and printed nothing
    And 3 moments are recorded, none of them late
    When "agents hook" is told no JSON
    Then each of them succeeded and printed nothing
    And a log file tells of it
    When the user takes back what the agent did, and prompts again
    Then the agent is told what was taken back

  Scenario: agents hook spools what cannot be recorded now
    Given a protected project with an installed hook
    When "agents hook" is told an event while the database cannot be opened
    Then each of them succeeded and printed nothing
    And 1 events lie in the spool, each for its owner alone
