"""One message of a transcript."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any, Literal

from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.record import Record, Sequenced, Several

Role = Literal["system", "user", "assistant", "tool"]


NOT_HEARD = "not heard"
"""The note of a message that an observed agent was to send, and that nobody heard."""


class Message(Record, frozen=True, metaclass=Sequenced):
    """Who said what. Assistant messages may carry calls, tool messages carry results.

    `latency_ms` is how long the model took for this message; None when not measured. `thinking` holds a provider's
    own blocks of reasoning, some of them encrypted: they are sent back unchanged. `note` says how an observed message
    was heard: not at all, or after others, or that a cache gave it.
    """

    role: Role
    content: str = ""
    calls: Several[ToolCall] = ()
    results: Several[ToolResult] = ()
    latency_ms: float | None = None
    thinking: Several[dict[str, Any]] = ()
    note: str = ""


def calls_of(messages: Iterable[Message]) -> list[ToolCall]:
    return list(chain.from_iterable(message.calls for message in messages))


def result_messages(calls: Iterable[ToolCall]) -> list[Message]:
    """One message with the results of the calls that ran; none when none did."""
    ran = [call for call in calls if call.status != "not_run"]
    results = tuple(ToolResult(call.id, call.output, call.status == "error", call.name) for call in ran)
    return [Message("tool", results=results)] if results else []


def turn_title(number: int) -> str:
    """What people call the n-th turn of the user and its answer, wherever a conversation is shown."""
    return f"turn {number}" if number else "before the user spoke"
