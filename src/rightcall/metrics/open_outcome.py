"""The result of a case in which a tool that runs for real gave no answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.model.failure import FORBIDDEN, Failure
from rightcall.model.golden import AnyGolden
from rightcall.model.open_call import OpenCall, no_answer_text, open_calls_of
from rightcall.model.run import CaseResult
from rightcall.model.score import Score
from rightcall.model.trajectory import Trajectory


def in_doubt(
    result: CaseResult, golden: AnyGolden, trajectory: Trajectory, calls: Sequence[OpenCall]
) -> CaseResult:
    """The result as an error, unless the golden says how the outcome was checked and it was.

    A case fails all the same if the agent did what it must not do whatever its tools answer, or reached a limit.
    """
    marks = tuple(
        Failure("outcome_unknown", call.tool, detail=call.detail, call=call.call)
        for call in calls
        if call.effect == "unknown"
    )
    codes, doubtful = (*result.codes, *marks), open_calls_of(golden, trajectory)
    decided_anyway = trajectory.stop_reason == "limit" or any(
        failure.code in FORBIDDEN for failure in result.codes
    )
    if result.error or decided_anyway or not doubtful:
        return msgspec.structs.replace(result, codes=codes)
    why = no_answer_text(doubtful)
    lost = Failure("infra_error", doubtful[0].tool, detail=why, call=doubtful[0].call)
    metrics = {**result.metrics, "overall": Score.broken(why)}
    return msgspec.structs.replace(result, passed=False, metrics=metrics, codes=(lost, *codes), error=why)
