Feature: How much of a directory chats cover
  What would take too long or too much room is left out by name, and told: nothing is left out
  without a word, and no small project notices any of it.

  Background:
    Given a directory for chats with
      | path                 | bytes |
      | a                    | 10    |
      | src/b                | 10    |
      | src/deep/c           | 10    |
      | node_modules/x/1     | 10    |
      | node_modules/x/2     | 10    |
      | node_modules/3       | 10    |
      | build/out            | 50    |
      | sub/own/1            | 10    |
      | sub/own/2            | 10    |
      | sub/own/3            | 10    |
      | sub/kept/1           | 10    |

  Scenario: where nothing is too much all of it is covered, and git is not asked
    Given the directory is a repository that ignores "node_modules build"
    Then chats cover 11 files of 150 bytes and leave out
      | path | files | bytes | why |
    And a look may take in 1000 new files, none larger than 100000 bytes

  Scenario Outline: a directory that git ignores is left out if it is large: <limit> is <most>
    Given the directory is a repository that ignores "node_modules build a link"
    And "sub" is a repository that ignores "own"
    And the directory has a link
    When <limit> is <most>
    Then chats cover <files> files of <bytes> bytes and leave out the directories "<paths>" that git ignores

    Examples:
      | limit         | most | files | bytes | paths                        |
      | ignored_files | 2    | 5     | 90    | node_modules, sub/own        |
      | ignored_bytes | 49   | 10    | 100   | build                        |
      | ignored_bytes | 29   | 4     | 40    | build, node_modules, sub/own |

  Scenario: a directory inside a repository has what is ignored there, and a broken repository ignores nothing
    Given the directory lies in a repository that ignores "node_modules"
    And "sub" is a repository that is broken
    When ignored_files is 2
    Then chats cover 8 files of 120 bytes and leave out the directories "node_modules" that git ignores

  Scenario: nothing is ignored where there is no repository
    When ignored_files is 0
    Then chats cover 11 files of 150 bytes and leave out
      | path | files | bytes | why |

  Scenario: what is ignored inside of what is ignored is told once
    Given the directory is a repository that ignores "node_modules"
    And "node_modules" is a repository that ignores "x"
    When ignored_files is 1
    Then chats cover 8 files of 120 bytes and leave out the directories "node_modules" that git ignores

  Scenario: files that are too large are told, and looks leave them out
    When max_file is 49
    Then chats cover 10 files of 100 bytes and leave out
      | path      | files | bytes | why               |
      | build/out | 1     | 50    | larger than 49 B  |
    And a capture of it lists "build/out: it is larger than 49 B"

  Scenario: globs are told with all that they match
    When exclude is "own, *3, /src/deep, nothing"
    Then chats cover 6 files of 100 bytes and leave out
      | path      | files | bytes | why                   |
      | *3        | 2     | 20    | chat.exclude names it |
      | /src/deep | 1     | 10    | chat.exclude names it |
      | own       | 2     | 20    | chat.exclude names it |

  Scenario Outline: beyond a limit the largest directories go, and no more of them than is needed: <limit> is <most>
    When <limit> is <most>
    Then chats cover <files> files of <bytes> bytes and leave out the largest: "<paths>"

    Examples:
      | limit     | most | files | bytes | paths                          |
      | max_files | 8    | 8     | 120   | sub/own                        |
      | max_files | 7    | 7     | 110   | sub                            |
      | max_files | 6    | 5     | 90    | node_modules/x, sub            |
      | max_bytes | 149  | 10    | 100   | build                          |
      | max_bytes | 95   | 7     | 70    | build, sub/own                 |
      | max_bytes | 9    | 0     | 0     | a, build, node_modules, src, sub |
      | max_files | 1    | 1     | 10    | build, node_modules, src, sub  |
      | room      | 149  | 10    | 100   | build                          |

  Scenario: empty directories are in nobody's way
    Given the directory has nothing but 3 files of 10 bytes and an empty directory
    When max_files is 2
    Then chats cover 3 files of 30 bytes and leave out
      | path | files | bytes | why |

  @needs_root
  Scenario: another file system is told
    Given another file system is mounted at "sub/own" of it
    Then chats cover 8 files of 120 bytes and leave out
      | path    | files | bytes | why                                  |
      | sub/own | 0     | 0     | another file system is mounted there |

  Scenario: what is closed counts as empty, and repositories never count
    Given the directory is a repository that ignores "build"
    And "sub" of it is closed to an ordinary user, and "src" can be listed and not entered
    Then chats cover 5 files of 90 bytes and leave out
      | path | files | bytes | why |

  Scenario: what was decided is kept for the same settings
    When max_files is 8
    Then chats cover 8 files of 120 bytes and leave out the largest: "sub/own"
    When it is decided, and files come to "src"
    Then the same is known again
    And it is not known any more when max_files is 9
    And it is not known any more when its record is damaged

  Scenario: what an agent installs is left out before it is read
    Given the directory is a repository that ignores "installed"
    And ignored_files is 20
    And a chat has captured it
    When 21 files come to "installed" of it
    Then a preview looks at it without them, and keeps nothing
    When the chat captures it
    Then the capture leaves "installed" out, and has read none of it
    And it is kept that git ignores "installed"
    When 21 files come to "made" of it
    And the chat captures it
    Then the capture has the 21 files of "made"

  Scenario: what is left out is told by protect and by its check, before and after
    Given a plain folder
    And a home directory of its own
    And the shell has run "mkdir big; echo 1234567890 > big/a; echo 1 > small" in the project
    And the variable CLEVERAGENTS_CHAT_MAX_FILES is "2"
    When I run "agents protect claude --dry-run"
    Then the exit code is 0
    And the output says "the largest: chats cover 2 files at most"
    When I run "agents protect claude"
    Then the exit code is 2
    And the error says "2 files, 6 B; a copy of them is kept in the data directory"
    And the error says "the largest: chats cover 2 files at most"
    When I run "agents protect claude --yes"
    Then the output says "the largest: chats cover 2 files at most"
    When I run "agents protect --check claude --format json"
    Then the check leaves out "big" with 1 file of 11 bytes
