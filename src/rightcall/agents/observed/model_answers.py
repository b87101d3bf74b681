"""Answers of a model with their calls, as they are noted; and what the client below a framework knows of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import reduce
from typing import Any

import msgspec

from rightcall.model.approval import Approval
from rightcall.model.call import CallStatus, ToolCall
from rightcall.model.trajectory import AgentAnswer, Usage


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
            answer.latency_ms,
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
    return answer.finish or finish_below(answer, replies)


def total_usage(
    answers: Sequence[ModelAnswer], beyond: Sequence[Usage], replies: Sequence[ModelAnswer]
) -> Usage:
    """What all answers used.

    Frameworks drop cached tokens, or make requests that no hook shows. A client that received at least as many
    replies as there were answers received them all, so its sum is the better one.
    """
    below = _sum([reply.usage for reply in replies])
    if replies and len(replies) >= len(answers) and below.input_tokens is not None:
        return below
    return _sum([*(answer.usage for answer in answers), *beyond])


def _sum(usages: Sequence[Usage]) -> Usage:
    return reduce(Usage.plus, usages) if usages else Usage()


def _same(answer: ModelAnswer, reply: ModelAnswer) -> bool:
    """Whether a reply is that answer: the ids of its calls are equal, or without calls its text."""
    if answer.calls or reply.calls:
        return [seen.call.id for seen in answer.calls] == [seen.call.id for seen in reply.calls]
    return bool(answer.text.strip()) and answer.text.strip() == reply.text.strip()
