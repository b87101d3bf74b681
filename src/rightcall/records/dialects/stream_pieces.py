"""What the streams of all formats share: calls that arrive in pieces, totals, and what of an event was not read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall
from rightcall.records.dialects import wire
from rightcall.records.dialects.endings import UnfinishedAnswerError, require_end
from rightcall.records.dialects.parts import MessagePart, read_part
from rightcall.records.dialects.spoken_message import part_label
from rightcall.records.dialects.unread_calls import first_unread
from rightcall.records.message import Message, calls_of
from rightcall.records.trajectory import UNKNOWN_USAGE

WHERE = "stream"


class StreamedCall:
    """A call whose arguments arrive in pieces; None until the first piece arrives."""

    def __init__(self, call_id: str = "", name: str = "") -> None:
        self.id = call_id
        self.name = name
        self.arguments: str | None = None

    def more(self, piece: Any) -> None:
        if isinstance(piece, str):
            self.arguments = (self.arguments or "") + piece

    def call(self, empty: dict[str, Any] | None = None) -> ToolCall:
        """The call so far; one whose name never arrived is refused."""
        if not self.name:
            raise InputError(WHERE, "has a call without a name", "a call is a name and arguments")
        if self.arguments is None or (not self.arguments and empty is not None):
            return ToolCall(self.name, empty, self.id)
        return wire.parse_call(self.name, self.arguments, self.id)


class AnswerStream(ABC):
    """The events of one format, accumulated, and what is not read of them.

    `usage`, `finish` and `error` are as reported by the stream; `ended` says that its last event arrived.
    """

    def __init__(self) -> None:
        self.usage = UNKNOWN_USAGE
        self.finish = ""
        self.error = ""
        self.ended = False
        self._unread: list[Any] = []

    @abstractmethod
    def add(self, event: dict[str, Any]) -> None: ...

    @abstractmethod
    def messages(self) -> tuple[Message, ...]:
        """The content so far; raises `InputError` when a call cannot be read."""

    def leave(self, value: Any) -> None:
        """Keep something that is not read, in case that it holds a call."""
        if isinstance(value, dict | list) and value:
            self._unread.append(value)

    def require_end(self) -> None:
        """Reject a stream that stopped before its last event, and an answer that its model did not finish."""
        if not (self.ended or self.finish or self.error):
            raise UnfinishedAnswerError(WHERE, "stopped before its last event", "was the connection cut?")
        require_end(self.finish, WHERE, "the answer")

    def complete(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The messages, unless something that was not read holds a call that they do not have."""
        name = first_unread(self._unread, calls_of(messages)) if self._unread else None
        if name is not None:
            problem = f"has a call of '{name[:60]}' in an event that is not read"
            raise InputError(WHERE, problem, "set agent.response.events to where the calls are")
        return messages


def require_part(block: Any) -> MessagePart:
    """A part of a streamed answer; what is of no kind that is read is refused."""
    part = read_part(block) if isinstance(block, dict) else MessagePart(known=False)
    if not part.known:
        label = part_label(block) if isinstance(block, dict) else str(block)[:60]
        raise InputError(WHERE, f"has a block of an unsupported kind: {label}")
    return part
