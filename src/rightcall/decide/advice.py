"""Advice: how many goldens would decide an undecided rate."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rightcall.core.text import percent, pluralize
from rightcall.decide.golden_outcomes import Outcome, goldens_with_scores
from rightcall.decide.rules import Check, RateRule
from rightcall.decide.simulation import Demand, Population, goldens_for_power
from rightcall.stats.gaffke import Units
from rightcall.stats.power import all_pass_n, gate_n
from rightcall.stats.special import normal_quantile

TOO_NEAR = 0.005
POWER = 0.8
_DRAWS = 400
_MANY = 1_000
"""Number of units from which the normal approximation is as good as simulation, and faster."""


def advice(rule: RateRule, check: Check, outcomes: Sequence[Outcome], alpha: float) -> str:
    """How many goldens reach a PASS with 80% probability if the observed rate is the true rate."""
    value = check.value or 0.0
    limit = rule.limit
    if abs(value - limit) < TOO_NEAR:
        return f"{check.name} is too close to {percent(limit)} to decide with a reasonable number of goldens"
    if value < limit:
        return f"{check.name} is below {percent(limit)} so far: more goldens will more likely FAIL than PASS"
    likely = min(value, 0.999)
    if rule.about == "these_goldens":
        trials = max(math.ceil(gate_n(limit, likely, POWER, alpha)[0] / check.n), 2)
        return (
            f"{pluralize(trials, 'trial')} of each golden would likely decide it, if they pass at this rate"
        )
    scored = goldens_with_scores(rule.select(outcomes), rule.metric)
    grouped = scored is not None and scored.grouped
    units = scored.units(rule.about) if scored else None
    if check.trials == check.n and not grouped and rule.metric is None:
        needed = gate_n(limit, likely, POWER, alpha)[0]
    else:
        needed = _units_needed(units, limit, likely, alpha) if units else 0
    unit = "cluster" if grouped else "golden"
    more = max(1, needed - (units.number if units else 0))
    text = f"{pluralize(more, f'more {unit}')} would likely decide it, if they pass at this rate"
    if check.trials > check.n:
        text += "; more trials of the same goldens help little"
    return text


def _units_needed(units: Units, limit: float, likely: float, alpha: float) -> int:
    """Units needed if new ones resemble those seen; if all were perfect, as many as a flawless run needs."""
    fewest = all_pass_n(limit, alpha)
    seen = Population([s / n for n, s, _ in units.counts], [k for _, _, k in units.counts])
    if min(seen.values) >= 1 - 1e-9:
        return fewest
    about = _normal(seen, limit, likely, alpha)
    if about > _MANY:
        return about
    most = max(2 * fewest, 2 * about + 50)
    return goldens_for_power(seen, Demand(limit, alpha), POWER, (fewest, most), draws=_DRAWS)[0]


def _normal(seen: Population, limit: float, likely: float, alpha: float) -> int:
    """(z_{1−α} + z_{power})² variance / (mean − limit)²."""
    total = math.fsum(seen.weights)
    mean = math.fsum(v * w for v, w in zip(*seen, strict=True)) / total
    variance = math.fsum(w * (v - mean) ** 2 for v, w in zip(*seen, strict=True)) / total
    reach = normal_quantile(1 - alpha) + normal_quantile(POWER)
    return math.ceil(reach**2 * variance / (likely - limit) ** 2)
