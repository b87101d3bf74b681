"""A trial of an agent that is code, with its first request; what would make the trial show nothing is an error."""

from __future__ import annotations

import re
from functools import partial

from rightcall.agents.agent import Agent
from rightcall.agents.open_agent import OpenAgent
from rightcall.core.errors import InputError
from rightcall.recording.first_requests import (
    OTHER_FIRST,
    TRIAL,
    FirstRequestReached,
    WatchedTrial,
    watch_requests,
)
from rightcall.records.golden import AnyGolden, Golden, request_of
from rightcall.records.trajectory import Trajectory

WRITTEN = re.compile(
    r"""\b(?:ExpectedCall\(|Golden\((?:input|scenario)=)|expected_calls\\{0,3}["']?\s*[=:]\s*[\[(]"""
)
"""A golden's expectations as `repr` and JSON write them."""
WORDS = ("ExpectedCall(", "Golden(", "expected_calls")
"""One of them is in every text that `WRITTEN` matches; looking for them is a hundred times as fast."""


def holds_expectations(text: str, golden: AnyGolden) -> bool:
    """Whether a text that an agent sent has expectations in it, other than words of the user."""
    written = any(word in text for word in WORDS) and WRITTEN.search(text) is not None
    return written and WRITTEN.search(request_of(golden)) is None


async def perform_watched(session: OpenAgent, golden: AnyGolden, trial: int) -> tuple[Trajectory, str]:
    """A trial, and the digest of its first request.

    The digest is empty when the suite owns the request, and when the agent made none. In a conversation somebody else
    may ask a model first: the one that plays the user.
    """
    if session.digester is None:
        return await session.performer.perform(golden, trial), ""
    leaks = partial(holds_expectations, golden=golden)
    if not isinstance(golden, Golden):
        trajectory = await session.performer.perform(golden, trial)
        _require_no_leak(session.agent, golden, trajectory, "")
        return trajectory, ""
    watched = WatchedTrial(session.digester, leaks, partial(session.kept_state.look, golden), golden.id)
    token = TRIAL.set(watched)
    try:
        with watch_requests():
            trajectory = await session.performer.perform(golden, trial)
    except FirstRequestReached:  # it was stopped before it sent what is expected of it
        trajectory = Trajectory()
    finally:
        TRIAL.reset(token)
    _require_no_leak(session.agent, golden, trajectory, watched.leak)
    if trajectory.unheard and watched.first_request not in ("", OTHER_FIRST):
        problem = "asked a model, and no adapter heard it, so nobody knows what it called"
        hint = "let it return its calls or messages, or pass the client that it uses: `observe: openai`"
        raise InputError(session.agent.name, problem, hint)
    if watched.returned_text and watched.offers_tools and expects_calls(golden):
        problem = "offered tools to a model and returned only its text, so nobody knows what it called"
        hint = "`--observe auto` (in a suite `observe: auto`), or let it return its calls or messages"
        raise InputError(session.agent.name, problem, hint)
    return trajectory, watched.first_request


def expects_calls(golden: AnyGolden) -> bool:
    return bool(golden.expected_calls or golden.any_of) if isinstance(golden, Golden) else False


def _require_no_leak(agent: Agent, golden: AnyGolden, trajectory: Trajectory, address: str) -> None:
    sent = (message for message in trajectory.messages if message.role in ("system", "user"))
    if address or any(holds_expectations(message.content, golden) for message in sent):
        request = f"the request to {address}" if address else "a message that it sent"
        problem = f"{request} holds what is expected of it, so nothing that it does shows anything"
        raise InputError(agent.name, problem, f"send the text of {golden.id}: golden.input, or str(golden)")
