Feature: The keeper
  Coding agents tell what they do through hooks. A hook is never in the way: it tells the keeper, a
  process beside the agents, and whatever the keeper cannot take in time lies in the spool.

  Scenario: an event is recorded and answered, and a hook prints the answer and nothing else
    Given a protected project with a keeper
    When an agent tells these
      | event                   | text       |
      | claude:UserPromptSubmit | answer me  |
      | claude:PreToolUse       | rm a       |
      | claude:PostToolUse      | rm a       |
      | claude:Stop             |            |
      | claude:Unheard          |            |
      | nobody:PreToolUse       | rm a       |
    Then the agent was told
      """
      heard answer me
      """
    And this was recorded
      """
      prompt answer me
      before rm a
      after rm a
      turn-end
      """

  Scenario Outline: an event belongs to the innermost protected directory that it happened in: <where>
    Given a protected project with a keeper
    And these directories: "sub/inner", "sub/inner/deep" and a link "elsewhere" to "sub"
    And "<protected>" is protected as well
    Then an event in "<where>" belongs to "<root>"

    Examples:
      | where           | protected | root      |
      | .               | sub/inner | .         |
      | sub             | sub/inner | .         |
      | sub/inner/deep  | sub/inner | sub/inner |
      | elsewhere/inner | sub/inner | sub/inner |
      | sub/gone/too    | sub/inner | .         |
      | ../beside       | sub/inner | nothing   |
      | ../gone         | sub/inner | nothing   |

  Scenario: in a directory that is not protected a hook does nothing at all
    Given a protected project
    When an agent in another directory tells "claude:PreToolUse"
    And an agent that names no directory tells "claude:PreToolUse"
    Then no keeper was started, and nothing lies in the spool
    And nothing was printed

  Scenario: what is no protected directory in the list of them is passed over
    Given a protected project with a keeper
    And lines that are none in the list of protected directories
    Then an event in "." belongs to "."

  Scenario: an event that nobody takes in time is late, and is taken in before the next one, in order
    Given a protected project with a keeper and a budget of 0.2 seconds
    When an agent tells "claude:UserPromptSubmit" with "hold on", and does not wait
    And an agent tells "claude:PreToolUse" with "first"
    And an agent tells "claude:PostToolUse" with "second"
    Then 3 events lie in the spool, each for its owner alone
    When the keeper goes on
    And an agent tells "claude:Stop" with ""
    Then this was recorded
      """
      prompt hold on
      prompt hold on (late)
      before first (late)
      after second (late)
      before first (late)
      after second (late)
      turn-end
      """
    And nothing lies in the spool

  Scenario: the first call waits for the first look, longer than hooks may take otherwise
    Given a protected project with a keeper and a budget of 0.2 seconds
    And the first look may take 30 seconds
    When an agent tells "claude:UserPromptSubmit" with "hold on", and does not wait
    And the keeper goes on after the budget, and "claude:PreToolUse" with "rm a" waits
    Then this was recorded
      """
      prompt hold on
      prompt hold on (late)
      before rm a
      """

  Scenario: who tells anything but a call goes on before a first look that takes longer
    Given a protected project with a keeper
    And the first look may take 10000 seconds
    When an agent tells "claude:UserPromptSubmit" with "do it"
    And an agent tells "claude:PreToolUse" with "rm a"
    Then only the last of them is waited for so long

  Scenario: a first call that is the first event of all waits for the first look as well
    Given a protected project with a keeper and a budget of 0.2 seconds
    And the first look may take 30 seconds
    When the keeper goes on after the budget, and "claude:PreToolUse" with "hold" waits
    Then this was recorded
      """
      before hold
      """
    And nothing lies in the spool

  Scenario: what cannot be recorded now waits in the spool, and holds up no other directory
    Given a protected project with a keeper
    When an agent tells "claude:PreToolUse" with "not now"
    And another event of the same directory and one of another lie in the spool
    And an agent tells "claude:Stop" with ""
    Then this was recorded
      """
      prompt of another (late)
      turn-end
      """
    And 2 events lie in the spool, each for its owner alone
    When it can be recorded now
    And an agent tells "claude:Stop" with ""
    Then nothing lies in the spool

  Scenario: garbage in the spool is put aside and keeps nothing back
    Given a protected project
    And this in the spool
      | name       | what         |
      | 1.event    | not JSON     |
      | 2.event    | nested JSON  |
      | 3.event    | a list       |
      | 4.event    | a FIFO       |
      | 5.event    | a directory  |
      | 6.event    | a link       |
      | 7.event    | an event     |
      | .8.event   | unfinished   |
      | 9.event    | a failure    |
      | notes      | not JSON     |
    When a keeper starts
    Then this was recorded
      """
      prompt from the spool (late)
      """
    And the spool holds ".8.event", "1.event.bad", "2.event.bad", "3.event.bad", "4.event.bad", "5.event.bad", "6.event.bad", "9.event.bad" and "notes"

  Scenario: two who take in the spool at once leave nothing behind and harm nothing
    Given a protected project
    And this in the spool
      | name    | what                        |
      | 1.event | taken while others are read |
      | 2.event | an event                    |
    When a keeper starts
    Then this was recorded
      """
      prompt take all (late)
      """
    And what is gone can be removed, read and put aside again

  Scenario: a keeper that fails at an event goes on with the next one
    Given a protected project with a keeper
    When an agent tells "claude:PreToolUse" with "fail"
    And an agent tells "claude:PreToolUse" with "rm a"
    Then this was recorded
      """
      before rm a
      """
    And the keeper has kept the failure
    And nothing lies in the spool

  Scenario: who wants to be strict has calls blocked that could not be recorded, and no others
    Given a protected project with a keeper
    And late calls are to be blocked
    When an agent tells these
      | event                   | text |
      | claude:UserPromptSubmit | fail |
      | claude:PreToolUse       | fail |
      | claude:PreToolUse       | rm a |
      | claude:PostToolUse      | fail |
    Then the agent was told
      """
      no
      """

  Scenario Outline: a hook that fails says nothing, keeps where it was, and blocks only who wants it: <event>
    Given a protected project
    And late calls are <strict> to be blocked
    When an agent tells "<event>" in words that are no JSON
    Then the agent was told "<told>"
    And the data directory tells where the hook failed, and not what the agent was told

    Examples:
      | strict | event              | told |
      | not    | claude:PreToolUse  |      |
      | indeed | claude:PreToolUse  | no   |
      | indeed | claude:PostToolUse |      |

  Scenario: a hook ends well where there is no data directory any more, and if nobody ends what it reads
    Given a protected project with a keeper and a budget of 0.2 seconds
    Then a hook that is told nothing and no end ends well
    When the data directory is gone
    Then a hook ends well

  Scenario: there is one keeper, however many are started
    Given a protected project with a keeper
    Then another one that is started ends at once
    And one that is started while it ends takes its place

  Scenario Outline: a keeper whose <file> is no longer its own ends
    Given a protected project with a keeper
    When the <file> of the keeper is <done>
    Then the keeper ends, and leaves the <file> alone

    Examples:
      | file   | done     |
      | lock   | removed  |
      | socket | removed  |
      | lock   | replaced |
      | socket | replaced |
      | lock   | garbled  |

  Scenario: a keeper whose data directory is gone ends, and leaves no socket
    Given a protected project with a keeper
    When its data directory is removed
    Then the keeper ends
    And its socket is gone

  Scenario Outline: one that nobody tells of its <file> looks by itself
    Given a protected project with a keeper that nobody tells of its files
    When an agent tells "claude:PreToolUse" with "rm a"
    Then this was recorded
      """
      before rm a
      """
    When the <file> of the keeper is removed
    Then the keeper ends, and leaves the <file> alone

    Examples:
      | file   |
      | lock   |
      | socket |

  Scenario Outline: a keeper starts where the system has no watches left to give: <limit>
    Given a protected project
    When a keeper starts where <limit> is 0
    Then a keeper has started all the same

    Examples:
      | limit                 |
      | max_inotify_instances |
      | max_inotify_watches   |

  Scenario: a change to its files that takes nothing from it is no reason to end
    Given a protected project with a keeper
    When the mode of its socket is set again
    And an agent tells "claude:PreToolUse" with "rm a"
    Then this was recorded
      """
      before rm a
      """

  Scenario: a keeper that hears nothing ends
    Given a protected project
    When a keeper starts that ends after 0.05 seconds
    Then the keeper ends
    And no socket is left

  Scenario: a keeper that is at work does not end, however long it takes
    Given a protected project
    When a keeper starts that ends after 0.05 seconds
    And an agent tells "claude:PreToolUse" with "hold", and does not wait
    And the keeper goes on
    Then this was recorded
      """
      before hold
      """
    And the keeper ends

  Scenario: where no texts are kept, none is told to the keeper or lies in the spool
    Given a protected project with a keeper and a budget of 0.2 seconds
    When an agent tells "claude:UserPromptSubmit" with "hold on", and does not wait
    And no texts are to be kept
    And an agent tells "claude:PreToolUse" with "my words"
    Then 2 events lie in the spool, each for its owner alone
    And no event in the spool says "my words"
    When the keeper goes on
    And an agent tells "claude:PreToolUse" with "my words"
    Then this was recorded
      """
      prompt hold on
      prompt hold on (late)
      before  (late)
      before  (late)
      before
      """

  Scenario: a keeper passes over who says nothing, nonsense, or far too much
    Given a protected project with a keeper
    Then it hangs up on each of these
      | said                       |
      | nothing                    |
      | half a line                |
      | an unknown word            |
      | an event without a time    |
      | an event that is none      |
    And it is still there

  Scenario: sockets lie where nobody else can put one
    Given a protected project
    Then sockets lie in the first of these that is there and closed to others
      | runtime         | temporary | sockets           |
      | run             |           | run/cleveragents  |
      | relative        | run       | run/cleveragents-USER |
      | gone            | run       | run/cleveragents-USER |
      | open            | run       | run/cleveragents-USER |
      | link            | run       | run/cleveragents-USER |
      | file            | run       | run/cleveragents-USER |
      | long            | run       | run/cleveragents-USER |

  Scenario Outline: nothing is said to <what>
    Given a protected project
    When <what> lies where the keeper should be
    Then a hook does not speak to it

    Examples:
      | what                            |
      | a file                          |
      | a socket that nobody listens at |
      | a socket in an open directory   |
      | nothing                         |
      | a lock that is no JSON          |
      | a lock that names no socket     |

  @needs_root
  Scenario: a hook does not speak to another user
    Given a protected project with a keeper
    When another user's socket lies where the keeper should be
    Then a hook does not speak to it
    When a socket of ours lies where the keeper should be, and another user listens there
    Then a hook does not speak to it

  @needs_root
  Scenario: a keeper hangs up on another user
    Given a protected project with a keeper
    When another user connects to the keeper
    Then it hangs up at once

  Scenario: a hook finds the agent behind the shells that called it
    Then the agent of a process below 2 shells is this process
    And the agent of a process below 9 shells is not known
    And an agent that is a script of a shell is known, whoever started it
    And the agent of a process that is gone is not known

  Scenario: JSON is read as the usual module reads it
    Then each of these is read as the usual module reads it
      | text                                                    |
      | {"a": [1, 2.5, -3e2, true, false, null], "ä\u00e9": ""} |
      | "with a	tab"                                           |
      | [NaN, Infinity]                                         |
      | {"a": 1}{"b": 2}                                        |
      | {"a": 1,}                                               |
      | {"a"                                                    |
      | nothing                                                 |
      |                                                         |
    And a number of 5000 digits is read as one that is out of all bounds
    And what is written is read back
