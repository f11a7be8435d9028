Feature: The sandbox of a plan
  A plan works on what the user sees, in a folder of its own, with a git of its own. Nothing that
  happens there reaches the user's files or repository.

  # --- what it starts from -----------------------------------------------------------------------

  Scenario Outline: modes that a umask would take away are there, in <kind>
    Given <kind>
    And the shell has run "echo f > f; chmod 666 f; echo g > g; chmod 4775 g; mkdir d; chmod 777 d; echo h > d/h; chmod 444 d/h; ln f same" in the project
    And the action
      """
      name: look
      steps: [{tool: shell, with: {command: "true"}}]
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And the sandbox is an exact copy of the project

    Examples:
      | kind           |
      | a plain folder |

  Scenario: it starts from what the user sees, not from what is committed
    Given a git repository
    And the shell has run "echo '*.o' > .gitignore; echo one > gone; echo one > run.sh; echo one > staged; git add -A; git commit -qm more" in the project
    And the shell has run "echo changed > a.txt; rm gone; chmod 755 run.sh; echo two > staged; git add staged; echo three > staged" in the project
    And the shell has run "echo new > new; mkdir -p empty/inner; ln -s a.txt link; echo out > x.o; mkdir build; echo out > build/y.o" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees but for "build, x.o"
    And git in the sandbox lists as changed "a.txt, gone, link, new, run.sh, staged"
    And the plan's branch is checked out in the sandbox

  Scenario: what git ignores from now on stays behind, though nobody touched it
    Given a git repository
    And files are trusted as soon as they are captured
    And the shell has run "echo one > x.o; mkdir -p build/in; echo two > build/in/y; echo three > z" in the project
    And a plan has run
    And the shell has run "printf '*.o\nbuild/\n' > .gitignore" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees but for "build, x.o"

  Scenario Outline: a file is opened once to be stored, once to be copied and once to be made, in <project>
    Given <project>
    And files are trusted as soon as they are captured
    And the project has 12 files to count, in two folders
    When a plan runs, and the files that are opened are counted
    Then each file was opened 3 times
    When a plan runs, and the files that are opened are counted
    Then each file was opened 2 times
    When the shell runs "echo more >> 'folder 1/counted-3'" in the project
    And a plan runs, and the files that are opened are counted
    Then "counted-3" was opened 3 times and every other file 2 times
    And the sandbox holds exactly what the user sees

    Examples:
      | project          |
      | a plain folder   |
      | a git repository |

  Scenario: ignored files come along when they are asked for
    Given a git repository
    And the shell has run "printf '.env\nnode_modules/\nbuild/\n' > .gitignore; mkdir -p node_modules/m build sub" in the project
    And the shell has run "echo one > .env; echo two > sub/.env; echo three > node_modules/m/x; echo four > build/y; echo five > sub/b" in the project
    And the variable CLEVERAGENTS_SANDBOX_COPY_IGNORED is ".env,node_modules"
    When a plan runs
    Then the sandbox holds exactly what the user sees but for "build"

  # git tells a folder that holds nothing but ignored files as one; what is inside is not looked at.
  Scenario Outline: an ignored file comes along also out of a folder that is ignored as a whole: <pattern>
    Given a git repository
    And the shell has run "printf 'local/\n.env\n' > .gitignore; mkdir -p local/deep conf; echo one > local/deep/.env; echo two > conf/.env" in the project
    And the variable CLEVERAGENTS_SANDBOX_COPY_IGNORED is "<pattern>"
    When a plan runs
    Then the sandbox has "<path>"

    Examples:
      | pattern         | path            |
      | .env            | conf/.env       |
      | conf/.env       | conf/.env       |
      | .env            | local/deep/.env |
      | local/deep/.env | local/deep/.env |

  Scenario: tracked files in an ignored folder are tracked files
    Given a git repository
    And the shell has run "echo build/ > .gitignore; mkdir build; echo kept > build/kept; git add -f build/kept .gitignore; git commit -qm kept" in the project
    And the shell has run "echo changed > build/kept; echo out > build/out" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees but for "build/out"

  Scenario: it starts from the commit when it is told to, byte for byte
    Given a git repository
    And the shell has run "printf '* text eol=crlf ident\n*.u working-tree-encoding=UTF-16\n*.x filter=f\n' > .gitattributes" in the project
    And the shell has run "printf '$Id: x$\n' > ident; printf 'one\ntwo\n' > crlf; printf 'one\n' > t.x; ln -s a.txt link; echo x > run; chmod 755 run" in the project
    And the shell has run "git -c core.safecrlf=false add -A; git commit -qm attributes; git config filter.f.smudge 'tr o 0'" in the project
    And the shell has run "echo changed > a.txt; echo untracked > new; mkdir empty; git rm -q --cached run" in the project
    And the variable CLEVERAGENTS_SANDBOX_BASE is "head"
    When a plan runs
    Then the sandbox holds exactly the bytes of the commit "HEAD"
    And git in the sandbox lists as changed ""

  Scenario: it cannot start from a commit that is not there
    Given a plain folder
    And the shell has run "git init -q ." in the project
    And the variable CLEVERAGENTS_SANDBOX_BASE is "head"
    When a plan is tried
    Then the plan failed, saying "there is no commit to start from"

  Scenario: a plain folder is copied as a whole
    Given a plain folder
    And the shell has run "mkdir -p .git-like d/empty; echo x > .gitignore; echo y > x; ln d/../x d/x; mkfifo d/p; ln -s nowhere l; chmod 600 x" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees

  Scenario: a repository is copied as a whole when it is told to
    Given a git repository
    And the variable CLEVERAGENTS_SANDBOX_STRATEGY is "filesystem_copy"
    And the shell has run "echo x > .gitignore; echo ignored > x" in the project
    When a plan runs
    Then the sandbox is an exact copy of the project

  Scenario: T23 names that look like options do no harm
    Given a git repository
    And the shell has run "echo x > ./-f; echo x > './--upload-pack=touch canary'; echo x > ':(exclude)b'; echo x > 'new line'; mkdir -- -d; echo x > -d/--" in the project
    And the shell has run "git add -A; git commit -qm names; echo y >> ./-f" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the sandbox comes back exactly after it was wrecked

  Scenario: T18 a bare repository made of tracked files is data
    Given a git repository
    And the shell has run "git init -q --bare b.git; git -C b.git config core.fsmonitor 'touch CANARY'; git add -A; git commit -qm bare" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And no program of the user's repository has run

  # --- where it lies -----------------------------------------------------------------------------

  Scenario: a data directory inside the project is refused
    Given a git repository
    And the data directory is "project/.data"
    When a plan is tried
    Then the plan was refused, saying "lie inside each other"
    And the project has no ".data"

  Scenario: a project inside the data directory is refused
    Given a git repository
    And the data directory is "."
    When a plan is tried
    Then the plan was refused, saying "lie inside each other"

  Scenario: a data directory inside the project by way of a link is refused
    Given a git repository
    And the shell has run "mkdir real; ln -s project/real ../way" in the project
    And the data directory is "way/data"
    When a plan is tried
    Then the plan was refused, saying "lie inside each other"

  Scenario: another process finds it again
    Given a git repository
    And a plan has run
    And the sandbox is remembered
    And the shell has run "echo new > new" in its sandbox
    When a process of its own runs "agents plan checkpoint create @ --format json"
    Then the exit code is 0
    And the data holds
      | field | value |
      | seq   | 4     |
    When a process of its own runs "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And the sandbox is exactly as it was

  Scenario Outline: one that was left half made is made anew: <cause>
    Given a git repository
    And <cause> left a sandbox half made
    When the plan is executed again
    Then the plan succeeded
    And the sandbox holds exactly what the user sees
    And the sandbox comes back exactly after it was wrecked

    Examples:
      | cause                          |
      | a project that cannot be read  |
      | a process killed by its git    |
      | a process killed after its copy |

  Scenario: one that was left half made with read-only folders is made anew for an ordinary user
    Given a git repository
    And the shell has run "mkdir r; echo one > r/a" in the project
    And an ordinary user owns the project
    And a plan has run
    And the shell has run "ln -s a r/l; mkdir -p shut/in; touch shut/in/x; chmod 555 r; chmod 0 shut" in its sandbox
    And the database is changed by hand
      """
      UPDATE sandboxes SET status = 'creating'
      UPDATE plans SET phase = 'execute', state = 'queued'
      """
    When the plan is executed again
    Then the plan succeeded
    And the sandbox holds exactly what the user sees

  Scenario: an ordinary user's sandbox holds and brings back what is read-only
    Given a git repository
    And the shell has run "mkdir r; echo x > r/x; chmod 555 r; echo y > ro; chmod 444 ro" in the project
    And an ordinary user owns the project
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the sandbox comes back exactly after it was wrecked

  Scenario: an ordinary user's project folder may be read-only
    Given a git repository
    And the shell has run "chmod 555 ." in the project
    And an ordinary user owns the project
    When a plan runs
    Then the sandbox holds exactly what the user sees

  Scenario: an ordinary user's unreadable file is refused, and its permissions are not borrowed
    Given a git repository
    And the shell has run "echo secret > s; chmod 000 s" in the project
    And an ordinary user owns the project
    And the user's project is remembered
    When a plan is tried
    Then the plan was refused, saying "no permission to read s"
    And the user's project is bit for bit as it was

  Scenario: a plan on a project that is gone says so
    Given a git repository
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    And I have run "agents plan use ACTION"
    And I remember the plan
    When the shell runs "mkdir ../elsewhere; mv ../project ../moved" in the project
    And I run "agents plan execute PLAN" below ../elsewhere
    Then the plan failed, saying "the project is gone"

  Scenario Outline: T4 one whose <part> a step swapped for a link to the user's is refused
    Given a git repository
    And the shell has run "echo mine > staged; echo new > new" in the project
    And the user's project is remembered
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "rm new; echo more >> a.txt"}}
      """
    And the sandbox's <part> is swapped for a link to the user's
    And a rollback to checkpoint 1 is tried
    Then the user's project is bit for bit as it was

    Examples:
      | part    |
      | tree    |
      | git     |
      | staging |

  Scenario: a rollback that was refused leaves a plan that works
    Given a git repository
    And the shell has run "echo x > d" in the project
    And the variable CLEVERAGENTS_SANDBOX_CHECKPOINT_EXCLUDE is "*.log"
    When a plan runs the steps
      """
      - {tool: shell, with: {command: "rm d; mkdir d; echo x > d/x.log"}}
      """
    And a rollback to checkpoint 1 is tried
    Then the plan was refused, saying "excluded files are in the way"
    When "agents plan checkpoint create @" is run
    Then the plan succeeded
