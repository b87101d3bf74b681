"""The one sentence of a comparison, and which test decides where the interval shown says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rightcall.core.text import counted, percent, points
from rightcall.decide.comparison_claim import unnoticed

if TYPE_CHECKING:
    from rightcall.decide.comparison import Comparison


def comparison_sentence(found: Comparison) -> str:
    """The one sentence of a comparison: the claim, the rates it is about, and what was not shown."""
    rates = f"{percent(found.rate_a)} → {percent(found.rate_b)} over {counted(found.n, 'golden')}"
    if found.doubt:
        return f"not settled: {found.doubt}; on what remains {rates}"
    claim = found.claim
    if found.clusters < 2:
        only = "cluster" if found.n > 1 else "golden"
        return f"{claim.words()}: {rates}; a single {only} is not enough to estimate the error"
    parts = [f"{claim.words()}: {rates}, difference {points(found.difference)}", claim.margin_shown()]
    if claim.change == "INCONCLUSIVE" and not claim.differs:
        parts.append(unnoticed(found.mde, found.clusters, found.n, found.alpha))
    return "; ".join(filter(None, [*parts, _other_interval(found), _alone(found)]))


def _other_interval(found: Comparison) -> str:
    """Which test decides, where the interval shown says otherwise; empty where they agree."""
    if found.low is None or found.high is None or found.claim.powerless:
        return ""
    if (found.low <= 0 <= found.high) != found.claim.differs:
        return ""
    test, interval = (
        ("McNemar's exact test", "Bonett and Price's interval")
        if found.method == "mcnemar"
        else ("the sign-flip test", "the t interval")
    )
    ends = f"{points(found.low)} to {points(found.high)}"
    return f"{test} decides; {interval}, {ends}, is an approximation"


def _alone(found: Comparison) -> str:
    """What the comparison would be without the other candidates, where that differs."""
    if found.adjusted is None:
        return ""
    change = msgspec.structs.replace(found, adjusted=None).claim.change
    if change == found.claim.change:
        return ""
    return f"alone it would be {change}, but {found.adjusted.candidates} candidates are compared (Holm's correction)"
