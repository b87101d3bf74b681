"""A model server and an OTLP sink on this machine: it answers by a script, and its log is the truth about a run.

Standard library only, so that it runs in the environment of any package.
"""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

QUESTION = "Weather in Hanoi and Hue, then book two seats"
SYSTEM = "You plan trips."
ANSWER = "Sunny, but no seats."
STEPS: tuple[list[tuple[str, str, dict[str, Any]]], ...] = (
    [("c1", "get_weather", {"city": "Hanoi"}), ("c2", "get_weather", {"city": "Hue"})],
    [("c3", "book", {"city": "Hanoi", "seats": 2})],
    [],
)


def message_of(step: int) -> dict[str, Any]:
    """The answer of one step in OpenAI's spelling."""
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for id, name, arguments in STEPS[step]
    ]
    return (
        {"role": "assistant", "content": None, "tool_calls": calls}
        if calls
        else {"role": "assistant", "content": ANSWER}
    )


class Loopback:
    """`requests` and `answers` in order, and `received`: what exporters sent, as (path, content type, body)."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.received: list[tuple[str, str, bytes]] = []
        log = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                pass

            def body(self) -> bytes:
                if "chunked" in self.headers.get("transfer-encoding", ""):
                    parts = []
                    while size := int(self.rfile.readline().strip() or b"0", 16):
                        parts.append(self.rfile.read(size))
                        self.rfile.readline()
                    self.rfile.readline()
                    data = b"".join(parts)
                else:
                    data = self.rfile.read(int(self.headers.get("content-length", 0)))
                return gzip.decompress(data) if self.headers.get("content-encoding") == "gzip" else data

            def send(self, data: bytes, kind: str = "application/json") -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self) -> None:
                self.send(b"{}")

            def do_POST(self) -> None:
                body = self.body()
                if self.path.endswith("/chat/completions"):
                    request = json.loads(body)
                    message = message_of(log.step(request))
                    log.requests.append(request)
                    log.answers.append(message)
                    self.answer(request, message)
                else:
                    log.received.append((self.path, self.headers.get("content-type", ""), body))
                    self.send(b"" if "protobuf" in self.headers.get("content-type", "") else b"{}")

            do_PATCH = do_PUT = do_POST  # noqa: N815

            def answer(self, request: dict[str, Any], message: dict[str, Any]) -> None:
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                head = {"id": "r1", "created": 1, "model": "scripted"}
                finish = "tool_calls" if message.get("tool_calls") else "stop"
                if not request.get("stream"):
                    choice = {"index": 0, "message": message, "finish_reason": finish}
                    reply = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
                    self.send(json.dumps(reply).encode())
                    return
                delta = {
                    **message,
                    "tool_calls": [{**c, "index": i} for i, c in enumerate(message.get("tool_calls", []))],
                }
                if not delta["tool_calls"]:
                    del delta["tool_calls"]
                chunks = [
                    {**head, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]},
                    {
                        **head,
                        "object": "chat.completion.chunk",
                        "choices": [{"index": 0, "delta": {}, "finish_reason": finish}],
                    },
                    {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage},
                ]
                lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
                self.send("".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @staticmethod
    def step(request: dict[str, Any]) -> int:
        """Which answer a request asks for: by the number of answers that it repeats."""
        return sum(message.get("role") == "assistant" for message in request["messages"])
