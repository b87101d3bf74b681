"""Codex: `exec --json`, and rollout files, whose items are those of the Responses API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.dialects.coding_agents.reader import (
    HINT,
    CodingTranscript,
    Line,
    TranscriptReader,
)
from rightcall.records.message import Message
from rightcall.records.trajectory import NOTHING_USED, Usage, token_count

SILENT = frozenset(
    ("thread.started", "turn.started", "item.updated", "session_meta", "turn_context", "compacted", "ghost_snapshot",
     "world_state", "token_usage_record")
)  # fmt: skip
SILENT_ITEMS = frozenset(("reasoning", "todo_list", "error"))
"""An error among the items is a warning: a turn that fails ends with another line."""


PLUMBING = frozenset(("update_plan", "tool_search"))
"""As of codex-sdk 0.163.0."""


class CodexExec(TranscriptReader):
    plumbing = PLUMBING

    def __init__(self, form: str, where: str) -> None:
        super().__init__(form, where)
        self._open: dict[str, tuple[Line, str]] = {}

    def add(self, line: Line, place: str) -> None:
        kind = line.get("type")
        item = line.get("item")
        if kind in ("item.completed", "item.started", "item.updated"):
            if not isinstance(item, dict):
                raise InputError(self.where, f"{place} has no item", HINT)
            if kind == "item.completed":
                self._open.pop(str(item.get("id")), None)
                self._item(item, place, finished=True)
            else:
                self._open[str(item.get("id"))] = (item, place)
        elif kind == "turn.completed":
            self.has_end = True
            self.usage = self.usage.plus(_codex_usage(line.get("usage")))
        elif kind in ("turn.failed", "error"):
            self.has_end = True
            self.stop = "agent_error"
            error = line.get("error")
            self.error = str((error if isinstance(error, dict) else line).get("message") or kind)
        elif kind == "thread.started":
            self.session = str(line.get("thread_id") or "")
        elif kind not in SILENT:
            raise self.unknown(kind, place)

    def transcript(self, cut: bool) -> CodingTranscript:
        for item, place in self._open.values():  # begun and never completed: a call without a result
            self._item(item, place, finished=False)
        return super().transcript(cut)

    def _item(self, item: Line, place: str, *, finished: bool) -> None:
        kind = item.get("type", item.get("item_type"))
        failed = item.get("status") in ("failed", "declined") or item.get("error") is not None
        if kind in ("agent_message", "assistant_message"):
            self.items.messages.append(Message("assistant", str(item.get("text") or "")))
        elif kind == "mcp_tool_call":
            call = self.call(
                item.get("tool"), item.get("arguments"), item.get("id"), server=str(item.get("server") or "")
            )
            self.add_call(call, item.get("error") or item.get("result"), failed=failed, finished=finished)
        elif kind in CODEX_CALLS:
            name, fields, output = CODEX_CALLS[kind]
            arguments = {field: item[field] for field in fields if field in item}
            call = self.call(name, arguments, item.get("id"), written=str(kind))
            self.add_call(
                call,
                item.get(output),
                failed=failed or item.get("exit_code") not in (0, None),
                finished=finished,
            )
        elif kind not in SILENT_ITEMS:
            raise self.unknown(kind, place)


CODEX_CALLS: Mapping[Any, tuple[str, tuple[str, ...], str]] = {
    "command_execution": ("shell", ("command",), "aggregated_output"),
    "file_change": ("apply_patch", ("changes",), "status"),
    "web_search": ("web_search", ("query", "action"), "results"),
    "collab_tool_call": ("collab", ("tool", "prompt", "receiver_thread_ids"), "agents_states"),
}
"""Items of Codex's own tools: the name they are scored by, the fields that are their arguments, and the result."""


class CodexRollout(TranscriptReader):
    ends = False
    plumbing = PLUMBING

    def add(self, line: Line, place: str) -> None:
        kind = line.get("type")
        payload = line.get("payload")
        inner = payload if isinstance(payload, dict) else {}
        if kind == "response_item":
            if inner.get("type") != "message" or inner.get("role") != "developer":
                self.message(inner, place)
        elif kind == "event_msg":
            self._event(inner)
        elif kind == "session_meta":
            self.session = str(inner.get("id") or "")
        elif kind == "turn_context":
            self.model = str(inner.get("model") or self.model)
        elif kind not in SILENT:
            raise self.unknown(kind, place)

    def _event(self, event: Line) -> None:
        """Events repeat the items, but for what was used and why a turn ended."""
        info = event.get("info")
        if event.get("type") == "token_count" and isinstance(info, dict):
            self.usage = _codex_usage(info.get("total_token_usage"))
        if event.get("type") == "turn_aborted":
            self.stop = "truncated"


def _codex_usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return NOTHING_USED
    counts = (
        token_count(usage.get(name)) for name in ("input_tokens", "output_tokens", "cached_input_tokens")
    )
    tokens_in, tokens_out, cached = counts
    return Usage(tokens_in, tokens_out, cached_tokens=cached)
