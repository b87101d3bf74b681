"""Finds goldens that a mode cannot satisfy, before a run spends anything on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rightcall.errors import RightCallError
from rightcall.executor import Agent
from rightcall.metrics.matching import mentions_ref
from rightcall.model.golden import AnyGolden, ExpectedCall, Golden

SHOWN = 3


def mode_warnings(agent: Agent, goldens: Iterable[AnyGolden]) -> list[str]:
    """Goldens that `single_turn` can never pass: it asks once and runs nothing, so no call has a result.

    A conversation is always held in a loop, so it lacks nothing.
    """
    if agent.mode != "single_turn" or (callable(agent.model) and not hasattr(agent.model, "complete")):
        return []
    found: dict[str, list[str]] = {}
    try:
        for golden in goldens:
            for need in _needs(golden) if isinstance(golden, Golden) else ():
                found.setdefault(need, []).append(golden.id)
    except RightCallError:
        return []  # running them will report the problem
    return [
        f"{_subject(len(ids))} {need}, which single_turn cannot provide; set agent.mode: loop ({_shown(ids)})"
        for need, ids in found.items()
    ]


def _needs(golden: Golden) -> Iterator[str]:
    if not all(isinstance(call, ExpectedCall) for call in golden.expected_calls):
        return  # made in Python with wrong types, which preflight refuses with its place
    alternatives = (golden.expected_calls, *golden.any_of) if golden.expected_calls else golden.any_of
    sets = [[call for call in calls if call.required] for calls in alternatives]
    if not sets:
        return
    if all(any(mentions_ref(call.args) for call in calls) for calls in sets):
        yield "a value from a result (ref)"
    if all(any(call.after for call in calls) for calls in sets):
        yield "calls in several steps (after)"
    if golden.expected_state is not None and any(sets):
        yield "a final state (expected_state)"
    if golden.output_contains and all(sets):
        yield "an answer after the calls (output_contains)"


def _subject(count: int) -> str:
    return "1 golden needs" if count == 1 else f"{count:,} goldens need"


def _shown(ids: list[str]) -> str:
    return ", ".join(sorted(ids)[:SHOWN]) + (", …" if len(ids) > SHOWN else "")
