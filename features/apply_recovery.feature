Feature: Apply, whatever happens in between
  Killed, out of space or met by an edit: the project is exactly before or exactly after, and no edit
  of the user's is lost.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; mkdir d swap; echo o > d/old; echo s > swap/s; echo f > file; ln -s text link; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "sed -i 1d text; mkdir -p n/m; echo in > n/m/f; rm -r d; rm -r swap; echo now > swap; rm file; mkdir file; echo in > file/in; ln -sfn n link; chmod 700 n"}}
      """
    And I have run "agents run ACTION"
    And the user's repository and files are remembered

  Scenario: an apply that is killed anywhere is finished, or never began
    When an apply is killed at each of its steps and recovered
    Then it was before or after each time
    And more than 5 moments were tried

  Scenario: an unapply that is killed anywhere is finished, or never began
    Given I have run "agents plan apply @ --yes"
    When an unapply is killed at each of its steps and recovered
    Then it was before or after each time
    And more than 5 moments were tried

  Scenario: an unapply that is killed while it makes the sandbox again is finished
    Given the sandbox is remembered
    And I have run "agents plan apply @ --yes"
    And an unapply has been killed while it made the sandbox again
    When I run "agents plan unapply @ --yes"
    Then the sandbox is exactly as it was
    And the plan is "execute/complete"

  Scenario: an error on the way leads back to exactly before
    When an apply meets the error ENOSPC at each of its steps
    Then the project was as before each time, and the plan "execute/complete"
    And more than 5 moments were tried

  Scenario: an error on the way leads back to the same files, whatever other names they have
    Given the shell has run "ln text twin; ln d/old older; ln swap/s second; ln file file2" in the project
    And the user's repository and files are remembered
    When an apply meets the error ENOSPC at each of its steps
    Then the project was as before each time, and the plan "execute/complete"
    And more than 5 moments were tried
    And in the project "! ls -A | grep .cleveragents-" holds

  Scenario: an edit in the middle of an apply leaves all other files the same
    Given the shell has run "ln text twin; ln file ../outside" in the project
    And the user's repository and files are remembered
    When "text" is edited in the middle of an apply
    Then the exit code is 4
    And the project's file "text" holds "edited"
    And in the project "test file -ef ../outside -a $(wc -l < twin) -eq 9" holds
    And in the project "! ls -A | grep .cleveragents-" holds

  Scenario Outline: second names that an apply keeps for the way back are gone <after>
    Given the shell has run "ln text twin; ln d/old older; ln swap/s second; ln file ../outside" in the project
    And an apply has been killed <where>
    When I run "agents plan apply @"
    Then the exit code is 0
    And the plan is "apply/applied"
    And in the project "! ls -A | grep .cleveragents-" holds
    And in the project "test $(wc -l < twin) -eq 9 -a $(cat older) = o -a $(cat second) = s -a $(cat ../outside) = f" holds

    Examples:
      | after                                        | where                       |
      | once what was killed half-way is finished    | half-way                    |
      | once what was killed at its end is finished  | after everything was placed |

  Scenario: an error on the way back from an apply
    Given I have run "agents plan apply @ --yes"
    And the user's repository and files are remembered
    When an unapply meets the error EROFS at each of its steps
    Then the project was as before each time, and the plan "apply/applied"

  Scenario: an edit in the middle of an apply is kept, all else is as before
    When "text" is edited in the middle of an apply
    Then the exit code is 4
    And the error says "text"
    And the project's file "text" holds "edited"
    And all but "text" is as it was
    And the plan is "execute/complete"

  Scenario Outline: an edit between the last look at a file and its rename is kept: <name>
    When an apply meets an edit of "<name>" just as <what>
    Then the exit code is 4
    And the error says "changed meanwhile by somebody else"
    And the error says "<name>"
    And the project's file "<name>" holds "edited"
    And all but "<name>" is as it was
    And the plan is "execute/complete"
    And in the project "! find . -path ./.git -prune -o -print | grep .cleveragents-" holds

    Examples:
      | name  | what           |
      | text  | it is replaced |
      | d/old | it is taken    |

  Scenario: a file that somebody makes just where an apply puts a new one is kept
    When an apply meets an edit of "n/m/f" just as it is made
    Then the exit code is 4
    And the project's file "n/m/f" holds "edited"
    And the plan is "execute/complete"

  Scenario: where the file system knows only plain renames, an apply and its way back are the same
    Given the file system knows only plain renames
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the user's repository and files are as they were

  Scenario: an edit right after it was placed is kept, all else is as before
    When "text" is edited at the end of an apply
    Then the exit code is 4
    And the error says "not as they were written a moment ago"
    And the project's file "text" holds "edited"
    And all but "text" is as it was
    And the plan is "execute/complete"

  Scenario: an edit after a crash is kept, all else is as before
    Given an apply has been killed half-way
    And the shell has run "echo edited > text" in the project
    When I run "agents doctor --repair"
    Then the output says "the interrupted apply was taken back"
    And the output does not say "is finished"
    And the error says "text: edited meanwhile, left as it is"
    And the project's file "text" holds "edited"
    And all but "text" is as it was
    And the plan is "execute/complete"

  Scenario: what came into a directory after a crash stays, all else is as before
    Given an apply has been killed half-way
    And the shell has run "mkdir swap; echo mine > swap/mine" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "an interrupted apply was taken back: nothing was changed: this is in the way"
    And the error says "swap/mine: its directory is to become a file"
    And the plan is "execute/complete"
    Given the shell has run "rm swap/mine" in the project
    Then the user's repository and files are as they were

  Scenario Outline: an interrupted <act> waits for a project that is not there, whatever is run meanwhile
    Given <before>
    And an <act> has been killed half-way
    And I remember the plan
    And the shell has run "mkdir -p ../elsewhere; mv ../project ../away" in the project
    When I run "agents <meanwhile>" below ../elsewhere
    Then the exit code is <code>
    And the error says "is gone, or something else took its place"
    Given the project is back from "../away"
    When I run "agents plan <act> @ --yes"
    Then the exit code is 0
    And the error says "the interrupted <act> was finished just now"
    And in the project "! ls -A | grep .cleveragents-" holds
    And in the project "<after>" holds

    Examples:
      | act     | before                                  | meanwhile               | code | after              |
      | apply   | the shell has run "true" in the project | plan apply PLAN --yes   | 4    | test -e n/m/f      |
      | apply   | the shell has run "true" in the project | doctor --repair         | 1    | test -e n/m/f      |
      | apply   | the shell has run "true" in the project | plan checkpoint pin PLAN 1 | 0 | test -e n/m/f      |
      | unapply | I have run "agents plan apply @ --yes"  | doctor --repair         | 1    | test ! -e n/m/f    |

  @needs_root
  Scenario: an interrupted apply waits for what is in its way both forward and back
    Given an apply has been killed once a new directory had its file
    And chattr has set +i on the project's "file/in"
    And chattr has set +i on the project's "text"
    When I run "agents plan apply @ --yes"
    Then the exit code is 1
    And the error says "could not be put back yet"
    And the error says "text: it is protected: chattr"
    When I run "agents doctor --repair"
    Then the error says "waits until that is mended"
    When chattr takes the flags from the project's "file/in"
    And chattr takes the flags from the project's "text"
    And I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the error says "the interrupted apply was finished just now"
    And in the project "! find . -name '.cleveragents-*' | grep ." holds
    And the plan is "apply/applied"

  Scenario: an unfinished apply is shown by reading commands and finished by changing ones
    Given an apply has been killed half-way
    When I run "agents plan status @"
    Then the error says "an interrupted apply is finished by the next command"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the error says "an interrupted apply was finished"
    And the user's repository and files are as they were

  Scenario: an apply that was interrupted is finished by the next apply, and by no other then
    Given an apply has been killed half-way
    When I run "agents plan apply @"
    Then the exit code is 0
    And the error says "the interrupted apply was finished just now; nothing else was done"
    And the output says "✓ OK Applied"
    And the output says "n/m/f"
    And the plan is "apply/applied"
    And the error says "agents plan unapply"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4

  Scenario: an unapply that was interrupted is finished by the next unapply
    Given I have run "agents plan apply @ --yes"
    And an unapply has been killed while it made the sandbox again
    When I run "agents plan unapply @ --format json"
    Then the exit code is 0
    And the data holds
      | field | value      |
      | phase | "execute"  |
      | state | "complete" |
      | as    | "changes"  |
    And a message says "the interrupted unapply was finished just now"
    And the user's repository and files are as they were

  Scenario Outline: what a given-up <act> has built and never placed <fate>
    Given <before>
    And an <act> has been killed half-way
    And the shell has run "ls -A | grep -q .cleveragents-; mkdir ../packs; mv ../data/projects/*/store/packs/* ../packs" in the project
    When I run "agents plan <act> @ --yes"
    Then the error says "an interrupted <act> of this plan cannot be finished"
    When I run "agents doctor --repair"
    Then the output says "never placed <fate>"
    And in the project "<check>" holds

    Examples:
      | act     | before                                  | fate                 | check                           |
      | apply   | the shell has run "true" in the project | removed              | ! ls -A \| grep .cleveragents- |
      | unapply | I have run "agents plan apply @ --yes"  | can be removed: find | ls -A \| grep .cleveragents-   |

  Scenario: what is yours and has a second name is not removed when an apply is given up
    Given the shell has run "ln file ../outside" in the project
    And an apply has been killed half-way
    And the shell has run "mkdir ../packs; mv ../data/projects/*/store/packs/* ../packs" in the project
    When I run "agents plan apply @ --yes"
    Then the error says "an interrupted apply of this plan cannot be finished"
    When I run "agents doctor --repair"
    Then the output says "or that are yours and stood in its way, can be removed: find"
    And in the project "test .cleveragents-*-was -ef ../outside" holds

  Scenario: what cannot be made durable stays unfinished
    When an apply meets an error of the disk when it is made durable
    Then the exit code is 1
    And the error says "could not be made durable"
    And the plan is "apply/processing"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the user's repository and files are as they were

  Scenario: what can neither go on nor back stays unfinished
    When an apply meets an error of the disk from its second rename on
    Then the exit code is 1
    And the error says "could not be put back yet"
    And the plan is "apply/processing"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the user's repository and files are as they were

  Scenario: a project that is full
    Given a project that is nearly full
    When I run "agents plan apply @ --yes"
    Then the exit code is 1
    And the error says "not enough space"
    And the plan is "execute/complete"

  Scenario: a validation that was killed leaves no trace
    Given the action
      """
      name: slow
      validate: ["echo trace > trace; echo $$ > $GATE.pid; echo > $GATE.there; while :; do sleep 0.1; done"]
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "GATE"
    And I have run "agents run ACTION"
    And a process of its own has started "agents plan apply @ --yes"
    And its command has started
    And the process is killed
    When I run "agents plan checkpoint create @"
    Then the exit code is 0
    And the plan has no file "trace"
    And nothing that the killed step started is left

  Scenario: only one applies at a time
    Given somebody else is at work on the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "busy"
    And the plan is "execute/complete"
