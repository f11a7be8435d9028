Feature: Hooks in the settings of coding agents
  `agents protect` adds its hooks to settings that are the user's: as a text, so that everything else
  in them stays byte for byte. `agents unprotect` takes them out again.

  Background:
    Given a plain folder
    And a home directory of its own

  # --- The text of settings ------------------------------------------------------------------------

  Scenario Outline: settings that are <settings> get hooks, once, and come back as they were
    Given the settings of claude are <settings>
    When I run "agents protect claude --yes"
    Then the exit code is 0
    And each event of claude has one hook of ours in its settings
    And everything else in the settings of claude is as it was
    When I run "agents protect claude --yes --format json"
    Then the settings of claude are told as unchanged
    And the settings of claude are as after the first time
    When I run "agents unprotect --all"
    Then the exit code is 0
    And the settings of claude are what they were, byte for byte

    Examples:
      | settings                        |
      | not there                       |
      | empty                           |
      | blank                           |
      | only a byte order mark          |
      | an empty object                 |
      | an empty object over two lines  |
      | on one line                     |
      | indented by four                |
      | indented by tabs                |
      | with Windows line ends          |
      | with a byte order mark          |
      | with comments                   |
      | with a comment at the end       |
      | with trailing commas            |
      | with hooks of others            |
      | with empty hooks                |
      | with empty lists                |
      | with hooks twice                |
      | with strange texts              |

  Scenario Outline: settings that were changed after they got hooks keep the change: <settings>
    Given the settings of claude are <settings>
    When I run "agents protect claude --yes"
    And somebody adds "theme" to the settings of claude
    And I run "agents unprotect --all"
    Then the exit code is 0
    And the settings of claude say what they said, and have "theme"

    Examples:
      | settings                |
      | not there               |
      | on one line             |
      | indented by four        |
      | with hooks of others    |
      | with trailing commas    |
      | with Windows line ends  |
      | with comments           |

  Scenario: hooks that somebody has put together with others, and given a matcher
    Given the settings of claude are mixed by hand
    When I run "agents unprotect claude"
    Then the exit code is 0
    And the settings of claude hold the hooks of others alone

  Scenario: a comment before our hooks stays a comment
    Given the settings of claude are commented before our hooks
    When I run "agents unprotect claude"
    Then the exit code is 0
    And the settings of claude are commented before what follows

  Scenario: hooks that are taken out between comments leave no blank lines
    Given the settings of claude are with comments
    When I run "agents protect claude --yes"
    And somebody adds "theme" to the settings of claude
    And I run "agents unprotect --all"
    Then the exit code is 0
    And the settings of claude say what they said, and have "theme"
    And the settings of claude have no blank line

  Scenario: settings by which no hook runs are told
    Given the client's file "home/.claude/settings.json" holds
      """
      {"disableAllHooks": true}
      """
    When I run "agents protect claude --yes"
    Then the exit code is 0
    And the error says "disableAllHooks is true"

  Scenario: the command is the same wherever the data directory is named from
    When I run "agents --data-dir ../project/../data protect claude --yes"
    Then each event of claude has one hook of ours in its settings

  Scenario: a longer first look gives hooks more time
    Given the settings of claude are with hooks of others
    When I run "agents protect claude --yes"
    And I run "agents protect claude --yes --set chat.first-look=60 --format json"
    Then each event of claude has one hook of ours in its settings, with 65 for its time
    And the settings of claude are told as changed
    When I run "agents unprotect --all"
    Then the settings of claude are what they were, byte for byte

  Scenario Outline: settings that are <settings> are refused, and what to add is told
    Given the settings of claude are <settings>
    When I run "agents protect claude --yes"
    Then the exit code is 4
    And the error says "cannot be changed: <why>"
    And the output says "to add it by hand, put this into"
    And the output says "claude:PreToolUse"
    And the settings of claude are what they were, byte for byte
    When I run "agents protect claude --yes --format json"
    Then the settings of claude are told as refused

    Examples:
      | settings           | why                        |
      | cut off            | line 3 is no JSON          |
      | followed by more   | line 2 is no JSON          |
      | without a colon    | line 1 is no JSON          |
      | with a bare word   | line 1 is no JSON          |
      | without a comma    | line 1 is no JSON          |
      | too deep           | line 1 is no JSON          |
      | a list             | it is no object            |
      | with listed hooks  | its hooks are no object    |
      | with a wrong event | its PreToolUse is no list  |
      | not UTF-8          | it is no text in UTF-8     |

  Scenario Outline: what is no settings file is refused: <what>
    Given the settings of claude are <what>
    When I run "agents protect claude --yes"
    Then the exit code is 4
    And the error says "<why>"

    Examples:
      | what                      | why                          |
      | a directory               | is no file                   |
      | a link that leads nowhere | is a link that leads nowhere |
      | a link to itself          | cannot be read               |

  Scenario: one file that is refused does not keep others from their hooks
    Given the settings of claude are cut off
    When I run "agents protect claude gemini --yes"
    Then the exit code is 4
    And the settings of claude are what they were, byte for byte
    And each event of gemini has one hook of ours in its settings
    And the output does not say "OK"
    And the error says "is registered, with hooks of Gemini CLI alone"
    When I run "agents unprotect --all"
    Then the exit code is 0
    And the error does not say "line 3 is no JSON"
    And the settings of claude are what they were, byte for byte
    And gemini has no settings

  Scenario: where every file is refused no agent has hooks, and that is no success
    Given the settings of claude are cut off
    When I run "agents protect claude --yes"
    Then the exit code is 4
    And the output does not say "OK"
    And the error says "is registered, and no agent has hooks"

  Scenario: settings with our hooks that nobody can read any more are told
    When I run "agents protect claude --yes"
    And the shell runs "echo '}' >> ../home/.claude/settings.json; rm ../data/installed" in the project
    And I run "agents unprotect --all"
    Then the exit code is 4
    And the error says "cannot be changed"

  # --- The file ------------------------------------------------------------------------------------

  Scenario: a link stays a link, and its file keeps its mode
    Given the settings of claude are a link to dotfiles
    When I run "agents protect claude --yes"
    Then the exit code is 0
    And the settings of claude are still that link, and the file has mode 640
    And each event of claude has one hook of ours in its settings
    When I run "agents unprotect --all"
    Then the settings of claude are what they were, byte for byte
    And the settings of claude are still that link, and the file has mode 640

  @needs_root
  Scenario: a file keeps its owner
    Given the settings of claude are on one line
    And the settings of claude belong to somebody else
    When I run "agents protect claude --yes"
    Then the exit code is 0
    And the settings of claude still belong to somebody else

  Scenario Outline: settings that are closed are refused: <closed>
    Given the settings of claude are on one line
    And the shell has run "chmod <mode> ../home/.claude" in the project
    And the shell has run "chmod <file> ../home/.claude/settings.json" in the project
    When without the rights of root "agents protect claude --yes" is run
    Then the exit code is 4
    And the error says "<why>"
    And the settings of claude are what they were, byte for byte

    Examples:
      | closed       | mode | file | why                     |
      | to writing   | 700  | 400  | is not yours to write   |
      | to reading   | 700  | 000  | cannot be read          |
      | to new names | 500  | 600  | is not yours to write   |

  Scenario: settings that nobody may change are refused to root as well
    Given the settings of claude are on one line
    And chattr has set +i on the project's "../home/.claude/settings.json"
    When I run "agents protect claude --yes"
    Then the exit code is 4
    And the error says "is not yours to write to"

  Scenario: what was changed between look and act stays
    Given the settings of claude are on one line
    When the settings of claude are changed after hooks for them were proposed
    Then that is refused because they were "changed meanwhile"

  # --- Clients -------------------------------------------------------------------------------------

  Scenario Outline: the hooks of <client>
    When I run "agents protect <client> --yes"
    Then the exit code is 0
    And each event of <client> has one hook of ours in its settings, with <time> for its time
    And the hooks of <client> lie in "<file>"
    When I run "agents unprotect <client>"
    Then <client> has no settings

    Examples:
      | client  | file                            | time  |
      | claude  | .claude/settings.json           | 35    |
      | codex   | .codex/hooks.json               | 35    |
      | gemini  | .gemini/settings.json           | 35000 |
      | qwen    | .qwen/settings.json             | 35000 |
      | copilot | .copilot/hooks/cleveragents.json | 35   |

  Scenario: hooks that Copilot's file has from somebody else stay
    Given the client's file "home/.copilot/hooks/cleveragents.json" holds
      """
      {"hooks": {"preToolUse": [{"type": "command", "bash": "true"}]}}
      """
    When I run "agents protect copilot --yes"
    Then the client's file "home/.copilot/hooks/cleveragents.json" is read with "version" as 1
    When I run "agents unprotect copilot"
    Then the client's file "home/.copilot/hooks/cleveragents.json" is as it was

  Scenario Outline: a client says by <variable> where its settings are
    Given the variable <variable> is the folder of the scenario
    When I run "agents protect <client> --yes"
    Then the hooks of <client> lie in the scenario's "<file>"

    Examples:
      | client   | variable          | file                              |
      | claude   | CLAUDE_CONFIG_DIR | settings.json                     |
      | codex    | CODEX_HOME        | hooks.json                        |
      | opencode | XDG_CONFIG_HOME   | opencode/plugins/cleveragents.js  |

  Scenario: the command is the same for ever
    When I run "agents protect claude --yes"
    Then the command for PreToolUse of claude is exactly
      """
      sh -c '[ -x "$1" ] && "$1" "$2" 2>/dev/null; exit 0' sh HOOK claude:PreToolUse
      """

  Scenario Outline: clients that are in use are found: <how>
    Given <client> is in use by <how>
    When I run "agents protect --yes --format json"
    Then the exit code is 0
    And hooks were put into the settings of <client> alone

    Examples:
      | client   | how                         |
      | claude   | its program                 |
      | codex    | its directory in the home   |
      | gemini   | its directory in the project |
      | opencode | its program                 |

  Scenario: without any client there is nothing to do
    When I run "agents protect --yes --format json"
    Then the exit code is 3
    And the error message says "no coding agent was found"

  Scenario Outline: what is typed wrong: <line>
    When I run "agents protect <line> --format json"
    Then the exit code is 2
    And the error message says "<why>"

    Examples:
      | line                    | why                                             |
      | cluade                  | unknown client 'cluade'; did you mean 'claude'? |
      | claude --user --project | --user and --project exclude each other         |

  Scenario Outline: what a user must confirm is told: <client>
    When I run "agents protect <client> <level> --yes"
    Then the exit code is 0
    And the error says "<what>"

    Examples:
      | client  | level     | what                              |
      | codex   | --user    | type /hooks and trust the hooks   |
      | claude  | --project | trust this folder                 |
      | gemini  | --project | is usually committed              |

  Scenario: hooks in this checkout are in the file that is not shared
    When I run "agents protect claude --project --yes"
    Then the exit code is 0
    And the project's ".claude" holds "settings.local.json" alone
    When I run "agents unprotect claude"
    Then the project has no ".claude"

  Scenario: no trust record of a client is written
    Given the client's file "home/.codex/config.toml" holds
      """
      model = "x"
      """
    When I run "agents protect codex --yes"
    Then the exit code is 0
    And the client's file "home/.codex/config.toml" is as it was

  # --- OpenCode ------------------------------------------------------------------------------------

  Scenario: OpenCode gets a plugin, once
    When I run "agents protect opencode --yes"
    Then the exit code is 0
    And the hooks of opencode lie in the scenario's "xdg/opencode/plugins/cleveragents.js"
    When I run "agents protect opencode --yes --format json"
    Then the settings of opencode are told as unchanged
    When I run "agents unprotect --all"
    Then the scenario has no "xdg/opencode"

  Scenario: a plugin of that name that is not ours is refused
    Given the client's file "xdg/opencode/plugins/cleveragents.js" holds
      """
      export const Mine = async () => ({})
      """
    When I run "agents protect opencode --yes"
    Then the exit code is 4
    And the error says "is there and not ours"
    And the output says "export const CleverAgents"
    When I run "agents unprotect --all"
    Then the client's file "xdg/opencode/plugins/cleveragents.js" is as it was

  Scenario: the plugin hands on what happens, waits for it, and never fails
    When I run "agents protect opencode --yes"
    And OpenCode loads the plugin, and this happens
      | event               | in    |
      | session.created     | one   |
      | chat.message        | one   |
      | tool.execute.before | one   |
      | tool.execute.after  | one   |
      | session.created     | child |
      | tool.execute.before | child |
      | session.idle        | child |
      | session.idle        | one   |
      | session.updated     | one   |
      | session.error       | child |
      | session.error       | one   |
      | session.deleted     | one   |
    Then these events came to the hook, each before the next
      | name                | kind        | session | agent | text |
      | session.created     | start       | one     |       |      |
      | chat.message        | prompt      | one     |       | hi   |
      | tool.execute.before | before      | one     |       | f    |
      | tool.execute.after  | after       | one     |       | f    |
      | session.created     | agent-start | one     | child |      |
      | tool.execute.before | before      | one     | child | f    |
      | session.idle        | agent-end   | one     | child |      |
      | session.idle        | turn-end    | one     |       |      |
      | session.error       | agent-end   | one     | child |      |
      | session.error       | interrupt   | one     |       |      |
      | session.deleted     | end         | one     |       |      |
    When the hook is gone and OpenCode loads the plugin, and this happens
      | event        | in  |
      | chat.message | one |
    Then no event came to the hook

  # --- Asking --------------------------------------------------------------------------------------

  Scenario: what would be changed is shown, and nothing is changed
    Given the settings of claude are indented by four
    When I run "agents protect claude --dry-run"
    Then the exit code is 0
    And the output says
      """
      settings.json
      changed
      "SessionStart": [
      """
    And the error says "dry run: nothing was changed"
    And the error says "lies in clear in the data directory"
    And the output says "a copy of them is kept in the data directory"
    And the settings of claude are what they were, byte for byte
    And the data directory has neither "hook" nor "protected" nor "installed"

  Scenario: what a new file gets is shown in short, and whole for who asks
    When I run "agents protect claude --dry-run"
    Then the output says "one command to "
    And the output says "claude:EVENT"
    And the output does not say "SessionStart\": ["
    When I run "agents protect claude --dry-run --verbose"
    Then the output says "+++ "
    And the output does not say "claude:EVENT"

  Scenario: it asks on a terminal, and a no changes nothing
    Given the settings of claude are indented by four
    When I type on a terminal "agents protect claude"
      | question                                  | answer |
      | Protect this directory and change 1 file? | n      |
    Then the exit code is 1
    And the output says "lies in clear in the data directory"
    And the settings of claude are what they were, byte for byte
    And the data directory has neither "hook" nor "protected" nor "installed"

  Scenario: with a yes it is done
    When I type on a terminal "agents protect claude"
      | question                                  | answer |
      | Protect this directory and change 1 file? | y      |
    Then the exit code is 0
    And each event of claude has one hook of ours in its settings
    When I type on a terminal "agents protect claude"
      | question                | answer |
      | Protect this directory? | y      |
    Then the exit code is 0

  Scenario: without a terminal and without --yes nothing happens
    When I run "agents protect claude --format json"
    Then the exit code is 2
    And claude has no settings
    When I run "agents protect claude codex --user"
    Then the exit code is 2
    And the error says "confirm it: agents protect claude codex --user --yes"
