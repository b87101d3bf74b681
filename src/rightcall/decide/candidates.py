"""Several candidates against one baseline: each decided by p-values adjusted for their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rightcall.decide.comparison import AdjustedTests, Comparison, compare, settled, with_alarms
from rightcall.decide.outcome import Outcome
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

    found = [
        compare(
            without(a, name),
            without(b, name),
            margin=margin,
            alpha=alpha,
            metric=metric,
            seed=seed,
            candidates=len(candidates),
        )
        for name, b in candidates
    ]
    names = [name for name, _ in candidates]
    if len(found) < 2:
        return [(name, one, one.p) for name, one in zip(names, found, strict=True)]
    decided = _adjusted(found)
    return [(name, one, tests.p) for name, (one, tests) in zip(names, decided, strict=True)]


def _adjusted(found: Sequence[Comparison]) -> list[tuple[Comparison, AdjustedTests]]:
    """Decide again with p-values adjusted for the number of candidates: better, worse and not worse separately."""
    columns = [
        holm([1.0 if p is None else p for p in ps])
        for ps in (
            [one.p for one in found],
            [one.p_regressed for one in found],
            [one.p_non_inferior for one in found],
        )
    ]
    decided = []
    for one, p, worse, not_worse in zip(found, *columns, strict=True):
        tests = AdjustedTests(
            len(found),
            p,
            None if one.p_regressed is None else worse,
            None if one.p_non_inferior is None else not_worse,
        )
        again = msgspec.structs.replace(one, adjusted=tests)
        decided.append((with_alarms(settled(again), one.alarms) if one.n else again, tests))
    return decided
