"""What happens after an alarm: fresh trials confirm it, or it is dropped and the check continues without it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from rightcall.check.base_trials import BaseVersionError
from rightcall.check.outcome import CheckEvidence
from rightcall.check.version_trials import BaseComparison, CandidateTrials, DamageWatch
from rightcall.decide.check_result import AlarmConfirmation, FreshTrials
from rightcall.decide.check_rule import CheckRule, Decided
from rightcall.decide.check_settings import Risks
from rightcall.decide.confirmation import PairedEvidence, broken_goldens, pairs_of
from rightcall.model.run import CaseResult


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
                if evidence.confirmed or new is None or old is None:
                    evidence.feed(None)
                    continue
                evidence.feed(new - old)
                compared.append((trials[0].golden_id, new, old))
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
