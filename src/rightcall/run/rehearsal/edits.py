"""Trajectories with other calls: the messages of a conversation follow them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rightcall.model.call import ToolCall
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory


def with_calls(trajectory: Trajectory, calls: Sequence[ToolCall]) -> Trajectory:
    """The same with these calls. Messages are kept only where turns matter: in a conversation."""
    messages = _messages_with(trajectory.messages, calls) if trajectory.dialogue else ()
    return msgspec.structs.replace(trajectory, calls=tuple(calls), messages=messages)


def with_call(trajectory: Trajectory, at: int, call: ToolCall) -> Trajectory:
    """One call replaced."""
    return with_calls(trajectory, [*trajectory.calls[:at], call, *trajectory.calls[at + 1 :]])


def without_call(trajectory: Trajectory, at: int) -> Trajectory:
    """One call left out."""
    return with_calls(trajectory, [*trajectory.calls[:at], *trajectory.calls[at + 1 :]])


def with_arguments(trajectory: Trajectory, at: int, arguments: Mapping[str, Any]) -> Trajectory:
    """One call made with other arguments."""
    call = trajectory.calls[at]
    return with_call(trajectory, at, msgspec.structs.replace(call, arguments=dict(arguments), raw=None))


def with_argument(trajectory: Trajectory, at: int, name: str, value: Any) -> Trajectory:
    """One argument replaced."""
    return with_arguments(trajectory, at, {**(trajectory.calls[at].arguments or {}), name: value})


def without_argument(trajectory: Trajectory, at: int, name: str) -> Trajectory:
    """One argument left out."""
    arguments = trajectory.calls[at].arguments or {}
    return with_arguments(trajectory, at, {key: value for key, value in arguments.items() if key != name})


def next_step(trajectory: Trajectory) -> int | None:
    """The step of a call that follows all others; None when steps are not known."""
    steps = [call.step for call in trajectory.calls]
    return None if None in steps else max((step for step in steps if step is not None), default=-1) + 1


def _messages_with(messages: Sequence[Message], calls: Sequence[ToolCall]) -> tuple[Message, ...]:
    by_step: dict[int | None, list[ToolCall]] = {}
    for call in calls:
        by_step.setdefault(call.step, []).append(call)
    step, edited = -1, list[Message]()
    for message in messages:
        if message.role != "assistant":
            edited.append(message)
            continue
        step += 1
        edited.append(msgspec.structs.replace(message, calls=tuple(by_step.get(step, ()))))
    return tuple(edited)
