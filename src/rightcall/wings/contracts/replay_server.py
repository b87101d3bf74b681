"""A recording as a server: JSON-RPC messages in, JSON-RPC messages out, whatever carries them.

A recorded call gets its recorded answer. Any other call of a recorded tool is answered with an error that the model can
read, and that names the nearest recorded call; nothing is ever invented.
"""

from __future__ import annotations

from typing import Any

from rightcall.core.codec import encode
from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.mcp.session import McpSession
from rightcall.recording.mcp.session_player import CallLog, SessionPlayer

Message = dict[str, Any]

INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32600, -32601, -32602
LIST_CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class ReplayServer:
    """A recorded session for any number of clients; `log` is what all of them called."""

    def __init__(self, session: McpSession) -> None:
        self.session, self.log = session, CallLog()
        self._clean = scrubber()

    def client(self) -> ReplayClient:
        """A new client, to which no answer was given yet."""
        return ReplayClient(SessionPlayer(self.session, self._clean, self.log))


class ReplayClient:
    """One client's conversation."""

    def __init__(self, player: SessionPlayer) -> None:
        self._player, self._session = player, player.session

    def replies(self, message: Any) -> list[Message]:
        """The answers to a message: none for a notification, and before a reply what the server had to announce."""
        if isinstance(message, list):  # a batch, as one version of the protocol had it
            return [reply for part in message for reply in self.replies(part)]
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            is_reply = isinstance(message, dict) and ("result" in message or "error" in message)
            return [] if is_reply else [_error(None, INVALID_REQUEST, "not a JSON-RPC request")]
        if "id" not in message:
            return []
        params = message.get("params")
        listed = self._player.tools
        reply = self._reply(message["method"], params if isinstance(params, dict) else {})
        announced = [LIST_CHANGED] if self._player.tools is not listed else []
        return [*announced, {"jsonrpc": "2.0", "id": message["id"], **reply}]

    def _reply(self, method: str, params: Message) -> Message:
        if method == "tools/call":
            return self._call(params)
        if method == "initialize":
            return {"result": self._greeting(params)}
        results: dict[str, Message] = {
            "ping": {},
            "logging/setLevel": {},
            "tools/list": {"tools": list(self._player.tools)},
            "resources/list": {"resources": list(self._session.resources)},
            "resources/templates/list": {"resourceTemplates": []},
            "prompts/list": {"prompts": list(self._session.prompts)},
        }
        if method in results:
            return {"result": results[method]}
        return {"error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not recorded"}}

    def _greeting(self, params: Message) -> Message:
        """What the server said of itself; an older client is answered in its version of the protocol."""
        recorded = {"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, **self._session.server}
        recorded.setdefault("serverInfo", {"name": "recording", "version": ""})
        asked = params.get("protocolVersion")
        if isinstance(asked, str) and asked < str(recorded["protocolVersion"]):
            recorded["protocolVersion"] = asked
        return recorded

    def _call(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return {
                "error": {"code": INVALID_PARAMS, "message": "a call has a name and an object of arguments"}
            }
        recorded = self._player.answer(name, arguments)
        if recorded is not None:
            return {"error": recorded.error} if recorded.result is None else {"result": recorded.result}
        if not self._player.lists(name):
            return {"error": {"code": INVALID_PARAMS, "message": f"Unknown tool: {name}"}}
        miss = self._player.miss(name, arguments)
        return {"result": {"content": [{"type": "text", "text": encode(miss).decode()}], "isError": True}}


def _error(number: Any, code: int, text: str) -> Message:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
