"""What `check` does, by driving its own procedure with drawn trials."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rightcall.decide.check_procedure import CheckProcedure, ProcedurePlan
from rightcall.decide.check_rule import CheckWord
from rightcall.decide.check_settings import CheckSettings, Scores, Stratum
from rightcall.decide.confirmation import PairedTrials, TrialScores


class Played(NamedTuple):
    """One simulated check: trials of both versions, and the goldens of its alarm, if there was one."""

    word: CheckWord
    calls: int
    alarm: tuple[str, ...] = ()
    lone: bool = False
    """Whether goldens that were tried again one by one gave the word."""


def play(
    strata: Sequence[Stratum],
    rates: Mapping[str, float],
    rng: random.Random,
    settings: CheckSettings,
    base: Mapping[str, float] | None = None,
    few: Mapping[str, int] | None = None,
) -> Played:
    """The procedure on an agent that passes each golden with its true rate.

    `base` are the true rates of the version before the change, now [default: the same agent]. `few` are the planned
    trials of each golden of a small suite. With `confirm: candidate` the second draw tries the same goldens.
    """
    before = {golden: scores for stratum in strata for golden, scores in stratum.before.items()}
    procedure = CheckProcedure(
        ProcedurePlan(strata, settings, before, few=few or {}, another_draw=lambda: strata)
    )
    steps = procedure.steps()
    calls = 0
    old_rates = base or rates
    ask = next(steps)
    while True:
        answers = [
            TrialScores(
                float(rng.random() < rates[golden]),
                float(rng.random() < old_rates[golden]) if ask.pairs else None,
            )
            for golden in ask.goldens
        ]
        calls += len(answers) * (2 if ask.pairs else 1)
        try:
            ask = steps.send(answers)
        except StopIteration as end:
            confirm = procedure.confirm
            goldens = confirm.goldens if confirm is not None and confirm.alarm else ()
            return Played(end.value.word, calls, goldens, end.value.cause == "few")


def play_pairs(
    goldens: Sequence[str],
    rates: Mapping[str, float],
    base: Mapping[str, float],
    rng: random.Random,
    level: float,
) -> tuple[bool, int]:
    """Fresh trials of both versions in pairs: whether they confirm an alarm, and the calls that they took."""
    seen = PairedTrials(goldens, level)
    calls = 0
    while pairs := seen.next_pairs():
        calls += 2 * len(pairs)
        seen.feed(
            pairs, [TrialScores(float(rng.random() < rates[g]), float(rng.random() < base[g])) for g in pairs]
        )
    return seen.confirmed, calls


def draw_trials(rates: Mapping[str, float], trials: int, rng: random.Random) -> dict[str, Scores]:
    """A baseline of an agent with these true rates."""
    return {golden: tuple(float(rng.random() < p) for _ in range(trials)) for golden, p in rates.items()}


def worse_rates(rates: Mapping[str, float], by: float, rng: random.Random) -> dict[str, float]:
    """The same agent, worse by `by` on average over these goldens; some never pass again."""
    lost = 0.0
    target = by * len(rates)
    after = dict(rates)
    for golden in rng.sample(sorted(rates), len(rates)):
        if lost >= target:
            break
        fall = min(after[golden], target - lost)
        after[golden] -= fall
        lost += fall
    return after
