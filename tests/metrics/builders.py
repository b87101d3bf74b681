"""Short ways to say cases in tests."""

from __future__ import annotations

from typing import Any

from rightcall.core import codec
from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.records import Golden, ToolCall, Trajectory


def a_golden(*expected: Any, **fields: Any) -> Golden:
    """A golden of expected calls given as names or as objects in the file's spelling."""
    calls = [{"tool": call, "args": {}} if isinstance(call, str) else call for call in expected]
    return codec.convert({"input": "?", "id": "g", "expected_calls": calls, **fields}, Golden, "a test")


def a_trajectory(*calls: Any, **fields: Any) -> Trajectory:
    """A trajectory of calls given as names or as objects in the short form."""
    made = [
        ToolCall(call) if isinstance(call, str) else codec.convert(call, ToolCall, "a test") for call in calls
    ]
    return Trajectory(calls=tuple(made), **fields)


def judged(expected: list[Any], called: list[Any], **golden: Any) -> CaseVerdict:
    """By exactly these calls, also by none: a category states that."""
    return score_trajectory(a_golden(*expected, **{"category": "golden"} | golden), a_trajectory(*called))


def codes(verdict: CaseVerdict) -> list[str]:
    return [failure.code for failure in verdict.failures]
