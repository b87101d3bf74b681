"""Trials of both versions of a check: the candidate's, counted and kept for the report, and fresh ones of the base."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from rightcall.check.base_process import BaseRequest
from rightcall.check.base_trials import BaseTrials
from rightcall.check.outcome import CheckEvidence
from rightcall.decide.check_rule import CheckRule, Step
from rightcall.decide.trial_pairs import Stratum
from rightcall.model.run import CaseResult
from rightcall.run.decided_trials import DecidedTrials
from rightcall.run.inputs import golden_hash
from rightcall.run.plan import Plan
from rightcall.stats.permutation import ExchangeTable, exchange_p

WAVE = 16
"""Maximum concurrent trials: results are judged in their drawn order, so those beyond a decision are wasted."""

Watch = Callable[[int, int], None]


class CandidateTrials:
    """Asks for trials of the candidate. Fresh trials have numbers that no planned trial has."""

    def __init__(
        self,
        seen: CheckEvidence,
        *,
        concurrency: int,
        max_calls: int | None = None,
        watch: Watch | None = None,
    ) -> None:
        design = self._design = seen.design
        self._seen = seen
        self._max_calls, self._watch = max_calls, watch
        self.wave_size = max(1, min(concurrency, WAVE))
        self.source: DecidedTrials
        self._first_fresh = max([1, design.trials, *(stratum.rounds for stratum in design.strata)])
        self._next_fresh: dict[str, int] = {}

    def over_budget(self, calls: int) -> bool:
        """Whether this number of further calls exceeds the budget."""
        return self._max_calls is not None and self._seen.calls + calls > self._max_calls

    async def attempt(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        """Results of these trials of goldens, in the order of the jobs."""
        results = await self.source.ask([(self._design.goldens[name], trial) for name, trial in jobs])
        self._seen.spent = self.source.spent
        for result in results:
            self._seen.errors += bool(result.error)
            self._seen.tally.add(result)
            self._seen.results.setdefault(result.golden_id, []).append(result)
        if self._watch is not None:
            self._watch(self._seen.calls, self._design.most_calls + self._design.confirm_calls)
        return results

    def fresh(self, golden: str) -> int:
        """The number of a trial that was never run and is in no plan."""
        number = self._next_fresh.get(golden, self._first_fresh)
        self._next_fresh[golden] = number + 1
        return number

    def score(self, result: CaseResult) -> float | None:
        """What is compared of a trial; None when it got no answer."""
        graded = self._design.settings.compare == "score"
        return None if result.error else result.score if graded else float(result.passed)

    def waves(self, rule: CheckRule, strata: Sequence[Stratum]) -> Iterator[list[Step]]:
        """Steps that may run at once: never across the end of a round, where a stratum may turn out settled."""
        wave: list[Step] = []
        for step in rule.steps():
            wave.append(step)
            last = step.unit == strata[step.stratum].order[-1]
            if last or sum(len(planned_step.unit) for planned_step in wave) >= self.wave_size:
                yield wave
                wave = []
        if wave:
            yield wave


class BaseComparison:
    """Asks for trials of the base version, scored as the candidate's are, and compares them with its baseline."""

    def __init__(self, trials: BaseTrials, plan: Plan, seen: CheckEvidence) -> None:
        self.trials, self._design, self._plan, self._seen = trials, seen.design, plan, seen
        self._rescore = self._design.baseline.header.given.metrics != plan.metrics_hash

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
        result, offered = await self.trials.ask(BaseRequest(name, golden_hash(golden), trial))
        if not self._rescore or result.error or result.trajectory is None:
            return result
        # The metrics changed too: both versions are judged by those of the candidate.
        tools = {tool.name: tool for tool in offered}
        return await self._plan.scorer.result(golden, trial, result.trajectory, tools)

    def p_of(self, scores: Iterable[tuple[str, float]]) -> float:
        """The p-value of trials of goldens that should behave as in the baseline."""
        lines, graded = self._design.baseline.goldens, self._design.settings.compare == "score"
        after: dict[str, tuple[float, ...]] = {}
        for name, score in scores:
            after[name] = (*after.get(name, ()), score)
        before = {name: lines[name].grades if graded else lines[name].scores for name in after}
        return exchange_p([ExchangeTable(before[name], values) for name, values in after.items()])
