Feature: The oracle of directory trees
  Every promise about restored files is tested with the oracle. So it must see any single
  difference, and see none where there is none.

  Background:
    Given a tree of every kind
    And an exact copy of the tree

  Scenario: an exact copy has no difference
    Then the oracle sees no difference in the copy

  Scenario: where the holes of a file lie makes no difference
    When the copy has zeros where the tree has a hole
    Then the oracle sees no difference in the copy

  Scenario: what it is told to leave out makes no difference
    When the copy differs in the mode of a directory
    Then the oracle sees no difference in the copy without "full"

  Scenario Outline: one difference is seen: <difference>
    When the copy differs in <difference>
    Then the oracle tells <lines> difference(s), "<told>"

    Examples: content
      | difference                           | lines | told                                   |
      | one byte, times put back             | 1     | plain: content                         |
      | one byte more, times put back        | 1     | plain: content                         |
      | the last byte of a large file        | 1     | large: content                         |
      | the target of a link                 | 1     | link: content b'plain' became b'plaim' |

    Examples: metadata
      | difference                           | lines | told                                   |
      | the group write bit of a file        | 1     | plain: mode 0644 became 0664           |
      | the set-user-id bit                  | 1     | large: mode 0600 became 4600           |
      | the mode of a directory              | 1     | full: mode 0755 became 0750            |
      | the mode of the top                  | 1     | .: mode 0755 became 0700               |
      | the mode of a fifo                   | 1     | pipe: mode 0640 became 0644            |
      | one nanosecond of the time           | 1     | plain: mtime                           |
      | the value of an extended attribute   | 1     | plain: attributes                      |
      | an extended attribute less           | 1     | plain: attributes                      |
      | an extended attribute of a directory | 1     | full: attributes                       |
      | an access control list               | 1     | full/inner: attributes                 |

    Examples: kinds and names
      | difference                           | lines | told                                   |
      | an empty directory more              | 1     | more: only in the second (directory)   |
      | an empty directory less              | 1     | empty: only in the first (directory)   |
      | a file less                          | 1     | plain: only in the first (file)        |
      | a file whose name is no text         | 1     | \xff\n: only in the second (file)      |
      | a file instead of a directory        | 1     | empty: directory became file           |
      | a directory instead of a file        | 1     | plain: file became directory           |
      | a link instead of an equal file      | 1     | plain: file became link                |
      | a link instead of a directory        | 1     | empty: directory became link           |
      | a file instead of a fifo             | 1     | pipe: fifo became file                 |
      | a socket more                        | 1     | socket: only in the second (socket)    |
      | a name in other case                 | 2     | PLAIN: only in the second (file)       |

    Examples: hard links
      | difference                           | lines | told                                   |
      | a hard link made a copy              | 2     | full/twin: links                       |
      | two equal files made one             | 2     | same: links                            |
