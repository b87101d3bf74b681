"""Fresh trials of the base version, scored as the candidate's are, and compared with the baseline it made."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from rightcall.check.base_process import BaseRequest
from rightcall.check.base_trials import BaseTrials
from rightcall.check.design import CheckDesign
from rightcall.check.outcome import CheckEvidence
from rightcall.model.run import CaseResult
from rightcall.run.inputs import golden_hash
from rightcall.run.plan import Plan
from rightcall.stats.permutation import ExchangeTable, exchange_p


class BaseComparison:
    """Asks for trials of the base version of a check."""

    def __init__(self, trials: BaseTrials, design: CheckDesign, plan: Plan, seen: CheckEvidence) -> None:
        self.trials, self._design, self._plan, self._seen = trials, design, plan, seen
        self._rescore = design.baseline.header.given.metrics != plan.metrics_hash

    @property
    def commit(self) -> str:
        return self.trials.base.commit

    async def attempt(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        """Results of these trials of goldens, in the order of the jobs."""
        try:
            results = list(await asyncio.gather(*(self._result(name, trial) for name, trial in jobs)))
        finally:
            self._seen.base_spent = self.trials.spent
        for result in results:
            self._seen.base_tally.add(result)
        return results

    async def _result(self, name: str, trial: int) -> CaseResult:
        golden = self._design.goldens[name]
        answer = await self.trials.ask(BaseRequest(name, golden_hash(golden), trial))
        result = answer.result
        if not self._rescore or result.error or result.trajectory is None:
            return result
        # The metrics changed too: both versions are judged by those of the candidate.
        tools = {tool.name: tool for tool in answer.tools}
        return await self._plan.scorer.result(golden, trial, result.trajectory, tools)

    def p_of(self, scores: Mapping[str, Sequence[float]]) -> float:
        """The p-value of trials of goldens that should behave as in the baseline."""
        before = self._design.baseline.goldens
        graded = self._design.settings.compare == "score"
        return exchange_p(
            [
                ExchangeTable(before[name].grades if graded else before[name].scores, tuple(values))
                for name, values in scores.items()
            ]
        )
