"""The numbers of a case: counts, precision and recall, parameters, order, content and latency, from aligned calls.

Calls may have unknown or empty arguments: a trace without content, a list of tool names, an empty string. Unknown ones
count as right when calls are aligned, and are excluded from every number about arguments. Whether a case passes is
decided only if the arguments cannot change it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from rightcall.metrics.matching.alignment import Alignment, CallPair, assign_by_groups
from rightcall.metrics.matching.expectation import Slot
from rightcall.metrics.matching.matchers.values import Optional
from rightcall.metrics.matching.verdict import CaseVerdict, Numbers, ScoringRules
from rightcall.records.call import ToolCall
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory


def case_numbers(golden: Golden, trajectory: Trajectory, aligned: Alignment, absent_content: int) -> Numbers:
    slots = aligned.table.slots
    calls = aligned.table.calls
    free = aligned.free
    required = sum(slot.required for slot in slots)
    names_tp, names_absorbed = _count_by_name(slots, calls)
    names_counted = len(calls) - names_absorbed
    free_tp = sum(pair.strict and slots[pair.slot].required for pair in free)
    counts = count_pairs(slots, aligned.pairs, required, len(calls))
    return Numbers(
        **counts,
        tool_precision=ratio(names_tp, names_counted),
        tool_recall=ratio(names_tp, required),
        tool_f1=ratio(2 * names_tp, required + names_counted),
        parameter_accuracy=parameter_accuracy(slots, free),
        order=ratio(counts["tp"], free_tp),
        content=1.0 - ratio(absent_content, len(golden.output_contains), empty=0.0),
        latency=_latency(golden, trajectory),
    )


def count_pairs(
    slots: Sequence[Slot], pairs: Sequence[CallPair], required: int, called: int
) -> dict[str, Any]:
    """The numbers of aligned calls, with `required` expected ones and `called` actual ones."""
    tp = sum(pair.strict and slots[pair.slot].required for pair in pairs)
    absorbed = sum(pair.strict and not slots[pair.slot].required for pair in pairs)
    soft = math.fsum(pair.soft for pair in pairs if slots[pair.slot].required)
    counted = called - absorbed
    return {
        "tp": tp,
        "fp": counted - tp,
        "fn": required - tp,
        "absorbed": absorbed,
        "call_precision": ratio(tp, counted),
        "call_recall": ratio(tp, required),
        "call_f1": ratio(2 * tp, required + counted),
        "call_soft_f1": ratio(2 * soft, required + counted),
    }


def _count_by_name(slots: Sequence[Slot], calls: Sequence[ToolCall]) -> tuple[int, int]:
    """Required and optional slots that can each be matched to a call by tool name."""
    if all(type(slot.call.tool) is str for slot in slots):
        return _count_plain_names(slots, calls)
    many = float(len(slots) + 1)
    weights = [
        [(many if slot.required else 1.0) if slot.fits(call.name) else 0.0 for call in calls]
        for slot in slots
    ]
    chosen = assign_by_groups(weights)
    required = sum(slots[i].required for i, _ in chosen)
    return required, len(chosen) - required


def _count_plain_names(slots: Sequence[Slot], calls: Sequence[ToolCall]) -> tuple[int, int]:
    """The same when every slot names one tool: no assignment is needed, only counting."""
    left: dict[str, int] = {}
    for call in calls:
        left[call.name] = left.get(call.name, 0) + 1
    counts = [0, 0]
    for required in (True, False):  # required ones first
        for slot in slots:
            name = slot.call.tool
            if slot.required is required and isinstance(name, str) and left.get(name, 0):
                left[name] -= 1
                counts[not required] += 1
    return counts[0], counts[1]


def parameter_accuracy(slots: Sequence[Slot], free: Sequence[CallPair], gone: Collection[int] = ()) -> float:
    """Weighted mean argument score over required expected calls; one without a partner scores 0, one that is `gone`
    does not count.

    Order plays no part: arguments can be right in the wrong order.
    """
    weights = [slot.call.weight for n, slot in enumerate(slots) if slot.required and n not in gone]
    worth = math.fsum(pair.soft * slots[pair.slot].call.weight for pair in free if slots[pair.slot].required)
    return ratio(worth, math.fsum(weights))


def _latency(golden: Golden, trajectory: Trajectory) -> float:
    """1 within the budget, budget/latency beyond it; 1 when there is no budget or no measurement."""
    budget = golden.max_latency_ms
    taken = trajectory.latency_ms
    certain = trajectory.least_latency_ms
    if budget is None or taken is None or certain is None or certain <= budget:
        return 1.0
    return budget / taken


def latency_in_doubt(golden: Golden, trajectory: Trajectory) -> str:
    """Why the latency budget cannot be decided; empty when it can.

    The time taken lies between `least_latency_ms` and `latency_ms`. Where the budget lies between the two, a verdict
    would be about the machine that measured.
    """
    budget = golden.max_latency_ms
    taken = trajectory.latency_ms
    certain = trajectory.least_latency_ms
    if budget is None or taken is None or certain is None or not certain <= budget < taken:
        return ""
    return (
        f"took {taken:g} ms with a budget of {budget:g} ms, but this machine was overloaded and added up to "
        f"{trajectory.lag_ms:g} ms; lower the concurrency or use a less busy machine"
    )


def ratio(part: float, whole: float, empty: float = 1.0) -> float:
    return part / whole if whole else empty


HALF = 0.5
"""What a parameter that is present with a wrong value counts in the weighting `seed`.

