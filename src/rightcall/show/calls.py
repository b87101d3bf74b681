"""Expected and actual calls as a diff."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rightcall.metrics.matching.case_score import score_calls
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.call import ToolCall
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


def calls_difference(golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]) -> list[str]:
    """Lines `  as expected`, `- expected, not made`, `+ made, not expected`; of alternatives, the nearest one."""
    chosen = _nearest(golden, trajectory, tools)
    partners: dict[int, list[int]] = {}
    wrong: list[int] = []
    for failure in score_calls(chosen, trajectory, tools).failures:
        made = [] if failure.call is None else [failure.call]
        wrong += made
        if failure.expected_call is not None:
            partners.setdefault(failure.expected_call, []).extend(made)
    lines: list[str] = []
    shown: set[int] = set()

    def show(place: int) -> None:
        if place not in shown:
            shown.add(place)
            lines.append(f"+ {actual_text(trajectory.calls[place])}")

    for place, wanted in enumerate(chosen.expected_calls):
        if place not in partners:
            lines.append(f"  {expected_text(wanted)}")
            continue
        lines.append(f"- {expected_text(wanted)}")
        for made_at in partners[place]:
            show(made_at)
    for place in sorted(set(wrong)):
        show(place)
    return lines


def expected_text(wanted: ExpectedCall) -> str:
    """An expected call as code; `(…)` when any arguments are accepted."""
    name = pattern_text(wanted.tool)
    text = f"{name}(…)" if wanted.args is None else call_text(name, wanted.args)
    return text if wanted.required else f"{text}  (optional)"


def actual_text(call: ToolCall) -> str:
    """An actual call as code."""
    if call.arguments_unknown:
        return f"{call.name}(?)"
    return call_text(call.name, call.raw if call.arguments is None else call.arguments)


def _nearest(golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]) -> Golden:
    if not golden.any_of:
        return golden
    alternatives = (golden.expected_calls, *golden.any_of) if golden.expected_calls else golden.any_of
    candidates = [msgspec.structs.replace(golden, expected_calls=calls, any_of=()) for calls in alternatives]
    return max(candidates, key=lambda one: score_calls(one, trajectory, tools).score)
