"""The plugin that OpenCode loads: it hands each event to the same hook as other clients do."""

import json
import re
from pathlib import Path

from cleveragents.clients.client import Client
from cleveragents.clients.command import command_for

_LIMIT = re.compile(r"^const LIMIT = (\d+)$", re.MULTILINE)
MARK = "// Written by `agents protect`; `agents unprotect` removes it."
# A child session is a subagent's: its events count as those of the session that began it.
_PLUGIN = """\
import { spawn } from "node:child_process"

const COMMANDS = %(commands)s
const LIMIT = %(limit)d
const parents = new Map()

function told(event, payload) {
  return new Promise((resolve) => {
    try {
      const stdio = ["pipe", "ignore", "ignore"]
      const hook = spawn("sh", ["-c", COMMANDS[event]], { stdio, timeout: LIMIT })
      hook.on("error", resolve)
      hook.on("close", resolve)
      hook.stdin.on("error", () => {})
      hook.stdin.end(JSON.stringify(payload))
    } catch {
      resolve()
    }
  })
}

function first(session) {
  while (parents.has(session)) session = parents.get(session)
  return session
}

function named(cwd, input, output) {
  const session = first(input.sessionID)
  const agent = session === input.sessionID ? "" : input.sessionID
  return { cwd, agent, input: { ...input, sessionID: session }, output }
}

export const CleverAgents = async ({ directory }) => ({
  "chat.message": async (input, output) => {
    const { message, parts } = output
    await told("chat.message", named(directory, input, { message, parts }))
  },
  "tool.execute.before": async (input, output) => {
    await told("tool.execute.before", named(directory, input, { args: output.args }))
  },
  "tool.execute.after": async (input, output) => {
    const exit = output?.metadata?.exit
    await told("tool.execute.after", named(directory, input, { metadata: { exit } }))
  },
  event: async ({ event }) => {
    const properties = event.properties ?? {}
    const info = properties.info ?? {}
    if (event.type === "session.created" && info.parentID) parents.set(info.id, info.parentID)
    if (!(event.type in COMMANDS)) return
    const session = properties.sessionID ?? info.id
    await told(event.type, named(directory, { id: event.id, sessionID: session }))
  },
})
"""


def text_for(client: Client, data: Path, seconds: int) -> str:
    """The plugin as it should be."""
    commands = {event: command_for(data, client.name, event) for event in client.events}
    filled = _PLUGIN % {
        "commands": json.dumps(commands, indent=2),
        "limit": limit_of(seconds),
    }
    return f"{MARK}\n{filled}"


def limit_of(seconds: int) -> int:
    """The time that a hook has, as the plugin counts it."""
    return seconds * 1000


def limit_in(text: str) -> int:
    """The time that a plugin gives a hook."""
    found = _LIMIT.search(text)
    return int(found[1]) if found else 0


def is_plugin(text: str) -> bool:
    """Whether a file is one that we wrote, as it is or by an earlier version."""
    return text.startswith(MARK)


def commands_in(text: str, client: Client, data: Path) -> dict[str, str]:
    """The commands of a plugin that lead to a data directory, by event."""
    wanted = {event: command_for(data, client.name, event) for event in client.events}
    is_here = is_plugin(text)
    return {
        event: command
        for event, command in wanted.items()
        if is_here and json.dumps(command) in text
    }