A required parameter counts 1 when its value is right, ½ when it is present with another one, 0 when it is missing. An
`optional` parameter counts only when it is present and wrong, and a forbidden one only when it is present; both then
count 0. Unexpected parameters are ignored.
"""


def half_credit(slots: Sequence[Slot], calls: Sequence[ToolCall]) -> float:
    """Weighted mean over the required expected calls; one whose tool was not called scores 0.

    Calls are paired with expectations so that the sum is greatest: the pairs of the alignment leave out a call of the
    right tool whose every value is wrong, which is worth a half here.
    """
    required = [slot for slot in slots if slot.required]
    weights = [
        [
            slot.call.weight * argument_credit(slot, call, at) if slot.fits(call.name) else 0.0
            for at, call in enumerate(calls)
        ]
        for slot in required
    ]
    whole = math.fsum(slot.call.weight for slot in required)
    worth = math.fsum(weights[row][column] for row, column in assign_by_groups(weights))
    return ratio(worth, whole)


def argument_credit(slot: Slot, call: ToolCall, at: int) -> float:
    """The credit of one call of the right tool: the mean over the parameters that count, 1 when none does."""
    expected = slot.call.args
    arguments = call.arguments
    if expected is None and not slot.call.forbidden_args:
        return 1.0
    if arguments is None:
        return slot.argument_score(call, at)
    credits: list[float] = [0.0 for name in slot.call.forbidden_args if name in arguments]
    for name in expected or ():
        score = slot.parameter_score(name, call, at)
        if isinstance(slot.matchers.get(name), Optional):
            if score < 1.0:
                credits.append(0.0)
        else:
            credits.append(max(score, HALF) if name in arguments else score)
    return math.fsum(credits) / len(credits) if credits else 1.0


def in_doubt(at_best: CaseVerdict, at_worst: CaseVerdict) -> CaseVerdict:
    """One verdict from two: unknown arguments all right, and all wrong."""
    if not at_best.passed:
        return at_best
    if at_worst.passed:
        return at_best if at_worst.numbers.fn else at_worst
    return replace(at_best, passed=False, error=f"arguments_unknown: {unknown_text(at_best)}")


def unknown_text(verdict: CaseVerdict) -> str:
    """How many calls are excluded from numbers about arguments, as text; empty when none are."""
    if not verdict.unknown:
        return ""
    return f"arguments unknown for {verdict.unknown} of {verdict.called} call{'s' * (verdict.called > 1)}"


def without_unknown(verdict: CaseVerdict, aligned: Alignment, rules: ScoringRules) -> CaseVerdict:
    """The same verdict, its numbers about arguments over the calls whose arguments are known."""
    table, free, pairs = aligned

    def in_the_dark(pair: CallPair) -> bool:
        return table.calls[pair.call].arguments_unknown and table.slots[pair.slot].looks_at_arguments

    if all(call.arguments is not None for call in table.calls):
        return verdict
    left_out = [pair for pair in pairs if in_the_dark(pair)]
    if not left_out:
        return verdict
    gone = {pair.slot for pair in free if in_the_dark(pair)}
    if rules.half_credit:
        known_calls = [call for call in table.calls if not call.arguments_unknown]
        accuracy = half_credit([slot for n, slot in enumerate(table.slots) if n not in gone], known_calls)
    else:
        accuracy = parameter_accuracy(table.slots, [p for p in free if not in_the_dark(p)], gone)
    unseen = {pair.slot for pair in left_out}
    required = sum(slot.required for number, slot in enumerate(table.slots) if number not in unseen)
    known_pairs = [pair for pair in pairs if not in_the_dark(pair)]
    counts = count_pairs(table.slots, known_pairs, required, len(table.calls) - len(left_out))
    numbers = replace(verdict.numbers, **counts, parameter_accuracy=accuracy)
    score = rules.overall(numbers) if verdict.score else 0.0
    return replace(verdict, score=score, numbers=numbers, unknown=len(left_out), called=len(table.calls))


def blank_read(trajectory: Trajectory, tools: Mapping[str, Tool]) -> Trajectory:
    """The trajectory with `{}` for empty text, except for tools that are known to require arguments."""
    if all(call.arguments is not None for call in trajectory.calls):
        return trajectory
    return replace(trajectory, calls=tuple(_read(call, tools.get(call.name)) for call in trajectory.calls))


def _read(call: ToolCall, tool: Tool | None) -> ToolCall:
    if call.arguments is not None or call.raw is None or call.raw.strip():
        return call
    if tool is not None and tool.needs_arguments:
        return call
    return replace(call, arguments={}, raw=None)
