"""A typical program, for the type checker alone: `mypy` reads it with the package, strictly; nothing runs it.

Lists are fine where tuples are stored, and a misspelt option is an error (an `ignore` that is not needed is one too).
"""

from __future__ import annotations

import rightcall as rc
from rightcall.decide.verdict import Verdict


def program() -> None:
    golden = rc.Golden("hi", expected_calls=[rc.ExpectedCall("weather", after=["a"])], tags=["x"])
    run = rc.evaluate("keyword:", [golden], trials=3, metrics=["tool_selection"])
    rc.evaluate("keyword:", [golden], trails=3)  # type: ignore[call-arg]
    verdict: Verdict = run.verdict
    case = rc.TestCase(golden, rc.Trajectory(calls=[rc.ToolCall("weather", {})]))
    done: rc.RunResult = rc.score_cases([case], ["tool_selection"])
    gated: Verdict = rc.gate(done.id, min=0.9)
    errors: int = rc.lint("tools.json").counts()["error"]
    print(verdict, gated, errors)
