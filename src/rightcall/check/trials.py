"""The trials of a check: tried in waves, judged in the drawn order, whatever finishes first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from itertools import product

import msgspec

from rightcall.agents.limits import RunLimits
from rightcall.check.base_version import BaseTrials, BaseVersionError
from rightcall.check.design import CheckDesign
from rightcall.check.evidence import CheckEvidence
from rightcall.check.result import check_result
from rightcall.check.stored_checks import check_in_progress, find_interrupted_check
from rightcall.check.version_trials import BaseComparison, CandidateTrials, DamageWatch, Watch
from rightcall.decide.check_procedure import CheckProcedure, OverBudgetError, ProcedurePlan
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_rule import CheckWord, Decided
from rightcall.decide.confirmation import TrialScores
from rightcall.decide.rules import Word
from rightcall.decide.small_suite import Ask, NoBaseError
from rightcall.decide.verdict import Verdict
from rightcall.records.run import CaseResult, Run
from rightcall.run.backend import InProcess
from rightcall.run.conclude import with_verdict
from rightcall.run.plan import Plan
from rightcall.run.preparation import Prepared, preflight
from rightcall.run.trials import Trials, open_trials, resumable
from rightcall.stats.permutation import ExchangeTable, exchange_p
from rightcall.store.sql.store import Store

WORDS: dict[CheckWord, Word] = {
    "SAME": "PASS",
    "PASS": "PASS",
    "NO LOSS SEEN": "INCONCLUSIVE",
    "WORSE": "FAIL",
    "INCONCLUSIVE": "INCONCLUSIVE",
    "ERROR": "ERROR",
}
"""The word of the run in which a check of this verdict was made."""


async def _both_versions(
    candidate: CandidateTrials, base: BaseComparison, jobs: Sequence[tuple[str, int]], *, base_first: bool
) -> tuple[list[CaseResult], list[CaseResult]]:
    """The same trials of both versions: at the same time, or one after the other where one trial runs at a time."""
    if candidate.wave_size > 1:
        async with asyncio.TaskGroup() as group:
            of_candidate = group.create_task(candidate.attempt(jobs))
            of_base = group.create_task(_outcome(base, jobs))
        before = of_base.result()
        results = of_candidate.result()
    elif base_first:
        before = await _outcome(base, jobs)
        results = await candidate.attempt(jobs)
    else:
        results = await candidate.attempt(jobs)
        before = await _outcome(base, jobs)
    if isinstance(before, BaseVersionError):
        raise before
    return results, before


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
        self._identify = identify
        self._design = design
        self._plan = plan
        self._store = store
        self._seen = seen = CheckEvidence(design, plan.tally())
        self._candidate = candidate = CandidateTrials(
            seen, concurrency=plan.concurrency, max_calls=max_calls, watch=watch
        )
        self._base = None if base is None else BaseComparison(base, plan, seen)
        alike = self._base if design.settings.confirm == "base" else None
        self._forbidden = plan.gate.forbid if plan.gate else ()
        self._damage = DamageWatch(seen, candidate, alike, self._forbidden)
        self._pairs_run = 0
        self._procedure = CheckProcedure(
            ProcedurePlan(
                design.strata,
                design.settings,
                design.before,
                few=design.few,
                clusters=design.drawn_from.clusters,
                another_draw=design.another_draw,
                wave=candidate.wave_size,
                commit="" if alike is None else alike.commit,
                problem=design.base_problem,
            )
        )

    async def run(self) -> CheckResult:
        """Try until the check is decided. Gates and budgets of a run are not those of a check."""
        # Sampled by seeds that depend on the inputs alone, other than those of the baseline.
        plan = replace(self._plan, seed=int(self._design.seed[:7], 16), gate=None, run_limits=RunLimits())
        try:
            async with await preflight(plan) as prepared:
                return await self._run(prepared)
        finally:
            if self._base is not None:
                await self._base.trials.close()

    async def _run(self, prepared: Prepared) -> CheckResult:
        store = self._store
        design = self._design
        run = self._identify(prepared.new_run())
        interrupted = find_interrupted_check(store, run)
        if interrupted is not None:
            run = resumable(store, interrupted, run)
        asked = {*design.drawn, *design.few, *design.reach.hard, *design.reach.new, *design.control}
        with check_in_progress(store) as begin:
            async with open_trials(
                prepared,
                store,
                run,
                resumed=interrupted is not None,
                planned=design.planned_calls,
                backend=InProcess(prepared.session, repeat=True),
                goldens=[design.goldens[name] for name in sorted(asked)],
            ) as trials:
                begin(run)
                result = await self._decide_by(trials)
            return await self._store_results(trials, result)

    async def _decide_by(self, trials: Trials) -> CheckResult:
        self._candidate.source = trials
        if trials.answered:
            self._seen.notes.append(
                f"{len(trials.answered):,} trials were stored when this check was interrupted, and are not asked again"
            )
        decided, self._seen.moved = await self._both_versions()
        return self._result_of(decided)

    async def _store_results(self, trials: Trials, result: CheckResult) -> CheckResult:
        """The result, once the run that it is from is over in the store."""
        planned = self._design.planned_calls
        notices = trials.backend.notices()
        keeps_state = next((notice.text for notice in notices if notice.code == "keeps_state"), "")
        summary = msgspec.structs.replace(
            self._seen.tally.summary(),
            keeps_state=keeps_state,
            stopped_early=len(self._seen.tried) < planned,
        )
        summary = with_verdict(summary, Verdict(WORDS[result.verdict], result.reason))
        await trials.finish(summary, result.verdict, early=True)
        warnings = result.warnings
        if keeps_state:
            warnings = (keeps_state, *(w for w in warnings if w != self._design.keeps_state))
        return msgspec.structs.replace(result, run_id=trials.run.id, warnings=warnings)

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
        steps = self._procedure.steps()
        try:
            decided = await self._drive(steps)
        finally:
            procedure = self._procedure
            self._seen.confirm = procedure.confirm
            self._seen.small = procedure.decision
        return decided if decided.word == "WORSE" else await self._try_others(decided)

    async def _drive(self, steps: Generator[Ask, Sequence[TrialScores], Decided]) -> Decided:
        """Run what the procedure asks for, until it has decided or damage has."""
        ask: Ask | None = None
        answers: Sequence[TrialScores] = ()
        problem: Exception | None = None
        while True:
            try:
                if problem is not None:
                    ask = steps.throw(problem)
                else:
                    ask = next(steps) if ask is None else steps.send(answers)
            except StopIteration as end:
                decided: Decided = end.value
                return decided
            problem = None
            if self._candidate.over_budget(len(ask.goldens) * (2 if ask.pairs else 1)):
                problem = OverBudgetError()
                continue
            try:
                results, answers = await self._answer(ask)
            except BaseVersionError as error:
                problem = NoBaseError(str(error))
                continue
            if await self._damage.finds(results):
                return Decided("WORSE", "hard")

    async def _answer(self, ask: Ask) -> tuple[list[CaseResult], list[TrialScores]]:
        candidate = self._candidate
        base = self._base
        jobs = [
            (golden, candidate.fresh(golden) if ask.round is None else ask.round) for golden in ask.goldens
        ]
        if not ask.pairs:
            results = await candidate.attempt(jobs)
            return results, [TrialScores(candidate.score(result)) for result in results]
        if base is None:
            raise BaseVersionError(self._design.base_problem or "the base version is not known")
        results, before = await _both_versions(candidate, base, jobs, base_first=bool(self._pairs_run % 2))
        if not self._pairs_run:
            _require_answers(before, results, base.commit)
        self._pairs_run += 1
        pairs = zip(results, before, strict=True)
        return results, [TrialScores(candidate.score(new), candidate.score(old)) for new, old in pairs]

    async def _try_others(self, decided: Decided) -> Decided:
        """Goldens that are in no stratum: those that guard against damage, and new ones."""
        candidate = self._candidate
        guards = [golden for golden in self._design.reach.hard if golden not in self._seen.results]
        for goldens, trials in ((guards, 1), (self._design.reach.new, self._design.trials)):
            jobs = list(product(goldens, range(trials)))
            for at in range(0, len(jobs), candidate.wave_size):
                some = jobs[at : at + candidate.wave_size]
                if candidate.over_budget(len(some)):
                    self._seen.skipped += len(jobs) - at
                    break
                results = await candidate.attempt(some)
                if await self._damage.finds(
                    [r for r in results if r.golden_id not in self._design.reach.new]
                ):
                    return Decided("WORSE", "hard")
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
        seen = self._seen
        recordings = self._plan.agent.recordings
        if recordings is not None:
            seen.replayed = recordings.replayed
            # Trials stored before an interruption may have been replayed as well.
            seen.only_replayed = not recordings.asked and bool(
                seen.replayed or self._candidate.source.answered
            )
        rule = self._procedure.rule
        based = self._base is not None
        states = rule.states()
        left = len(self._design.before) - self._procedure.tried
        p = rule.p if states else None
        forbidden = self._forbidden
        return check_result(seen, decided, states, p=p, base=based, left=left, forbidden=forbidden)
