"""The trials of a check: tried in waves, judged in the drawn order, whatever finishes first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import msgspec

from rightcall.check.base_trials import BaseTrials, BaseVersionError
from rightcall.check.design import CheckDesign
from rightcall.check.outcome import CheckEvidence, check_result
from rightcall.check.stored_checks import check_in_progress, find_interrupted_check
from rightcall.check.version_trials import BaseComparison, CandidateTrials, DamageWatch, Watch
from rightcall.decide.check_result import AlarmConfirmation, CheckResult, FreshTrials
from rightcall.decide.check_rule import CheckRule, Decided
from rightcall.decide.check_settings import Risks
from rightcall.decide.confirmation import PairedEvidence, broken_goldens, pair_value, pairs_of
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run
from rightcall.recording.first_requests.kept_state import KEEPS_STATE
from rightcall.run.local_trials import DecidedTrials, RunDecision
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.stats.permutation import ExchangeTable, exchange_p
from rightcall.store.sql.store import Store


class AlarmCheck:
    """Confirms the alarm of a check, at most once. No trial that raised it is compared again."""

    def __init__(
        self,
        seen: CheckEvidence,
        candidate: CandidateTrials,
        base: BaseComparison | None,
        damage: DamageWatch,
    ) -> None:
        self._design, self._seen, self._candidate = seen.design, seen, candidate
        self._base, self._damage = base, damage
        settings, problem = seen.design.settings, seen.design.base_problem
        if settings.confirm != "off":
            seen.confirm = AlarmConfirmation(settings.confirm, settings.confirm_level, problem=problem)

    async def resolve(self, rule: CheckRule, decided: Decided | None) -> bool:
        """Whether REGRESSED stands. If it does not, the rule continues."""
        if decided is None or decided.word != "REGRESSED":
            return False
        if self._seen.confirm is None:
            return True
        if self._seen.confirm.mode == "base":
            try:
                confirmed = await self._by_pairs(rule)
            except BaseVersionError as problem:
                return await self.resolve(rule, self._without_base(rule, decided, problem))
        else:
            confirmed = await self._by_another_draw()
        if not confirmed:
            rule.spend_alarm()
        return confirmed

    def _without_base(self, rule: CheckRule, decided: Decided, problem: BaseVersionError) -> Decided | None:
        """Go on as if the base had never been there: the alarm counts at the level of `confirm: candidate`."""
        alpha = self._design.settings.alpha
        self._seen.confirm = AlarmConfirmation("candidate", alpha, problem=str(problem))
        self._base = None
        rule.lower_alpha(alpha)
        return rule.end() if decided.cause == "last_look" else rule.decided

    async def _by_pairs(self, rule: CheckRule) -> bool:
        """Fresh trials of both versions, alternating, on the goldens that broke."""
        base, settings = self._base, self._design.settings
        if base is None:
            raise BaseVersionError(self._design.base_problem or "the base version is not known")
        goldens = broken_goldens(rule.sums(), self._design.drawn_from.clusters)
        evidence = PairedEvidence(settings.confirm_level)
        pairs, size, cut = list(pairs_of(goldens)), max(1, self._candidate.wave_size // 2), False
        compared: list[tuple[str, float, float]] = []
        for at in range(0, len(pairs), size):
            jobs = [(golden, self._candidate.fresh(golden)) for golden in pairs[at : at + size]]
            if cut := self._candidate.over_budget(2 * len(jobs)):
                break
            candidate, before = await self._both(base, jobs, base_first=bool(at // size % 2))
            if at == 0:
                _require_answers(before, candidate, base.commit)
            for trials in zip(candidate, before, strict=True):
                new, old = map(self._candidate.score, trials)
                if not evidence.confirmed:
                    compared += (
                        [(trials[0].golden_id, new, old)] if new is not None and old is not None else []
                    )
                    evidence.feed(pair_value(new, old))
            if await self._damage.finds(candidate) or evidence.confirmed:
                break
        of_base = [(golden, old) for golden, _, old in compared]
        moved = base.p_of(of_base) if of_base and not evidence.confirmed else None
        self._seen.confirm = AlarmConfirmation(
            "base",
            settings.confirm_level,
            alarm=True,
            confirmed=evidence.confirmed,
            goldens=goldens,
            pairs=evidence.pairs,
            evidence=round(evidence.evidence, 6),
            base=FreshTrials(_total(old for _, old in of_base), len(compared), base.commit),
            candidate=FreshTrials(_total(new for _, new, _ in compared), len(compared)),
            moved=moved,
            cut_short=cut,
        )
        return evidence.confirmed

    async def _both(
        self, base: BaseComparison, jobs: Sequence[tuple[str, int]], *, base_first: bool
    ) -> tuple[list[CaseResult], list[CaseResult]]:
        """The same trials of both versions: at the same time, or one after the other where one trial runs at a time."""
        if self._candidate.wave_size > 1:
            async with asyncio.TaskGroup() as group:
                of_candidate = group.create_task(self._candidate.attempt(jobs))
                of_base = group.create_task(_outcome(base, jobs))
            before = of_base.result()
            candidate = of_candidate.result()
        elif base_first:
            before = await _outcome(base, jobs)
            candidate = await self._candidate.attempt(jobs)
        else:
            candidate = await self._candidate.attempt(jobs)
            before = await _outcome(base, jobs)
        if isinstance(before, BaseVersionError):
            raise before
        return candidate, before

    async def _by_another_draw(self) -> bool:
        """Another draw of the candidate against the same baseline."""
        settings, strata = self._design.settings, self._design.another_draw()
        level, cut = self._seen.confirm.level if self._seen.confirm else settings.alpha, False
        rule = CheckRule(strata, Risks(level, settings.beta))
        for wave in self._candidate.waves(rule, strata):
            jobs = [(golden, self._candidate.fresh(golden)) for step in wave for golden in step.unit]
            if cut := self._candidate.over_budget(len(jobs)):
                break
            results = await self._candidate.attempt(jobs)
            if await self._damage.finds(results):
                break
            scores = {(r.golden_id, r.trial): self._candidate.score(r) for r in results}
            numbers = iter(jobs)
            for step in wave:
                rule.feed(step, {golden: scores[next(numbers)] for golden in step.unit})
        confirmed = rule.end().word == "REGRESSED"
        trials = sum(state.run for state in rule.states())
        self._seen.confirm = msgspec.structs.replace(
            self._seen.confirm or AlarmConfirmation("candidate", level),
            alarm=True,
            confirmed=confirmed,
            pairs=trials,
            evidence=round(max([1.0, *(state.e_worse for state in rule.states())]), 6),
            cut_short=cut and not confirmed,
        )
        return confirmed


async def _outcome(
    base: BaseComparison, jobs: Sequence[tuple[str, int]]
) -> list[CaseResult] | BaseVersionError:
    """The base's trials, or why there are none: the candidate's go on meanwhile."""
    try:
        return await base.attempt(jobs)
    except BaseVersionError as problem:
        return problem


def _require_answers(before: Sequence[CaseResult], candidate: Sequence[CaseResult], commit: str) -> None:
    """Refuse a base version whose trials all fail here: it says nothing about the change."""

    def broke(result: CaseResult) -> bool:
        return bool(result.error) or any(failure.code == "agent_error" for failure in result.codes)

    if before and all(map(broke, before)) and not all(map(broke, candidate)):
        first = before[0]
        why = first.error or next((f.detail for f in first.codes if f.code == "agent_error"), "")
        if not why and first.trajectory is not None:
            why = first.trajectory.error
        raise BaseVersionError(
            f"the base version at {commit[:10]} could not be run: each of its trials failed: {str(why)[:200]}"
        )


def _total(scores: Iterable[float]) -> float:
    return round(sum(scores), 6)


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
        return msgspec.structs.replace(self._result, run_id=outcome.run.id, warnings=warnings)

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
        return RunDecision(self._result.verdict, self._result.reason)

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
        """The p-value of unaffected goldens tried again; None when none were requested.

        One without an answer counts as failed: it speaks against blaming the change.
        """
        control = self._design.control
        if not control:
            return None
        results = await self._candidate.attempt([(golden, 0) for golden in control])
        before = self._design.baseline.goldens
        return exchange_p([ExchangeTable(before[r.golden_id].scores, (float(r.passed),)) for r in results])

    async def _base_moved(self, base: BaseComparison, again: asyncio.Task[list[CaseResult]]) -> float | None:
        """The p-value of the base version; None, with a note, when it could not be run."""
        try:
            results = await again
        except BaseVersionError as error:
            self._seen.notes.append(str(error))
            return None
        return base.p_of((result.golden_id, self._candidate.score(result) or 0.0) for result in results)

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
