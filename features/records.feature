Feature: Records
  A record is a dataclass in all but when its methods are made.

  Scenario Outline: <shape> behaves as the dataclass of the same text
    Then a record of the shape "<shape>" behaves as a dataclass

    Examples:
      | shape                         |
      | no field                      |
      | one field                     |
      | defaults                      |
      | made by functions             |
      | keywords only                 |
      | keywords after positions      |
      | a field of a base made anew   |
      | two levels                    |
      | only inherited                |
      | generic                       |
      | of the class                  |
      | checked after it was made     |
      | computed once                 |
      | changing                      |
      | changing, set later           |
      | its own methods               |
      | its own equality              |
      | slots by hand                 |
      | names of types as text        |

  Scenario: a default that all instances would share is refused
    Then a record with a list as the default of "found" is refused, as a dataclass is

  Scenario: a dataclass may go on from a record
    Then a dataclass on top of a record has the fields of both

  Scenario: what is taken from a record by name is what it holds
    Then a record gives its names and values in order, those of its bases first

  Scenario: to define records imports nothing that is slow
    Then a process that defines a record and makes one has imported neither "dataclasses" nor "inspect"
