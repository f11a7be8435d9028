"""Tiny clients of the lab's model: one for each protocol, as the real ones speak it.

Each sends its whole conversation with every request, reads the answer as a stream, and answers the
calls in it, without doing anything.
"""

import json
from http.client import HTTPConnection

AGENT = "01a1eee9-e747-7cc3-a333-fe0ba45449dc"
PATHS = {"file_path": {"type": "string"}}
CONTENT = {**PATHS, "content": {"type": "string"}}
REPLACED = {**PATHS, "old_string": {"type": "string"}, "new_string": {"type": "string"}}
COMMAND = {"command": {"type": "string"}}


def schema(properties, *required):
    return {"type": "object", "properties": properties, "required": list(required)}


class Speaker:
    """What all of them share: a conversation, and what the model told it to do."""

    path = ""
    tools = ()

    def __init__(self, port):
        self.port = port
        self.talk = []
        self.calls = []  # name and arguments, in order
        self.words = []
        self.turns = 0  # of the model with calls

    def play(self, prompt):
        """Sends a prompt and answers calls until the model has only words."""
        self.said_by_user(prompt)
        while calls := self.ask():
            self.turns += 1
            self.calls += [(name, arguments) for _, name, arguments in calls]
            for call in calls:
                self.result(call)

    def ask(self, tools=None):
        """Sends the conversation; returns the calls of the answer."""
        body = self.body(self.tools if tools is None else tools)
        return self.heard(events(post(self.port, self.path, body)))


class Messages(Speaker):
    path = "/v1/messages?beta=true"
    tools = (
        ("Read", schema(PATHS, "file_path")),
        ("Write", schema(CONTENT, "file_path", "content")),
        ("Edit", schema(REPLACED, "file_path")),
        ("Bash", schema({**COMMAND, "description": {"type": "string"}}, "command")),
    )

    def said_by_user(self, text):
        self.talk.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def body(self, tools):
        offered = [{"name": name, "input_schema": one} for name, one in tools]
        return {"model": "m", "stream": True, "messages": self.talk, "tools": offered}

    def heard(self, found):
        assert found[0]["type"] == "message_start", found[0]
        assert found[-1]["type"] == "message_stop", found[-1]
        blocks, texts = {}, {}
        for event in found:
            if event["type"] == "content_block_start":
                blocks[event["index"]] = event["content_block"]
            if event["type"] == "content_block_delta":
                delta = event["delta"]
                texts[event["index"]] = delta.get("text") or delta.get("partial_json")
        content, calls = [], []
        for index, block in blocks.items():
            if block["type"] == "text":
                self.words.append(texts[index])
                content.append({"type": "text", "text": texts[index]})
            else:
                given = json.loads(texts[index])
                calls.append((block["id"], block["name"], given))
                content.append({**block, "input": given})
        self.talk.append({"role": "assistant", "content": content})
        stop = next(one["delta"] for one in found if one["type"] == "message_delta")
        assert stop["stop_reason"] == ("tool_use" if calls else "end_turn"), stop
        return calls

    def result(self, call):
        block = {"type": "tool_result", "tool_use_id": call[0], "content": "SCRIPT:no ROOT=/x"}
        self.talk.append({"role": "user", "content": [block]})


