"""Trials without an answer, for `operating --missing`: chosen at random, or by what they would have been."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from rightcall.decide.comparison import compare
from rightcall.decide.config import Gate
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.verdict import decide

WAYS = ("at random", "failures", "passes")
SHARE = 0.045
"""Of the trials, just below the share from which a run is an ERROR."""

Trials = list[list[float]]


def gate_words(
    seed: str, theta: float, goldens: int, trials: int, *, way: str, runs: int
) -> tuple[float, float, float]:
    """False PASS and false FAIL of `min: theta` at a true rate of theta, and false PASS if errors were dropped."""
    rng = random.Random(seed)
    gate = Gate(min=theta)
    counts = Counter[str]()
    for _ in range(runs):
        known = lose(draw(rng, [theta] * goldens, trials), way, SHARE, rng)
        counts[word_of(gate, known)] += 1
        counts[f"dropped {word_of(gate, without_errors(known))}"] += 1
    return counts["PASS"] / runs, counts["FAIL"] / runs, counts["dropped PASS"] / runs


def compared_words(seed: str, margin: float, way: str, runs: int) -> tuple[float, float]:
    """False claims where B is worse than A by exactly the margin, and 4.5 % of its trials are missing."""
    rng = random.Random(seed)
    counts = Counter[str]()
    for _ in range(runs):
        before = lose(draw(rng, [0.85] * 200, 1), way, 0.0, rng)
        after = lose(draw(rng, [0.85 - margin] * 200, 1), way, SHARE, rng)
        counts[change_of(before, after, margin)] += 1
    good = counts["IMPROVED"] + counts["NON_INFERIOR"]
    return good / runs, counts["REGRESSED"] / runs


def price(seed: str, rate: float, share: float, runs: int) -> tuple[float, float]:
    """How often a good agent passes, and how often nothing is decided, with trials missing at random."""
    rng = random.Random(seed)
    counts = Counter[str]()
    gate = Gate(min=0.9, max_error_rate=0.2)
    for _ in range(runs):
        counts[word_of(gate, lose(draw(rng, [rate] * 200, 1), "at random", share, rng))] += 1
    return counts["PASS"] / runs, counts["INCONCLUSIVE"] / runs


_KNOWN: dict[object, str] = {}
"""Words by what they follow from: most draws are alike."""


def word_of(gate: Gate, outcomes: Sequence[Outcome]) -> str:
    alike = Counter((sum(outcome.passes), len(outcome.passes), outcome.errors) for outcome in outcomes)
    key = (gate.min, gate.max_error_rate, *sorted(alike.items()))
    if key not in _KNOWN:
        _KNOWN[key] = decide(gate, outcomes).word
    return _KNOWN[key]


def change_of(before: Sequence[Outcome], after: Sequence[Outcome], margin: float) -> str:
    pairs = zip(before, after, strict=True)
    alike = Counter((a.passes, a.errors, b.passes, b.errors) for a, b in pairs)
    key = (margin, *sorted(alike.items()))
    if key not in _KNOWN:
        _KNOWN[key] = compare(before, after, margin=margin).change
    return _KNOWN[key]


def draw(rng: random.Random, rates: Sequence[float], trials: int) -> Trials:
    return [[float(rng.random() < rate) for _ in range(trials)] for rate in rates]


def lose(goldens: Trials, way: str, share: float, rng: random.Random) -> list[Outcome]:
    """The outcomes when a share of all trials gets no answer: any, or the failures, or the passes."""
    places = [(golden, trial) for golden, scores in enumerate(goldens) for trial in range(len(scores))]
    rng.shuffle(places)
    if way != "at random":
        wanted = float(way == "passes")
        places = [(golden, trial) for golden, trial in places if goldens[golden][trial] == wanted]
    lost = set(places[: int(share * sum(map(len, goldens)))])
    outcomes = []
    for number, scores in enumerate(goldens):
        known = tuple(score for trial, score in enumerate(scores) if (number, trial) not in lost)
        outcomes.append(Outcome(f"g{number}", known, errors=len(scores) - len(known)))
    return outcomes


def without_errors(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The same as if what got no answer had not been asked."""
    return [Outcome(outcome.golden_id, outcome.passes) for outcome in outcomes if outcome.passes]
