"""Why a verdict is what it is, at length: rules, bounds, error rates, what is taken for granted."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import percent, pluralize
from rightcall.decide.rules import Check
from rightcall.decide.verdict import Verdict


def why_lines(verdict: Verdict) -> tuple[str, ...]:
    """The essay of a verdict, a line each; empty without a rule."""
    return tuple(_lines(verdict))


def _lines(verdict: Verdict) -> Iterator[str]:
    if not verdict.checks and verdict.trials:
        yield "rule: without a gate every golden must be answered and pass; no rate is estimated"
    for check in verdict.checks:
        yield f"{check.word}  {check.name}: {check.sentence}"
        yield from (f"    {line}" for line in _evidence(check, verdict.alpha))
    if verdict.hypotheses > 1:
        number = f"{verdict.hypotheses} rules"
        yield f"{number} are tested together, so each is held to a stricter level (Holm's correction)"
    yield from (note.text for note in verdict.notes)


def _evidence(check: Check, alpha: float) -> Iterator[str]:
    if check.controlled and check.low is not None and check.high is not None:
        low = percent(check.low)
        high = percent(check.high)
        wrong = f"each is wrong in at most {percent(alpha)} of runs"
        yield f"the true rate is at least {low}, and it is at most {high}: {wrong}"
    if check.controlled and check.p_pass is not None and check.p_fail is not None:
        bad = f"{check.p_fail:.3g} of results this bad above it"
        yield f"p = {check.p_pass:.3g} of results this good below the limit, {bad}"
    if check.controlled and check.trials:
        units = f" in {pluralize(check.clusters, 'independent unit')}" if check.clusters else ""
        yield f"{pluralize(check.trials, 'trial')} of {pluralize(check.n, 'golden')}{units}"
    if not check.controlled and check.value is not None and check.limit:
        yield "decided by the observed number, without error control"
    if not check.controlled and check.word == "PASS" and check.limit == 0.0 and check.high is not None:
        yield f"it may still occur in up to {percent(check.high)} of goldens ({percent(1 - alpha)} confidence)"
