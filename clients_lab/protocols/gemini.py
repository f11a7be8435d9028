"""Gemini's generateContent, as Gemini CLI speaks it."""

import json
from typing import Any

from clients_lab.protocols.reply import EVENTS, JSON, Reply, Request, stream
from clients_lab.script import Asked, newest
from clients_lab.tools import Schema, Tools, filled

USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}


def read(body: dict[str, Any]) -> Request:
    """Reads a request; whether it is answered as a stream is said by its address."""
    contents: list[dict[str, Any]] = body.get("contents", [])
    texts = [_text(one) if one.get("role") == "user" else "" for one in contents]
    asked = None
    if found := newest(texts):
        index, script, root = found
        turns = sum(_calls(one) for one in contents[index:])
        asked = Asked(script, root, turns)
    tools: Tools = {
        one["name"]: _schema(one)
        for group in body.get("tools") or ()
        for one in group.get("functionDeclarations", ())
    }
    return Request(asked, tools, streams=False)


def answer(reply: Reply, body: dict[str, Any], *, streams: bool) -> tuple[str, bytes]:
    """Says an answer: its media type and its bytes.

    Gemini CLI asks another model first which one to ask, by a schema, and asks for minutes until it
    gets an object of that shape.
    """
    wanted = body.get("generationConfig", {}).get("responseJsonSchema")
    text = reply.text if wanted is None else json.dumps(filled(wanted))
    calls = [
        {"functionCall": {"id": name, "name": one.tool, "args": one.arguments}}
        for name, one in zip(reply.ids(), reply.calls, strict=True)
    ]
    content = {"role": "model", "parts": [{"text": text}, *calls]}
    candidate = {"index": 0, "content": content, "finishReason": "STOP"}
    whole = {"candidates": [candidate], "usageMetadata": USAGE, "modelVersion": "fake-model"}
    if streams:
        return EVENTS, stream([whole])
    return JSON, json.dumps(whole).encode()


def _text(content: dict[str, Any]) -> str:
    """What a user wrote, without what tools said."""
    return "\n".join(part.get("text", "") for part in content.get("parts", ()))


def _calls(content: dict[str, Any]) -> bool:
    """Tells a turn of the model that called tools; its words may stand by themselves."""
    return content.get("role") == "model" and any("functionCall" in one for one in content["parts"])


def _schema(declared: dict[str, Any]) -> Schema:
    return declared.get("parametersJsonSchema") or declared.get("parameters") or {}
