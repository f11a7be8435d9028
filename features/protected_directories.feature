Feature: Directories that are protected
  Hooks act in directories that `agents protect` has registered, and end at once elsewhere. What was
  ever written into settings is on record, so that all of it can be taken out again.

  Background:
    Given a plain folder
    And a home directory of its own

  # --- The list ------------------------------------------------------------------------------------

  Scenario: a directory is registered once, whatever it is called
    Given the shell has run "ln -s project ../other" in the project
    When I run "agents protect claude --yes"
    And I run "agents --project ../other protect claude --yes"
    Then the protected directories are the project alone
    And the list of them is for its owner alone

  Scenario: the git top level is what is protected
    Given a git repository
    And the shell has run "mkdir -p src/deep" in the project
    When I run "agents protect claude --yes" below src/deep
    Then the protected directories are the project alone

  Scenario: what lies in a protected directory belongs to it, by whatever path it is reached
    Given the shell has run "mkdir -p src/deep && ln -s project/src ../aside" in the project
    When I run "agents protect claude --yes"
    And I run "agents protect claude --yes" below src/deep
    Then the protected directories are the project alone
    When codex has really begun a conversation here
    And I run "agents timeline" below ../aside/deep
    Then the exit code is 0
    When I run "agents unprotect" below src
    Then no directory is protected

  Scenario: a repository in a protected directory is registered by itself, and then counts
    Given the shell has run "mkdir -p inner/src && git init -q inner" in the project
    When I run "agents protect claude --yes"
    And I run "agents timeline --format json" below inner/src
    Then the exit code is 3
    When I run "agents protect claude --yes" below inner/src
    Then 2 directories are protected, the last one is "project/inner"
    When codex has really begun a conversation here
    And I run "agents timeline --format json" below inner/src
    Then the exit code is 3

  Scenario: another directory in the same place takes the place of the first
    When I run "agents protect claude --yes"
    And the shell runs "mkdir ../new && cd .. && mv project old && mv new project" in the project
    And I run "agents --project ../project protect claude --yes"
    Then the protected directories are the project alone

  Scenario: the home directory is refused
    When I run "agents --project ../home protect claude --yes --format json"
    Then the exit code is 4
    And the error message says "your home directory"
    And claude has no settings

  Scenario: a directory on a network file system is refused
    When the kernel, which takes every file system for NFS, runs the check of the directory
    Then that is refused because it is "on a network file system (NFS)"

  Scenario Outline: what comes over a network through FUSE is known by the table of mounts: <type>
    When the table of mounts says "<type>" of a device of FUSE
    Then that device is taken for <kind>

    Examples:
      | type       | kind             |
      | fuse.sshfs | SSHFS            |
      | fuse.s3fs  | S3               |
      | fuseblk    | this machine's   |
      | fuse.ntfs  | this machine's   |

  Scenario: lines that are none are left out of the list
    Given the list of protected directories has lines that are none
    When I run "agents protect claude --yes"
    Then the protected directories are the project alone

  Scenario: elsewhere than on Linux it is refused
    Then on a platform called "darwin" it is refused, on "linux" it is not

  # --- What is covered -----------------------------------------------------------------------------

  Scenario: how much will be stored is told before anything is, and what is left out
    Given the shell has run "mkdir data; for n in 1 2 3; do echo $n > data/$n; done; echo x > kept" in the project
    And the project's settings
      """
      chat.exclude = ["data/[12]"]
      """
    When I run "agents protect claude --dry-run"
    Then the exit code is 0
    And the output says
      """
      4 files
      Left out
      data/[12]
      chat.exclude names it, in the project's own settings
      """
    When I run "agents protect claude --dry-run --set chat.exclude=kept"
    Then the output says
      """
      data/[12]
      chat.exclude names it, in the project's own settings
      kept
      chat.exclude names it
      """
    When I run "agents protect claude --yes --format json"
    Then programs are told that 4 files are covered and 2 of "data/[12]" are not
    When I run "agents protect --check claude --format json"
    Then programs are told that 2 of "data/[12]" are not covered
    And the keeper is asked to end

  # --- The file that hooks call --------------------------------------------------------------------

  Scenario: an upgrade puts right what hooks call
    When I run "agents protect claude --yes"
    Then the hook in the data directory is a program of its owner alone
    Given the hook in the data directory is that of an older version
    When I run "agents plan list"
    Then the hook in the data directory is as it was at first
    And the hook in the data directory is a program of its owner alone

  Scenario: who has no hooks gets none
    When I run "agents plan list"
    Then the data directory has neither "hook" nor "protected" nor "installed"

  # --- Taking out ----------------------------------------------------------------------------------

  Scenario: with the last directory the hooks go
    When I run "agents protect claude codex --yes"
    And I run "agents unprotect"
    Then the exit code is 0
    And the output says "hooks taken out of 2 files"
    And claude has no settings
    And codex has no settings
    And no directory is protected
    When I run "agents unprotect"
    Then the exit code is 0
    And the output says "no hooks were there"

  Scenario: while another directory is protected, the hooks of the user stay
    Given the shell has run "mkdir ../second" in the project
    When I run "agents protect claude --yes"
    And I run "agents --project ../second protect claude --project --yes"
    And I run "agents unprotect --format json"
    Then the exit code is 0
    And only "second" is still protected, as programs are told
    And each event of claude has one hook of ours in its settings
    When I run "agents --project ../second unprotect"
    Then the output says "hooks taken out of 2 files"
    And claude has no settings

  Scenario: a directory that was let go is named, with how many others keep the hooks
    Given the shell has run "mkdir ../second" in the project
    When I run "agents protect claude codex --yes"
    And I run "agents timeline"
    Then the exit code is 3
    And the error says "this directory is protected, but no agent has told anything yet"
    And the error says "prove that hooks work: agents protect --check"
    When I run "agents undo --yes"
    Then the exit code is 3
    And the error says "this directory is protected, but no agent has told anything yet"
    When codex has really begun a conversation here
    And I run "agents --project ../second protect claude --yes"
    And I run "agents unprotect"
    Then the output says "project is no longer protected; the hooks stay for 1 other directory"
    When I run "agents unprotect"
    Then the output says "project was not protected; the hooks stay for 1 other directory"
    When I run "agents timeline"
    Then the exit code is 0
    And the error says "this directory is not protected any more, nothing is recorded: agents protect"
    When I run "agents undo --yes"
    Then the exit code is 0
    And the error says "this directory is not protected any more, nothing is recorded: agents protect"

  Scenario: one client's hooks are taken out, the directory stays protected
    When I run "agents protect claude codex --yes"
    And I run "agents unprotect codex"
    Then the exit code is 0
    And the output says "1 directory is still protected"
    And codex has no settings
    And each event of claude has one hook of ours in its settings

  Scenario: everything that was ever written goes
    Given the shell has run "mkdir ../second" in the project
    When I run "agents protect claude opencode --yes"
    And I run "agents --project ../second protect claude gemini --project --yes"
    And I run "agents unprotect --all"
    Then the exit code is 0
    And the output says "hooks taken out of 4 files"
    And the error says "to be rid of it as well, delete"
    And nothing is left of hooks, neither at home nor in "second"
    And the data directory has neither "hook" nor "protected" nor "installed"

  Scenario: without the record hooks are found in the usual places
    When I run "agents protect claude --yes"
    And the shell runs "rm ../data/installed" in the project
    And I run "agents unprotect --all"
    Then the exit code is 0
    And the settings of claude hold no hook

  Scenario: hooks of a checkout that was moved are named, and the record of them is not to be deleted
    Given the shell has run "mkdir ../second" in the project
    When I run "agents protect claude --yes"
    And I run "agents --project ../second protect claude --project --yes"
    And the shell runs "mv ../second ../moved" in the project
    And I run "agents unprotect --all"
    Then the exit code is 0
    And the output says "hooks taken out of 1 file"
    And the error says "second/.claude/settings.local.json is gone"
    And the error does not say "to be rid of it"
    When I run "agents --project ../moved unprotect"
    Then the output says "hooks taken out of 1 file"

  Scenario: settings that are gone, or have lost our hooks, are nothing to do
    When I run "agents protect claude gemini --yes"
    And the shell runs "rm ../home/.claude/settings.json; echo '{}' > ../home/.gemini/settings.json" in the project
    And I run "agents unprotect --all"
    Then the exit code is 0
    And the output says "no hooks were there"

  Scenario: a directory that has something else by now stays
    When I run "agents protect codex --yes"
    And the shell runs "touch ../home/.codex/auth.json" in the project
    And I run "agents unprotect --all"
    Then the exit code is 0
    And codex has no settings
    And the scenario's "home/.codex" holds "auth.json" alone

  Scenario: names and --all exclude each other
    When I run "agents unprotect claude --all --format json"
    Then the exit code is 2
    And the error message says "name clients, or say --all"

  Scenario: a record that cannot be read is told
    When I run "agents protect claude --yes"
    And the shell runs "echo '[{}]' > ../data/installed" in the project
    And I run "agents unprotect --all --format json"
    Then the exit code is 1
    And the error message says "installed cannot be read"

  # --- Proving that hooks work ---------------------------------------------------------------------

  Scenario: a client without hooks is told as such
    When I run "agents protect --check claude --format json"
    Then the exit code is 1
    And the check of claude says that it has no hooks

  Scenario Outline: the hooks of <client> are proven, from its settings to the row
    When I run "agents protect <client> --yes"
    And I run "agents protect --check <client> --format json"
    Then the exit code is 0
    And the check of <client> has found its row, and a keeper
    And no chat is left of it
    When I run "agents unprotect --all"
    Then the exit code is 0
    And that keeper has ended

    Examples:
      | client   |
      | gemini   |
      | copilot  |
      | opencode |

  Scenario: hooks are fired and what they left is found
    Given claude is in use by its program
    When I run "agents protect claude --yes"
    And the hooks of claude are checked
    Then the check of claude has version "1.2.3" and level user
    And its command is good, its event was recorded and it needs nothing
    And no chat is left of it

  Scenario: a real event is told
    When I run "agents protect codex --yes"
    And the hooks of codex are checked
    Then it needs "type /hooks"
    And none of it works
    When codex has really begun a conversation here
    And the hooks of codex are checked
    Then it needs nothing, and has had an event

  Scenario: what keeps hooks from working is told
    Given the client's file "home/.claude/settings.json" holds
      """
      {"disableAllHooks": true /* for now */}
      """
    When I run "agents protect claude --yes"
    And I run "agents protect claude --project --yes"
    And the hook in the data directory is gone and the hooks of claude are checked
    Then its command is bad and its event was not recorded
    And none of it works
    And it needs "hooks are in two files"
    And it needs "has comments, which Claude Code may not read"
    And it needs "disableAllHooks is true"
    And it needs "a made-up event was not recorded"

  Scenario: hooks that are there and do not all run are not good
    Given the client's file "home/.claude/settings.json" holds
      """
      {"disableAllHooks": true}
      """
    When I run "agents protect claude --yes"
    And the hooks of claude are checked
    Then none of it works
    And it needs "disableAllHooks is true"

  Scenario: hooks of which one is missing are not good
    When I run "agents protect copilot --yes"
    And the shell runs "sed -i '/preToolUse/,+2d' ../home/.copilot/hooks/cleveragents.json" in the project
    And the hooks of copilot are checked
    Then none of it works
    And it needs "hooks are missing: agents protect copilot"

  Scenario Outline: hooks of <client> that have less time than they may need are told
    When I run "agents protect <client> --yes --set chat.first-look=0"
    And the hooks of <client> are checked
    Then none of it works
    And it needs "less time than chat.first-look needs: agents protect <client>"
    When I run "agents protect <client> --yes"
    And the hooks of <client> are checked
    Then its command is good, its event was recorded and it needs nothing

    Examples:
      | client   |
      | claude   |
      | copilot  |
      | opencode |

  Scenario: a plugin of that name that is not ours is told with the way out
    Given the client's file "xdg/opencode/plugins/cleveragents.js" holds
      """
      export const Mine = async () => ({})
      """
    When I run "agents protect --check opencode"
    Then the exit code is 1
    And the error says "is there and not ours; rename it, then: agents protect opencode"

  Scenario: hooks that were taken out by hand, and a program that records nothing
    When I run "agents protect opencode copilot --yes"
    And the shell runs "sed -i '/sessionStart/,+2d' ../home/.copilot/hooks/cleveragents.json" in the project
    And the hook does nothing and the hooks of copilot are checked
    Then it needs "hooks are missing: agents protect copilot"
    And it needs "a made-up event was not recorded"
    When the hooks of opencode are checked
    Then its command is good, its event was recorded and it needs nothing

  Scenario: where nothing is protected that is told
    When I run "agents protect gemini --yes"
    And the shell runs "rm ../data/protected" in the project
    And the hooks of gemini are checked
    Then it needs "this directory is not protected"

  Scenario: settings that cannot be read are told, and programs that say nothing
    Given the settings of claude are cut off
    And the program of claude is none
    When I run "agents protect --check claude"
    Then the exit code is 1
    And the error says "line 3 is no JSON"
    And the output says "Claude Code"

  Scenario: hooks that take too long, or speak, are bad
    When I run "agents protect opencode copilot --yes"
    Then a hook that speaks is bad, and one that takes too long as well
