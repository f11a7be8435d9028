"""Reads what coding agents hand to their hooks: one table for each, one kind of record from all.

It runs inside every call of a hook, under `python -I -S`: it imports nothing of ours and nothing
that takes time (`typing` alone costs more than all the rest). Whatever it is handed, it answers
with a record or with None, never with an exception.
"""

# The interpreter's own: `hashlib` loads OpenSSL first, for a third of the time that a hook takes.
from _blake2 import blake2b

TYPE_CHECKING = False  # as `typing` has it
if TYPE_CHECKING:
    from typing import TypeGuard

MOST_TEXT = 8192  # characters that are told; fewer are kept, but a secret is masked as a whole
MOST_NAME = 300  # of ids and tools; what is longer is no client's
MOST_PATH = 4096
MOST_PATHS = 1000
# Claude Code tells the model as if the user had that a subagent has ended: the same turn goes on.
NOTIFICATION = "<task-notification>"

# The kinds of `chats.event.EventKind`.
START, PROMPT, BEFORE, AFTER, BATCH = "start", "prompt", "before", "after", "batch"
TURN_END, AGENT_START, AGENT_END = "turn-end", "agent-start", "agent-end"
INTERRUPT, END = "interrupt", "end"

_LIKE_CLAUDE = {
    "SessionStart": START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": BEFORE,
    "PostToolUse": AFTER,
    "PostToolUseFailure": AFTER,
    "PostToolBatch": BATCH,
    "Stop": TURN_END,
    "SubagentStart": AGENT_START,
    "SubagentStop": AGENT_END,
    "SessionEnd": END,
}
# What each client calls the events that count here; any other one is nothing to record.
KINDS = {
    "claude": _LIKE_CLAUDE,
    "codex": {**_LIKE_CLAUDE, "Interrupt": INTERRUPT},
    "gemini": {
        "SessionStart": START,
        "BeforeAgent": PROMPT,
        "BeforeTool": BEFORE,
        "AfterTool": AFTER,
        "AfterAgent": TURN_END,
        "SessionEnd": END,
    },
    "qwen": _LIKE_CLAUDE,
    "copilot": {
        "sessionStart": START,
        "userPromptSubmitted": PROMPT,
        "preToolUse": BEFORE,
        "postToolUse": AFTER,
        "agentStop": TURN_END,
        "subagentStart": AGENT_START,
        "subagentStop": AGENT_END,
        "sessionEnd": END,
    },
    "opencode": {
        "session.created": START,
        "chat.message": PROMPT,
        "tool.execute.before": BEFORE,
        "tool.execute.after": AFTER,
        "session.idle": TURN_END,
        "session.error": INTERRUPT,
        "session.deleted": END,
    },
}
FAILURES = frozenset({"PostToolUseFailure"})  # events that by themselves say so

_SNAKE = {
    "session": "session_id",
    "cwd": "cwd",
    "turn": "prompt_id turn_id",
    "call": "tool_use_id",
    "agent": "agent_id",
    "tool": "tool_name",
    "input": "tool_input",
    "prompt": "prompt",
}
# Where each field lies; of several places the first that holds something counts.
FIELDS = {
    "claude": _SNAKE,
    "codex": _SNAKE,
    "gemini": _SNAKE,
    "qwen": _SNAKE,
    "copilot": {
        "session": "parentAgentId sessionId",  # a subagent has a session of its own
        "cwd": "cwd",
        "turn": "",
        "call": "",
        "agent": "agentId",
        "tool": "toolName",
        "input": "toolArgs",
        "prompt": "prompt",
    },
    "opencode": {
        "session": "input.sessionID input.properties.sessionID",
        "cwd": "cwd input.directory input.properties.info.directory",
        "turn": "output.message.id",
        "call": "input.callID",
        "agent": "agent",
        "tool": "input.tool",
        "input": "input.args output.args",
        "prompt": "output.parts",
    },
}
# Where an after says whether the call failed, and what stands there if it did not.
FINE: dict[str, tuple[str, tuple[object, ...]]] = {
    "claude": ("error", (None, "")),
    "codex": ("tool_response.isError", (None, False)),
    "gemini": ("tool_response.error", (None, "")),
    "qwen": ("tool_response.error", (None, "")),
    "copilot": ("toolResult.resultType", (None, "success")),
    "opencode": ("output.metadata.exit", (None, 0)),
}

