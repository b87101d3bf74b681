"""Answers of a model with their calls, as they are noted and as a trajectory has them.

And what the client below a framework knows of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.agents.observed.values import arguments_of, connection_loss, plain
from rightcall.records.approval import Approval
from rightcall.records.call import RAISED, CallStatus, ToolCall, ToolResult
from rightcall.records.dialects.wire import results_of
from rightcall.records.message import Message
from rightcall.records.trajectory import AgentAnswer, Usage

FROM_CACHE = "from a cache, not the model"


class SeenCall(msgspec.Struct):
    """One call as the model wrote it, and what was observed of its tool."""

    call: ToolCall
    key: Hashable = None
    started: float | None = None
    ended: bool = False
    status: CallStatus = "not_run"
    output: Any = None
    latency_ms: float | None = None
    lost: str = ""
    raised: bool = False
    """Whether its output is what the tool raised, and what the model read of it is not known yet."""
    notes: dict[str, Any] = msgspec.field(default_factory=dict)
    approval: Approval | None = None


class ModelAnswer(msgspec.Struct):
    """One answer of a model; `notes` are those of every call in it."""

    text: str
    calls: list[SeenCall]
    usage: Usage
    finish: str
    latency_ms: float | None
    agent: str
    path: tuple[str, ...]
    depth: int
    notes: dict[str, Any] = msgspec.field(default_factory=dict)
    moment: int = 0
    below: bool = False
    """Whether the client received it for a framework, which has noted what it is."""
    by_client: bool = False
    cached: bool = False
    """Whether a cache of the framework gave it: the model was not asked."""


def agent_answers(answers: Sequence[ModelAnswer], steps: Mapping[int, int]) -> tuple[AgentAnswer, ...]:
    """Who answered, in order; none when no agent has a name. `steps` are those of answers that count, by identity."""
    if not any(answer.agent for answer in answers):
        return ()
    return tuple(
        AgentAnswer(
            answer.agent or None,
            answer.path,
            steps.get(id(answer)),
            None if answer.usage.input_tokens is None else answer.usage.tokens,
            latency_ms=answer.latency_ms,
        )
        for answer in answers
    )


def finish_below(answer: ModelAnswer, replies: Sequence[ModelAnswer]) -> str:
    """Why an answer ended, from the reply in which the client received it; "" when there is none."""
    return next((reply.finish for reply in replies if _same(answer, reply)), "")


def last_finish(answers: Sequence[ModelAnswer], replies: Sequence[ModelAnswer]) -> str:
    """Why the model's last answer ended, unless a tool of it ran; one that a framework refuses only its client has."""
    answer = answers[-1] if answers else None
    if replies and (answer is None or not _same(answer, replies[-1])):
        return replies[-1].finish
    if answer is None or any(seen.started is not None for seen in answer.calls):
        return ""
    return finish_below(answer, replies) or answer.finish


def total_usage(
    answers: Sequence[ModelAnswer], beyond: Sequence[Usage], replies: Sequence[ModelAnswer]
) -> Usage:
    """What all answers used.

    Frameworks drop cached tokens, or make requests that no hook shows. A client that received at least as many
    replies as there were answers received them all, so its sum is the better one.
    """
    below = _sum([reply.usage for reply in replies])
    above = [answer.usage for answer in answers if not answer.by_client]
    direct = [answer.usage for answer in answers if answer.by_client]
    if replies and len(replies) >= len(above) and below.input_tokens is not None:
        return _sum([below, *direct])
    return _sum([*above, *direct, *beyond])


def _sum(usages: Sequence[Usage]) -> Usage:
    return reduce(Usage.plus, usages) if usages else Usage()


def _same(answer: ModelAnswer, reply: ModelAnswer) -> bool:
    """Whether a reply is that answer: the ids of its calls are equal, or without calls its text."""
    if answer.calls or reply.calls:
        return [seen.call.id for seen in answer.calls] == [seen.call.id for seen in reply.calls]
    return bool(answer.text.strip()) and answer.text.strip() == reply.text.strip()


def best_match(
    calls: Sequence[SeenCall], name: str, arguments: Any, call_id: str, *, other_ids: bool
) -> SeenCall | None:
    """By id, since the latest use of an id is meant; without one by name and arguments, then by name.

    `other_ids`: a call may be meant although it has another id than the one that is looked for.
    """
    same_id = next((call for call in calls if call_id and call.call.id == call_id), None)
    if same_id is not None:
        return same_id
    named = [c for c in calls if c.call.name == name and (other_ids or not (call_id and c.call.id))]
    call_arguments, _ = arguments_of(arguments)
    same = next((call for call in named if call.call.arguments == call_arguments), None)
    return same or next(iter(named), None)


def settle(call: SeenCall, output: Any, error: BaseException | bool | str | None) -> None:
    failed = error is not None and error is not False
    told = output if not failed or isinstance(error, bool) or output is not None else error
    call.status = "error" if failed else "ok"
    call.output = plain(told)
    call.ended = True
    call.lost = connection_loss(error)
    call.raised = output is None and isinstance(error, BaseException)


def tell(call: SeenCall, output: Any) -> None:
    """What the model read of a call whose tool raised; what it raised becomes a note."""
    told = plain(output)
    if told != call.output:
        call.notes[RAISED] = call.output
        call.output = told
    call.raised = False


def tool_call(seen: SeenCall, step: int, answer: ModelAnswer) -> ToolCall:
    return replace(
        seen.call,
        agent=answer.agent or None,
        path=answer.path,
        step=step,
        status=seen.status,
        output=seen.output,
        latency_ms=seen.latency_ms,
        notes=dict(seen.notes),
        approval=seen.approval,
    )


def step_messages(answer: ModelAnswer, calls: Sequence[ToolCall]) -> Iterator[Message]:
    """The answer with its calls as the model wrote them, then their results. Of a rejected call the agent reads why."""
    written = tuple(ToolCall(c.name, c.arguments, c.id, c.step, raw=c.raw) for c in calls)
    note = FROM_CACHE if answer.cached else ""
    yield Message("assistant", answer.text, written, latency_ms=answer.latency_ms, note=note)
    told = tuple(
        ToolResult(call.id, call.output, call.status == "error", call.name)
        for call in calls
        if call.status != "not_run" or (call.approval is not None and call.approval.decision == "rejected")
    )
    if told:
        yield Message("tool", results=told)


def new_results(messages: Sequence[Message]) -> list[ToolResult]:
    """Results after the last answer, then those before it that name their call, the newest first.

    A loop may write each output right after its call, so that parts of one answer look like several. The newest come
    first because some servers give the same ids in every turn.
    """
    last = max((at for at, message in enumerate(messages) if message.role == "assistant"), default=-1)
    newest = list(
        chain.from_iterable(results_of(message) for message in messages[last + 1 :] if message.role == "tool")
    )
    before = list(
        chain.from_iterable(results_of(message) for message in messages[: last + 1] if message.role == "tool")
    )
    return newest + [result for result in reversed(before) if result.call_id]
