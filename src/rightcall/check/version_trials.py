"""Trials of both versions of a check: the candidate's, fresh ones of the base, and the damage that only one does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

from rightcall.check.base_process import BaseRequest
from rightcall.check.base_version import BaseTrials, BaseVersionError
from rightcall.check.evidence import CheckEvidence
from rightcall.decide.check_result import HardFailure
from rightcall.records.failure import FATAL, Failure
from rightcall.records.run import CaseResult
from rightcall.run.inputs import golden_hash
from rightcall.run.plan import Plan
from rightcall.run.trials import Trials
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
        self._max_calls = max_calls
        self._watch = watch
        self.wave_size = max(1, min(concurrency, WAVE))
        self.source: Trials
        planned = [stratum.rounds for stratum in design.strata]
        self._first_fresh = max([1, design.trials, *planned, *design.few.values()])
        self._next_fresh: dict[str, int] = {}

    def over_budget(self, calls: int) -> bool:
        """Whether this number of further calls exceeds the budget."""
        return self._max_calls is not None and self._seen.calls + calls > self._max_calls

    async def attempt(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        """Results of these trials of goldens, in the order of the jobs."""
        results = await self.source.ask_all([(self._design.goldens[name], trial) for name, trial in jobs])
        self._seen.spent = self.source.spent
        self._seen.note_requests(results)
        for result in results:
            self._seen.errors += bool(result.error)
            self._seen.tally.add(result)
            self._seen.results.setdefault(result.golden_id, []).append(result)
        if self._watch is not None:
            self._watch(self._seen.calls, self._design.planned_calls)
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


class BaseComparison:
    """Asks for trials of the base version, scored as the candidate's are, and compares them with its baseline."""

    def __init__(self, trials: BaseTrials, plan: Plan, seen: CheckEvidence) -> None:
        self.trials = trials
        self._design = seen.design
        self._plan = plan
        self._seen = seen
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
        self._seen.note_requests(results)
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
        lines = self._design.baseline.goldens
        graded = self._design.settings.compare == "score"
        after: dict[str, tuple[float, ...]] = {}
        for name, score in scores:
            after[name] = (*after.get(name, ()), score)
        before = {name: lines[name].grades if graded else lines[name].scores for name in after}
        return exchange_p([ExchangeTable(before[name], values) for name, values in after.items()])


MORE_TRIES = 3
TRIES_TO_CONFIRM = 5


class DamageWatch:
    """Looks for hard failures of the candidate that the baseline never showed: one is WORSE, outside of every risk.

    A golden that did damage is tried again, the base version as often as the candidate.
    """

    def __init__(
        self,
        seen: CheckEvidence,
        candidate: CandidateTrials,
        base: BaseComparison | None,
        forbidden: Sequence[str],
    ) -> None:
        self._design = seen.design
        self._seen = seen
        self._candidate = candidate
        self._base = base
        self._codes = FATAL | set(forbidden)
        self.stops = False
        """Whether damage was found that decides the check."""

    async def finds(self, results: Sequence[CaseResult]) -> bool:
        """Whether a trial did damage that the baseline never showed for its golden, and that decides the check."""
        for result in results:
            if (new := self._new_damage(result)) is None:
                continue
            name = result.golden_id
            jobs = [(name, self._candidate.fresh(name)) for _ in range(MORE_TRIES)]
            more = [result, *await self._candidate.attempt(jobs)]
            times = _times(more, new.code)
            base = await self._of_base(jobs)
            tries = sum(not trial.error for trial in more)
            detail = new.detail or " ".join(filter(None, (new.tool, str(new.actual or ""))))
            place = self._design.places.get(name, ("", 0))
            self._seen.hard.append(
                HardFailure(
                    name,
                    new.code,
                    detail[:200],
                    times,
                    tries,
                    *place,
                    base_times=_times(base, new.code),
                    base_tries=sum(not trial.error for trial in base),
                )
            )
            self.stops = True
            return True
        return False

    async def _of_base(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        """The same trials of the base version; none, with a note, when it cannot be run."""
        if self._base is None or self._candidate.over_budget(len(jobs)):
            return []
        try:
            return await self._base.attempt(jobs)
        except BaseVersionError as problem:
            self._seen.notes.append(str(problem))
            return []

    def _new_damage(self, result: CaseResult) -> Failure | None:
        line = self._design.baseline.goldens.get(result.golden_id)
        codes_before = set(line.hard) if line else set()
        if result.error or result.golden_id in {hard.golden for hard in self._seen.hard}:
            return None
        return next((f for f in result.codes if f.code in self._codes and f.code not in codes_before), None)


def _times(results: Sequence[CaseResult], code: str) -> int:
    return sum(any(failure.code == code for failure in result.codes) for result in results)
