"""The model: a server on loopback that answers every protocol with the next round."""

import json
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from clients_lab.protocols import completions, gemini, messages, responses
from clients_lab.protocols.reply import JSON, Reply, Request
from clients_lab.script import Round
from clients_lab.tools import call

Scripts = Mapping[str, tuple[Round, ...]]
DONE = "done as scripted"


class Model:
    """A scripted model; what it heard it keeps for the judge, and answers by none of it."""

    def __init__(self, scripts: Scripts, meanwhile: Callable[[str], None]) -> None:
        self._scripts = scripts
        self._meanwhile = meanwhile
        self._lock = threading.Lock()
        self._seen: set[tuple[str, str, int]] = set()
        self.offered: dict[str, frozenset[str]] = {}  # tools by script, for those who wonder
        self.heard: list[str] = []  # every request, as a text

    def reply(self, request: Request) -> Reply:
        """Plays the next round; a request without tools or script gets words alone."""
        asked, mark = request.asked, secrets.token_hex(6)
        if asked is None or not request.tools:
            return Reply(DONE, mark=mark)
        self.offered[asked.script] = frozenset(request.tools)
        rounds = self._scripts.get(asked.script, ())
        if asked.turns >= len(rounds):
            return Reply(DONE, mark=mark)
        now = rounds[asked.turns]
        if now.meanwhile:
            self._once(now.meanwhile, (asked.script, asked.root, asked.turns))
        calls = [call(act, asked, request.tools) for act in now.acts]
        return Reply("next", tuple(one for one in calls if one is not None), mark)

    def _once(self, name: str, key: tuple[str, str, int]) -> None:
        """Lets the user act, once even if a client asks twice."""
        with self._lock:
            if key not in self._seen:
                self._seen.add(key)
                self._meanwhile(name)


@contextmanager
def serving(model: Model) -> Iterator[int]:
    """Serves a model on a free port of loopback."""

    class Handler(_Handler):
        answers = model

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    answers: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base names it so
        """Says nothing of single requests."""

    def do_HEAD(self) -> None:
        """Answers those who only look whether somebody is there."""
        self._send(JSON, b"")

    def do_GET(self) -> None:
        """Lists models, and has nothing else to say."""
        listed = {"object": "list", "data": [{"id": "fake-model", "object": "model"}], "models": []}
        self._send(JSON, json.dumps(listed).encode())

    def do_POST(self) -> None:
        """Answers a request in its protocol."""
        size = int(self.headers.get("Content-Length", 0))
        try:
            body = json.loads(self.rfile.read(size) or b"{}")
        except ValueError:
            body = {}
        self.answers.heard.append(json.dumps(body))
        self._send(*_answered(self.answers, urlsplit(self.path).path, body))

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _answered(model: Model, path: str, body: dict[str, Any]) -> tuple[str, bytes]:
    """Finds the protocol by the address."""
    if path.endswith("/messages"):
        return messages.answer(model.reply(messages.read(body)), body)
    if path.endswith("/responses"):
        return responses.answer(model.reply(responses.read(body)), body)
    if path.endswith("/chat/completions"):
        return completions.answer(model.reply(completions.read(body)), body)
    if path.endswith((":generateContent", ":streamGenerateContent")):
        streams = path.endswith(":streamGenerateContent")
        return gemini.answer(model.reply(gemini.read(body)), body, streams=streams)
    counted = {"input_tokens": 10, "totalTokens": 10}  # of those who ask how long a text is
    return JSON, json.dumps(counted).encode()
