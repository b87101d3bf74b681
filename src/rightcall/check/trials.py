"""The trials of a check: tried in waves, judged in the drawn order, whatever finishes first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from rightcall.check.base_version import BaseVersion
from rightcall.check.design import CheckDesign
from rightcall.check.outcome import CheckEvidence, check_result
from rightcall.check.record import check_in_progress, find_interrupted_check, question_of
from rightcall.core.errors import ConfigError
from rightcall.decide.check_result import CheckResult, HardFailure
from rightcall.decide.check_rule import CheckRule, Decided, Step
from rightcall.metrics.tally import Tally
from rightcall.model.failure import FATAL, Failure
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run
from rightcall.run.decided_trials import DecidedTrials, RunDecision
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.stats.permutation import ExchangeTable, exchange_p
from rightcall.store.sql.store import Store

WAVE = 16
"""Maximum concurrent trials: results are judged in their drawn order, so those beyond a decision are wasted."""
MORE_TRIES = 3

Watch = Callable[[int, int], None]


class CheckTrials:
    """One check in progress."""

    def __init__(
        self,
        design: CheckDesign,
        plan: Plan,
        store: Store,
        *,
        question: str = "",
        max_calls: int | None = None,
        watch: Watch | None = None,
        base: BaseVersion | None = None,
    ) -> None:
        self._question, self._base = question, base
        self._design, self._plan, self._store = design, plan, store
        self._max_calls, self._watch = max_calls, watch
        self._rule = CheckRule(design.strata, design.settings.risks)
        self._seen = CheckEvidence(design, Tally(plan.scorer.names))
        self._trials: DecidedTrials
        self._result: CheckResult
        drawn = {golden for stratum in design.strata for unit in stratum.order for golden in unit}
        asked = drawn | {*design.reach.hard, *design.reach.new, *design.control}
        self.goldens: Sequence[AnyGolden] = [design.goldens[name] for name in sorted(asked)]
        self.most_trials = design.most_calls

    async def run(self) -> CheckResult:
        # Sampled by seeds that depend on the inputs alone, other than those of the baseline.
        plan = replace(self._plan, seed=int(self._design.seed[:7], 16))
        with check_in_progress(self._store) as begin:
            outcome = await run_plan(plan, self._store, started=begin, stop=self)
        return msgspec.structs.replace(self._result, run_id=outcome.run.id, floor=outcome.summary.floor)

    def identify(self, run: Run) -> Run:
        return question_of(run, self._question)

    def find_interrupted(self, store: Store, run: Run) -> str | None:
        return find_interrupted_check(store, run)

    async def decide(self, trials: DecidedTrials) -> RunDecision:
        self._trials = trials
        if trials.answered:
            self._seen.notes.append(
                f"{len(trials.answered):,} trials were stored when this check was interrupted, and are not asked again"
            )
        decided, self._seen.moved = await self._both_versions()
        self._result = self._result_of(decided)
        return RunDecision(self._result.verdict, self._result.sentence)

    async def _both_versions(self) -> tuple[Decided, float | None]:
        """The decision, and the p-value of whatever was asked as a control."""
        if self._base is None:
            return await self._decide(), await self._control_moved()
        # At the same time, so that any change at the provider affects both.
        again = asyncio.create_task(self._base.passes(self._design.control))
        try:
            return await self._decide(), await self._base_moved(again)
        finally:
            again.cancel()

    @property
    def _wave_size(self) -> int:
        return max(1, min(self._plan.concurrency, WAVE))

    async def _decide(self) -> Decided:
        for wave in self._waves():
            if self._over_budget(sum(len(step.unit) for step in wave)):
                break
            results = await self._try([(golden, step.round) for step in wave for golden in step.unit])
            for step in wave:
                if await self._finds_damage([r for r in results if r.golden_id in step.unit]):
                    return Decided("REGRESSED", "hard")
                self._rule.feed(
                    step, {r.golden_id: self._score(r) for r in results if r.golden_id in step.unit}
                )
        decided = self._rule.end()
        if decided.word == "REGRESSED":
            return decided
        guards = [golden for golden in self._design.reach.hard if golden not in self._seen.results]
        for goldens, trials in ((guards, 1), (self._design.reach.new, self._design.trials)):
            jobs = [(golden, trial) for golden in goldens for trial in range(trials)]
            for at in range(0, len(jobs), self._wave_size):
                some = jobs[at : at + self._wave_size]
                if self._over_budget(len(some)):
                    self._seen.skipped += len(jobs) - at
                    break
                results = await self._try(some)
                if await self._finds_damage(
                    [r for r in results if r.golden_id not in self._design.reach.new]
                ):
                    return Decided("REGRESSED", "hard")
        return decided

    def _waves(self) -> Iterator[list[Step]]:
        """Steps that may run at once: never across the end of a round, where a stratum may turn out settled."""
        wave: list[Step] = []
        for step in self._rule.steps():
            wave.append(step)
            last = step.unit == self._design.strata[step.stratum].order[-1]
            if last or sum(len(planned_step.unit) for planned_step in wave) >= self._wave_size:
                yield wave
                wave = []
        if wave:
            yield wave

    def _over_budget(self, calls: int) -> bool:
        return self._max_calls is not None and self._seen.spent + calls > self._max_calls

    async def _try(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        """Results in the order of the jobs."""
        results = await self._trials.ask([(self._design.goldens[name], trial) for name, trial in jobs])
        self._seen.spent = self._trials.spent
        for result in results:
            self._seen.errors += bool(result.error)
            self._seen.tally.add(result)
            self._seen.results.setdefault(result.golden_id, []).append(result)
        if self._watch is not None:
            self._watch(self._seen.spent, self._design.most_calls)
        return results

    async def _finds_damage(self, results: Sequence[CaseResult]) -> bool:
        """Whether a trial did damage that the baseline never showed for its golden; it is then tried again."""
        for result in results:
            new = self._new_damage(result)
            if new is None:
                continue
            name, tries = result.golden_id, 5 if self._design.settings.hard == "confirm" else MORE_TRIES
            first = max(r.trial for r in self._seen.results[name]) + 1
            more = await self._try([(name, first + i) for i in range(tries)])
            did = [r for r in (result, *more) if any(f.code == new.code for f in r.codes)]
            tried = [r for r in (result, *more) if not r.error]
            file, line = self._design.places.get(name, ("", 0))
            detail = new.detail or " ".join(filter(None, (new.tool, str(new.actual or ""))))
            self._seen.hard.append(
                HardFailure(name, new.code, detail[:200], len(did), len(tried), file, line)
            )
            if self._design.settings.hard == "stop" or len(did) > 1:
                return True
        return False

    def _new_damage(self, result: CaseResult) -> Failure | None:
        line = self._design.baseline.goldens.get(result.golden_id)
        codes_before = set(line.hard) if line else set()
        if result.error or result.golden_id in {hard.golden for hard in self._seen.hard}:
            return None
        forbidden = set(self._plan.gate.forbid) if self._plan.gate else set()
        hard = FATAL | forbidden
        return next((f for f in result.codes if f.code in hard and f.code not in codes_before), None)

    async def _control_moved(self) -> float | None:
        """The p-value of unaffected goldens tried again; None when none were requested."""
        control = self._design.control
        if not control:
            return None
        results = await self._try([(golden, 0) for golden in control])
        return self._p_of({r.golden_id: float(r.passed) for r in results if not r.error})

    async def _base_moved(self, again: asyncio.Task[dict[str, float]]) -> float | None:
        """The p-value of the base version; None, with a note, when it could not be run."""
        try:
            passes = await again
        except ConfigError as error:
            self._seen.notes.append(str(error))
            return None
        self._seen.spent += len(passes)
        return self._p_of(passes)

    def _p_of(self, passes: Mapping[str, float]) -> float:
        """The p-value of goldens that were tried again and should behave as in the baseline."""
        before = self._design.baseline.goldens
        return exchange_p([ExchangeTable(before[g].scores, (x,)) for g, x in passes.items()])

    def _result_of(self, decided: Decided) -> CheckResult:
        seen, recordings = self._seen, self._plan.agent.recordings
        if recordings is not None:
            seen.replayed = recordings.replayed
            # Trials stored before an interruption may have been replayed as well.
            seen.only_replayed = not recordings.asked and bool(seen.replayed or self._trials.answered)
        states, based = self._rule.states(), self._base is not None
        return check_result(seen, decided, states, p=self._rule.p if states else None, base=based)

    def _score(self, result: CaseResult) -> float | None:
        graded = self._design.settings.compare == "score"
        return None if result.error else result.score if graded else float(result.passed)
