"""One trial of a plan: performed, scored, and freed of secrets."""

from __future__ import annotations

import msgspec

from rightcall.executor import Session
from rightcall.metrics import time_to_score
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.suite.plan import Plan
from rightcall.suite.secret_scrubber import ResultScrubber


class CaseRunner:
    """Runs and scores one trial of a plan."""

    def __init__(self, plan: Plan, session: Session) -> None:
        self._session, self._scorer = session, plan.scorer
        self._seconds, self._scrub = plan.agent.limits.seconds, ResultScrubber()

    async def result(self, golden: AnyGolden, trial: int) -> CaseResult:
        trajectory = await self._session.performer.perform(golden, trial)
        left = time_to_score(self._seconds, trajectory)
        result = await self._scorer.result(golden, trial, trajectory, self._session.tools, left)
        return self._scrub(msgspec.structs.replace(result, trajectory=trajectory))
