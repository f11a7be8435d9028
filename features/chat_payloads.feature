Feature: What coding agents hand to their hooks
  Every client tells in its own words what it is about to do. One table for each reads them, and
  what comes out is the same for all: an event, or nothing to record. The payloads are those that
  the clients really wrote.

  # --- As they were captured ----------------------------------------------------------------------

  Scenario Outline: every captured payload of <client> is read
    When I read the captured payloads of <client>
    Then these events come out
      | events   |
      | <events> |

    Examples:
      | client   | events                                                                                                                                                                                                                                                                         |
      | claude   | start, prompt, before, after, batch, before, after, before, after, turn-end, end, before, agent-start, before, after, batch, agent-end, after, after, before, after, after, before, after, before, after, before, after, nothing, nothing, nothing, start, start, nothing, nothing |
      | codex    | start, prompt, before, after, before, after, turn-end, end, before, agent-start, after, agent-start, before, before, after, before, after, before, after, start, start                                                                                                           |
      | gemini   | start, prompt, nothing, nothing, nothing, nothing, before, after, before, after, before, after, turn-end, end, before, after, before, after, before, after, before, after, before, after                                                                                         |
      | qwen     | nothing, prompt, before, after, before, after                                                                                                                                                                                                                                    |
      | copilot  | start, prompt, before, after, before, after, before, after, turn-end, end, start, prompt, before, agent-start, agent-start, before, after, before, after, agent-end, agent-end, after, turn-end, end                                                                             |
      | opencode | nothing, start, nothing, prompt, nothing, before, nothing, after, before, after, before, after, turn-end                                                                                                                                                                         |

  Scenario Outline: what <client> calls <name> number <nth>
    When I read the captured payload <nth> of <name> of <client>
    Then the event is of kind <kind> with tool "<tool>" and text "<text>"
    And it names the paths "<paths>"
    And it <writes>

    Examples:
      | client   | name                | nth | kind        | tool              | text                                                                                              | paths             | writes         |
      | claude   | UserPromptSubmit    | 1   | prompt      |                   | SCRIPT:basic                                                                                      |                   | writes nothing |
      | claude   | PreToolUse          | 1   | before      | Write             | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | claude   | PreToolUse          | 2   | before      | Bash              | rm -f doomed.txt; echo changed > tracked.txt; mkdir -p out; echo x > out/gen.bin; chmod 600 mode.txt |                | may write      |
      | claude   | PreToolUse          | 3   | before      | Edit              | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | claude   | PreToolUse          | 4   | before      | Agent             |                                                                                                   |                   | writes nothing |
      | claude   | PostToolUseFailure  | 1   | after       | Bash              | echo half > half.txt; exit 3                                                                      |                   | may write      |
      | claude   | PostToolUseFailure  | 2   | after       | Read              |                                                                                                   |                   | writes nothing |
      | claude   | PreToolUse          | 7   | before      | mcp__cp__list_checkpoints |                                                                                           |                   | may write      |
      | codex    | PreToolUse          | 1   | before      | apply_patch       | made.txt                                                                                          | made.txt          | may write      |
      | codex    | PreToolUse          | 2   | before      | Bash              | rm doomed.txt; echo changed > tracked.txt; mkdir -p out; echo x > out/gen.bin; chmod 600 mode.txt |                   | may write      |
      | codex    | PreToolUse          | 3   | before      | spawn_agent       |                                                                                                   |                   | writes nothing |
      | codex    | UserPromptSubmit    | 2   | agent-start |                   |                                                                                                   |                   | writes nothing |
      | gemini   | BeforeAgent         | 1   | prompt      |                   | SCRIPT:basic ROOT=$PROJECT                                                                        |                   | writes nothing |
      | gemini   | BeforeTool          | 1   | before      | write_file        | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | gemini   | AfterTool           | 3   | after       | replace           | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | gemini   | AfterTool           | 4   | after       | read_file         |                                                                                                   |                   | writes nothing |
      | qwen     | PreToolUse          | 1   | before      | write_file        | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | qwen     | PostToolUseFailure  | 1   | after       | run_shell_command | rm doomed.txt; echo changed > tracked.txt; mkdir -p out; echo x > out/gen.bin; chmod 600 mode.txt |                   | may write      |
      | copilot  | userPromptSubmitted | 1   | prompt      |                   | SCRIPT:basic ROOT=$PROJECT                                                                        |                   | writes nothing |
      | copilot  | preToolUse          | 1   | before      | create            | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | copilot  | postToolUse         | 3   | after       | edit              | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | opencode | chat.message        | 1   | prompt      |                   | "SCRIPT:basic ROOT=$PROJECT"                                                                      |                   | writes nothing |
      | opencode | tool.execute.before | 1   | before      | write             | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |
      | opencode | tool.execute.after  | 3   | after       | edit              | $PROJECT/made.txt                                                                                 | $PROJECT/made.txt | may write      |

  Scenario Outline: the ids of <client>, in a captured <name>
    When I read the captured payload 1 of <name> of <client>
    Then the event has a session and <has>
    And it came from the directory "<cwd>"

    Examples:
      | client   | name                | has            | cwd      |
      | claude   | SessionStart        | nothing else   | $PROJECT |
      | claude   | PreToolUse          | turn and call  | $PROJECT |
      | claude   | SubagentStart       | turn and agent | $PROJECT |
      | codex    | PreToolUse          | turn and call  | $PROJECT |
      | gemini   | BeforeTool          | nothing else   | $PROJECT |
      | qwen     | PreToolUse          | call           | $PROJECT |
      | copilot  | preToolUse          | nothing else   | $PROJECT |
      | opencode | session.created     | nothing else   | $PROJECT |
      | opencode | chat.message        | turn           |          |
      | opencode | tool.execute.before | call           |          |

  Scenario: a call's before and after have one input, another call's is another one
    When I read the captured payloads of gemini
    Then each after has the input of exactly one before
    And no two events have one digest
    When I read the captured payloads of opencode
    Then each after has the input of exactly one before

  Scenario: only calls that failed are told as failed
    When I read the captured payloads of claude
    Then 2 events have failed
    When I read the captured payloads of gemini
    Then 1 event has failed
    When I read the captured payloads of qwen
    Then 1 event has failed
    When I read the captured payloads of copilot
    Then 0 events have failed

  Scenario Outline: a failure as <client> tells it
    When the client <client> calls <name> with
      """
      {"session_id": "s", "sessionId": "s", "cwd": "/p", "tool_name": "x", "toolName": "x", <payload>}
      """
    Then the event has failed

    Examples:
      | client   | name               | payload                                                                                    |
      | codex    | PostToolUse        | "tool_response": {"isError": true}                                                         |
      | copilot  | postToolUse        | "toolResult": {"resultType": "denied"}                                                     |
      | opencode | tool.execute.after | "input": {"sessionID": "s", "tool": "bash"}, "output": {"metadata": {"exit": 3}}           |

  # --- What they name -----------------------------------------------------------------------------

  Scenario Outline: the paths in <tool> of <client>
    When the client <client> is about to call <tool> with
      """
      <input>
      """
    Then it names the paths "<paths>"

    Examples:
      | client   | tool         | input                                                                                                                                                                                     | paths                  |
      | claude   | MultiEdit    | {"file_path": "/p/a b.txt", "edits": []}                                                                                                                                                  | /p/a b.txt             |
      | claude   | NotebookEdit | {"notebook_path": "/p/n.ipynb"}                                                                                                                                                           | /p/n.ipynb             |
      | claude   | Write        | {"file_path": 7}                                                                                                                                                                          |                        |
      | claude   | Write        | {"file_path": "a\u0000b"}                                                                                                                                                                 |                        |
      | claude   | Write        | {"file_path": "\ud800"}                                                                                                                                                                   |                        |
      | claude   | Write        | "text"                                                                                                                                                                                    |                        |
      | codex    | apply_patch  | {"command": "*** Begin Patch\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@\n-*** Add File: no.txt\n+x\n*** Add File: new.txt\n+*** Delete File: no\n*** Delete File: old \n*** End Patch"} | src/a.py src/b.py new.txt old |
      | codex    | apply_patch  | {"command": "no patch at all"}                                                                                                                                                            |                        |
      | codex    | apply_patch  | {"command": ["apply_patch"]}                                                                                                                                                              |                        |
      | copilot  | apply_patch  | "*** Begin Patch\n*** Add File: t.txt\n+x\n*** End Patch"                                                                                                                                 | t.txt                  |
      | opencode | patch        | {"patchText": "*** Begin Patch\n*** Add File: t.txt\n+x\n*** End Patch"}                                                                                                                  | t.txt                  |

  Scenario: a patch of very many files may write anything
    When a patch names 1001 files
    Then it names the paths ""
    When a patch names 1000 files
    Then it names 1000 paths

  Scenario Outline: there is nothing to record: <why>
    When the client <client> calls <name> with
      """
      <payload>
      """
    Then there is nothing to record

    Examples:
      | why                        | client   | name             | payload                                                                                    |
      | our own MCP tool           | claude   | PreToolUse       | {"session_id": "s", "tool_name": "mcp__cleveragents__undo"}                                |
      | our own MCP tool, Gemini   | gemini   | BeforeTool       | {"session_id": "s", "tool_name": "mcp_cleveragents_undo"}                                  |
      | of our plugin              | claude   | PostToolUse      | {"session_id": "s", "tool_name": "mcp__plugin_agents_cleveragents__undo"}                  |
      | between rounds             | qwen     | UserPromptSubmit | {"session_id": "s", "cwd": "/p", "prompt": ""}                                             |
      | a prompt of spaces         | claude   | UserPromptSubmit | {"session_id": "s", "cwd": "/p", "prompt": " \n"}                                          |
      | a subagent has ended       | claude   | UserPromptSubmit | {"session_id": "s", "cwd": "/p", "prompt": "<task-notification>\n<task-id>a3</task-id>"}   |
      | parts that nobody wrote    | opencode | chat.message     | {"input": {"sessionID": "s"}, "output": {"parts": [{"text": "x", "synthetic": true}, 3]}}  |
      | no session                 | claude   | Stop             | {"cwd": "/p"}                                                                              |
      | an event of no interest    | claude   | Notification     | {"session_id": "s", "cwd": "/p"}                                                           |
      | an unknown client          | emacs    | PreToolUse       | {"session_id": "s", "cwd": "/p"}                                                           |

  Scenario Outline: tools that start a subagent, or wait for one, write nothing: <tool> of <client>
    When the client <client> is about to call <tool> with
      """
      {"prompt": "go"}
      """
    Then it writes nothing

    Examples:
      | client   | tool                     |
      | claude   | Agent                    |
      | codex    | spawn_agent              |
      | codex    | multi_agent_v1wait_agent |
      | qwen     | agent                    |
      | copilot  | task                     |
      | opencode | task                     |

  Scenario Outline: a subagent of Copilot has a session of its own, and belongs to its parent's: <name>
    When the client copilot calls <name> with
      """
      {"sessionId": "da84", "cwd": "/p", "agentId": "da84", "parentAgentId": "988a", "prompt": "go", "toolName": "bash"}
      """
    Then the event is of kind <kind> with tool "<tool>" and text ""
    And it is of the session "988a" and the agent "da84"

    Examples:
      | name                | kind        | tool |
      | userPromptSubmitted | agent-start |      |
      | preToolUse          | before      | bash |
      | agentStop           | agent-end   |      |
      | subagentStart       | agent-start |      |
      | subagentStop        | agent-end   |      |

  Scenario: a subagent's end of a turn is its own end
    When the client codex calls Stop with
      """
      {"session_id": "s", "cwd": "/p", "agent_id": "a"}
      """
    Then the event is of kind agent-end with tool "" and text ""

  # --- What nobody should send --------------------------------------------------------------------

  Scenario Outline: whatever <client> calls <name> with, it is read
    When the client <client> calls <name> with everything that is wrong
    Then each is an event that can be sent, or nothing to record

    Examples:
      | client   | name                |
      | claude   | PreToolUse          |
      | claude   | PostToolUse         |
      | claude   | UserPromptSubmit    |
      | codex    | PreToolUse          |
      | gemini   | AfterTool           |
      | copilot  | postToolUse         |
      | opencode | chat.message        |
      | opencode | tool.execute.after  |

  Scenario: only the beginning of a text is told
    When the client claude calls UserPromptSubmit with 10 MB of text
    Then the text has 8192 characters
    When the client claude is about to run 10 MB of commands
    Then the text has 8192 characters

  # --- As records ---------------------------------------------------------------------------------

  Scenario: an event comes back from its record as it was
    When I read the captured payloads of claude
    Then each event is the same after it was written and read

  Scenario Outline: a record that is no event: <why>
    Then the record <record> is refused because <why>

    Examples:
      | record                                                                | why                                    |
      | {"client": "claude", "kind": "start"}                                 | an event needs its session             |
      | {"client": "claude", "session": "s", "kind": "party"}                 | 'party' is not a valid EventKind       |
      | {"client": 3, "session": "s", "kind": "start"}                        | client of an event is not of type str  |
      | {"client": "c", "session": "s", "kind": "start", "paths": "a"}        | paths of an event is not of type str   |
      | {"client": "c", "session": "s", "kind": "start", "pid": true}         | pid of an event is not of type int     |

  Scenario: a record of a newer version is read as far as it is known
    Then the record {"client": "c", "session": "s", "kind": "end", "mood": "good", "paths": ["a"]} is an event
