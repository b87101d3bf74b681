"""Which calls of a trial only recover from injected faults: they find out what happened, or repeat what did not.

Recovery is judged by effects: a careful agent makes more calls than one that nothing happened to.
"""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.tools.definitions.behaviour import only_reads
from rightcall.tools.faults.measures import double_effects


def calls_with_fault(trajectory: Trajectory) -> list[int]:
    """Positions of the calls that a fault hit."""
    ids = {entry.call_id for entry in trajectory.ledger if entry.phase == "fault"}
    return [at for at, call in enumerate(trajectory.calls) if call.id and call.id in ids]


def reads_after_fault(trajectory: Trajectory, tools: Mapping[str, Tool]) -> frozenset[int]:
    """Positions of reads in a later step than a call that a fault hit: they may find out what happened."""
    struck = calls_with_fault(trajectory)
    return frozenset(
        at
        for at, call in enumerate(trajectory.calls)
        if call.name in tools
        and only_reads(tools[call.name].annotations)
        and any(first < at and _is_later(trajectory.calls[first], call) for first in struck)
    )


def attempts_made_again(trajectory: Trajectory) -> frozenset[int]:
    """Positions of the calls that a fault hit and that were made again; the last attempt stands for them.

    None when anything took effect twice: then the repetition did harm.
    """
    if double_effects(trajectory.ledger):
        return frozenset()
    meanings = {e.call_id: (e.tool, e.fingerprint) for e in trajectory.ledger if e.call_id and e.fingerprint}
    calls = trajectory.calls

    def same(first: ToolCall, other: ToolCall) -> bool:
        if first.id in meanings and other.id in meanings:
            return meanings[first.id] == meanings[other.id]
        return first.name == other.name and first.arguments == other.arguments

    return frozenset(
        at
        for at in calls_with_fault(trajectory)
        if any(same(calls[at], later) and _is_later(calls[at], later) for later in calls[at + 1 :])
    )


def _is_later(struck: ToolCall, call: ToolCall) -> bool:
    """Whether a call is in a later step: one of the same turn was requested before the agent knew."""
    return struck.step is None or call.step is None or call.step > struck.step
