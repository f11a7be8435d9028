"""OpenAI Chat Completions, as Qwen Code, Copilot and OpenCode speak it."""

import json
from typing import Any

from clients_lab.protocols.reply import EVENTS, JSON, Reply, Request, stream
from clients_lab.script import Asked, newest
from clients_lab.tools import Tools

USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


def read(body: dict[str, Any]) -> Request:
    """Reads a request."""
    messages: list[dict[str, Any]] = body.get("messages", [])
    texts = [_text(one) if one["role"] == "user" else "" for one in messages]
    asked = None
    if found := newest(texts):
        index, script, root = found
        turns = sum(one["role"] == "assistant" for one in messages[index:])
        asked = Asked(script, root, turns)
    functions = [one["function"] for one in body.get("tools") or () if "function" in one]
    tools: Tools = {one["name"]: one.get("parameters", {}) for one in functions}
    return Request(asked, tools, bool(body.get("stream")))


def answer(reply: Reply, body: dict[str, Any]) -> tuple[str, bytes]:
    """Says an answer: its media type and its bytes."""
    calls = [
        {
            "index": index,
            "id": name,
            "type": "function",
            "function": {"name": one.tool, "arguments": json.dumps(one.arguments)},
        }
        for index, (name, one) in enumerate(zip(reply.ids(), reply.calls, strict=True))
    ]
    said: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if calls:
        said["tool_calls"] = calls
    end = "tool_calls" if calls else "stop"
    shared = {"id": f"chatcmpl-{reply.mark}", "created": 1, "model": body.get("model", "fake")}
    if not body.get("stream"):
        choice = {"index": 0, "message": said, "finish_reason": end}
        whole = {**shared, "object": "chat.completion", "choices": [choice], "usage": USAGE}
        return JSON, json.dumps(whole).encode()
    kind = {**shared, "object": "chat.completion.chunk"}
    chunks = [
        {**kind, "choices": [{"index": 0, "delta": said, "finish_reason": None}]},
        {**kind, "choices": [{"index": 0, "delta": {}, "finish_reason": end}]},
        {**kind, "choices": [], "usage": USAGE},
    ]
    return EVENTS, stream(chunks, end="data: [DONE]\n\n")


def _text(message: dict[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)
