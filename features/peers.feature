Feature: Beside other tools
  What `./dev bench peers` prints, of a project so small that its figures say nothing. It compares the files
  after each way back, so that whoever is quick and brings nothing back is found out.

  Scenario: whatever is installed is compared, and nothing is left out in silence
    When checkpoints of 20 files are compared with other tools, each once
    Then a row of the table tells of each
      | what                                        |
      | first checkpoint                            |
      | `agents run`, first plan, with its sandbox  |
      | checkpoint in a running plan, 10 changed    |
      | kept of it on the disk, 10 changed          |
      | rollback in a running plan, 10 changed      |
      | checkpoint after a slow step, 10 changed    |
      | `agents plan checkpoint create`, 10 changed |
      | `agents plan rollback`, 10 changed          |
      | memory of a process that runs a plan        |
    And each of these has a column, or is said not to be installed
      | tool   |
      | git    |
      | restic |
      | borg   |
      | rsync  |
