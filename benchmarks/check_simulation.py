"""What `check` does, by simulating its own rule on drawn trials."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from rightcall.decide.check_rule import CheckRule, CheckWord
from rightcall.decide.check_settings import CheckSettings, Scores, Stratum
from rightcall.decide.confirmation import PairedEvidence, broken_goldens, pairs_of


class Played(NamedTuple):
    """One simulated check. `sums` are those of the goldens at the alarm; None when there was none."""

    word: CheckWord
    calls: int
    sums: Mapping[str, float] | None = None


def play(
    strata: Sequence[Stratum],
    rates: Mapping[str, float],
    rng: random.Random,
    settings: CheckSettings,
    base: Mapping[str, float] | None = None,
) -> Played:
    """The rule on an agent that passes each golden with its true rate.

    `base` are the true rates of the version before the change, now [default: the same agent]. With `confirm: candidate`
    the second draw tries the same goldens.
    """
    rule, calls, sums = CheckRule(strata, settings.risks), 0, None
    for step in chain(rule.steps(), [None]):  # the last look may raise an alarm too
        scores = {golden: float(rng.random() < rates[golden]) for golden in step.unit} if step else {}
        calls += len(scores)
        decided = rule.feed(step, scores) if step else rule.end()
        alarm = decided is not None and decided.word == "REGRESSED" and settings.confirm != "off"
        if alarm and sums is None:
            sums = rule.sums()
            confirmed, more = _confirm(sums, strata, rates, base or rates, rng, settings)
            calls += more
            if not confirmed:
                rule.spend_alarm()
    return Played(rule.end().word, calls, sums)


def _confirm(
    sums: Mapping[str, float],
    strata: Sequence[Stratum],
    rates: Mapping[str, float],
    base: Mapping[str, float],
    rng: random.Random,
    settings: CheckSettings,
) -> tuple[bool, int]:
    """Whether an alarm is confirmed, and the calls that it took."""
    if settings.confirm == "base":
        clusters = {g: unit[0] for stratum in strata for unit in stratum.order if len(unit) > 1 for g in unit}
        return play_pairs(broken_goldens(sums, clusters), rates, base, rng, settings.confirm_level)
    once = play(strata, rates, rng, msgspec.structs.replace(settings, confirm="off"))
    return once.word == "REGRESSED", once.calls


def play_pairs(
    goldens: Sequence[str],
    rates: Mapping[str, float],
    base: Mapping[str, float],
    rng: random.Random,
    level: float,
) -> tuple[bool, int]:
    """Fresh trials of both versions in pairs: whether they confirm an alarm, and the calls that they took."""
    evidence = PairedEvidence(level)
    for golden in pairs_of(goldens):
        if evidence.feed((rng.random() < rates[golden]) - (rng.random() < base[golden])):
            break
    return evidence.confirmed, 2 * evidence.pairs


def draw_trials(rates: Mapping[str, float], trials: int, rng: random.Random) -> dict[str, Scores]:
    """A baseline of an agent with these true rates."""
    return {golden: tuple(float(rng.random() < p) for _ in range(trials)) for golden, p in rates.items()}


def worse_rates(rates: Mapping[str, float], by: float, rng: random.Random) -> dict[str, float]:
    """The same agent, worse by `by` on average over these goldens; some never pass again."""
    lost, target, after = 0.0, by * len(rates), dict(rates)
    for golden in rng.sample(sorted(rates), len(rates)):
        if lost >= target:
            break
        fall = min(after[golden], target - lost)
        after[golden] -= fall
        lost += fall
    return after
