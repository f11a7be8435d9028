Feature: Confinement
  What a plan runs cannot reach what is the user's: the project, the data directory, other sandboxes, and,
  by stricter levels, anything but its own sandbox. What level a step had is recorded with it.

  # --- What steps cannot reach -------------------------------------------------------------------

  @needs_namespaces
  Scenario Outline: at <level> a step of <whom> that <deed> changes nothing of that
    Given a project of <whom> with secrets, caches and settings
    When a step does "<command>" at "<level>"
    Then that step failed, and its level is "<level>" by "namespaces"
    And nothing but its own sandbox was changed

    Examples: the project, what is kept of it, and the settings
      | level   | whom             | deed                                 | command                                                       |
      | project | root             | writes to the project                | echo bad > "$PROJECT"/a.txt                                      |
      | project | root             | writes through a link                | ln -s "$PROJECT"/a.txt link && echo bad > link                   |
      | project | root             | changes a mode in the project        | chmod 777 "$PROJECT"/a.txt                                       |
      | project | root             | changes a time in the project        | touch -d 2001-01-01 "$PROJECT"/a.txt                             |
      | project | root             | deletes a file of the project        | rm -f "$PROJECT"/a.txt; test ! -e "$PROJECT"/a.txt                  |
      | project | root             | moves the project away               | mv "$PROJECT" "$PROJECT.gone"                                       |
      | project | root             | moves what holds the project away    | mv "$WORLD" "$WORLD.gone"                                             |
      | project | root             | deletes the data directory           | rm -rf "$DATA"/projects; test ! -e "$DATA"/projects                 |
      | project | root             | writes to the database               | echo bad >> "$DATA"/cleveragents.db                              |
      | project | root             | climbs to all sandboxes              | rm -rf ../../../projects; test ! -e ../../../projects         |
      | project | root             | changes the settings                 | echo bad > "$SETTINGS"/config.toml                               |
      | project | root             | takes the cover off                  | umount "$PROJECT" \|\| mount -o remount,rw,bind "$PROJECT"; echo bad > "$PROJECT"/a.txt |
      | project | root             | goes by our process                  | echo bad > /proc/$OURS/root/"$PROJECT"/a.txt                      |
      | project | root             | kills our process                    | kill -0 $OURS                                                  |
      | project | an ordinary user | writes to the project                | echo bad > "$PROJECT"/a.txt                                      |
      | project | an ordinary user | changes a mode in the project        | chmod 777 "$PROJECT"/a.txt                                       |
      | project | an ordinary user | climbs to all sandboxes              | rm -rf ../../../projects; test ! -e ../../../projects         |
      | project | an ordinary user | changes the settings                 | echo bad > "$SETTINGS"/config.toml                               |
      | project | an ordinary user | takes the cover off in a new place   | unshare -Urm sh -c 'umount "$PROJECT"; mount -o remount,rw,bind "$PROJECT"; echo bad > "$PROJECT"/a.txt' |
      | project | an ordinary user | goes by our process                  | echo bad > /proc/$OURS/root/"$PROJECT"/a.txt                      |
      | project | an ordinary user | kills our process                    | kill -0 $OURS                                                  |

    Examples: whatever is not its own
      | level  | whom             | deed                                  | command                                                       |
      | write  | root             | writes to the project                 | echo bad > "$PROJECT"/a.txt                                      |
      | write  | root             | writes at home                        | echo bad > "$HOME"/.profile                                 |
      | write  | root             | changes a mode at home                | chmod 777 "$HOME"/.profile                                  |
      | write  | an ordinary user | writes at home                        | echo bad > "$HOME"/.profile                                 |
      | write  | an ordinary user | makes a file at home                  | echo bad > "$HOME"/new                                      |
      | strict | root             | reads a secret                        | cat "$HOME"/.ssh/id                                         |
      | strict | root             | reads a file of secrets               | grep . "$HOME"/.netrc                                       |
      | strict | root             | sees our process                      | test -e /proc/$OURS/cmdline                                    |
      | strict | root             | writes at home                        | echo bad > "$HOME"/.profile                                 |
      | strict | an ordinary user | reads a secret                        | cat "$HOME"/.ssh/id                                         |
      | strict | an ordinary user | reads a file of secrets               | grep . "$HOME"/.netrc                                       |
      | strict | an ordinary user | sees our process                      | test -e /proc/$OURS/cmdline                                    |
      | strict | an ordinary user | writes to the data directory          | echo bad >> "$DATA"/cleveragents.db                              |

  @needs_namespaces
  Scenario Outline: at <level> a step of <whom> can <act>
    Given a project of <whom> with secrets, caches and settings
    When a step does "<command>" at "<level>"
    Then that step succeeded, and its level is "<level>" by "namespaces"
    And nothing but its own sandbox was changed

    Examples:
      | level   | whom             | act                                     | command                                                              |
      | project | root             | work and commit                         | echo in > b.txt && git add b.txt && git commit -qm b && git gc -q    |
      | project | root             | give a file away                        | echo in > b.txt && chown 65534 b.txt                                 |
      | project | an ordinary user | work and commit                         | echo in > b.txt && git add b.txt && git commit -qm b && git gc -q    |
      | write   | root             | work and commit                         | echo in > b.txt && git add b.txt && git commit -qm b && git gc -q    |
      | write   | root             | use a temporary directory               | echo in > $(mktemp) && mkdir /tmp/confined.d                         |
      | write   | an ordinary user | work and commit                         | echo in > b.txt && git add b.txt && git commit -qm b && git gc -q    |
      | write   | an ordinary user | use a temporary directory               | echo in > $(mktemp) && mkdir /tmp/confined.d                         |
      | write   | an ordinary user | write devices                           | echo x > /dev/null && head -c 1 /dev/urandom > r                     |
      | strict  | root             | work and commit                         | echo in > b.txt && git add b.txt && git commit -qm b && git gc -q    |
      | strict  | an ordinary user | work and commit                         | echo in > b.txt && git add b.txt && git commit -qm b && git gc -q    |
      | strict  | an ordinary user | see its own processes                   | sleep 5 & test -e /proc/$!/cmdline && test -e /proc/self/cmdline     |
      | none    | root             | see everything                          | test -e /proc/$OURS/cmdline && cat "$HOME"/.ssh/id                  |

  @needs_namespaces
  Scenario Outline: at <level> a step of <whom> may fill caches, and what its user names
    Given a project of <whom> with secrets, caches and settings
    And the user has named "<place>" as writable
    When a step does "echo in > "$HOME"/.cache/new && echo in > "$HOME"/named/new" at "<level>"
    Then that step succeeded, and its level is "<level>" by "namespaces"

    Examples:
      | level  | whom             | place           |
      | write  | root             | ~/named         |
      | write  | an ordinary user | ~/named         |
      | strict | an ordinary user | HOME/named      |

  @needs_namespaces
  Scenario Outline: at <level> a coding agent in a step of <whom> finds its settings, and what it changes of them is gone with it
    Given a project of <whom> with secrets, caches and settings
    And that user can have layers of directories
    When a step does "cd "$HOME"/.codex && grep mine config.toml && echo new > config.toml && rm -r old && echo in > new && cat config.toml new" at "<level>"
    Then that step succeeded, and its level is "<level>" by "namespaces"
    And it printed "mine new in"
    And nothing but its own sandbox was changed

    Examples:
      | level  | whom             |
      | write  | root             |
      | write  | an ordinary user |
      | strict | root             |
      | strict | an ordinary user |

  @needs_namespaces
  Scenario Outline: what a step was not allowed to write is named by its failure: <printed>
    Given a project of root with secrets, caches and settings
    When a step fails at "write", and prints "<printed>"
    Then the failure says "not allowed to write <what> (confined: write)"

    Examples:
      | printed                                                                | what                      |
      | touch: cannot touch '/home/u/x': Read-only file system                 | /home/u/x                 |
      | /bin/sh: 1: cannot create /a/b: Read-only file system                  | /a/b                      |
      | bash: a.txt: Read-only file system                                     | a.txt                     |
      | mv: cannot move ‘/a b’ to ‘/c d/e’: Read-only file system              | /c d/e                    |
      | OSError: [Errno 30] Read-only file system: '/home/it's/x'              | /home/it's/x              |
      | EROFS: read-only file system, open '/tmp/it's ä/.gemini/p.tmp'         | /tmp/it's ä/.gemini/p.tmp |
      | could not create PATH aliases: Read-only file system (os error 30)     | outside the sandbox       |
      | /1: Read-only file system\n/2: Read-only file system                   | /1, /2                    |
      | /1: Read-only file system\n/2: Read-only file system\n/3: Read-only file system\n/4: Read-only file system | /1, /2, /3, … |

  @needs_namespaces
  Scenario Outline: at <level> the failure tells what else the walls kept a step from: <printed>
    Given a project of root with secrets, caches and settings
    When a step fails at "<level>", and prints "<printed>"
    Then the failure is "exit code 1<told>"

    Examples:
      | level   | printed                                              | told                                                                   |
      | project | cannot create /opt/x: Read-only file system          |                                                                        |
      | project | cannot create PROJECT/x: Read-only file system       | , not allowed to write PROJECT/x (confined: project)                   |
      | project | x.txt: Read-only file system                         | , not allowed to write x.txt (confined: project)                       |
      | write   | curl: (6) Could not resolve host: example.org        |                                                                        |
      | strict  | curl: (6) Could not resolve host: example.org        | , it has no network, as its tool does not declare one (confined: strict) |
      | strict  | connect ECONNREFUSED 127.0.0.1:5432                  | , it has no network, as its tool does not declare one (confined: strict) |
      | write   | cat: HOME/.ssh/id: Permission denied                 |                                                                        |
      | strict  | cat: HOME/.ssh/id: Permission denied                 | , not allowed to read HOME/.ssh/id (confined: strict)                  |
      | strict  | cat: DATA/other: No such file or directory           | , not allowed to read DATA/other (confined: strict)                    |
      | strict  | cat: /etc/absent: No such file or directory          |                                                                        |

  Scenario: a refused write is told by Landlock as well
    Given a project of an ordinary user with secrets, caches and settings
    And there is Landlock
    When a step does "echo bad > "$PROJECT"/a.txt || { echo "cat: /etc/shadow: Permission denied"; exit 1; }" where there are no namespaces
    Then the failure says ", not allowed to write "
    And the failure says "/a.txt (confined: project)"

  Scenario: at none a failure names nothing that was not allowed
    Given a project of root with secrets, caches and settings
    When a step fails at "none", and prints "/1: Read-only file system"
    Then the failure is "exit code 1"

  @needs_namespaces
  Scenario Outline: the network is there at <level> if the tool <declares>
    Given somebody listens on the loopback
    And a tool that reaches them and <declares>
    When that tool is called at "<level>"
    Then its exit code is <code>

    Examples:
      | level  | declares              | code |
      | strict | says nothing of it    | 7    |
      | strict | declares the network  | 0    |
      | write  | says nothing of it    | 0    |

  @needs_namespaces
  Scenario: in strict the loopback of a step is its own, and works
    Given a project of root with secrets, caches and settings
    When a step does ""$PYTHON" -c 'import socket as s; x = s.create_server((str(), 0)); s.create_connection(x.getsockname())'" at "strict"
    Then that step succeeded, and its level is "strict" by "namespaces"

  # --- Who asks for what -------------------------------------------------------------------------

  @needs_namespaces
  Scenario Outline: <who> may ask for more, and not for less
    Given a plain folder
    And the settings ask for "<settings>"
    And the action
      """
      name: asking
      <action>
      steps:
        - {tool: shell, name: only, with: {command: "true"}<step>}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 0
    And the step "only" was confined to "<level>"

    Examples:
      | who              | settings | action          | step              | level   |
      | nobody           | auto     | description: no  |                   | project |
      | an action        | auto     | confine: write  |                   | write   |
      | a step           | auto     | confine: write  | , confine: strict | strict  |
      | a weaker step    | auto     | confine: strict | , confine: write  | strict  |
      | a weaker action  | strict   | confine: write  |                   | strict  |
      | against none     | none     | confine: write  |                   | write   |
      | nobody, none set | none     | description: no  |                   | none    |

  @default_level
  Scenario Outline: a project's file says <asked> for <key> where its user has <users>: <outcome>
    Given a plain folder
    And the user has set "<key>" to "<users>"
    And the project's file sets "<key>" to "<asked>"
    When I run "agents config list --format json"
    Then the answer for "<key>" is "<outcome>"

    Examples:
      | key                   | users   | asked   | outcome                                            |
      | sandbox.confinement   | auto    | write   | write                                              |
      | sandbox.confinement   | strict  | write   | strict                                             |
      | sandbox.confinement   | write   | write   | write                                              |
      | sandbox.confinement   | none    | project | project                                            |
      | sandbox.confinement   | auto    | none    | a project may not set sandbox.confinement to none  |
      | sandbox.confinement   | auto    | auto    | a project may not set sandbox.confinement to auto  |
      | sandbox.limits.cpu    |         | 60      | 60                                                 |
      | sandbox.limits.cpu    | 60      | 30      | 30                                                 |
      | sandbox.limits.cpu    | 60      | 90      | 60                                                 |
      | sandbox.limits.cpu    | 60      |         | 60                                                 |
      | sandbox.limits.memory | 1 GiB   | 512 MiB | 512 MiB                                            |
      | sandbox.limits.memory | 512 MiB | 1 GiB   | 512 MiB                                            |

  Scenario: a level that there is not is refused with the file and the line
    Given a plain folder
    And the action
      """
      name: asking
      confine: none
      steps:
        - {tool: shell, name: only, with: {command: "true"}}
      """
    When I run "agents plan use ACTION --format json"
    Then the exit code is 2
    And the output says "confine"

  @needs_namespaces
  Scenario: what a session calls is confined as it asks
    Given a plain folder
    When a session calls "true" asking for "strict"
    Then the step "shell" was confined to "strict"

  # --- Everything that a plan runs ---------------------------------------------------------------

  @needs_namespaces @default_level
  Scenario: an undo, a chooser, a strategist, a validation, a search and a Python tool are confined
    Given a project of root with secrets, caches and settings
    When every kind of command tries to write to the project
    Then each of them was told that it is read-only
    And nothing but its own sandbox was changed

  # --- Where it cannot be had --------------------------------------------------------------------

  @needs_root
  Scenario: where there is neither, auto says so once and an explicit level is refused
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo in > b.txt"}}
      """
    When I run "agents run ACTION --format json" where there is no way
    Then the exit code is 0
    And a message says "steps are not confined"
    And the step "first" was confined to "none"
    When I run "agents plan status @ --format json" where there is no way
    Then no message says "not confined"
    When I run "agents run ACTION --set sandbox.confinement=project --format json" where there is no way
    Then the exit code is 4
    And the error message says "steps cannot be confined to project here"
    And the detail says "namespaces: no more namespaces may be made (sysctl user.max_user_namespaces and the like)"
    And a suggestion says "without it: agents config set sandbox.confinement auto"
    When I run "agents doctor --format json" where there is no way
    Then the finding "confinement" says "steps are not confined"

  @needs_namespaces @default_level
  Scenario: what was proved is not tried again, and a proof that fails runs nothing unconfined
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo in > b.txt"}}
      """
    When I run "agents run ACTION --format json"
    Then the exit code is 0
    And the proof of "project" is kept
    When I run "agents run ACTION --format json" where there is no way and nobody knows
    Then the exit code is 1
    And the output says "it could not be confined, and was not run"
    And the proof of "project" is not kept
    And the plan has no file "b.txt"

  Scenario: a writable place that is none is refused before anything runs
    Given a project of root with secrets, caches and settings
    And the user has named "/not/there,/,PROJECT,SETTINGS" as writable
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION --set sandbox.confinement=write --format json"
    Then the exit code is 4
    And the detail says "/not/there: it is not there"
    And the detail says "/: it holds the data directory, or lies in it"
    And the detail says "/project: it holds the project, or lies in it"
    And the detail says "/cleveragents: it holds your settings, or lies in it"
    And a suggestion says "agents config unset sandbox.writable"
    And there is no plan
    When I run "agents doctor --format json"
    Then the exit code is 1
    And the finding "confinement" says "sandbox.writable names a place that steps cannot get: /not/there: it is not there"
    When I run "agents run ACTION --set sandbox.confinement=none --format json"
    Then the exit code is 0

  @needs_namespaces
  Scenario: who names a place to hide that is not hidden is told so
    Given a project of root with secrets, caches and settings
    And the user has named "~/.ssh,~/sekrets,~,PROJECT/a.txt,/bin/sh,/proc,/dev" as hidden
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION --set sandbox.confinement=strict --format json"
    Then the exit code is 0
    And a message says "sandbox.hidden does not hide ~/sekrets: it is not there"
    And a message says "sandbox.hidden does not hide ~: it holds what steps need, and stays in reach"
    And a message says "/a.txt: it lies in the project, of which steps have a copy"
    And a message says "does not hide /bin/sh: it holds what steps need"
    And a message says "does not hide /dev: it holds what steps need"
    And a message says "does not hide /proc: it belongs to the system"
    And no message says "does not hide ~/.ssh"
    When I run "agents doctor --format json"
    Then the finding "confinement" says "sandbox.hidden does not hide ~/sekrets: it is not there"

  Scenario: the doctor tells that no step can run at a level that cannot be had
    Given a plain folder
    When I run "agents doctor --set sandbox.confinement=strict --format json" where there is no way
    Then the exit code is 1
    And the finding "confinement" says "no step can run: none can be confined to strict here"

  Scenario: a level that cannot be had is refused before there is a plan
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION --set sandbox.confinement=strict --format json" where there is no way
    Then the exit code is 4
    And there is no plan

  @needs_root @needs_namespaces
  Scenario: a cache that leads to a disk that is not mounted is left as it is
    Given a project of root with secrets, caches and settings
    And the cache of the user leads nowhere
    When a step does "echo in > b.txt" at "write"
    Then that step succeeded, and its level is "write" by "namespaces"

  @needs_namespaces
  Scenario Outline: what a project's history needs elsewhere is protected: <what>
    Given a project of <whom> with secrets, caches and settings
    And <what>
    When a step does "rm -rf "$WORLD"/greater/.git/objects; echo bad >> "$WORLD"/greater/.git/config; test ! -e "$WORLD"/greater/.git/objects" at "project"
    Then that step failed, and its level is "project" by "namespaces"
    And the greater repository is as it was

    Examples:
      | what                                                    | whom             |
      | the project borrows objects from a greater one          | root             |
      | the project borrows objects from a greater one          | an ordinary user |
      | the project borrows objects from one that does          | root             |
      | the project lies in the work tree of a greater one      | root             |
      | the project lies in the work tree of a greater one      | an ordinary user |
      | the project's repository lies in that of a greater one  | root             |
      | the project's git directory is a link to a greater one  | an ordinary user |

  @needs_namespaces
  Scenario Outline: what is hidden stays so, whatever its place is called: <command>
    Given a project of <whom> with secrets, caches and settings
    And the user keeps secrets in a cache, and names them as hidden
    When a step does "<command>" at "strict"
    Then that step failed, and its level is "strict" by "namespaces"
    And nothing but its own sandbox was changed

    Examples:
      | whom             | command                                                                                          |
      | root             | cd "$HOME"/.cache && mv deep renamed; grep secret deep/kept/key renamed/kept/key deep/token renamed/token |
      | an ordinary user | cd "$HOME"/.cache && mv deep renamed; grep secret deep/kept/key renamed/kept/key deep/token renamed/token |
      | an ordinary user | cd "$HOME"/.cache && chmod 700 deep/kept; chmod 600 deep/token; echo bad > deep/token                        |
      | root             | echo bad > "$HOME"/.cache/deep/token                                                              |

  @needs_root @needs_namespaces
  Scenario: what is hidden is hidden where else it is mounted
    Given a project of root with secrets, caches and settings
    And the secrets of the user are mounted elsewhere
    When a step does "grep secret "$WORLD"/elsewhere/id" at "strict"
    Then that step failed, and its level is "strict" by "namespaces"

  @needs_namespaces
  Scenario Outline: a chooser and a strategist are asked at <level>
    Given a plain folder
    And the action
      """
      name: asking
      strategist: "cat >&2; echo '{\"steps\": [{\"tool\": \"shell\", \"with\": {\"command\": \"echo in > b.txt\"}}]}'"
      """
    When I run "agents run ACTION --set sandbox.confinement=<level>"
    Then the exit code is 0
    Given the steps
      """
      - {name: pick, decide: {question: which, options: {a: [], b: []}, chooser: "cat >&2; echo '{\"choose\": \"a\"}'"}}
      """
    When I run "agents run ACTION --set sandbox.confinement=<level>"
    Then the exit code is 0

    Examples:
      | level  |
      | write  |
      | strict |

  @needs_root
  Scenario Outline: where it cannot be tried nothing runs, whatever the level: <what>
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "echo in > b.txt"}}
      """
    When I run "agents run ACTION --format json" where a trial has room for <few> files
    Then the exit code is 1
    And the error message says "it could not be tried how steps can be confined"
    And there is no plan
    When I run "agents doctor --format json" where a trial has room for <few> files
    Then the finding "confinement" says "it could not be tried how steps can be confined"
    And no message says "steps are not confined"

    Examples:
      | what                     | few |
      | there is no room for it  | 1   |
      | it has no room to work   | 5   |

  Scenario: a plan that was confined, and would not be any more, says so before it goes on
    Given a plain folder
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      - {name: second, tool: shell, with: {command: "test -e ~/go"}}
      """
    And the variable HOME is the folder of the scenario
    When I run "agents run ACTION"
    Then the exit code is 1
    When I run "agents plan execute @ --format json" where there is no way
    Then the output says "steps are not confined"

  @needs_root
  Scenario Outline: a launcher that <does> proves nothing, and nothing runs
    Given a project of root with secrets, caches and settings
    When the doctor looks, while the launcher <does>
    Then it says of "project" by "namespaces": "<told>"
    And nothing but its own sandbox was changed

    Examples:
      | does                | told                                                              |
      | confines nothing    | a trial reached our process                                       |
      | keeps signals alone | a trial could have written to the project                         |
      | does nothing at all | a trial could not work in its own directory (it ended with 0)     |
      | never ends          | a trial did not end within 0.5 s                                  |
      | is not there        | [Errno 2] No such file or directory: '/not/there'                 |

  @needs_namespaces
  Scenario Outline: the doctor says why there is no other way, where <what>
    Given a project of root with secrets, caches and settings
    When the doctor looks where <what>
    Then it says of "<level>" by "<way>": "<told>"

    Examples:
      | what                        | level              | way        | told                                                                     |
      | bubblewrap is not installed | project            | bubblewrap | it is not installed                                                      |
      | Landlock is an older one    | project (contents) | landlock   | Landlock of this kernel cannot keep contents (that of Linux 6.2 and later can) |

  @needs_root @needs_namespaces
  Scenario Outline: what is mounted elsewhere as well is kept there, too: <what>
    Given a project of root with secrets, caches and settings
    And <what> is mounted elsewhere
    When a step does "echo bad > "$WORLD"/elsewhere/<path>" at "project"
    Then that step failed, and its level is "project" by "namespaces"
    And nothing but its own sandbox was changed

    Examples:
      | what                     | path          |
      | the project              | a.txt         |
      | what holds the project   | project/a.txt |
      | a folder of the project  | b.txt         |

  @needs_namespaces
  Scenario: a keeper that began with other variables is out of reach all the same
    Given a project of root with secrets, caches and settings
    And a keeper says that it listens in "elsewhere"
    When a step does "cd "$WORLD"/elsewhere && "$PYTHON" -c 'import socket as s; s.socket(s.AF_UNIX).connect(str().join([chr(107)]))'" at "project"
    Then that step failed, and its level is "project" by "namespaces"

  # --- Other ways --------------------------------------------------------------------------------

  @needs_root
  Scenario Outline: where only bubblewrap may make namespaces, it gives <level> to <whom>
    Given a project of <whom> with secrets, caches and settings
    And bubblewrap is installed
    When a step does "<command>" at "<level>" where only bubblewrap may make namespaces
    Then that step <ended>, and its level is "<level>" by "bubblewrap"
    And nothing but its own sandbox was changed

    Examples:
      | level   | whom             | command                                                     | ended     |
      | project | root             | echo bad > "$PROJECT"/a.txt                                    | failed    |
      | project | root             | umount -l "$PROJECT"; echo bad > "$PROJECT"/a.txt                 | failed    |
      | project | root             | echo bad > /proc/$OURS/root/"$PROJECT"/a.txt                    | failed    |
      | project | root             | rm -rf ../../../projects; test ! -e ../../../projects       | failed    |
      | project | root             | echo in > b.txt && git add b.txt && git commit -qm b        | succeeded |
      | project | an ordinary user | chmod 777 "$PROJECT"/a.txt                                     | failed    |
      | project | an ordinary user | echo in > b.txt && git add b.txt && git commit -qm b        | succeeded |
      | write   | an ordinary user | echo bad > "$HOME"/.profile                               | failed    |
      | write   | root             | echo in > $(mktemp) && mkdir /tmp/confined.d && echo i > "$HOME"/.cache/new | succeeded |
      | strict  | an ordinary user | cat "$HOME"/.ssh/id                                       | failed    |
      | strict  | root             | test -e /proc/$OURS/cmdline                                  | failed    |
      | strict  | root             | echo in > b.txt && git add b.txt && git commit -qm b        | succeeded |

  @needs_root
  Scenario Outline: where there are no namespaces, auto is project (contents) for <whom>
    Given a project of <whom> with secrets, caches and settings
    And there is Landlock
    When a step does "<command>" where there are no namespaces
    Then that step <ended>, and its level is "project" by "landlock"
    And nothing but its own sandbox was changed
    And "confined" told "project (contents), by landlock"

    Examples:
      | whom             | command                                                     | ended     |
      | root             | echo bad > "$PROJECT"/a.txt                                    | failed    |
      | root             | rm -rf ../../../projects; test ! -e ../../../projects       | failed    |
      | root             | mv "$PROJECT" "$PROJECT.gone"                                     | failed    |
      | root             | echo bad > "$SETTINGS"/config.toml                             | failed    |
      | root             | echo in > b.txt && git add b.txt && git commit -qm b        | succeeded |
      | an ordinary user | echo bad > "$PROJECT"/a.txt                                    | failed    |
      | an ordinary user | rm -rf ../../../projects; test ! -e ../../../projects       | failed    |
      | an ordinary user | echo in > b.txt && git add b.txt && git commit -qm b        | succeeded |
      | an ordinary user | echo in > $(mktemp) && echo in > "$HOME"/.cache/new       | succeeded |

  # --- Limits ------------------------------------------------------------------------------------

  @needs_namespaces
  Scenario Outline: at <level> a step of <whom> that takes more <what> than it may is ended or refused
    Given a project of <whom> with secrets, caches and settings
    And nobody counts in groups
    And <what> is limited to "<most>"
    When a step does "<command>" at "<level>"
    Then that step failed, and its level is "<level>" by "namespaces"
    And the failure says "<told>"

    Examples:
      | what      | most   | level   | whom             | command                                                            | told                                         |
      | cpu       | 1      | none    | root             | while :; do :; done                                                | ended by signal 24, it took more than 1 s of processor time (sandbox.limits.cpu) |
      | cpu       | 1      | project | an ordinary user | trap '' XCPU; while :; do :; done                                  | ended by signal 9                            |
      | cpu       | 1      | strict  | an ordinary user | sh -c 'while :; do :; done'; exit $?                               | exit code 152, it took more than 1 s of processor time (sandbox.limits.cpu) |
      | memory    | 64 MiB | project | root             | "$PYTHON" -ISc '"x" * 200000000'                                   | exit code 1, sandbox.limits.memory is 64.0 MiB |
      | memory    | 64 MiB | none    | an ordinary user | head -c 200000000 /dev/zero \| tail -c 150000000 > /dev/null        | exit code 1, sandbox.limits.memory is 64.0 MiB |
      | files     | 8      | project | root             | "$PYTHON" -ISc 'import os; [os.open(str.encode(chr(47)), 0) for _ in range(9)]' | exit code 1, sandbox.limits.files is 8 |
      | processes | 20     | project | an ordinary user | for i in $(seq 40); do sleep 2 & done; wait                        | exit code 2, sandbox.limits.processes is 20  |
      | disk      | 1 MiB  | project | root             | head -c 3000000 /dev/zero > big                                    | its sandbox held more than 1.0 MiB           |
      | disk      | 1 MiB  | write   | an ordinary user | head -c 3000000 /dev/zero > /tmp/big; sleep 60                     | its sandbox held more than 1.0 MiB           |
      | disk      | 1 MiB  | none    | root             | head -c 3000000 /dev/zero > big; sleep 60                          | its sandbox held more than 1.0 MiB           |

  @needs_root
  Scenario: under bubblewrap limits hold as well
    Given a project of root with secrets, caches and settings
    And bubblewrap is installed
    And cpu is limited to "1"
    When a step does "while :; do :; done" at "project" where only bubblewrap may make namespaces
    Then that step failed, and its level is "project" by "bubblewrap"

  @needs_root
  Scenario: a limit that cannot be kept is refused before anything runs
    Given a plain folder
    And nobody counts in groups
    And the steps
      """
      - {name: first, tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION --set sandbox.limits.processes=5 --format json"
    Then the exit code is 4
    And the error message says "the system counts no processes of root"

  Scenario Outline: a limit of <value> for <what> is refused
    Given a plain folder
    When I run "agents plan list --set sandbox.limits.<what>=<value> --format json"
    Then the exit code is 2
    And the error message says "<told>"

    Examples:
      | what   | value | told                                             |
      | cpu    | 0     | must be a whole number of at least 1, or empty   |
      | files  | many  | must be a whole number of at least 1, or empty   |
      | cpu    | 99999999999999999999 | is more than the system can count |
      | memory | '99999999999 GiB' | is more than the system can count   |
      | memory | much  | must be a size such as 512 MiB or 1 GiB          |
