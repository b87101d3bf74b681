"""Calls of tools that run for real and ended without an answer, as the ledger of a trajectory tells.

An injected fault is not among them, and neither is a mock: only the runtime that runs tools for real, and adapters that
watch a framework run its own, note `unanswered` (a write, whose effect may have happened) and `unreached` (a read).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rightcall.core.text import pluralize
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.trajectory import LedgerEntry, Trajectory

NO_ANSWER = frozenset(("unanswered", "unreached"))


class OpenCall(Record, frozen=True):
    """A call without an answer. `call` is its position among the calls of the trajectory, if it is known."""

    tool: str
    effect: Literal["unknown", "none"]
    detail: str = ""
    call: int | None = None


def open_calls(trajectory: Trajectory) -> list[OpenCall]:
    """The calls that were not answered, without those that became known later: by the key of a write (it ended late,
    or a probe found it), or by an equal read that was answered.
    """
    calls_open: list[OpenCall] = []
    taken: set[int] = set()
    for at, entry in enumerate(trajectory.ledger):
        if entry.phase not in NO_ANSWER:
            continue
        place = _place(entry, trajectory.calls, taken)
        if entry.phase == "unanswered":
            if not _is_noted(entry, at, trajectory.ledger):
                calls_open.append(OpenCall(entry.tool, "unknown", entry.detail, place))
        elif place is None or not _read_later(trajectory.calls, place):
            calls_open.append(OpenCall(entry.tool, "none", entry.detail, place))
    return calls_open


def open_calls_of(golden: AnyGolden, trajectory: Trajectory) -> list[OpenCall]:
    """The open calls that keep a case from passing.

    A write whose outcome is unknown is settled by a later answer of one of the golden's `outcome_checked_by`: the
    agent has looked, so what it did next is its own doing.
    """
    if not trajectory.ledger:
        return []
    return [call for call in open_calls(trajectory) if not _is_checked(golden, call, trajectory.calls)]


def no_answer_text(calls: Sequence[OpenCall]) -> str:
    """Why a case says nothing about the agent: how many calls, then the first reason."""
    unknown = sum(call.effect == "unknown" for call in calls)
    parts = [unknown_calls_text(unknown)] if unknown else []
    if unreached := len(calls) - unknown:
        parts.append(f"{pluralize(unreached, 'call')}: not answered")
    first = calls[0].detail
    return ", ".join(parts) + (f" ({first})" if first else "")


def unknown_calls_text(count: int) -> str:
    """The count of a verdict: `2 calls: outcome unknown`."""
    return f"{pluralize(count, 'call')}: outcome unknown"


def _place(entry: LedgerEntry, calls: Sequence[ToolCall], taken: set[int]) -> int | None:
    """The first call that this entry can be about and no earlier entry was. Models may use an id twice."""
    for at, call in enumerate(calls):
        if at not in taken and call.status != "ok" and call.name == entry.tool and call.id == entry.call_id:
            taken.add(at)
            return at
    return None


def _is_noted(entry: LedgerEntry, at: int, ledger: Sequence[LedgerEntry]) -> bool:
    """Whether the effect of a write is noted: under its key, which no other operation has, or later for this call."""
    for place, other in enumerate(ledger):
        if entry.key and other.key == entry.key and other.phase in ("effect", "late_effect", "replayed"):
            return True
        same_call = (other.call_id, other.fingerprint) == (entry.call_id, entry.fingerprint)
        if same_call and place > at and other.phase == "late_effect":
            return True
    return False


def _read_later(calls: Sequence[ToolCall], place: int) -> bool:
    lost = calls[place]
    return any(
        call.status == "ok" and (call.name, call.arguments) == (lost.name, lost.arguments)
        for call in calls[place + 1 :]
    )


def _is_checked(golden: AnyGolden, lost: OpenCall, calls: Sequence[ToolCall]) -> bool:
    if lost.effect != "unknown" or lost.call is None:
        return False
    return any(
        call.status == "ok" and call.name in golden.outcome_checked_by for call in calls[lost.call + 1 :]
    )
