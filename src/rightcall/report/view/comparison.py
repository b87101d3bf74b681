"""Two runs of the same goldens: what changed, and whether that could be chance."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.model.record import Record
from rightcall.report.view.rate import Rate, rate
from rightcall.stats.paired import bonett_price, mcnemar_exact
from rightcall.store import Change

CHANGES: tuple[Change, ...] = ("broken", "fixed", "failing", "passing", "added", "removed", "unjudged")
"""In the order of what one wants to see first."""
CLEAR = 0.05


class ComparisonView(Record, frozen=True):
    """Counts of goldens. A golden passes when every trial that was judged passed.

    `difference` is the change of the share that passes, over the `both` goldens that both runs judged, with its
    95 % interval; None when they share none. `p` is McNemar's exact p; `clear` when it is below 0.05.
    """

    counts: dict[str, int]
    both: int
    before: Rate
    after: Rate
    difference: float | None
    low: float
    high: float
    p: float
    clear: bool


def comparison_view(counts: Mapping[Change, int]) -> ComparisonView:
    """Work out what counts by change say."""
    fixed, broken, passing, failing = (counts.get(c, 0) for c in ("fixed", "broken", "passing", "failing"))
    both = fixed + broken + passing + failing
    low, high = bonett_price(both, broken, fixed) if both else (-1.0, 1.0)
    p = mcnemar_exact(broken, fixed)
    return ComparisonView(
        counts={change: counts.get(change, 0) for change in CHANGES},
        both=both,
        before=rate(passing + broken, both),
        after=rate(passing + fixed, both),
        difference=(fixed - broken) / both if both else None,
        low=low,
        high=high,
        p=p,
        clear=p < CLEAR,
    )
