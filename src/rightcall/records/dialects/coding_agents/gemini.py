"""Gemini CLI: `--output-format stream-json`, and chat files."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rightcall.records.call import ToolResult
from rightcall.records.dialects.coding_agents.reader import (
    CodingTranscript,
    Line,
    TranscriptReader,
    number_of,
)
from rightcall.records.message import Message
from rightcall.records.trajectory import Usage, token_count

SILENT = frozenset(("init", "info", "thought", "thoughts", "warning"))


class GeminiStream(TranscriptReader):
    """Tools as of gemini-cli-core 0.61.0."""

    plumbing = frozenset(("write_todos", "activate_skill"))

    def add(self, line: Line, place: str) -> None:
        kind = line.get("type")
        if kind == "init":
            self.session = str(line.get("session_id") or "")
            self.model = str(line.get("model") or "")
        elif kind == "message":
            self._say(
                "user" if line.get("role") == "user" else "assistant", str(line.get("content") or ""), line
            )
        elif kind == "tool_use":
            call = self.call(line.get("tool_name"), line.get("parameters"), line.get("tool_id"))
            self.items.messages.append(Message("assistant", calls=(call,)))
        elif kind == "tool_result":
            failed = line.get("status") == "error"
            output = line.get("error") if failed and line.get("error") is not None else line.get("output")
            result = ToolResult(str(line.get("tool_id") or ""), output, failed)
            self.items.messages.append(Message("tool", results=(result,)))
        elif kind in ("error", "result"):
            self._end(line)
        elif kind not in SILENT:
            raise self.unknown(kind, place)

    def _say(self, role: Any, text: str, line: Line) -> None:
        last = self.items.messages[-1] if self.items.messages else None
        if role == "user":
            self.note_request(text)
        if line.get("delta") is True and last is not None and last.role == role and not last.calls:
            self.items.messages[-1] = replace(last, content=last.content + text)
        else:
            self.items.messages.append(Message(role, text))

    def _end(self, line: Line) -> None:
        stats = line.get("stats")
        if line["type"] == "result":
            self.has_end = True
        if isinstance(stats, dict):
            self.usage = Usage(
                token_count(stats.get("input_tokens")), token_count(stats.get("output_tokens"))
            )
            self.latency_ms = number_of(stats.get("duration_ms"))
        if line.get("status") == "error" or (
            line["type"] == "error" and line.get("severity", "error") == "error"
        ):
            self.stop = "agent_error"
            error = line.get("error")
            self.error = str(
                error.get("message") if isinstance(error, dict) else line.get("message") or "error"
            )


class GeminiChat(GeminiStream):
    """Messages by id, of which a later line replaces an earlier one; older versions write one document of them."""

    ends = False

    def __init__(self, form: str, where: str) -> None:
        super().__init__(form, where)
        self._messages: dict[str, tuple[Line, str]] = {}

    def add(self, line: Line, place: str) -> None:
        self.session = self.session or str(line.get("sessionId") or "")
        patch = line.get("$set")
        listed = (patch if isinstance(patch, dict) else line).get("messages")
        if isinstance(listed, list):
            for at, message in enumerate(listed):
                if not isinstance(message, dict):
                    raise self.unknown(type(message).__name__, f"{place}: messages[{at}]")
                self._messages[str(message.get("id", f"{place} {at}"))] = (
                    message,
                    f"{place}: messages[{at}]",
                )
        elif "type" in line:
            self._messages[str(line.get("id", place))] = (line, place)
        elif patch is None and "projectHash" not in line:
            raise self.unknown(None, place)

    def transcript(self, cut: bool) -> CodingTranscript:
        for message, place in self._messages.values():
            self._message(message, place)
        return super().transcript(cut)

    def _message(self, line: Line, place: str) -> None:
        kind = line.get("type")
        content = line.get("content")
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        text = content if isinstance(content, str) else "".join(str(part.get("text") or "") for part in parts)
        if kind == "user":
            if text or not parts:  # results of calls are repeated as a message of the user
                self._say("user", text, {})
        elif kind in ("gemini", "error"):
            self.model = str(line.get("model") or self.model)
            tokens = line.get("tokens")
            if isinstance(tokens, dict):
                used = Usage(token_count(tokens.get("input")), token_count(tokens.get("output")))
                self.usage = self.usage.plus(used)
            entries = [entry for entry in line.get("toolCalls") or () if isinstance(entry, dict)]
            calls = tuple(
                self.call(entry.get("name"), entry.get("args"), entry.get("id")) for entry in entries
            )
            self.items.messages.append(Message("assistant", text, calls))
            for call, entry in zip(calls, entries, strict=True):
                if entry.get("status") in ("success", "error", "cancelled"):
                    result = ToolResult(
                        call.id, _response(entry.get("result")), entry["status"] != "success", call.name
                    )
                    self.items.messages.append(Message("tool", results=(result,)))
        elif kind not in SILENT:
            raise self.unknown(kind, place)


def _response(result: Any) -> Any:
    """What a tool answered, without the part that holds it."""
    part = result[0] if isinstance(result, list) and len(result) == 1 and isinstance(result[0], dict) else {}
    held = part.get("functionResponse")
    return held.get("response", result) if isinstance(held, dict) else result
