"""A stand-in for vLLM, Ollama or a gateway: an OpenAI-compatible server on this machine that plays every role."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

asked: list[str] = []
"""The model of every request, in order."""


class ChatCompletions(BaseHTTPRequestHandler):
    """Judges pass, users ask once and are content, writers write one sentence."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked.append(body["model"])
        message = {"role": "assistant", "content": "Where is my order?"}
        if body.get("tools"):
            verdict = json.dumps({"reason": "it answers the question", "verdict": "pass"})
            call = {"id": "1", "type": "function", "function": {"name": "give_verdict", "arguments": verdict}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        elif any(one["role"] == "assistant" for one in body["messages"]):
            message["content"] = "###STOP###"
        elif "clarity" in json.dumps(body["messages"]):
            message["content"] = '{"clarity": 1, "answerability": 1, "feedback": ""}'
        reply = json.dumps(
            {"model": body["model"], "choices": [{"message": message, "finish_reason": "stop"}]}
        )
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *args: object) -> None:
        """Print nothing."""


def start() -> str:
    """Its base URL; it ends with the process."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), ChatCompletions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"
