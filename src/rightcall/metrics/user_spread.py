"""How far simulated users are apart on the same scenarios, with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from rightcall import stats
from rightcall.metrics.passes import Passes
from rightcall.model.golden import PERSONA, USER
from rightcall.model.run import UserSpread

ALPHA = 0.05


def user_spreads(groups: Mapping[str, Passes]) -> tuple[UserSpread, ...]:
    """The spread between manners and between models that play users; of each only when there are several.

    `groups` are the trials by tag.
    """
    return tuple(_spreads(groups))


def _spreads(groups: Mapping[str, Passes]) -> Iterator[UserSpread]:
    factors: tuple[tuple[Literal["persona", "user"], str], ...] = (("persona", PERSONA), ("user", USER))
    for between, prefix in factors:
        rates = {
            tag.removeprefix(prefix): passes.scenarios()
            for tag, passes in sorted(groups.items())
            if tag.startswith(prefix) and len(passes)
        }
        if len(rates) > 1 and (spread := _spread(between, rates)):
            yield spread


class _Pair(NamedTuple):
    """One scenario with both users: their pass rates and how many goldens stand behind them."""

    low: float
    high: float
    weight: int


def _spread(
    between: Literal["persona", "user"], rates: Mapping[str, Mapping[str, tuple[float, ...]]]
) -> UserSpread | None:
    shared = set.intersection(*(set(scenarios) for scenarios in rates.values()))
    if not shared:
        return None
    means = {name: _mean([x for key in shared for x in found[key]]) for name, found in rates.items()}
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


def _interval(pairs: list[_Pair], conf: float) -> stats.Interval | None:
    """Bonett and Price's for single yes/no trials, else t over scenarios."""
    if len(pairs) < 2:
        return None
    apart = [pair.high - pair.low for pair in pairs]
    if all({pair.low, pair.high} <= {0.0, 1.0} and pair.weight == 1 for pair in pairs):
        return stats.bonett_price(len(pairs), apart.count(-1.0), apart.count(1.0), conf)
    found = stats.paired_t(apart, None, [float(pair.weight) for pair in pairs], conf)
    if found.se:
        interval = stats.t_interval(found.mean, found.se, len(pairs) - 1, conf)
    else:  # no spread among scenarios shows little when they are few
        careful = stats.shrunk_difference(found.mean, 0.0, len(pairs))
        interval = stats.t_interval(careful.mean, careful.se, len(pairs) - 1, conf)
    return stats.Interval(max(-1.0, interval.low), min(1.0, interval.high))


def _mean(values: list[float] | tuple[float, ...]) -> float:
    return sum(values) / len(values)
