"""What failures say about agents: two that are mixed up, and one that was not told what it needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rightcall.improve.argument_kind import is_stated, plain_value
from rightcall.metrics.matching.teamwork import LABELS
from rightcall.model.agent_names import agent_of
from rightcall.model.call import ToolCall
from rightcall.model.failure import Failure


def agents_mixed_up(failure: Failure) -> tuple[str, ...]:
    """The agent that should have worked and the one that did; empty when the failure is not about two agents."""
    expected, actual = str(failure.expected or ""), str(failure.actual or "")
    if failure.code == "wrong_agent":
        return (expected, actual.rsplit("/", maxsplit=1)[-1]) if expected and actual else ()
    if failure.code != "wrong_tool":
        return ()
    for label in LABELS.values():
        if failure.tool.startswith(label) and actual.startswith(label):
            return failure.tool[len(label) :], actual[len(label) :]
    return ()


def untold_agent(failures: Sequence[Failure], calls: Sequence[ToolCall]) -> str:
    """The agent whose argument is wrong because the call that gave it the work lacks the value; empty if none is.

    `failures` are about values that the request contains. A hand-off without arguments passes the conversation on, so
    that it lacks nothing.
    """
    for failure in failures:
        if failure.call is None or failure.call >= len(calls):
            continue
        source = _source_call(failure.call, calls)
        if source is None or not source.arguments:
            continue
        text = _text(source.arguments)
        if not is_stated(plain_value(failure.expected), text):
            return agent_of(calls[failure.call])
    return ""


def _source_call(place: int, calls: Sequence[ToolCall]) -> ToolCall | None:
    """The call that gave its work to the agent which made the call at this place."""
    call = calls[place]
    if parent := call.notes.get("parent"):
        return next((other for other in reversed(calls[:place]) if other.id == parent), None)
    agent = agent_of(call)
    sources = (other for other in reversed(calls[:place]) if agent and other.notes.get("handoff") == agent)
    return next(sources, None)


def _text(arguments: Any) -> str:
    return msgspec.json.encode(arguments).decode()
