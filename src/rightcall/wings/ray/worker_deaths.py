"""Workers that die: when too many do, and the result of a case that ends its process."""

from __future__ import annotations

from collections import deque

import msgspec

from rightcall.core.errors import InfrastructureError
from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory
from rightcall.run.backend import Cell, RunWork

MOST_DEATHS, DEATHS_SECONDS = 10, 60.0
"""Workers lost within these seconds, none with a result, that end the run."""


class FruitlessDeaths:
    """Counts workers that were lost without a result; raises when workers only die."""

    def __init__(self) -> None:
        self._at: deque[float] = deque()

    def count(self, now: float, why: str) -> None:
        self._at.append(now)
        while self._at[0] < now - DEATHS_SECONDS:
            self._at.popleft()
        if len(self._at) >= MOST_DEATHS:
            raise InfrastructureError(
                f"{len(self._at)} workers were lost within a minute without a result, the last one because: {why}"
            )


async def deadly_result(work: RunWork, cell: Cell, why: str) -> CaseResult:
    """The result of a case that ended its process twice."""
    golden, trial = cell
    ended = Trajectory(
        stop_reason="agent_error" if work.plan.own_agent else "infra_error",
        error=f"the process ended twice ({why}) while this case ran",
    )
    result = await work.plan.scorer.result(golden, trial, ended, work.tools)
    return msgspec.structs.replace(result, trajectory=ended)
