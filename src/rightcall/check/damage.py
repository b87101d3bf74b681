"""Hard failures of the candidate that the baseline never showed: one is REGRESSED, outside of every risk."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.check.base_trials import BaseVersionError
from rightcall.check.outcome import CheckEvidence
from rightcall.check.version_trials import BaseComparison, CandidateTrials
from rightcall.decide.check_result import HardFailure
from rightcall.model.failure import FATAL, Failure
from rightcall.model.run import CaseResult

MORE_TRIES, TRIES_TO_CONFIRM = 3, 5


class DamageWatch:
    """Looks for new damage; a golden that did some is tried again, the base version as often as the candidate."""

    def __init__(
        self,
        seen: CheckEvidence,
        candidate: CandidateTrials,
        base: BaseComparison | None,
        forbidden: Sequence[str],
    ) -> None:
        self._design, self._seen, self._candidate, self._base = seen.design, seen, candidate, base
        self._codes = FATAL | set(forbidden)
        self.stops = False
        """Whether damage was found that decides the check."""

    async def finds(self, results: Sequence[CaseResult]) -> bool:
        """Whether a trial did damage that the baseline never showed for its golden, and that decides the check."""
        for result in results:
            if (new := self._new_damage(result)) is None:
                continue
            name, confirms = result.golden_id, self._design.settings.hard == "confirm"
            jobs = [
                (name, self._candidate.fresh(name))
                for _ in range(TRIES_TO_CONFIRM if confirms else MORE_TRIES)
            ]
            more = [result, *await self._candidate.attempt(jobs)]
            times, base = _times(more, new.code), await self._of_base(jobs)
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
            if not confirms or times > 1:
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
