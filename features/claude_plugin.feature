Feature: The plugin for Claude Code
  Hooks and two commands, for who prefers a plugin to hooks in the settings.

  Background:
    Given a plain folder
    And a home directory of its own

  Scenario: it has the hooks that `agents protect` writes
    Then the plugin has a hook for each event of claude, with the time that it is given

  Scenario Outline: its hooks find what `agents protect` has put into <where>
    Given the data directory is named by <where>
    When each hook of the plugin is called
    Then each event has come to the hook that lies there

    Examples:
      | where                 |
      | CLEVERAGENTS_DATA_DIR |
      | XDG_DATA_HOME         |
      | HOME                  |

  Scenario: where `agents` is not installed its hooks say nothing and succeed
    When each hook of the plugin is called
    Then no event has come to any hook

  Scenario Outline: the command <name> is the user's alone, and can be typed
    Then the command <name> of the plugin is not for the model
    And what the command <name> runs is "<line>"

    Examples:
      | name     | line                                                |
      | undo     | agents undo --yes --chat ${CLAUDE_SESSION_ID} t3.2  |
      | timeline | agents timeline                                     |
