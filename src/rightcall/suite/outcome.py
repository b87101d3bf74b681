"""The verdict of a run: by its gate, or, without one, by whether every case passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from rightcall.gate import Gate, Outcome, Verdict, Word, counted, outcomes_of
from rightcall.model.run import CaseResult, Summary
from rightcall.model.trajectory import Trajectory

MOST_ERRORS = 0.05
"""Share of trials without an answer from which a run is an ERROR."""


class GateEvidence:
    """The outcomes of goldens as a gate needs them: scores only for the metrics it uses."""

    def __init__(self, gate: Gate, quarantine: frozenset[str] = frozenset()) -> None:
        self._metrics = tuple(gate.metrics)
        self._quarantine = quarantine
        self._timed = gate.limits_latency
        self._trials: dict[str, list[CaseResult]] = {}

    def add(self, result: CaseResult) -> None:
        if result.golden_id in self._quarantine:
            return
        kept = {name: result.metrics[name] for name in self._metrics if name in result.metrics}
        lag = result.trajectory.lag_ms if result.trajectory else 0.0
        timed = Trajectory(lag_ms=lag) if lag and self._timed else None
        slim = msgspec.structs.replace(result, metrics=kept, trajectory=timed)
        self._trials.setdefault(result.golden_id, []).append(slim)

    def outcomes(self) -> list[Outcome]:
        """Sorted by golden, so that results do not depend on completion order."""
        return gathered(result for _, trials in sorted(self._trials.items()) for result in trials)


def gathered(results: Iterable[CaseResult]) -> list[Outcome]:
    """Outcomes of results that include their golden's cluster and tags."""
    kept = list(results)
    clusters: Mapping[str, str | None] = {r.golden_id: r.cluster for r in kept if r.cluster is not None}
    return outcomes_of(kept, clusters=clusters, tags={r.golden_id: r.tags for r in kept if r.tags})


def verdict_without_gate(summary: Summary) -> Verdict:
    """PASS requires every case to pass, nearly every request to be answered, and no metric to fail."""
    whole = summary.overall
    tried = whole.cases + whole.errors
    failed = whole.cases - whole.passed
    unanswered = summary.codes.get("infra_error", 0)
    broken = whole.errors - unanswered
    word: Word
    if broken > MOST_ERRORS * tried or (broken and not failed):
        word, sentence = "ERROR", f"{counted(broken, 'case')} of {tried:,} could not be scored"
    elif whole.errors > MOST_ERRORS * tried or not whole.cases:
        word = "ERROR"
        sentence = f"{counted(unanswered, 'case')} of {tried:,} got no answer from the provider"
    elif failed:
        word, sentence = "FAIL", f"{failed:,} of {counted(whole.cases, 'case')} did not pass"
    else:
        word, sentence = "PASS", f"all {counted(whole.cases, 'case')} passed"
    return Verdict(word, f"{word}: {sentence}", errors=whole.errors, trials=tried)


def verdict_unfinished(why: str) -> Verdict:
    return Verdict("INCONCLUSIVE", f"INCONCLUSIVE: the run was stopped: {why}")


def verdict_incomplete(stored: int, planned: int) -> Verdict:
    """The verdict of a run with missing results: ERROR, because a partial run decides nothing."""
    return Verdict("ERROR", f"ERROR: {stored:,} of {planned:,} results are stored, so there is no verdict")
