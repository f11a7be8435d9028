Feature: What a command uses with all it starts is counted, where the system makes groups

  Memory and processes are limited for the whole command there, for root as well. Where nobody hands
  them on to groups that we may make, the system counts for each process (confinement.feature).

  @needs_groups @needs_namespaces
  Scenario Outline: at <level> what a step of <whom> starts uses more <what> than it may with it
    Given a project of <whom> with secrets, caches and settings
    And that user may make groups
    And <what> is limited to "<most>"
    When a step does "<command>" at "<level>"
    Then that step failed, and its level is "<level>" by "namespaces"
    And the failure says "<told>"
    And no group is left

    Examples: together two have more than one may
      | what   | most   | level   | whom             | command                                                                                         | told                                                          |
      | memory | 64 MiB | none    | root             | "$PYTHON" -ISc 'import os, time; os.fork(); b = b"x" * (40 << 20); time.sleep(60)'              | it used more than 64.0 MiB of memory (sandbox.limits.memory) |
      | memory | 64 MiB | project | an ordinary user | "$PYTHON" -ISc 'import os, time; os.fork(); b = b"x" * (40 << 20); time.sleep(60)'              | it used more than 64.0 MiB of memory (sandbox.limits.memory) |
      | memory | 64 MiB | write   | root             | "$PYTHON" -ISc 'import os, time; os.fork(); b = b"x" * (40 << 20); time.sleep(60)'              | it used more than 64.0 MiB of memory (sandbox.limits.memory) |
      | memory | 64 MiB | strict  | an ordinary user | "$PYTHON" -ISc 'import os, time; os.fork(); b = b"x" * (40 << 20); time.sleep(60)'              | it used more than 64.0 MiB of memory (sandbox.limits.memory) |

    Examples: root too
      | what      | most | level   | whom             | command                                     | told                            |
      | processes | 9    | none    | root             | for i in $(seq 9); do sleep 2 & done; wait  | , sandbox.limits.processes is 9 |
      | processes | 9    | project | root             | for i in $(seq 9); do sleep 2 & done; wait  | , sandbox.limits.processes is 9 |
      | processes | 9    | strict  | root             | for i in $(seq 9); do sleep 2 & done; wait  | , sandbox.limits.processes is 9 |
      | processes | 9    | strict  | an ordinary user | for i in $(seq 9); do sleep 2 & done; wait  | , sandbox.limits.processes is 9 |

  @needs_groups @needs_namespaces
  Scenario Outline: at <level> a step of <whom> may use just what it may
    Given a project of <whom> with secrets, caches and settings
    And that user may make groups
    And processes is limited to "9"
    And memory is limited to "256 MiB"
    When a step does "for i in $(seq 8); do sleep 1 & done; wait" at "<level>"
    Then that step succeeded, and its level is "<level>" by "namespaces"
    And no group is left

    Examples:
      | level   | whom             |
      | none    | root             |
      | project | an ordinary user |
      | write   | an ordinary user |
      | strict  | root             |

  @needs_groups @needs_namespaces
  Scenario: under bubblewrap as well
    Given a project of root with secrets, caches and settings
    And bubblewrap is installed
    And that user may make groups
    And processes is limited to "9"
    When a step does "for i in $(seq 9); do sleep 2 & done; wait" at "strict" where only bubblewrap may make namespaces
    Then that step failed, and its level is "strict" by "bubblewrap"
    And the failure says ", sandbox.limits.processes is 9"
    And no group is left

  @needs_groups
  Scenario: one whose maker was killed goes with the next
    Given a plain folder
    And that user may make groups
    And a group was left by a process that was killed, and one is in use
    And processes is limited to "20"
    And the steps
      """
      - {name: deed, tool: shell, with: {command: "true"}}
      """
    When I run "agents run ACTION"
    Then the exit code is 0
    And of the groups only the one in use is left

  # What counts nothing can be joined everywhere.

  @needs_root
  Scenario Outline: the launcher joins a group before it becomes the command: <language>
    Given the launcher in <language>, run by root
    And a group that counts nothing
    When it is started in that group with the act "<acts>"
    Then its command was in that group
    And no group is left

    Examples:
      | language | acts                                       |
      | C        |                                            |
      | C        | enter user+mount+processes; processes;     |
      | Python   |                                            |
      | Python   | enter user+mount+processes; processes;     |

  @needs_root @needs_namespaces
  Scenario Outline: a step of root at <level> joins a group that counts nothing, and ends as ever
    Given a project of root with secrets, caches and settings
    And a group that counts nothing
    And groups are made there
    And <what> is limited to "<most>"
    When a step does "grep cleveragents- /proc/self/cgroup && exit 3" at "<level>"
    Then that step failed, and its level is "<level>" by "namespaces"
    And the failure is "exit code 3"
    And no group is left

    Examples:
      | level  | what      | most  |
      | none   | memory    | 1 GiB |
      | write  | processes | 50    |
      | strict | memory    | 1 GiB |

  @needs_root
  Scenario: a group that still has a process is left for the next that is made
    Given a group that counts nothing
    When it is left while a process is in it
    Then that group is there
    When that process has ended, and another group is made and left
    Then no group is left

  Scenario Outline: groups can be made <where>
    Given the table of mounts says "<mounted>", and this process is in "<own>"
    And groups below "<handed>" get memory and processes
    Then groups are made in "<where>"

    Examples:
      | mounted                            | own                     | handed              | where               |
      | / HERE rw - cgroup2 cgroup2 rw     | /user/service/app/one   | user/service/app    | user/service/app    |
      | / HERE rw - cgroup2 cgroup2 rw     | /user/service/app/one   | user                | user                |
      | / HERE rw - cgroup2 cgroup2 rw     | /user/service/app/one   | other               | nowhere             |
      | /user HERE rw shared:4 - cgroup2 none rw | /user/service/one | service             | service             |
      | /user HERE rw - cgroup2 cgroup2 rw | /other/one              | other               | nowhere             |
      | / HERE rw - cgroup memory rw       | /user/one               | user                | nowhere             |
