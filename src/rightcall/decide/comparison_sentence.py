"""The one sentence of a comparison, and which test decides where the interval shown says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rightcall.core.text import percent, pluralize, points
from rightcall.decide.comparison_claim import undetectable_difference

if TYPE_CHECKING:
    from rightcall.decide.comparison import Comparison


def comparison_sentence(comparison: Comparison) -> str:
    """The one sentence of a comparison: the claim, the rates it is about, and what was not shown."""
    rates = f"{percent(comparison.rate_a)} → {percent(comparison.rate_b)} over {pluralize(comparison.n, 'golden')}"
    if comparison.doubt:
        return f"not settled: {comparison.doubt}; on what remains {rates}"
    claim = comparison.claim
    if comparison.clusters < 2:
        only = "cluster" if comparison.n > 1 else "golden"
        return f"{claim.words()}: {rates}; a single {only} is not enough to estimate the error"
    parts = [f"{claim.words()}: {rates}, difference {points(comparison.difference)}", claim.margin_shown()]
    if claim.change == "INCONCLUSIVE" and not claim.differs:
        parts.append(
            undetectable_difference(comparison.mde, comparison.clusters, comparison.n, comparison.alpha)
        )
    return "; ".join(filter(None, [*parts, _other_interval(comparison), _alone(comparison)]))


def _other_interval(comparison: Comparison) -> str:
    """Which test decides, where the interval shown says otherwise; empty where they agree."""
    if comparison.low is None or comparison.high is None or comparison.claim.powerless:
        return ""
    if (comparison.low <= 0 <= comparison.high) != comparison.claim.differs:
        return ""
    test, interval = (
        ("McNemar's exact test", "Bonett and Price's interval")
        if comparison.method == "mcnemar"
        else ("the sign-flip test", "the t interval")
    )
    ends = f"{points(comparison.low)} to {points(comparison.high)}"
    return f"{test} decides; {interval}, {ends}, is an approximation"


def _alone(comparison: Comparison) -> str:
    """What the comparison would be without the other candidates, where that differs."""
    if comparison.adjusted is None:
        return ""
    change = msgspec.structs.replace(comparison, adjusted=None).claim.change
    if change == comparison.claim.change:
        return ""
    candidates = comparison.adjusted.candidates
    return f"alone it would be {change}, but {candidates} candidates are compared (Holm's correction)"
