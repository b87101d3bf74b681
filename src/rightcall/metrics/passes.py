"""Pass rates over goldens, in nine bytes per trial, and how far simulated users are apart on the same scenarios.

A golden is remembered by the hash of its id.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Literal, NamedTuple

from rightcall.model.golden_id import PERSONA, USER
from rightcall.model.run import CaseResult, Rate, UserSpread
from rightcall.stats.clusters import sample
from rightcall.stats.intervals import Interval, t_interval, wilson
from rightcall.stats.mean_interval import estimate
from rightcall.stats.paired_tests import bonett_price, paired_t, shrunk_difference
from rightcall.stats.pass_k import pass_hat_k


class Passes:
    """The trials of a group of goldens, grouped by a hash of the golden's id."""

    __slots__ = ("_clusters", "_marks", "_names", "_repeated", "passed")

    def __init__(self) -> None:
        self._names = array("q")
        self._marks = bytearray()
        self._clusters: dict[int, str] = {}
        self._repeated = False
        self.passed = 0

    def __len__(self) -> int:
        return len(self._marks)

    def add(self, result: CaseResult) -> None:
        name, passed = hash(result.golden_id), result.passed
        self._names.append(name)
        self._marks.append(passed)
        if passed:
            self.passed += 1
        if result.trial:
            self._repeated = True
        if result.cluster is not None:
            self._clusters[name] = result.cluster

    def extend(self, other: Passes) -> None:
        self._names.extend(other._names)
        self._marks.extend(other._marks)
        self._clusters |= other._clusters
        self._repeated = self._repeated or other._repeated
        self.passed += other.passed

    def rate(self) -> Rate | None:
        """The mean over goldens with its interval: Wilson's for single trials, else with trials and clusters."""
        n = len(self)
        if not n:
            return None
        if not self._repeated and not self._clusters:
            low, high = wilson(self.passed, n)
            return Rate(self.passed / n, low, high, n, n, "wilson")
        # Hashes differ from process to process; the order of what is computed must not.
        goldens = sorted(self._goldens(), key=lambda golden: (self._clusters.get(golden[0], ""), golden[1]))
        clusters = [self._clusters.get(name, name) for name, _ in goldens] if self._clusters else None
        interval = estimate(sample([trials for _, trials in goldens], clusters))
        return Rate(
            interval.mean, interval.low, interval.high, interval.cases, interval.trials, interval.method
        )

    def scenarios(self) -> dict[str, tuple[float, ...]]:
        """The pass rate of each golden that belongs to a cluster, by cluster."""
        rates: dict[str, list[float]] = {}
        if not self._clusters:
            return {}
        for name, trials in self._goldens():
            if name in self._clusters:
                rates.setdefault(self._clusters[name], []).append(math.fsum(trials) / len(trials))
        return {cluster: tuple(sorted(rates[cluster])) for cluster in sorted(rates)}

    def pass_k(self, most: int) -> tuple[float, ...]:
        """pass^1, pass^2, … over the goldens with that many trials; empty when none was tried twice."""
        if not self._repeated:
            return ()
        counts = Counter((len(trials), int(sum(trials))) for _, trials in self._goldens())
        pass_rates: list[float] = []
        for k in range(1, most + 1):
            estimates = [(pass_hat_k(n, c, k), goldens) for (n, c), goldens in sorted(counts.items())]
            tried = [(value, goldens) for value, goldens in estimates if value is not None]
            if not tried:
                break
            total = sum(goldens for _, goldens in tried)
            pass_rates.append(math.fsum(value * goldens for value, goldens in tried) / total)
        return tuple(pass_rates)

    def _goldens(self) -> Iterator[tuple[int, tuple[float, ...]]]:
        for name, marks in groupby(self._marks_in_order(), key=lambda trial: trial >> 1):
            yield name, tuple(float(mark & 1) for mark in marks)

    def _marks_in_order(self) -> list[int]:
        """A name and its mark as one number: a million of them sorted take half the memory of pairs."""
        return sorted(name << 1 | mark for name, mark in zip(self._names, self._marks, strict=True))


ALPHA = 0.05


def user_spreads(groups: Mapping[str, Passes]) -> tuple[UserSpread, ...]:
    """The spread between personas and between models that play users; each only when there are several.

    `groups` are the trials by tag.
    """
    spreads = []
    factors: tuple[tuple[Literal["persona", "user"], str], ...] = (("persona", PERSONA), ("user", USER))
    for between, prefix in factors:
        rates = {
            tag.removeprefix(prefix): passes.scenarios()
            for tag, passes in sorted(groups.items())
            if tag.startswith(prefix) and len(passes)
        }
        if len(rates) > 1 and (spread := _spread(between, rates)):
            spreads.append(spread)
    return tuple(spreads)


class _Pair(NamedTuple):
    """One scenario with both users: their pass rates and numbers of goldens."""

    low: float
    high: float
    weight: int


def _spread(
    between: Literal["persona", "user"], rates: Mapping[str, Mapping[str, tuple[float, ...]]]
) -> UserSpread | None:
    shared = set.intersection(*(set(scenarios) for scenarios in rates.values()))
    if not shared:
        return None
    means = {
        name: _mean([x for key in shared for x in scenario_rates[key]])
        for name, scenario_rates in rates.items()
    }
    lowest, highest = min(means, key=means.__getitem__), max(reversed(means), key=means.__getitem__)
    pairs = [
        _Pair(_mean(rates[lowest][key]), _mean(rates[highest][key]), len(rates[lowest][key]))
        for key in sorted(shared)
    ]
    looks = len(rates) * (len(rates) - 1) // 2  # the two were picked among all pairs: Bonferroni
    interval = _interval(pairs, 1 - ALPHA / looks)
    return UserSpread(
        between=between,
        users=len(rates),
        highest=highest,
        lowest=lowest,
        difference=means[highest] - means[lowest],
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        scenarios=len(pairs),
    )


def _interval(pairs: list[_Pair], conf: float) -> Interval | None:
    """Bonett and Price's for single yes/no trials, else t over scenarios."""
    if len(pairs) < 2:
        return None
    apart = [pair.high - pair.low for pair in pairs]
    if all({pair.low, pair.high} <= {0.0, 1.0} and pair.weight == 1 for pair in pairs):
        return bonett_price(len(pairs), apart.count(-1.0), apart.count(1.0), conf)
    test = paired_t(apart, None, [float(pair.weight) for pair in pairs], conf)
    if test.se:
        interval = t_interval(test.mean, test.se, len(pairs) - 1, conf)
    else:  # no spread among scenarios shows little when they are few
        careful = shrunk_difference(test.mean, 0.0, len(pairs))
        interval = t_interval(careful.mean, careful.se, len(pairs) - 1, conf)
    return Interval(max(-1.0, interval.low), min(1.0, interval.high))


def _mean(values: list[float] | tuple[float, ...]) -> float:
    return sum(values) / len(values)
