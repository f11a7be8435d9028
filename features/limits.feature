Feature: Limits and bad input
  Whatever a project or a step holds, time and memory stay bounded: it is captured, noted or clearly
  refused, and after a refusal the store is as it was before.

  # --- Where to work -----------------------------------------------------------------------------

  Scenario Outline: the project is <what>
    Given the variable HOME is the folder of the scenario
    And the data directory is outside of the folder of the scenario
    When I run "agents plan list --project <directory>"
    Then the exit code is 4
    And the error says "the project would be"
    And the error says "<what>"
    And the error says "--project DIR"

    Examples:
      | what                        | directory |
      | your home directory         | HOME      |
      | the root of the file system | /         |

  Scenario: a home directory under git is not the project of every folder in it
    Given the variable HOME is the folder of the scenario
    And the data directory is outside of the folder of the scenario
    And the shell has run "git init -q .." in the project
    When I run "agents plan list"
    Then the exit code is 4
    And the error says "your home directory"
    When I run "agents plan list --project ."
    Then the exit code is 0

  Scenario: one's own settings are set and told where there is no project
    Given the variable HOME is the folder of the scenario
    And the shell has run "git init -q .." in the project
    When I run "agents config set sandbox.hidden ~/vault"
    Then the exit code is 0
    When I run "agents config get sandbox.hidden"
    Then the output says "~/vault"
    When I run "agents config set sandbox.confinement write --project-level"
    Then the exit code is 4
    And the error says "your home directory"

  # --- What a step may leave ---------------------------------------------------------------------

  @unmeasured
  Scenario: a step that leaves a sparse file of a TiB, a FIFO, a socket and links in a circle
    Given a plain folder
    And the steps
      """
      - {name: odd, tool: python, with: {call: "odd:make"}}
      - {name: gone, tool: shell, with: {command: "rm -f huge pipe a-loop b-loop self; ls"}}
      """
    And a module "odd" that makes a sparse file of a TiB, a FIFO, a socket and links in a circle
    When I run "agents run ACTION"
    Then the exit code is 0
    And the newest checkpoint but one says "socket: a socket cannot be restored"
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 0
    And "readlink a-loop b-loop self; stat -c %s huge; test -p pipe; du -m huge" in the sandbox prints
      """
      b-loop
      a-loop
      self
      1099511627776
      0	huge
      """

  Scenario: a device is refused by its name
    Given a plain folder
    And steps are not confined
    And the steps
      """
      - {name: fine, tool: shell, with: {command: "echo fine > fine"}}
      - {name: odd, tool: shell, with: {command: "mknod null c 1 3"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "null is a device"
    And what is stored is whole
    And nothing unfinished is in the store

  # --- What a project may hold -------------------------------------------------------------------

  Scenario Outline: a named pipe where git expects a file: <file>
    Given a git repository
    And the shell has run "mkdir -p sub; rm -f <file>; mkfifo <file>" in the project
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    When a process of its own runs "agents run ACTION"
    Then the exit code is 4
    And the error says "<file> is a named pipe; git would wait for it for ever"
    And nothing is in the store

    Examples:
      | file              |
      | .gitignore        |
      | sub/.gitignore    |
      | .git/info/exclude |
      | .git/config       |

  Scenario: git that never ends is ended
    Given a git repository
    And the shell has run "rm .git/refs/heads/main; mkfifo .git/refs/heads/main" in the project
    And nobody waits longer than 1 s for git
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 4
    And the error says "did not end in 1 s"

  Scenario: a named pipe as the project's settings
    Given a plain folder
    And the shell has run "mkdir .cleveragents; mkfifo .cleveragents/config.toml" in the project
    When I run "agents plan list"
    Then the exit code is 2
    And the error says "is a named pipe, not a file"

  Scenario Outline: a project with a path beyond PATH_MAX, a FIFO and links in a circle: <kind>
    Given <kind>
    And a project with a path beyond PATH_MAX
    And the shell has run "mkfifo pipe; ln -s a-loop b-loop; ln -s b-loop a-loop" in the project
    And the steps
      """
      - {tool: shell, with: {command: "rm -rf [0-9]* pipe a-loop b-loop; ls -A > listed"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    When I run "agents plan rollback @ 1 --yes"
    Then the exit code is 0
    And "find . -name second -printf %d; test -p pipe; readlink a-loop" in the sandbox prints
      """
      26b-loop
      """

    Examples:
      | kind             |
      | a plain folder   |
      | a git repository |

  Scenario: a device in the project is refused by its name
    Given a plain folder
    And the shell has run "mknod null c 1 3" in the project
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 4
    And the error says "null is a device"
    And nothing is in the store
    When the shell runs "rm null" in the project
    And I run "agents plan execute @"
    Then the exit code is 0

  Scenario: a file of the project that never stops growing
    Given a plain folder
    And a process that never stops writing to the project's "log"
    And the steps
      """
      - {tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 1
    And the error says "log keeps changing while it is read"
    And nothing is in the store

  Scenario: too many open files
    Given a plain folder
    And the steps
      """
      - {name: fine, tool: shell, with: {command: "echo fine > fine"}}
      - {name: deep, tool: shell, with: {command: "mkdir -p $(yes d | head -n 150 | tr '\\n' /)"}}
      """
    When "agents run ACTION" may open 90 files
    Then the exit code is 1
    And the error says "Too many open files"
    And what is stored is whole
    And nothing unfinished is in the store
    When I run "agents plan execute @"
    Then the exit code is 0

  Scenario: many entries in one directory and in many
    Given a plain folder
    And the project holds as many files as asked for, at least 2000
    And the steps
      """
      - {tool: shell, with: {command: "find . -name '*7' -delete; echo new > many/new"}}
      """
    When "agents run ACTION" runs and is measured
    Then the exit code is 0
    When "agents plan rollback @ 1 --yes" runs and is measured
    Then the exit code is 0
    And in the project "test $(find . | LC_ALL=C sort | md5sum | cut -c-32) = $(cd ../data/sandboxes/*/tree; find . | LC_ALL=C sort | md5sum | cut -c-32)" holds
    And no measured process took more than 200 MiB and 1.5 KiB for each file
