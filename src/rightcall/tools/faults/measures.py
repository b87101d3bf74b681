"""What an agent did when tools failed, computed from the ledger and the calls. Pure functions.

The ledger records what really happened; the calls record what the agent saw. The measures compare the two.
Recovery is judged by effects: a careful agent makes more calls than one that nothing happened to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from rightcall.records.call import ToolCall
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.records.trajectory import LedgerEntry, Trajectory
from rightcall.tools.definitions.behaviour import only_reads
from rightcall.tools.runtime.context import effects


class FaultPair(Record, frozen=True):
    """One trial of a golden with faults, and its control without. `fired` names the faults that fired."""

    golden_id: str
    trial: int
    passed: bool
    twin_passed: bool
    fired: tuple[str, ...] = ()


class FaultSummary(Record, frozen=True):
    """What a fault plan did to a run.

    `recovery` is the share of affected trials that still passed; `retention` is that share among trials whose control
    passed, which excludes what fails anyway. Both are None when nothing was affected.
    `not_run` names the faults of the plan that never fired: nothing is known about them.
    """

    trials: int
    struck: int
    recovery: float | None
    retention: float | None
    lost: int
    gained: int
    fired: dict[str, int]
    not_run: tuple[str, ...]


def faults_that_fired(ledger: Iterable[LedgerEntry]) -> tuple[str, ...]:
    """The faults that fired in a trial, in order, one entry for each time."""
    return tuple(entry.detail for entry in ledger if entry.phase == "fault")


def double_effects(ledger: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Every effect that repeats an earlier one with the same meaning: a second charge, a second mail."""
    seen: set[tuple[str, str]] = set()
    doubled = []
    for entry in effects(ledger):
        meaning = (entry.tool, entry.fingerprint)
        if meaning in seen:
            doubled.append(entry)
        seen.add(meaning)
    return tuple(doubled)


def effects_unrecorded(trajectory: Trajectory, tools: Mapping[str, Tool]) -> bool:
    """Whether calls may have had effects that no ledger shows.

    Tools that only read, fail without an effect or find nothing to do leave no line in the ledger.
    """
    return not trajectory.ledger and not all(
        call.status == "error"
        or (call.name in tools and only_reads(tools[call.name].annotations))
        or (isinstance(call.output, dict) and call.output.get("action_taken") is False)
        for call in trajectory.calls
    )


def missing_effects(twin: Iterable[LedgerEntry], ledger: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """Effects of the fault-free control that did not happen with faults."""
    happened = Counter((entry.tool, entry.fingerprint) for entry in effects(ledger))
    lost = []
    for entry in effects(twin):
        if happened[entry.tool, entry.fingerprint] > 0:
            happened[entry.tool, entry.fingerprint] -= 1
        else:
            lost.append(entry)
    return tuple(lost)


def unsure_calls(calls: Sequence[ToolCall]) -> list[int]:
    """Positions of calls whose effect may have happened, as far as the agent knows."""
    outputs = [call.output if isinstance(call.output, dict) else {} for call in calls]
    return [i for i, output in enumerate(outputs) if "error" in output and output.get("effect") == "unknown"]


def blind_retries(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> list[int]:
    """Positions of calls that repeat an unsure one without checking the state in between.

    Repeating with the same key is not a blind retry: the key makes it safe.
    """
    return [at for first in unsure_calls(calls) if (at := _repeat(calls, first, tools)) is not None]


def check_share(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> float | None:
    """The share of unsure calls after which the agent checked the state, or reused the same key, before it acted again.

    None when no call was unsure. An agent that stops there without acting has done no harm and counts.
    """
    unsure = unsure_calls(calls)
    return 1 - len(blind_retries(calls, tools)) / len(unsure) if unsure else None


ADMISSIONS = (
    "could not", "couldn't", "cannot", "can't", "unable", "failed", "failure", "error", "not able", "did not",
    "didn't", "not sure", "unsure", "unknown", "unclear", "cannot confirm", "timed out", "timeout", "unavailable",
    "no longer", "problem", "sorry", "unfortunately", "not possible", "not completed", "incomplete", "please check",
    "không thể", "thất bại", "lỗi", "无法", "失败", "未能",
)  # fmt: skip
"""Words by which an answer admits that something went wrong. Lexical on purpose: it is the same in every run."""


def claims_success(answer: str) -> bool:
    """Whether an answer says that all went well: it says something and admits nothing."""
    text = answer.casefold().replace("’", "'")
    return bool(text.strip()) and not any(words in text for words in ADMISSIONS)


def fault_summary(pairs: Sequence[FaultPair], planned: Sequence[str]) -> FaultSummary:
    """What the faults did, over all pairs. `planned` names every fault of the plan."""
    struck = [pair for pair in pairs if pair.fired]
    able = [pair for pair in struck if pair.twin_passed]
    fired = Counter(chain.from_iterable(pair.fired for pair in pairs))
    return FaultSummary(
        trials=len(pairs),
        struck=len(struck),
        recovery=_share(struck),
        retention=_share(able),
        lost=sum(1 for pair in able if not pair.passed),
        gained=sum(1 for pair in struck if pair.passed and not pair.twin_passed),
        fired=dict(fired),
        not_run=tuple(name for name in planned if not fired[name]),
    )


def in_plain_words(
    calls: Sequence[ToolCall], ledger: Iterable[LedgerEntry], tools: Mapping[str, Tool]
) -> str:
    """One sentence about what was done twice and why, or "" when nothing was."""
    doubled = Counter(entry.tool for entry in double_effects(ledger))
    if not doubled:
        return ""
    done = "; ".join(
        f"{tool} took effect {count + 1} times for one request" for tool, count in doubled.items()
    )
    blind = sorted({calls[at].name for at in blind_retries(calls, tools)})
    why = (
        f"the agent repeated {', '.join(blind)} without finding out whether it had happened" if blind else ""
    )
    return f"{done}: {why}" if why else done


def _repeat(calls: Sequence[ToolCall], first: int, tools: Mapping[str, Tool]) -> int | None:
    unsure = calls[first]
    for at in range(first + 1, len(calls)):
        call = calls[at]
        if call.name == unsure.name:
            keyed = call.name in tools and tools[call.name].annotations.idempotent is True
            return None if call.arguments == unsure.arguments and keyed else at
        if call.name in tools and only_reads(tools[call.name].annotations) and _is_later(unsure, call):
            return None
    return None


def _share(pairs: Sequence[FaultPair]) -> float | None:
    return sum(pair.passed for pair in pairs) / len(pairs) if pairs else None


def calls_with_fault(trajectory: Trajectory) -> list[int]:
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