# Tools that write nothing in the project. Those that start a subagent are among them where its own
# calls are told one by one: else all that a user does meanwhile would count as the agent's.
READ_ONLY = {
    "claude": "Read NotebookRead Grep Glob LS LSP WebFetch WebSearch TodoWrite TaskCreate TaskGet"
    " TaskList TaskUpdate TaskOutput TaskStop BashOutput KillShell ToolSearch AskUserQuestion"
    " EnterPlanMode ExitPlanMode ListMcpResourcesTool ReadMcpResourceTool Agent Task"
    " ListAgents ReportFindings ScheduleWakeup",
    "codex": "read_file list_dir grep_files view_image update_plan web_search tool_search"
    " list_mcp_resources list_mcp_resource_templates read_mcp_resource request_user_input"
    " spawn_agent send_input wait wait_agent resume_agent close_agent"
    " multi_agent_v1spawn_agent multi_agent_v1send_input multi_agent_v1wait_agent"
    " multi_agent_v1resume_agent multi_agent_v1close_agent create_goal get_goal update_goal",
    "gemini": "read_file read_many_files list_directory glob grep_search search_file_content"
    " google_web_search web_fetch write_todos ask_user get_internal_docs enter_plan_mode"
    " exit_plan_mode invoke_agent",
    "qwen": "read_file read_many_files list_directory glob grep_search search_file_content"
    " web_search web_fetch todo_write ask_user_question exit_plan_mode lsp"
    " agent task list_agents tool_search get_goal update_goal",
    "copilot": "view grep glob rg web_fetch web_search report_intent update_todo ask_user"
    " read_bash list_bash fetch_copilot_cli_documentation task list_agents read_agent",
    "opencode": "read grep glob list webfetch websearch codesearch todowrite todoread question lsp"
    " task",
}
# Tools that name what they write, and where; they write nothing else.
WRITES = {
    "claude": {
        "Write": "file_path",
        "Edit": "file_path",
        "MultiEdit": "file_path",
        "NotebookEdit": "notebook_path",
    },
    "codex": {},
    "gemini": {"write_file": "file_path", "replace": "file_path"},
    "qwen": {"write_file": "file_path", "replace": "file_path", "edit": "file_path"},
    "copilot": {"create": "path", "edit": "path"},
    "opencode": {"write": "filePath", "edit": "filePath", "multiedit": "filePath"},
}
# Tools whose input is a patch that names what it writes, and where the patch may stand.
PATCHES = ("apply_patch", "patch")
PATCH_FIELDS = "command input patch patchText"
PATCH_HEADS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
COMMAND_FIELD = "command"  # of a shell, in all clients
# Our own MCP tools as clients name them: they record what they do themselves.
OWN_TOOLS = (
    "mcp__cleveragents__",
    "mcp__plugin_agents_cleveragents__",
    "mcp_cleveragents_",
    "cleveragents_",
    "cleveragents-",
)


def event_of(client: str, name: str, payload: object) -> dict[str, object] | None:
    """Returns the record of a `HookEvent`; None: there is nothing to record.

    A record without a `cwd` is that of a client that does not say where it works: the hook's own
    directory counts then.
    """
    kind = KINDS.get(client, {}).get(name.removeprefix("event:"))
    if kind is None or not _is_table(payload):
        return None
    try:
        return _record(client, name, kind, payload)
    except RecursionError:
        return None  # nested deeper than any client writes it


