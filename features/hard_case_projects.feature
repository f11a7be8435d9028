Feature: Hard cases of projects
  What sandboxes meet in the wild: repositories of all sorts, dirty trees, strange places. The
  numbers are those of the lists of hard cases and threats.

  Scenario: H15 nested repositories of a project
    Given a project with nested repositories
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the sandbox comes back exactly after it was wrecked
    And git in the sandbox's "lib/committed" says "all" to "log -1 --format=%s"

  Scenario Outline: H15 nested repository that leads out of the sandbox by <way>
    Given a git repository
    And the shell has run "git init -q -b main ../theirs; git -C ../theirs -c user.name=T -c user.email=t@x commit -q --allow-empty -m theirs; mkdir sub; echo x > sub/x" in the project
    And the shell has run "<command>" in the project
    When a plan runs
    Then a note of the sandbox says "sub/.git: leads to a git directory outside the sandbox"
    And the sandbox has "sub/x"
    And the sandbox has no "sub/.git"

    Examples:
      | way                | command                                         |
      | a .git file        | echo "gitdir: $PWD/../theirs/.git" > sub/.git     |

    # A link is copied as it is: git in the sandbox then works on the user's repository.
    Examples: links
      | way                | command                                         |
      | an absolute link   | ln -s "$PWD/../theirs/.git" sub/.git              |

  Scenario: H16 submodules
    Given a git repository with a submodule "sub"
    And the shell has run "echo changed >> sub/s.txt; echo new > sub/new" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees but for "sub/.git"
    And a note of the sandbox says "sub/.git: leads to a git directory outside the sandbox"
    And git in the sandbox lists as changed ""
    And the sandbox comes back exactly after it was wrecked

  Scenario: H17 sparse checkout and index bits of a project
    Given a project with a repository with index bits set
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the sandbox comes back exactly after it was wrecked

  Scenario Outline: H34 <project>
    Given a git repository
    And the shell has run "<command>" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the plan's branch is checked out in the sandbox
    And git in the sandbox lists as changed "<changed>"

    Examples:
      | project                   | command                                                                    | changed    |
      | detached HEAD             | git checkout -q --detach; echo x > b                                       | b          |
      | unborn branch             | git checkout -q --orphan unborn; echo x > b                                | a.txt, b   |
      | repository without commit | rm -rf .git; git init -q .                                                 | a.txt      |
      | branch with an odd name   | git checkout -q -b 'ünï/code&<x>'                                          |            |
      | packed refs and packs     | git gc -q; git pack-refs --all                                             |            |
      | a .git file               | mv .git ../moved.git; echo gitdir: ../moved.git > .git                     |            |
      | a linked .git             | mv .git ../moved.git; ln -s ../moved.git .git                              |            |
      | replaced commit           | git commit -q --allow-empty -m second; git replace HEAD HEAD~1             |            |

  Scenario: H34 plain directory
    Given a project with one of each kind
    When a plan runs
    Then the sandbox is an exact copy of the project
    And the sandbox comes back exactly after it was wrecked

  Scenario: H34 linked worktree
    Given a git repository
    And the shell has run "git worktree add -q ../linked; echo x > ../linked/new" in the project
    And the project is "linked"
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And the plan's branch is checked out in the sandbox
    And git in the sandbox lists as changed "new"
    And the sandbox comes back exactly after it was wrecked

  Scenario: H34 sha256 repository
    Given a plain folder
    And the shell has run "git init -q --object-format=sha256 .; git add -A; git -c user.name=T -c user.email=t@x commit -qm one" in the project
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And git in the sandbox lists as changed ""
    And git in the sandbox says "sha256" to "rev-parse --show-object-format"

  Scenario: H35 bare repository
    Given a plain folder
    And the shell has run "git init -q --bare bare.git" in the project
    When a plan is tried with "--project bare.git"
    Then the plan was refused, saying "bare git repository"

  Scenario: a `.git` that is no repository is told as such
    Given a plain folder
    And the shell has run "mkdir .git" in the project
    And the steps
      """
      - {name: look, tool: shell, with: {command: ls}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says ".git is no git repository"

  Scenario: H36 project that is a folder of a repository
    Given a git repository
    And the shell has run "mkdir -p sub/d; echo x > sub/d/x; echo '*.o' > .gitignore; echo y > sub/y.o; git add -A; git commit -qm sub" in the project
    And the user's project is remembered
    When a plan runs with "--project sub"
    Then the sandbox is an exact copy of the project's "sub"
    And the sandbox comes back exactly after it was wrecked
    And the user's project is bit for bit as it was

  Scenario: H36 project that is found from a folder of a repository
    Given a git repository
    And the shell has run "mkdir -p sub/d; echo x > sub/d/x" in the project
    When a plan runs in the project's "sub/d"
    Then the sandbox holds exactly what the user sees

  Scenario: H37 shallow clone
    Given a git repository
    And the shell has run "for i in 1 2 3; do echo $i > a.txt; git commit -qam $i; done; git clone -q --depth 2 "file://$PWD" ../shallow; echo x > ../shallow/new" in the project
    And the project is "shallow"
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And git in the sandbox lists as changed "new"
    And git in the sandbox says "3\n2" to "log --format=%s"
    And git in the sandbox says "" to "fsck --strict"

  Scenario: H37 partial clone
    Given a git repository
    And the shell has run "echo 2 > b; git add b; git commit -qm two; git rm -q b; git commit -qm three; git config uploadpack.allowFilter true; git clone -q --filter=blob:none "file://$PWD" ../partial" in the project
    And the project is "partial"
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And a note of the sandbox says "the sandbox has no git history"
    And the sandbox comes back exactly after it was wrecked

  Scenario: H38 alternates in the user's repository
    Given a git repository
    And the shell has run "git clone -q --shared . ../shared" in the project
    And the project is "shared"
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And git in the sandbox says "first" to "log --format=%s"
    When the shell runs "rm -r .git ../project/.git" in the project
    Then git in the sandbox says "first" to "log --format=%s"
    And git in the sandbox lists as changed ""

  Scenario Outline: H38 path with <what>
    Given the folders of project and data are "<name>" and "<data>"
    And a git repository
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And git in the sandbox lists as changed ""
    And git in the sandbox says "first" to "log --format=%s"

    Examples:
      | what             | name             | data            |
      | spaces           | my own project   | my own data     |
      | quotes           | it's a "project" | it's "data"     |
      | unicode          | prøjekt 项目 🎉  | dätä 数据 🎉    |
      | a colon          | c:project:x      | c:data:y        |
      | a backslash      | pro\\ject\\x     | da\\ta\\y       |
      | shell and glob   | $HOME `id` * [a] | $HOME `id` * ?  |
      | a leading dash   | -rf              | --data          |
      | a hash, a percent | #1 100%         | #2 %s %n        |
      | a semicolon      | a;b&c            | d;e&f           |
      | an end of line   | a\nb             | data            |

    Examples: data
      | what             | name             | data            |
      | an end of line   | project          | c\nd            |

  Scenario: H38 path with bytes, no text, is refused
    Given the folders of project and data are "caf\xe9" and "data"
    When I run "agents plan list"
    Then the exit code is 2
    And the error says "the project's path is not UTF-8"

  Scenario: H38 project on another file system
    Given a project on another file system
    And a git repository
    When a plan runs
    Then the sandbox holds exactly what the user sees
    And git in the sandbox lists as changed ""
    And the sandbox comes back exactly after it was wrecked
