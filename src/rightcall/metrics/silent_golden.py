"""Cases whose golden states no check: decided by the named metrics alone, or, without any, by nothing."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from rightcall.metrics.case_result import result_of
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory


def silent_result(
    golden: AnyGolden, trial: int, trajectory: Trajectory, tools: Mapping[str, Tool], rules: ScoringRules
) -> CaseResult:
    """The result of a golden that states no check, before metrics: it fails only if the agent broke down.

    Its dimensions compare calls with expectations that nobody stated, so only the overall score is left.
    """
    open_golden = msgspec.structs.replace(golden, extra_calls="allow")
    result = result_of(open_golden, trial, trajectory, tools, rules=rules)
    return msgspec.structs.replace(result, metrics={"overall": result.metrics["overall"]})


def as_unchecked(result: CaseResult, observed: Mapping[str, Score] | None = None) -> CaseResult:
    """A result that nothing decides: neither passed nor failed, with the observed scores alone."""
    return msgspec.structs.replace(
        result, passed=False, score=0.0, metrics=dict(observed or {}), checked=False
    )