class Responses(Speaker):
    path = "/v1/responses"
    tools = (("exec_command", schema({"cmd": {"type": "string"}}, "cmd")),)
    spaced = (
        ("spawn_agent", schema({"message": {"type": "string"}}, "message")),
        ("wait_agent", schema({"targets": {"type": "array"}}, "targets")),
    )

    def said_by_user(self, text):
        content = [{"type": "input_text", "text": text}]
        self.talk.append({"type": "message", "role": "user", "content": content})

    def body(self, tools):
        plain = [{"type": "function", "name": n, "parameters": one} for n, one in tools]
        spaced = [{"type": "function", "name": n, "parameters": one} for n, one in self.spaced]
        offered = [
            *plain,
            {"type": "custom", "name": "apply_patch"},
            {"type": "namespace", "name": "multi_agent_v1", "tools": spaced},
            {"type": "web_search"},
        ]
        return {"stream": True, "input": self.talk, "tools": offered if tools else []}

    def heard(self, found):
        assert found[0]["type"] == "response.created", found[0]
        assert found[-1]["type"] == "response.completed", found[-1]
        assert found[-1]["response"]["usage"]["total_tokens"], found[-1]
        items = [one["item"] for one in found if one["type"] == "response.output_item.done"]
        calls = []
        for item in items:
            if item["type"] == "message":
                self.words.append(item["content"][0]["text"])
                continue
            spaced = item["name"] in dict(self.spaced)
            assert item.get("namespace") == ("multi_agent_v1" if spaced else None), item
            given = item["input"] if "input" in item else json.loads(item["arguments"])
            calls.append((item["call_id"], item["name"], given))
            # As Codex does: what a call said stands right behind it, before the next call.
            output = json.dumps({"agent_id": AGENT}) if spaced else "fine"
            said = {"type": "function_call_output", "call_id": item["call_id"], "output": output}
            self.talk += [item, said]
        return calls

    def result(self, call):
        """Stands in the conversation already."""


class Completions(Speaker):
    path = "/v1/chat/completions"
    tools = (
        ("read_file", schema(PATHS, "file_path")),
        ("write_file", schema(CONTENT, "file_path", "content")),
        ("edit", schema(REPLACED, "file_path")),
        ("run_shell_command", schema({**COMMAND, "is_background": {"type": "boolean"}}, "command")),
    )

    def said_by_user(self, text):
        self.talk.append({"role": "user", "content": text})

    def body(self, tools):
        offered = [
            {"type": "function", "function": {"name": name, "parameters": one}}
            for name, one in tools
        ]
        return {"stream": True, "messages": self.talk, "tools": offered}

    def heard(self, found):
        said = found[0]["choices"][0]["delta"]
        end = found[1]["choices"][0]["finish_reason"]
        assert found[-1]["usage"]["total_tokens"], found[-1]
        self.words.append(said["content"])
        self.talk.append(said)
        calls = [
            (one["id"], one["function"]["name"], json.loads(one["function"]["arguments"]))
            for one in said.get("tool_calls", ())
        ]
        assert end == ("tool_calls" if calls else "stop"), end
        return calls

    def result(self, call):
        self.talk.append({"role": "tool", "tool_call_id": call[0], "content": "fine"})


class Gemini(Speaker):
    path = "/v1beta/models/m:streamGenerateContent?alt=sse"
    tools = (
        ("read_file", schema(PATHS, "file_path")),
        ("write_file", schema(CONTENT, "file_path", "content")),
        (
            "replace",
            schema({**REPLACED, "instruction": {"type": "STRING"}}, "file_path", "instruction"),
        ),
        ("run_shell_command", schema(COMMAND, "command")),
    )

    def said_by_user(self, text):
        self.talk.append({"role": "user", "parts": [{"text": text}]})

    def body(self, tools):
        declared = [{"name": name, "parametersJsonSchema": one} for name, one in tools]
        return {"contents": self.talk, "tools": [{"functionDeclarations": declared}]}

    def heard(self, found):
        [answer] = found
        candidate = answer["candidates"][0]
        assert candidate["finishReason"] == "STOP", candidate
        self.talk.append(candidate["content"])
        parts = candidate["content"]["parts"]
        self.words += [one["text"] for one in parts if "text" in one]
        called = [one["functionCall"] for one in parts if "functionCall" in one]
        return [(one["id"], one["name"], one["args"]) for one in called]

    def result(self, call):
        said = {"name": call[1], "response": {"output": "fine"}}
        self.talk.append({"role": "user", "parts": [{"functionResponse": said}]})


SPEAKERS = {
    "Messages": Messages,
    "Responses": Responses,
    "Chat Completions": Completions,
    "Gemini": Gemini,
}


def post(port, path, body):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200, answer.status
        return answer.read().decode()
    finally:
        connection.close()


def events(text):
    """Reads server-sent events; the one that only says that it is the last is left out."""
    found = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(one) for one in found if one != "[DONE]"]
