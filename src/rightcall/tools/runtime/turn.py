"""Runs the calls of one turn: concurrently where that is safe, otherwise in order."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from rightcall.model.call import ToolCall
from rightcall.tools.runtime.call_outcome import Finished, Invocation, Outcome
from rightcall.tools.runtime.errors import Aborted, ErrorReply, stop_reply
from rightcall.tools.runtime.invocation import finished_call

Touches = tuple[bool, str | None]
"""Whether a call writes, and the resource it touches (None: it does not say)."""


async def run_turn(
    calls: Sequence[ToolCall],
    touches: Sequence[Touches],
    invoke: Callable[[ToolCall], Awaitable[Invocation]],
) -> list[Invocation]:
    """Run the calls of one turn and return their invocations in call order.

    Two calls run concurrently when both only read, or when they are known to touch different resources;
    otherwise the later waits for the earlier. Raises `Aborted`, with an invocation for every call, when
    one of them stops the agent: running calls finish, waiting ones are not started.
    """
    if len(calls) == 1:
        invocations = [await invoke(calls[0])]
    else:
        invocations = await _together(calls, touches, invoke)
    if any(invocation.outcome == "aborted" for invocation in invocations):
        reason = next((i.reason for i in invocations if i.reason), "a tool stopped it")
        raise Aborted(reason, invocations)
    return invocations


def conflict(first: Touches, other: Touches) -> bool:
    """Whether two calls must keep their order."""
    (writes, resource), (also_writes, also_resource) = first, other
    if not writes and not also_writes:
        return False
    return resource is None or also_resource is None or resource == also_resource


async def _together(
    calls: Sequence[ToolCall],
    touches: Sequence[Touches],
    invoke: Callable[[ToolCall], Awaitable[Invocation]],
) -> list[Invocation]:
    twins = _twins(calls)
    tasks: list[asyncio.Task[Invocation]] = []
    halted = asyncio.Event()

    async def one(position: int) -> Invocation:
        call, first = calls[position], twins[position]
        before = [tasks[i] for i in range(position) if conflict(touches[i], touches[position]) or i == first]
        if before:
            await asyncio.wait(before)
        if halted.is_set():
            return _not_run(call, stop_reply(), "aborted")
        if first is not None:
            return _repeat_invocation(call, calls[first], tasks[first].result())
        invocation = await invoke(call)
        if invocation.outcome == "aborted":
            halted.set()
        return invocation

    try:
        async with asyncio.TaskGroup() as group:
            tasks.extend(group.create_task(one(position)) for position in range(len(calls)))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


def _twins(calls: Sequence[ToolCall]) -> list[int | None]:
    """For each call the position of an earlier one with the same id: the same call, delivered twice."""
    seen: dict[str, int] = {}
    twins: list[int | None] = []
    for position, call in enumerate(calls):
        twins.append(seen.get(call.id) if call.id else None)
        seen.setdefault(call.id, position)
    return twins


def _repeat_invocation(call: ToolCall, first: ToolCall, invocation: Invocation) -> Invocation:
    """A call delivered twice is run once; another call under the same id is refused."""
    if (call.name, call.arguments) == (first.name, first.arguments):
        return msgspec.structs.replace(invocation, replayed=True)
    reply = ErrorReply(
        "conflict",
        f"the call id '{call.id[:100]}' is used twice in one turn for different calls; this one was not run",
        f"call {call.name} again with a unique id",
        retry="fix_args",
    )
    return _not_run(call, reply, "rejected")


def _not_run(call: ToolCall, reply: ErrorReply, outcome: Outcome) -> Invocation:
    finished = Finished.with_error(outcome, reply)
    return Invocation(finished_call(call, finished, 0.0), finished.outcome, reply)
