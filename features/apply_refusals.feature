Feature: What apply refuses
  Whatever would be overwritten or endangered is told, every path with the reason and a way out, and
  nothing is changed.

  Background:
    Given a git repository
    And the shell has run "seq 1 9 > text; echo k > keep; mkdir d; echo o > d/old; echo '*.o' > .gitignore; git add -A; git commit -qm more" in the project
    And the action
      """
      name: change
      steps:
        - {tool: shell, with: {command: "sed -i 5s/5/plan/ text; echo plan > new; rm d/old; rmdir d"}}
      """

  Scenario Outline: H64 H65 <case>
    Given I have run "agents run ACTION"
    And the shell has run "<mine>" in the project
    And the user's repository and files are remembered
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "<says>"
    And the user's repository and files are as they were
    And the plan is "execute/complete"
    When I run "agents plan apply @ --dry-run --format json"
    Then "data.obstacles" counts <count>

    Examples: of mine
      | case                                   | mine                                                              | says                                               | count |
      | the same place changed                 | sed -i 5s/5/mine/ text                                            | text: you changed it in the same place as the plan | 1     |
      | an untracked file in the way           | echo mine > new                                                   | new: there is one of yours in the way              | 1     |
      | an ignored file in the way             | echo new >> .git/info/exclude; echo mine > new; echo > .git/info/exclude | new: there is one of yours in the way       | 1     |
      | a directory in the way                 | mkdir new                                                         | new: there is one of yours in the way              | 1     |
      | a file that I deleted                  | rm text                                                           | text: you deleted it, the plan changed it          | 1     |
      | a file that the plan deleted           | echo more >> d/old                                                | d/old: you changed it, the plan deleted it         | 1     |
      | several                                | echo mine > new; echo more >> d/old; echo 0 > text                | 3 paths are in the way                             | 3     |
      | a directory that became a link         | mv d e; ln -s e d                                                 | d: you changed it, the plan deleted it             | 1     |
      | names that differ only in case         | git config core.ignorecase true; echo mine > NEW                  | new: NEW differs from it only in case              | 1     |

  @needs_root
  Scenario Outline: what nobody may change before chattr allows it is told, and nothing is changed: <flag> <path>
    Given I have run "agents run ACTION"
    And the user's repository and files are remembered
    And chattr has set <flag> on the project's "<path>"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "<path>: it is protected: chattr -ia allows changes"
    And the user's repository and files are as they were
    When chattr takes the flags from the project's "<path>"
    And I run "agents plan apply @ --yes"
    Then the exit code is 0
    Given chattr has set <flag> on the project's "<path>"
    When I run "agents plan unapply @ --dry-run --format json"
    Then the paths in the way are "<path>"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says "1 path is in the way; nothing was changed"
    And the error says "chattr -ia -- <path>)"
    And the plan is "apply/applied"

    Examples:
      | flag | path |
      | +i   | text |
      | +a   | .    |

  Scenario Outline: git is in the middle of <what>
    Given I have run "agents run ACTION"
    And the shell has run "git checkout -q -b other; echo other > keep; git commit -qam other; git checkout -q main; echo main > keep; git commit -qam main" in the project
    And the shell has run "<begin>" in the project
    And the user's repository and files are remembered
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "<says>"
    And the error says "finish or abort it"
    And the user's repository and files are as they were

    Examples:
      | what          | begin                                    | says                          |
      | a merge       | git merge -q other \|\| true             | a merge is not finished       |
      | a rebase      | git rebase -q other \|\| true            | a rebase is not finished      |
      | a cherry-pick | git cherry-pick other \|\| true          | a cherry-pick is not finished |
      | a bisection   | git bisect start -q                      | a bisection is not finished   |
      | a command     | touch .git/index.lock                    | another git command is at work |

  Scenario Outline: the plan made <what>
    Given the action
      """
      name: strange
      steps:
        - {tool: shell, with: {command: "<make>"}}
      """
    And I have run "agents run ACTION"
    And the user's repository and files are remembered
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "<says>"
    And the user's repository and files are as they were

    Examples:
      | what                    | make                               | says                                                |
      | a nested repository     | git init -q nested                 | nested/.git: git keeps its own affairs under        |
      | a name like .git        | mkdir x; echo x > x/.GIT           | x/.GIT: git keeps its own affairs under             |
      | a short name like .git  | echo x > git~1                     | git~1: git keeps its own affairs under              |
      | a FIFO                  | mkfifo pipe                        | pipe: neither file nor link nor directory           |

  Scenario Outline: what cannot be applied can be left out, as the hint says, with checkpoints <checkpoints>
    Given the action
      """
      name: strange
      rollback: {enabled: <checkpoints>}
      steps:
        - {tool: shell, with: {command: "git init -q nested; echo in > nested/f; mkfifo ./'-a pipe'"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "2 paths are in the way"
    And the error does not say "agents plan refresh"
    When I follow the hint that begins with "leave out what the plan cannot bring"
    And I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "nested/f" holds "in"

    Examples:
      | checkpoints |
      | true        |
      | false       |

  Scenario: H64 a path of a submodule
    Given a git repository with a submodule "sub"
    And the action
      """
      name: sub
      steps:
        - {tool: shell, with: {command: "echo plan > sub/s.txt"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "sub/s.txt: it belongs to a submodule"

  Scenario: a submodule that the plan does not touch is no obstacle
    Given a git repository with a submodule "sub"
    And the action
      """
      name: beside
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "new" holds "plan"

  Scenario: a path outside the sparse checkout
    Given the shell has run "mkdir out; echo out > out/f; git add -A; git commit -qm out; git sparse-checkout set d" in the project
    And the action
      """
      name: sparse
      steps:
        - {tool: shell, with: {command: "mkdir out; echo plan > out/f; echo in > d/in"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "out/f: it is tracked, and outside your sparse checkout"
    Given the action
      """
      name: inside
      steps:
        - {tool: shell, with: {command: "echo in > d/in"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "d/in" holds "in"

  Scenario Outline: a new path outside the sparse checkout: <patterns>
    Given the shell has run "mkdir out; echo out > out/f; git add -A; git commit -qm out; git sparse-checkout <patterns>" in the project
    And the action
      """
      name: sparse
      steps:
        - {tool: shell, with: {command: "mkdir -p out/deep d/deep; echo 1 > out/deep/new; echo 2 > d/deep/new; echo 3 > d/not.log; echo 4 > top"}}
      """
    And I have run "agents run ACTION"
    And the user's repository and files are remembered
    When I run "agents plan apply @ --dry-run --format json"
    Then the paths in the way are "<outside>"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "out/deep/new: it is outside your sparse checkout"
    And the user's repository and files are as they were
    When I run "agents plan apply @ --yes --as branch"
    Then the exit code is 0

    Examples:
      | patterns                                | outside                      |
      | set --cone d                            | out/deep/new                 |
      | set --no-cone '/*' '!/out/' '!*.log'    | d/not.log, out/deep/new      |
      | set --no-cone '/d/' '!/d/*.log'         | d/not.log, out/deep/new, top |

  Scenario: open conflicts
    Given I have run "agents run ACTION"
    And the shell has run "sed -i 5s/5/mine/ text" in the project
    And I have run "agents plan refresh @ --yes"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says
      """
      1 conflict is open
      text: changed on both sides
      resolve them: agents plan conflicts
      """
    When I run "agents plan resolve @ text --take child"
    And I run "agents plan apply @ --yes"
    Then the exit code is 0
    And in the project "grep -q plan text" holds

  Scenario Outline: a plan in <stage>
    Given I have run "agents <made>"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "<says>"

    Examples:
      | stage               | made            | says                                          |
      | strategize/complete | plan use ACTION | run it to its end: agents plan execute        |

  Scenario: an applied plan, and one that is not
    Given I have run "agents run ACTION"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says "apply it: agents plan apply"
    Given I have run "agents plan apply @ --yes"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "take it back first: agents plan unapply"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 4
    And the error says "agents plan unapply"

  Scenario: a project that is gone, and another one in its place
    Given I have run "agents run ACTION"
    And the shell has run "cp -a . ../copy; cp -a . ../second" in the project
    And the shell has run "mv ../project ../moved; mv ../copy ../project" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "is not the directory that the plan started from"
    When I run "agents plan refresh @ --yes"
    And I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "new" holds "plan"

  Scenario: a repository that is none any more
    Given I have run "agents run ACTION"
    And the shell has run "rm -rf .git" in the project
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says "is not the directory that the plan started from"

  Scenario: a subplan is not applied by itself
    Given I have run "agents run ACTION"
    And I remember the plan
    And the database was told "UPDATE plans SET parent_plan_id = plan_id"
    When I run "agents plan apply PLAN --yes"
    Then the exit code is 4
    And the error says "apply the parent: agents plan apply"

  Scenario: a directory that may not be written to
    Given I have run "agents run ACTION"
    And the shell has run "chmod 555 d" in the project
    When without the rights of root "agents plan apply @ --yes" is run
    Then the exit code is 4
    And the error says "d: no permission to change files in this directory"
    And the plan is "execute/complete"

  Scenario: a directory that I deleted, and one that keeps other files where the plan has a file
    Given the shell has run "mkdir sub; echo f > sub/f; echo g > sub/g; git add -A; git commit -qm sub" in the project
    And the action
      """
      name: inside
      steps:
        - {tool: shell, with: {command: "echo plan > sub/f; rm -r d; echo plan > d"}}
      """
    And I have run "agents run ACTION"
    And the shell has run "mv sub ../sub; echo mine > d/mine" in the project
    When I run "agents plan apply @"
    Then the exit code is 4
    And the error says "sub/f: you deleted it, the plan changed it"
    Given the shell has run "mv ../sub sub" in the project
    And the user's repository and files are remembered
    When I run "agents plan apply @ --as branch"
    Then the exit code is 2
    When I run "agents plan apply @ --dry-run"
    Then the output says "d/mine  its directory is to become a file"
    And the error says "move what is in the directory away"
    And the error does not say "agents plan apply"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says
      """
      1 path is in the way; nothing was changed
      d/mine: its directory is to become a file
      move what is in the directory away
      """
    And the user's repository and files are as they were
    And the plan is "execute/complete"

  Scenario: a project that is gone
    Given I have run "agents run ACTION"
    And I remember the plan
    And the shell has run "mkdir ../other; mv ../project ../moved" in the project
    When I run "agents plan apply PLAN --yes" below ../other
    Then the exit code is 4
    And the error says "the project is gone"

  Scenario: a file that keeps changing
    Given I have run "agents run ACTION"
    When "text" keeps changing while a plan is applied
    Then the exit code is 1
    And the error says "text keeps changing while it is read"

  Scenario: a folder whose file system folds names
    Given the shell has run "rm -rf .git; echo x > Some" in the project
    Then the project folds names only if "some" is "Some"

  Scenario: a file that may not be read
    Given I have run "agents run ACTION"
    And the shell has run "chmod 000 text" in the project
    When without the rights of root "agents plan apply @ --yes" is run
    Then the exit code is 4
    And the error says "no permission to read text"

  # --- validate ----------------------------------------------------------------------------------

  Scenario: what must pass first
    Given the action
      """
      name: valid
      validate: ["test -e new", "echo trace > trace; echo seen; false", "true"]
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --dry-run"
    Then the output says "Must pass first"
    When I run "agents plan apply @ --yes"
    Then the exit code is 4
    And the error says
      """
      1 of 3 validations failed
      false: exit code 1
      seen
      """
    And the project has no "new"
    And the plan has no file "trace"
    And the plan is "execute/complete"

  Scenario: a validation that takes more than it may says so
    Given the action
      """
      name: valid
      validate: ["while :; do :; done"]
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --set sandbox.limits.cpu=1"
    Then the exit code is 4
    And the error says "it took more than 1 s of processor time (sandbox.limits.cpu)"
    And the project has no "new"

  Scenario: a validation that is interrupted
    Given the action
      """
      name: slow
      validate: ["echo $$ > $GATE.pid; echo > $GATE.there; sleep 60", "true"]
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And the variable CLEVERAGENTS_SANDBOX_PASS_ENV is "GATE"
    And I have run "agents run ACTION"
    And a process of its own has started "agents plan apply @ --yes"
    And its command has started
    When the process gets an interrupt
    Then the exit code is 130
    And the error says "stopped while validating; nothing was applied"
    And the plan is "execute/complete"

  Scenario: what passes is stored and shown
    Given the action
      """
      name: valid
      validate: ["echo fine; touch __trace"]
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes --format json"
    Then the exit code is 0
    And the data holds
      | field                | value                    |
      | validate.0.command   | "echo fine; touch __trace" |
      | validate.0.exit_code | 0                        |
    And the project has no "__trace"
    And the validations that are stored are "0"

  # --- unapply -----------------------------------------------------------------------------------

  Scenario: H66 paths edited since are refused, all of them told
    Given I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And the shell has run "echo edited >> new; rm text; echo u > untracked; git checkout -q d; rm -r d; echo mine > d" in the project
    And the user's repository and files are remembered
    When I run "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says
      """
      3 paths are in the way; nothing was changed
      d: edited since the plan was applied: there is one of yours in its place
      new: edited since the plan was applied: it was new with the plan
      text: edited since the plan was applied: you deleted it
      put them back as before or after the apply
      """
    And the user's repository and files are as they were
    And the plan is "apply/applied"
    Given the shell has run "rm d; echo plan > new; seq 1 9 > text; sed -i 5s/5/plan/ text" in the project
    When I run "agents plan unapply @ --dry-run"
    Then the exit code is 0
    And the output says "text"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the project has no "new"
    And the project's file "d/old" holds "o"

  Scenario Outline: what is as before already counts as taken back: <undone>
    Given I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And the shell has run "<undone>" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And in the project "! git status --porcelain | grep ." holds
    And the plan is "execute/complete"
    And the plan's file "new" holds "plan"

    Examples:
      | undone                                  |
      | git checkout -q .; git clean -fdq       |
      | rm new; mkdir d                         |

  Scenario Outline: what hinders an unapply is told by its preview, and nothing is begun: <hindrance>
    Given the action
      """
      name: kinds
      steps:
        - {tool: shell, with: {command: "rm text; mkdir -p text/in; echo in > text/in/f; echo plan > d/old"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And an ordinary user owns the project
    And <hindrance>
    And the user's repository and files are remembered
    When the ordinary user runs "agents plan unapply @ --dry-run"
    Then the exit code is 4
    And the output says "<path>"
    And the output says "<why>"
    And the error says "<way>"
    When the ordinary user runs "agents plan unapply @ --yes"
    Then the exit code is 4
    And the error says "; nothing was changed"
    And the error says "<path>: <why>"
    And the error says "<way>"
    And the user's repository and files are as they were
    And the plan is "apply/applied"
    And no operation is open or stuck

    @needs_root
    Examples:
      | hindrance                                                   | path         | why                               | way                                |
      | the shell has run "echo mine > text/in/mine" in the project | text/in/mine | its directory is to become a file | move what is in the directory away |
      | the shell has run "chmod 555 d" in the project              | d            | no permission to change files     | make the directories writable      |
      | the project's "d" is on a disk that can only be read        | d            | its file system can only be read  | let its file system be written to  |

  Scenario: what the user put into a directory of the plan's stays
    Given the action
      """
      name: dir
      steps:
        - {tool: shell, with: {command: "mkdir n; echo in > n/in"}}
      """
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And the shell has run "echo mine > n/mine" in the project
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the error says "kept, because it holds other files: n"
    And the project's file "n/mine" holds "mine"
    And the project has no "n/in"

  Scenario: an unapplied plan can be rolled back, run and applied again
    Given I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the plan's file "new" holds "plan"
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the plan is "execute/queued"
    When I run "agents plan execute @"
    And I run "agents plan apply @ --yes"
    Then the exit code is 0
    And the project's file "new" holds "plan"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the project has no "new"

  Scenario: two plans one after the other on the same files
    Given I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And the action
      """
      name: second
      steps:
        - {tool: shell, with: {command: "echo second > new; echo more > more"}}
      """
    And I remember the plan
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    When I run "agents plan unapply PLAN --yes"
    Then the exit code is 4
    And the error says "new"
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    When I run "agents plan unapply PLAN --yes"
    Then the exit code is 0
    And the project has no "new"

  # --- projects of other kinds -------------------------------------------------------------------

  Scenario Outline: <kind>
    Given the shell has run "<make>" in the project
    And I have run "agents <where> run ACTION"
    And the user's repository and files are remembered
    When I run "agents <where> plan apply @ --yes"
    Then the exit code is 0
    And in the project "cd <at>; test $(cat new) = plan -a ! -e d" holds
    When I run "agents <where> plan unapply @ --yes"
    Then the exit code is 0
    And the user's repository and files are as they were

    Examples:
      | kind                             | make                                                      | where         | at  |
      | a plain folder                   | rm -rf .git                                               |               | .   |
      | no commits yet                   | rm -rf .git; git init -q -b main .; git add text; rm -rf .git/info |               | .   |
      | a sub-directory of a repository  | mkdir in; cp -a text keep d in; git add in; git commit -qm in | --project in | in |
      | a linked work tree               | git worktree add -q ../linked                             | --project ../linked | ../linked |
      | a copy of a repository           | git config cleveragents.x y                               | --set sandbox.strategy=filesystem_copy | . |

  # --- checkpoints -------------------------------------------------------------------------------

  Scenario: the checkpoint that a plan was applied from is kept, with why it was made
    Given the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_MAX_CHECKPOINTS_PER_PLAN is "2"
    And the variable CLEVERAGENTS_SANDBOX_CLEANUP is "manual"
    And I have run "agents run ACTION"
    And I have run "agents plan apply @ --yes"
    And I have run "agents plan checkpoint create @"
    And I have run "agents plan checkpoint create @"
    Then the checkpoints are
      | type        | reason                                  | phase   |
      | pre_execute | before the plan runs                    | execute |
      | pre_apply   | before its result is applied as changes | apply   |
      | manual      | made by hand                            | apply   |
      | manual      | made by hand                            | apply   |

  Scenario: a plan without checkpoints is applied and unapplied all the same
    Given the action
      """
      name: bare
      rollback: {enabled: false}
      steps:
        - {tool: shell, with: {command: "echo plan > new"}}
      """
    And I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    When I run "agents plan unapply @ --yes"
    Then the exit code is 0
    And the project has no "new"
    And the plan's file "new" holds "plan"

  Scenario: the sandbox goes when its result is applied
    Given I have run "agents run ACTION"
    When I run "agents plan apply @ --yes"
    Then the exit code is 0
    And no files of a sandbox are left
    When I run "agents plan status @ --format json"
    Then the data holds
      | field                    | value     |
      | execution.sandbox.status | "removed" |
