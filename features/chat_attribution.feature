Feature: Whose change a change is
  What an agent changed are the differences of its calls. What the user wrote while no call ran is
  never an agent's; where it could be either's, it is unclear. `~` is a change of the files.

  Scenario Outline: <rule>
    When this happens: <what happens>
    Then the changes are: <whose>

    Examples: one chat
      | rule                                                            | what happens                                                       | whose                   |
      | a call's change is the agent's                                  | prompt before:x ~ after:x turn-end                                 | agent(t1.1)             |
      | calls are counted within their turn                             | prompt before:x ~ after:x before:y ~ after:y prompt before:z ~ after:z | agent(t1.1); agent(t1.2); agent(t2.1) |
      | before the first call of a turn it is the user's                | prompt ~ before:x after:x turn-end                                 | user                    |
      | and so it is where the turn only reads                          | prompt read:r seen:r ~ turn-end                                    | user                    |
      | between calls it is unclear                                     | prompt before:x after:x ~ before:y after:y turn-end                | unclear                 |
      | after the last call and before the turn's end as well           | prompt before:x after:x ~ turn-end                                 | unclear                 |
      | after the turn's end it is the user's                           | prompt before:x after:x turn-end ~ prompt                          | user                    |
      | unless something still ran at the turn's end                    | prompt before:x after:x turn-end!running ~ prompt ~ before:y       | unclear; user           |
      | or was seen to run since                                        | prompt before:x after:x turn-end ~ start!running ~ start ~ prompt  | user; unclear; unclear  |
      | an interrupt ends the turn                                      | prompt before:x after:x ~ interrupt ~ prompt                       | unclear; user           |
      | the end of the chat as well                                     | prompt before:x after:x ~ end ~ start                              | unclear; user           |
      | a turn that goes on after its end is under way                  | prompt before:x after:x turn-end ~ before:y after:y ~ turn-end ~ prompt | user; unclear; user |
      | and what ran in it then is noted at its next end                | prompt interrupt before:x after:x!running turn-end ~ prompt        | user                    |
      | hooks that were added in the middle of a turn                   | before:x ~ after:x ~ turn-end ~ prompt                             | agent(t0.1); unclear; user |
      | a call that failed may have written                             | prompt before:x ~ after:x!failed turn-end                          | agent(t1.1)             |
      | nothing changed, nothing is told                                | prompt before:x after:x turn-end prompt                            | nothing                 |

    Examples: calls side by side
      | rule                                                            | what happens                                                       | whose                   |
      | calls that overlap have it jointly while both run               | prompt before:x ~ before:y ~ after:x ~ after:y                     | agent(t1.1); agent(t1.1+t1.2); agent(t1.2) |
      | calls of two chats likewise                                     | prompt B.prompt before:x B.before:y ~ after:x B.after:y            | agent(t1.1+B.t1.1)      |
      | the same id in two chats is two calls                           | prompt B.prompt before:x ~ B.before:x after:x ~ B.after:x          | agent(t1.1); agent(B.t1.1) |
      | a call of one chat wins over the rest of another                | prompt before:x after:x B.prompt B.before:y ~ B.after:y            | agent(B.t1.1)           |
      | one chat between calls, the other idle: the doubt wins          | B.prompt B.turn-end prompt before:x after:x ~ B.start turn-end ~ B.prompt | unclear; user    |
      | both before their first call                                    | prompt ~ B.prompt ~ before:x ~ after:x                             | user; user; agent(t1.1) |

    Examples: calls that name their paths
      | rule                                                            | what happens                                                       | whose                   |
      | only those are the agent's                                      | prompt before:x=a.txt ~ after:x                                    | agent(t1.1: a.txt)      |
      | of several calls all that they name                             | prompt before:x=b.txt before:y=a.txt,b.txt ~ after:x after:y       | agent(t1.1+t1.2: a.txt,b.txt) |
      | beside a call that may write anything, everything               | prompt before:x=a.txt before:y ~ after:x ~ after:y                 | agent(t1.1+t1.2); agent(t1.2) |

    Examples: calls without an end
      | rule                                                            | what happens                                                       | whose                   |
      | a call that never ended makes it unclear                        | prompt before:x ~ prompt ~ before:y                                | unclear; user           |
      | so does one that is still under way                             | prompt before:x ~ B.start                                          | unclear                 |
      | interrupted                                                     | prompt before:x ~ interrupt ~ prompt                               | unclear; user           |
      | a call that was denied is over with its turn                    | prompt before:x ~ turn-end ~ prompt                                | unclear; user           |
      | that of a subagent is not                                       | prompt before:x@h ~ turn-end ~ prompt ~ before:y                   | unclear; unclear; user  |
      | beside one that ends it is the other's alone                    | prompt before:x before:y ~ after:y ~ prompt                        | agent(t1.2); unclear    |
      | the prompt of another chat ends nothing                         | prompt before:x B.prompt ~ B.turn-end                              | unclear                 |
      | nor does one that a subagent is given                           | prompt before:x prompt@helper ~ after:x                            | agent(t1.1)             |
      | an id that comes twice: the first had no end                    | prompt before:x ~ before:x ~ after:x                               | unclear; agent(t1.2)    |
      | an end whose beginning nobody saw                               | prompt ~ after:x ~ turn-end ~ prompt                               | unclear; unclear; user  |
      | the first thing that was heard of a chat                        | prompt turn-end ~ B.after:x                                        | unclear                 |
      | the very first thing                                            | after:x ~ turn-end                                                 | unclear                 |

    Examples: what outlives its turn
      | rule                                                            | what happens                                                       | whose                   |
      | a call is the agent's to its end                                | prompt before:x turn-end ~ prompt ~ after:x ~ before:y             | agent(t1.1); agent(t1.1); user |
      | and does not make its turn go on                                | prompt before:x turn-end after:x ~ prompt                          | user                    |
      | a subagent's calls are of the turn that started it              | prompt agent-start@h turn-end prompt before:x@h#1 ~ after:x@h#1 agent-end@h#1 ~ before:y | agent(t1.1); user |
      | while it works there is doubt                                   | prompt agent-start@h turn-end ~ before:x@h after:x@h ~ agent-end@h ~ prompt | user; unclear; user |
      | also after the next prompt                                      | prompt agent-start@h before:x@h after:x@h turn-end prompt ~ agent-end@h#1 ~ before:y | unclear; user |
      | a subagent that never says that it ended                        | prompt agent-start@h before:x@h after:x@h turn-end ~ prompt ~ before:y | unclear; user |
      | the calls of a subagent after its turn do not make it go on     | prompt turn-end before:x@h ~ after:x@h ~ prompt                    | agent(t1.1); user       |
      | something left running after a chat was closed                  | prompt before:x after:x turn-end end!running ~ B.prompt!running ~ B.turn-end!running ~ B.prompt ~ B.before:y | unclear; unclear; unclear; user |
      | it is shown with the chat that left it                          | B.prompt B.before:y B.after:y B.turn-end prompt before:x after:x turn-end!running B.prompt!running B.before:z!running B.after:z!running ~ B.turn-end | unclear |
      | that of a chat that is not closed as well, until none is seen   | prompt before:x after:x turn-end!running B.prompt!running ~ B.before:y ~ B.after:y ~ B.turn-end | unclear; agent(B.t1.1); unclear |
      | late, nobody has seen anything                                  | prompt before:x after:x turn-end!running B.prompt!late ~ B.start ~ B.before:y | late unclear; unclear |
      | beside it the call of another chat cannot be sure               | prompt before:x after:x turn-end!running B.prompt!running B.before:y!running ~ B.after:y!running | unclear(B.t1.1) |
      | but of what it names                                            | prompt before:x after:x turn-end!running B.prompt!running B.before:y=a!running ~ B.after:y!running | agent(B.t1.1: a) |
      | the chat's own next call can                                    | prompt before:x after:x turn-end!running prompt before:y ~ after:y | agent(t2.1)             |

    Examples: acts of ours
      | rule                                                            | what happens                                                       | whose                   |
      | between its two moments it is ours                              | prompt before:x after:x turn-end ~ act:o ~ act:o ~ prompt          | user; ours; user        |
      | also while a call is under way                                  | prompt before:x act:o ~ act:o ~ after:x                            | ours; agent(t1.1)       |
      | two acts one after the other                                    | act:o ~ act:o ~ act:p ~ act:p                                      | ours; user; ours        |
      | an act that was cut off                                         | act:o ~ prompt ~ before:x                                          | unclear; user           |
      | and finished later                                              | act:o ~ prompt before:x ~ after:x turn-end ~ act:o ~ prompt        | unclear beside o…; agent(t1.1) beside o…; unclear beside o; user |
      | one at which nobody looks is told beside what else happened      | prompt before:x act:p!blind ~ act:p!blind after:x ~ turn-end       | agent(t1.1) beside p; unclear |
      | each time while it is under way, in the order of their end       | prompt act:p!blind act:q!blind ~ act:q!blind start ~ act:p!blind before:x ~ after:x | user beside q,p…; user beside p; agent(t1.1) |

    Examples: nobody looked in time
      | rule                                                            | what happens                                                       | whose                   |
      | in calls from end to end it is theirs                           | prompt before:x ~ before:y!late after:x!late after:y               | late agent(t1.1+t1.2)   |
      | and only what they name, if all do                              | prompt before:x=a ~ before:y=b!late after:x!late after:y           | late agent(t1.1+t1.2: a,b) |
      | a call that began late                                          | prompt ~ before:x!late ~ after:x                                   | late unclear(t1.1)            |
      | a call that ended late                                          | prompt before:x ~ after:x!late ~ turn-end                          | late unclear(t1.1)            |
      | in no call                                                      | prompt ~ turn-end!late ~ prompt                                    | late user               |
      | looked after a call had begun                                   | prompt ~ before:x!seen ~ after:x                                   | late unclear(t1.1); late agent(t1.1) |
      | looked after a call had ended                                   | prompt before:x ~ after:x!seen ~ turn-end                          | late unclear(t1.1); late unclear |
      | a prompt that was looked at when all was over                   | start ~ prompt!seen before:x!seen after:x!seen turn-end!seen       | late unclear(t1.1)            |
      | our act                                                         | act:o ~ B.prompt!late act:o                                        | late ours               |

  Scenario: the turns and calls of chats
    When this happens: start prompt before:x before:y=a after:x!failed B.prompt B.before:z B.after:z after:y turn-end before:v read:r seen:r prompt before:w end turn-end B.interrupt B.turn-end
    Then the turns are
      | turn | prompt   | from | to | calls                                                     |
      | t1   | prompt A | 2    |    | Bash x 3-5 failed; Edit y 4-9; Bash v 11-?                |
      | B.t1 | prompt B | 6    | 18 | Bash z 7-8                                                |
      | t2   | prompt A | 14   | 16 | Bash w 15-?                                               |
    And no call is under way

  Scenario: calls that are under way
    When this happens: prompt before:x before:y before:s@helper after:y B.prompt B.before:z
    Then under way are: t1.1 since 2, t1.3 of helper since 4, B.t1.1 since 7
    When this happens: before:x prompt before:s@helper#0 B.before:z B.interrupt
    Then under way are: t0.2 of helper since 3

  @unmeasured
  Scenario: random lives of chats, of a user and of what calls leave running
    Then 800 random lives of chats go as a world says that knows who wrote what
