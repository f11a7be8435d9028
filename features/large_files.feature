Feature: A large file of which little changed
  It is kept in pieces. A rollback reads it as it is and as it has become, and copies what stays: no
  piece is hashed because it is stored. Each is compared with what is stored of it all the same, for
  a crash on the way leaves nothing else.

  Background:
    Given a plain folder
    And the steps
      """
      - {name: large, tool: shell, with: {command: "head -c 40M /dev/urandom > large; sha256sum large > sum"}}
      - {name: poke, tool: shell, with: {command: "printf x | dd of=large bs=1 seek=9M conv=notrunc status=none"}}
      """
    And I have run "agents run ACTION"

  Scenario: a rollback hashes each piece as it is and as it has become
    When a process goes back to checkpoint 2 and is counted
    Then it takes at most
      | what           | count |
      | objects hashed | 36    |
    And "sha256sum -c sum" succeeds in the sandbox of the plan

  Scenario: a rollback refuses where a piece that stays is damaged in the store
    Given the stored second piece of "large" in checkpoint 2 is damaged
    When I run "agents plan rollback @ 2 --yes"
    Then the exit code is 1
    And the error says "stored content is damaged"
    And "! sha256sum -c sum" succeeds in the sandbox of the plan
