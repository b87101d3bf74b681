"""Strata of pairs of answers, by the judged difference: worse, same, none, better. Whether they are used."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.model.record import Record
from rightcall.stats.judged_strata import ALL, LEAST_F, LabelStratum, f_ratio

PAIR_LEVELS = ("worse", "same", "none", "better")
LEAST_DIFFERENT, LEAST_IN_STRATUM = 3, 2


class PairStratum(Record, frozen=True, omit_defaults=False):
    """`cases` pairs of one judged difference; of the `labels` labelled ones, `worse` and `better` by people."""

    name: str
    cases: int
    labels: int
    worse: int
    better: int

    @property
    def values(self) -> LabelStratum:
        """The same on the scale of x = (1 + d)/2."""
        return LabelStratum(self.name, self.cases, self.labels, (self.labels + self.better - self.worse) / 2)

    @property
    def squares(self) -> float:
        """Σ x²."""
        return self.better + (self.labels - self.better - self.worse) / 4

    @property
    def mirrored(self) -> PairStratum:
        return PairStratum(self.name, self.cases, self.labels, self.better, self.worse)


def usable_pair_strata(strata: Sequence[PairStratum]) -> tuple[list[PairStratum], bool]:
    """The strata to estimate from, and whether they are the judge's: those with few labels join the largest."""
    used = [stratum for stratum in strata if stratum.labels >= LEAST_IN_STRATUM]
    short = [stratum for stratum in strata if stratum.labels < LEAST_IN_STRATUM and stratum.cases]
    if short:
        largest = max(used or short, key=lambda stratum: stratum.cases)
        used = [stratum for stratum in used if stratum != largest]
        used.append(_join_pairs([largest, *(s for s in short if s != largest)], largest.name))
    if pairs_add(used):
        return used, True
    return [_join_pairs(used, ALL)], False


def pairs_add(strata: Sequence[PairStratum]) -> bool:
    """Whether the judged difference says something about the labelled one: 3 pairs differ, rightly, and F ≥ 2."""
    by_name = {stratum.name: stratum for stratum in strata}
    better, worse = by_name.get("better"), by_name.get("worse")
    if sum(s.better + s.worse for s in strata) < LEAST_DIFFERENT or better == worse:
        return False
    values = [stratum.values for stratum in strata]
    means = {value.name: value.passed / value.labels for value in values}
    rest = sum(value.passed for value in values) / sum(value.labels for value in values)
    if means.get("better", rest) <= means.get("worse", rest):
        return False
    return f_ratio(values, [stratum.squares for stratum in strata]) >= LEAST_F


def _join_pairs(strata: Sequence[PairStratum], name: str) -> PairStratum:
    columns = zip(*((s.cases, s.labels, s.worse, s.better) for s in strata), strict=True)
    return PairStratum(name, *(sum(column) for column in columns))
