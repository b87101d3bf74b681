"""RightCall's own format: the records themselves; unknown fields are errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rightcall.core.codec import convert, to_plain
from rightcall.records.dialects.messages import refuse_misplaced
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.tool import Tool


def read_tool(raw: dict[str, Any], where: str) -> Tool:
    """A tool written with the field names of `Tool`."""
    return convert(raw, Tool, where)


def write_tool(tool: Tool) -> dict[str, Any]:
    """All fields of a tool that differ from the defaults."""
    plain: dict[str, Any] = to_plain(tool)
    return plain


def read_messages(raw: list[dict[str, Any]], where: str) -> tuple[Message, ...]:
    """Messages written with the field names of `Message`."""
    messages = convert({"messages": raw}, _Transcript, where).messages
    for i, message in enumerate(messages):
        if message.calls:
            refuse_misplaced(message, where, f"messages[{i}]")
    return messages


def write_messages(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """All fields of the messages that differ from the defaults."""
    return [to_plain(message) for message in messages]


class _Transcript(Record, frozen=True):
    """Gives errors their path: `messages[3].role`."""

    messages: tuple[Message, ...]
