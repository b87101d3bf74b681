"""The metric `schema_validity`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.unknown import blank_read
from rightcall.model.case import TestCase
from rightcall.model.score import Score
from rightcall.tools.definitions.validate import problems


@dataclass(frozen=True)
class SchemaValidity(Metric):
    """Share of the calls whose arguments are valid for the tool's schema.

    Requires no expectations, so it works on production traffic. A call to a tool that was not offered, or with
    arguments that are not a JSON object, is invalid; calls with unknown arguments are ignored. Without tool
    definitions the case is an error.

    Tools: [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
    Golden: {"input": "Weather in Hanoi?"}
    Fails: [{"name": "get_weather", "arguments": {"city": 7}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.tools else "no tool definitions are given"

    def measure(self, case: TestCase) -> Score:
        calls = blank_read(case.trajectory, case.tools).calls
        if not calls:
            return Score(1.0, True)
        checkable = [call for call in calls if not call.arguments_unknown or call.name not in case.tools]
        unknown = f"arguments unknown for {len(calls) - len(checkable)} of {len(calls)} calls"
        if not checkable:
            return Score.broken(f"arguments_unknown: {unknown}")
        problems = [problem for call in checkable if (problem := _problem(case, call.name, call.arguments))]
        notes = [unknown] if len(checkable) < len(calls) else []
        return Score(1 - len(problems) / len(checkable), not problems, "; ".join([*problems, *notes]))


def _problem(case: TestCase, name: str, arguments: object) -> str:
    if name not in case.tools:
        return f"{name} is not a tool that was offered"
    if not isinstance(arguments, dict):
        return f"{name}: the arguments are not a JSON object"
    return "; ".join(f"{name}: {problem.message}" for problem in problems(case.tools[name], arguments))
