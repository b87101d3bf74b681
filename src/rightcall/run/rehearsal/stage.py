"""Where calls are played: through the suite's mocks and worlds, each time in a fresh copy. Nothing runs for real.

The messages of a conversation follow calls that are exchanged for others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Aborted
from rightcall.tools.runtime.toolbox import Toolbox


class Stage:
    """One trial of a golden: calls are made one after the other, and the world remembers them."""

    def __init__(
        self, toolbox: Toolbox, golden: AnyGolden, offered: Mapping[str, Tool], run: str = ""
    ) -> None:
        self._toolbox = toolbox
        roles = None if golden.as_ is None else golden.as_.roles
        self._context: CallContext = toolbox.context(
            run=run, task=golden.id, offered=offered.values(), roles=roles
        )

    async def play(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        """The calls of one step with their results."""
        asked = [msgspec.structs.replace(call, status="not_run", output=None) for call in calls]
        try:
            invocations = await self._toolbox.invoke_turn(asked, self._context)
        except Aborted as stop:
            invocations = stop.invocations
        return [
            msgspec.structs.replace(invocation.call, approval=call.approval)
            for invocation, call in zip(invocations, calls, strict=True)
        ]

    def with_evidence(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with what the tools did and how the worlds are left; the trial is over."""
        self.end()
        return self._context.with_evidence(trajectory)

    def end(self) -> None:
        """Forget the keys of the trial: the next one of the golden has its own world, in which nothing was done yet."""
        self._toolbox.forget_keys(self._context)


async def replay(
    trajectory: Trajectory, toolbox: Toolbox, golden: AnyGolden, offered: Mapping[str, Tool]
) -> Trajectory:
    """The same calls in a fresh world: their results, the ledger and the final state are those of this world."""
    stage = Stage(toolbox, golden, offered)
    calls: list[ToolCall] = []
    for _, group in groupby(enumerate(trajectory.calls), key=_step):
        calls += await stage.play([call for _, call in group])
    bare = msgspec.structs.replace(trajectory, ledger=(), state=None, state_before=None)
    return stage.with_evidence(with_calls(bare, calls))


def _step(numbered: tuple[int, ToolCall]) -> tuple[bool, int]:
    at, call = numbered
    return (True, at) if call.step is None else (False, call.step)


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
    step = -1
    edited = list[Message]()
    for message in messages:
        if message.role != "assistant":
            edited.append(message)
            continue
        step += 1
        edited.append(msgspec.structs.replace(message, calls=tuple(by_step.get(step, ()))))
    return tuple(edited)