def _record(
    client: str, name: str, kind: str, payload: dict[str, object]
) -> dict[str, object] | None:
    fields = FIELDS[client]
    session = _name(payload, fields["session"])
    agent = _name(payload, fields["agent"])
    prompt = _cut(_words(_found(payload, fields["prompt"])), MOST_TEXT)
    is_call = kind in (BEFORE, AFTER)
    tool = _name(payload, fields["tool"]) if is_call else ""
    if not session or tool.startswith(OWN_TOOLS) or (kind == PROMPT and not _is_asked(prompt)):
        return None
    if agent and kind in (START, PROMPT):
        kind = AGENT_START  # what a subagent is told to do is no word of the user's
    if agent and kind in (TURN_END, INTERRUPT, END):
        kind = AGENT_END
    given = _found(payload, fields["input"]) if is_call else None
    may_write = is_call and tool not in READ_ONLY[client].split()
    paths = _paths(client, tool, given) if may_write else ()
    return {
        "client": client,
        "session": session,
        "kind": kind,
        "cwd": _path(_found(payload, fields["cwd"])),
        "turn": _name(payload, fields["turn"]),
        "call": _name(payload, fields["call"]) if is_call else "",
        "agent": agent,
        "tool": tool,
        "may_write": may_write,
        "paths": list(paths),
        "text": prompt if kind == PROMPT else _told(given, paths),
        "failed": kind == AFTER and _has_failed(client, name, payload),
        "input": _digest(tool, _in_order(given)) if is_call else "",
        "digest": _digest(client, name, payload),
        "pid": 0,
    }


def _is_asked(prompt: str) -> bool:
    """Whether it is a prompt of somebody's: clients hand empty ones and notes of their own too."""
    return bool(prompt.strip()) and not prompt.startswith(NOTIFICATION)


def _has_failed(client: str, name: str, payload: dict[str, object]) -> bool:
    place, fine = FINE[client]
    return name in FAILURES or _found(payload, place) not in fine


def _paths(client: str, tool: str, given: object) -> tuple[str, ...]:
    """The paths that a call names as those it writes; none: it may write anything."""
    if tool in PATCHES:
        text = given if isinstance(given, str) else _found(given, PATCH_FIELDS)
        named = _patched(text) if isinstance(text, str) else []
    else:
        named = [_found(given, WRITES[client].get(tool, ""))]
    paths = tuple(dict.fromkeys(map(_path, named)))
    return () if "" in paths or len(paths) > MOST_PATHS else paths


def _patched(text: str) -> list[str]:
    """The paths in the headers of a patch; a line of content begins with a sign or a space."""
    return [
        line.removeprefix(head).rstrip()
        for line in text.split("\n")
        if line.startswith("***")
        for head in PATCH_HEADS
        if line.startswith(head)
    ]


def _told(given: object, paths: tuple[str, ...]) -> str:
    """What is shown of a call: the paths of an edit, the command of a shell, of others nothing."""
    if paths:
        return _cut(", ".join(paths), MOST_TEXT)
    command = _found(given, COMMAND_FIELD)
    return _cut(command, MOST_TEXT) if isinstance(command, str) else ""


def _words(value: object) -> str:
    """The text of a prompt: itself, or the parts of it that the user wrote."""
    if isinstance(value, str):
        return value
    parts = [part for part in _parts(value) if _is_table(part) and not part.get("synthetic")]
    texts = [part.get("text") for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _parts(value: object) -> "list[object]":
    return value if _is_list(value) else []


def _found(value: object, places: str) -> object:
    """What stands at the first of several places that has something."""
    for place in places.split():
        found = value
        for key in place.split("."):
            found = found.get(key) if _is_table(found) else None
        if found is not None:
            return found
    return None


def _name(payload: dict[str, object], places: str) -> str:
    """An id, or the name of a tool: a text of moderate length."""
    found = _found(payload, places)
    return _cut(found, MOST_NAME) if isinstance(found, str) else ""


def _path(value: object) -> str:
    """A path that the file system could have; empty: it is none."""
    if not isinstance(value, str) or len(value) > MOST_PATH or "\0" in value:
        return ""
    return value if _clean(value) == value else ""


def _cut(text: str, most: int) -> str:
    return _clean(text[:most])


def _clean(text: str) -> str:
    """A text that every encoding and every database takes: halves of characters are no text."""
    return text.replace("\0", "?").encode("utf-8", "replace").decode("utf-8")


def _in_order(given: object) -> object:
    """The input of a call, whatever the order in which before and after name its fields."""
    return sorted(given.items(), key=lambda item: item[0]) if _is_table(given) else given


def _digest(*parts: object) -> str:
    return blake2b(repr(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()


def _is_table(value: object) -> "TypeGuard[dict[str, object]]":
    return isinstance(value, dict)


def _is_list(value: object) -> "TypeGuard[list[object]]":
    return isinstance(value, list)
