"""Several candidates against one baseline: each decided by p-values adjusted for their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from rightcall.decide.comparison import AdjustedTests, Comparison, compare, with_alarms, with_claim
from rightcall.decide.golden_outcomes import Outcome
from rightcall.stats.paired_tests import holm


def compare_many(
    a: Sequence[Outcome],
    candidates: Sequence[tuple[str, Sequence[Outcome]]],
    *,
    margin: float = 0.0,
    alpha: float = 0.05,
    metric: str | None = None,
    seed: int = 0,
    left_out: Mapping[str, frozenset[str]] | None = None,
) -> list[tuple[str, Comparison, float]]:
    """Several candidates against one baseline: (name, comparison, p adjusted by Holm for their number).

    The adjusted p-values decide: the more candidates are tried, the more often one of them looks better by chance.
    `left_out` holds, by candidate, the goldens that must not be compared.
    """

    def without(outcomes: Sequence[Outcome], name: str) -> Sequence[Outcome]:
        unlike = (left_out or {}).get(name, frozenset())
        return [o for o in outcomes if o.golden_id not in unlike] if unlike else outcomes

    compare_pair = partial(
        compare, margin=margin, alpha=alpha, metric=metric, seed=seed, candidates=len(candidates)
    )
    comparisons = [compare_pair(without(a, name), without(b, name)) for name, b in candidates]
    names = [name for name, _ in candidates]
    if len(comparisons) < 2:
        return [(name, comparison, comparison.p) for name, comparison in zip(names, comparisons, strict=True)]
    decided = _adjust(comparisons)
    return [(name, comparison, tests.p) for name, (comparison, tests) in zip(names, decided, strict=True)]


def _adjust(comparisons: Sequence[Comparison]) -> list[tuple[Comparison, AdjustedTests]]:
    """Decide again with p-values adjusted for the number of candidates: better, worse and not worse separately."""
    columns = [
        holm([1.0 if p is None else p for p in ps])
        for ps in zip(*((c.p, c.p_regressed, c.p_non_inferior) for c in comparisons), strict=True)
    ]
    decided = []
    for comparison, p, worse, not_worse in zip(comparisons, *columns, strict=True):
        tests = AdjustedTests(
            len(comparisons),
            p,
            None if comparison.p_regressed is None else worse,
            None if comparison.p_non_inferior is None else not_worse,
        )
        again = msgspec.structs.replace(comparison, adjusted=tests)
        decided.append((with_alarms(with_claim(again), comparison.alarms) if comparison.n else again, tests))
    return decided
