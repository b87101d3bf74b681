"""The state of a guard after a recorded trial: from a trajectory, from messages, or from calls alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rightcall.model.call import ToolCall
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory
from rightcall.tools.guard.state import GuardState, GuardVerdict
from rightcall.tools.guard.turns import judge_turn, settle_turn, was_invalid


def replay(state: GuardState, ledger: Any) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    """Each recorded call with the verdict of the guard at that moment; calls of one message are judged together."""
    if isinstance(ledger, Trajectory):
        yield from _replay_trajectory(state, ledger)
        return
    entries = list(ledger)
    if all(isinstance(entry, Message) for entry in entries):
        yield from _replay_trajectory(state, Trajectory(messages=entries, calls=calls_with_answers(entries)))
    else:
        yield from _replay_steps(state, entries)


def calls_with_answers(messages: Iterable[Message]) -> list[ToolCall]:
    """The calls of messages, with the results that other messages have for them."""
    outputs = {result.call_id: result for message in messages for result in message.results}
    calls = []
    for message in messages:
        for call in message.calls:
            result = outputs.get(call.id)
            if result is not None and call.status == "not_run":
                fields = {
                    name: getattr(call, name) for name in ("name", "arguments", "id", "step", "approval")
                }
                calls.append(
                    ToolCall(**fields, status="error" if result.is_error else "ok", output=result.output)
                )
            else:
                calls.append(call)
    return calls


def _replay_trajectory(state: GuardState, trajectory: Trajectory) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    if not trajectory.messages:
        yield from _replay_steps(state, trajectory.calls)
        return
    waiting = list(trajectory.calls)
    for message in trajectory.messages:
        if message.role in ("user", "system"):
            state.hear(message.content)
        elif message.calls:
            batch, waiting = waiting[: len(message.calls)], waiting[len(message.calls) :]
            yield from judge_batch(state, batch)


def _replay_steps(state: GuardState, calls: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    """Calls of one step together; a call without a step is a step."""
    position = 0
    while position < len(calls):
        end = position + 1
        step = calls[position].step
        while step is not None and end < len(calls) and calls[end].step == step:
            end += 1
        yield from judge_batch(state, calls[position:end])
        position = end


def judge_batch(state: GuardState, batch: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, GuardVerdict]]:
    """Judge the calls of one message before any of their results is read, then read the results."""
    judged = [call for call in batch if not was_invalid(call)]
    verdicts = judge_turn(state, judged)
    settle_turn(state, batch)
    yield from zip(judged, verdicts, strict=True)
