"""From a transcript to a trajectory: calls in order, each with the result the agent received."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects.wire import results_of, with_result
from rightcall.records.message import Message
from rightcall.records.record import plain_constructor
from rightcall.records.trajectory import Trajectory


def trajectory_from_messages(messages: Sequence[Message], request_count: int = 0) -> Trajectory:
    """Calls with step = index of their message among the assistant's, joined with their results.

    A result goes to the first unanswered call of its id in the latest turn that used the id; without a
    usable id on either side, to the first unanswered call in order. The output is the text of the last
    assistant message that said or called anything. Calls in the first `request_count` messages are skipped: they
    happened before the agent started.
    """
    transcript = _Transcript()
    for message in messages:
        if message.role == "assistant":
            transcript.add_spoken(message)
        elif message.role == "tool":
            for result in results_of(message):
                transcript.add_result(result)
    calls = transcript.calls
    if request_count:
        first = sum(message.role == "assistant" for message in messages[:request_count])
        calls = [call for call in calls if call.step is not None and call.step >= first]
    return _trajectory(tuple(messages), tuple(calls), transcript.output)


STATED = frozenset(("calls", "output", "error", "stop_reason"))
"""Fields of a document that say what the agent did where no message does."""


def require_answer(messages: Sequence[Message], raw: Sequence[Any], where: str) -> None:
    """Reject messages that are all of the user and the system: what the agent did is not known. `raw` is what they were
    read from; of traffic with a tool server there may be no message.
    """
    if (messages or not raw) and all(message.role in ("user", "system") for message in messages):
        hint = "add the agent's answer, or write calls: [] if it answered without a call"
        raise InputError(where, "messages has no message of the assistant", hint)


def missing_call(of_messages: Iterable[ToolCall], calls: Iterable[ToolCall]) -> str:
    """The name of a call in messages that a list of calls does not have; empty when it has all.

    By name and number: a stated list may know arguments better, but must hide no call.
    """
    missing = Counter(call.name for call in of_messages)
    missing.subtract(call.name for call in calls)
    return next((name for name, count in missing.items() if count > 0), "")


_trajectory = plain_constructor(Trajectory)


class _Transcript:
    """The calls so far, and which of them are still waiting for a result."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self.output = ""
        self._step = -1
        self._waiting: dict[str, deque[int]] = {}  # by call id; "" for calls without one
        self._in_order: deque[int] = deque()
        self._answered: set[int] = set()

    def add_spoken(self, message: Message) -> None:
        self._step += 1
        if message.content or message.calls:
            self.output = message.content
        for call in message.calls:
            place = len(self.calls)
            self.calls.append(replace(call, step=self._step))
            waiting = self._waiting.setdefault(call.id, deque())
            if call.id and waiting and self.calls[waiting[0]].step != self._step:
                waiting.clear()  # the id is reused: an older call with it will not get a result
            waiting.append(place)
            self._in_order.append(place)

    def add_result(self, result: ToolResult) -> None:
        place = self._place_of(result)
        if place is not None:
            self._answered.add(place)
            self.calls[place] = with_result(self.calls[place], result)

    def _place_of(self, result: ToolResult) -> int | None:
        if not result.call_id and result.name == "tool_search":
            waiting = (place for place in reversed(self._in_order) if place not in self._answered)
            if (last := next((p for p in waiting if self.calls[p].kind == "plumbing"), None)) is not None:
                return last
        same_id = self._waiting.get(result.call_id) if result.call_id else None
        queue = same_id or (self._waiting.get("") if result.call_id else self._in_order)
        while queue:
            place = queue.popleft()
            if place not in self._answered:
                return place
        return None
