"""The trials of a check: tried in waves, judged in the drawn order, whatever finishes first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

import msgspec

from rightcall.check.alarm import AlarmCheck
from rightcall.check.base_trials import BaseTrials, BaseVersionError
from rightcall.check.design import CheckDesign
from rightcall.check.outcome import CheckEvidence, check_result
from rightcall.check.stored_checks import check_in_progress, find_interrupted_check
from rightcall.check.version_trials import BaseComparison, CandidateTrials, DamageWatch, Watch
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_rule import CheckRule, Decided
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run
from rightcall.recording.first_requests.kept_state import KEEPS_STATE
from rightcall.run.local_trials import DecidedTrials, RunDecision
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.stats.permutation import ExchangeTable, exchange_p
from rightcall.store.sql.store import Store


class CheckTrials:
    """One check in progress."""

    def __init__(
        self,
        design: CheckDesign,
        plan: Plan,
        store: Store,
        *,
        identify: Callable[[Run], Run],
        base: BaseTrials | None = None,
        max_calls: int | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.identify = identify
        self._design, self._plan, self._store = design, plan, store
        self._rule = CheckRule(design.strata, design.settings.risks)
        self._seen = seen = CheckEvidence(design, plan.tally())
        self._candidate = candidate = CandidateTrials(
            seen, concurrency=plan.concurrency, max_calls=max_calls, watch=watch
        )
        self._base = None if base is None else BaseComparison(base, plan, seen)
        alike = self._base if design.settings.confirm == "base" else None
        seen.forbidden = plan.gate.forbid if plan.gate else ()
        self._damage = DamageWatch(seen, candidate, alike, seen.forbidden)
        self._alarm = AlarmCheck(seen, candidate, alike, self._damage)
        self._result: CheckResult
        asked = design.drawn | {*design.reach.hard, *design.reach.new, *design.control}
        self.goldens: Sequence[AnyGolden] = [design.goldens[name] for name in sorted(asked)]
        self.most_trials = design.planned_calls

    async def run(self) -> CheckResult:
        # Sampled by seeds that depend on the inputs alone, other than those of the baseline.
        plan = replace(self._plan, seed=int(self._design.seed[:7], 16))
        try:
            with check_in_progress(self._store) as begin:
                outcome = await run_plan(plan, self._store, started=begin, stop=self)
        finally:
            if self._base is not None:
                await self._base.trials.close()
        summary = outcome.summary
        warnings = self._result.warnings
        if summary.keeps_state:
            warnings = (summary.keeps_state, *(w for w in warnings if not w.startswith(KEEPS_STATE)))
        return msgspec.structs.replace(
            self._result, run_id=outcome.run.id, floor=summary.floor, warnings=warnings
        )

    def find_interrupted(self, store: Store, run: Run) -> str | None:
        return find_interrupted_check(store, run)

    async def decide(self, trials: DecidedTrials) -> RunDecision:
        self._candidate.source = trials
        if trials.answered:
            self._seen.notes.append(
                f"{len(trials.answered):,} trials were stored when this check was interrupted, and are not asked again"
            )
        decided, self._seen.moved = await self._both_versions()
        self._result = self._result_of(decided)
        return RunDecision(self._result.verdict, self._result.sentence)

    async def _both_versions(self) -> tuple[Decided, float | None]:
        """The decision, and the p-value of whatever was asked as a control."""
        if self._base is None or not self._design.control:
            return await self._decide(), await self._control_moved()
        # At the same time, so that any change at the provider affects both.
        jobs = [(golden, self._candidate.fresh(golden)) for golden in self._design.control]
        again = asyncio.create_task(self._base.attempt(jobs))
        try:
            return await self._decide(), await self._base_moved(self._base, again)
        finally:
            again.cancel()

    async def _decide(self) -> Decided:
        candidate, rule, stands = self._candidate, self._rule, False
        for wave in candidate.waves(rule, self._design.strata):
            if candidate.over_budget(sum(len(step.unit) for step in wave)):
                break
            results = await candidate.attempt([(golden, step.round) for step in wave for golden in step.unit])
            if await self._damage.finds(results):
                return Decided("REGRESSED", "hard")
            for step in wave:
                scores = {r.golden_id: candidate.score(r) for r in results if r.golden_id in step.unit}
                stands = stands or await self._alarm.resolve(rule, rule.feed(step, scores))
            if self._damage.stops:
                return Decided("REGRESSED", "hard")
        decided = rule.end()
        if not stands and not await self._alarm.resolve(rule, decided):
            decided = Decided("REGRESSED", "hard") if self._damage.stops else rule.end()
        return decided if decided.word == "REGRESSED" else await self._try_others(decided)

    async def _try_others(self, decided: Decided) -> Decided:
        """Goldens that are in no stratum: those that guard against damage, and new ones."""
        candidate = self._candidate
        guards = [golden for golden in self._design.reach.hard if golden not in self._seen.results]
        for goldens, trials in ((guards, 1), (self._design.reach.new, self._design.trials)):
            jobs = [(golden, trial) for golden in goldens for trial in range(trials)]
            for at in range(0, len(jobs), candidate.wave_size):
                some = jobs[at : at + candidate.wave_size]
                if candidate.over_budget(len(some)):
                    self._seen.skipped += len(jobs) - at
                    break
                results = await candidate.attempt(some)
                if await self._damage.finds(
                    [r for r in results if r.golden_id not in self._design.reach.new]
                ):
                    return Decided("REGRESSED", "hard")
        return decided

    async def _control_moved(self) -> float | None:
        """The p-value of unaffected goldens tried again; None when none were requested."""
        control = self._design.control
        if not control:
            return None
        results = await self._candidate.attempt([(golden, 0) for golden in control])
        before = self._design.baseline.goldens
        return exchange_p(
            [ExchangeTable(before[r.golden_id].scores, (float(r.passed),)) for r in results if not r.error]
        )

    async def _base_moved(self, base: BaseComparison, again: asyncio.Task[list[CaseResult]]) -> float | None:
        """The p-value of the base version; None, with a note, when it could not be run."""
        try:
            results = await again
        except BaseVersionError as error:
            self._seen.notes.append(str(error))
            return None
        scores = ((result.golden_id, self._candidate.score(result)) for result in results)
        return base.p_of((golden, score) for golden, score in scores if score is not None)

    def _result_of(self, decided: Decided) -> CheckResult:
        seen, recordings = self._seen, self._plan.agent.recordings
        if recordings is not None:
            seen.replayed = recordings.replayed
            # Trials stored before an interruption may have been replayed as well.
            seen.only_replayed = not recordings.asked and bool(
                seen.replayed or self._candidate.source.answered
            )
        states, based = self._rule.states(), self._base is not None
        return check_result(seen, decided, states, p=self._rule.p if states else None, base=based)
