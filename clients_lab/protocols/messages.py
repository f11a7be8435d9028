"""Anthropic Messages, as Claude Code speaks it."""

import json
from typing import Any

from clients_lab.protocols.reply import EVENTS, JSON, Reply, Request, stream
from clients_lab.script import Asked, newest
from clients_lab.tools import Tools

USAGE = {"input_tokens": 10, "output_tokens": 10}


def read(body: dict[str, Any]) -> Request:
    """Reads a request."""
    messages: list[dict[str, Any]] = body.get("messages", [])
    texts = [_text(one) if one["role"] == "user" else "" for one in messages]
    asked = None
    if found := newest(texts):
        index, script, root = found
        turns = sum(one["role"] == "assistant" for one in messages[index:])
        asked = Asked(script, root, turns)
    tools: Tools = {one["name"]: one.get("input_schema", {}) for one in body.get("tools") or ()}
    return Request(asked, tools, bool(body.get("stream")))


def answer(reply: Reply, body: dict[str, Any]) -> tuple[str, bytes]:
    """Says an answer: its media type and its bytes."""
    message = {
        "id": f"msg_{reply.mark}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "fake-model"),
        "content": _blocks(reply),
        "stop_reason": "tool_use" if reply.calls else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }
    if not body.get("stream"):
        return JSON, json.dumps(message).encode()
    return EVENTS, stream(_events(message), named=True)


def _text(message: dict[str, Any]) -> str:
    """What a user wrote, without what tools said."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def _blocks(reply: Reply) -> list[dict[str, Any]]:
    calls = [
        {"type": "tool_use", "id": f"toolu_{name}", "name": one.tool, "input": one.arguments}
        for name, one in zip(reply.ids(), reply.calls, strict=True)
    ]
    return [{"type": "text", "text": reply.text}, *calls]


def _events(message: dict[str, Any]) -> list[dict[str, Any]]:
    started = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": started}]
    for index, block in enumerate(message["content"]):
        events += [{**event, "index": index} for event in _of_block(block)]
    reason = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": reason, "usage": USAGE},
        {"type": "message_stop"},
    ]


def _of_block(block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        empty = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "content_block_start", "content_block": empty},
        {"type": "content_block_delta", "delta": delta},
        {"type": "content_block_stop"},
    ]
