"""Calls with unknown or empty arguments: a trace without content, a list of tool names, an empty string.

Unknown arguments count as right when calls are aligned, and are excluded from every number about arguments. Whether a
case passes is decided only if the arguments cannot change it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rightcall.metrics.matching.alignment import Alignment, CallPair
from rightcall.metrics.matching.case_numbers import count_pairs, half_credit, parameter_accuracy
from rightcall.metrics.matching.verdict import CaseVerdict, ScoringRules
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


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
