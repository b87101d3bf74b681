"""Expected and actual calls as a diff."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rightcall.metrics.matching.case_score import score_calls
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.kinds import read_skills
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.call import ToolCall
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


def calls_difference(golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]) -> list[str]:
    """Lines `  as expected`, `- expected, not made`, `+ made, not expected`; of alternatives, the nearest one."""
    trajectory = read_skills(trajectory, tools)
    chosen = _nearest(golden, trajectory, tools)
    partners: dict[int, list[int]] = {}
    wrong: list[int] = []
    for failure in score_calls(chosen, trajectory, tools).failures:
        failed_calls = [] if failure.call is None else [failure.call]
        wrong += failed_calls
        if failure.expected_call is not None:
            partners.setdefault(failure.expected_call, []).extend(failed_calls)
    lines: list[str] = []
    shown: set[int] = set()

    def show(place: int) -> None:
        if place not in shown:
            shown.add(place)
            lines.append(f"+ {actual_text(trajectory.calls[place])}")

    for place, expected_call in enumerate(chosen.expected_calls):
        if place not in partners:
            lines.append(f"  {expectation_text(expected_call)}")
            continue
        lines.append(f"- {expectation_text(expected_call)}")
        for made_at in partners[place]:
            show(made_at)
    for place in sorted(set(wrong)):
        show(place)
    return lines


def expectation_text(expected_call: ExpectedCall) -> str:
    """An expected call as code; `(…)` when any arguments are accepted."""
    name = pattern_text(expected_call.tool)
    text = f"{name}(…)" if expected_call.args is None else call_text(name, expected_call.args)
    return text if expected_call.required else f"{text}  (optional)"


def actual_text(call: ToolCall) -> str:
    if call.arguments_unknown:
        return f"{call.name}(?)"
    return call_text(call.name, call.raw if call.arguments is None else call.arguments)


def _nearest(golden: Golden, trajectory: Trajectory, tools: Mapping[str, Tool]) -> Golden:
    if not golden.any_of:
        return golden
    alternatives = (golden.expected_calls, *golden.any_of) if golden.expected_calls else golden.any_of
    candidates = [msgspec.structs.replace(golden, expected_calls=calls, any_of=()) for calls in alternatives]
    return max(candidates, key=lambda alternative: score_calls(alternative, trajectory, tools).score)
