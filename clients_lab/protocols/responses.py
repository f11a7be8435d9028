"""OpenAI Responses, as Codex speaks it."""

import json
import re
from typing import Any

from clients_lab.protocols.reply import EVENTS, JSON, Reply, Request, stream
from clients_lab.script import Asked, newest
from clients_lab.tools import Call, Schema, Tools

USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 20,
}
AGENT = re.compile(r"agent_id\W+([0-9a-f-]{36})")
MARK = re.compile(r"call_(.+)_\d+$")


def read(body: dict[str, Any]) -> Request:
    """Reads a request; calls of one turn share a mark, wherever their outputs stand."""
    items: list[dict[str, Any]] = body.get("input", [])
    texts = [_text(one) for one in items]
    asked = None
    if found := newest(texts):
        index, script, root = found
        marks = {
            mark[1] for one in items[index:] if (mark := MARK.match(str(one.get("call_id", ""))))
        }
        said = [str(one.get("output", "")) for one in items[index:]]
        agents = tuple(name for text in said for name in AGENT.findall(text))
        asked = Asked(script, root, len(marks), agents)
    return Request(asked, _tools(body.get("tools") or []), bool(body.get("stream")))


def answer(reply: Reply, body: dict[str, Any]) -> tuple[str, bytes]:
    """Says an answer: its media type and its bytes."""
    spaces = _namespaces(body.get("tools") or [])
    calls = [
        _item(name, one, spaces.get(one.tool))
        for name, one in zip(reply.ids(), reply.calls, strict=True)
    ]
    items = [_message(reply), *calls]
    response = {
        "id": f"resp_{reply.mark}",
        "object": "response",
        "status": "completed",
        "model": body.get("model", "fake-model"),
        "output": items,
        "usage": USAGE,
    }
    if not body.get("stream"):
        return JSON, json.dumps(response).encode()
    done = [
        {"type": "response.output_item.done", "output_index": index, "item": item}
        for index, item in enumerate(items)
    ]
    begun = {**response, "status": "in_progress", "output": []}
    events = [
        {"type": "response.created", "response": begun},
        *done,
        {"type": "response.completed", "response": response},
    ]
    return EVENTS, stream(events, named=True)


def _tools(offered: list[dict[str, Any]]) -> Tools:
    """Names what is offered, in namespaces as well; a tool that takes plain text has no schema."""
    found: dict[str, Schema] = {}
    for one in offered:
        if one["type"] == "namespace":
            found.update(_tools(one["tools"]))
        elif one["type"] in {"function", "custom"}:
            found[one["name"]] = one.get("parameters", {})
    return found


def _namespaces(offered: list[dict[str, Any]]) -> dict[str, str]:
    """Tells which namespace a tool is called in."""
    spaces = [one for one in offered if one["type"] == "namespace"]
    return {tool: one["name"] for one in spaces for tool in _tools(one["tools"])}


def _text(item: dict[str, Any]) -> str:
    if item.get("type", "message") != "message" or item.get("role") != "user":
        return ""
    content = item.get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def _message(reply: Reply) -> dict[str, Any]:
    return {
        "type": "message",
        "id": f"msg_{reply.mark}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": reply.text, "annotations": []}],
    }


def _item(name: str, call: Call, namespace: str | None) -> dict[str, Any]:
    if isinstance(call.arguments, str):
        kind = {"type": "custom_tool_call", "input": call.arguments}
    else:
        kind = {"type": "function_call", "arguments": json.dumps(call.arguments)}
    if namespace is not None:
        kind["namespace"] = namespace
    return {**kind, "id": f"fc_{name}", "call_id": name, "name": call.tool, "status": "completed"}
