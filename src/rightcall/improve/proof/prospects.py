"""What proof can show about proposals, and the cost of trying them: simulated before anything is spent."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import count
from statistics import NormalDist

from rightcall.core.text import hundredths, pluralize
from rightcall.improve.proof.material import TUNE, Material
from rightcall.improve.proposals import Proposal

FINALISTS = 3


def can_show(material: Material, proposal: Proposal, alpha: float) -> bool:
    """Whether proof would probably detect the largest possible gain of a proposal."""
    exposed = len(material.exposed(proposal, material.proof))
    if exposed < fewest_goldens(alpha):
        return False
    gain = largest_gain(material, proposal)
    if gain is None:
        return True
    rates = material.rates(material.exposed(proposal, material.tune))
    return power(gain, exposed, material.options.trials, alpha, rates) >= LIKELY


def largest_gain(material: Material, proposal: Proposal) -> float | None:
    """The largest possible gain of a proposal on the goldens it targets, as a share of them."""
    exposed = material.exposed(proposal, material.tune)
    return min(1.0, proposal.worth / len(exposed)) if proposal.worth is not None and exposed else None


def shortage(material: Material, proposals: Sequence[Proposal], alpha: float) -> str:
    """Why proof cannot detect the gain of any finding; empty when it can for at least one."""
    contenders = [proposal for proposal in proposals if proposal.source != "lint"] or list(proposals)
    if any(can_show(material, proposal, alpha) for proposal in contenders):
        return ""
    best = max(contenders, key=lambda proposal: len(material.exposed(proposal, material.proof)))
    trials, exposed = material.options.trials, len(material.exposed(best, material.proof))
    like = material.exposed(best, material.tune)
    rates = material.rates(like)
    least = smallest_gain(exposed, trials, alpha, rates)
    can = (
        "cannot show anything"
        if least is None
        else f"can show +{hundredths(least, '.0f')} points or more (simulated)"
    )
    sentence = f"{exposed} goldens for {best.name} in proof {can} at level {alpha:.2g}"
    worth = largest_gain(material, best)
    if worth is not None:
        sentence += f"; the finding is worth at most +{hundredths(worth, '.0f')} points"
        needed = goldens_for(worth, trials, alpha, rates)
        if needed is not None and needed > exposed:
            names = ", ".join(golden.id for golden in like[:2])
            more = round((needed - exposed) / (1 - TUNE))
            sentence += (
                f". About {more} more goldens" + (f" like {names}" if names else "") + " would prove it"
            )
    return sentence + "; --unproven writes the patch anyway"


def no_cause(material: Material) -> str:
    """Why nothing is proven where the goldens to tune on show no cause that could be changed."""
    show = "shows" if len(material.tune) == 1 else "show"
    return (
        f"The {pluralize(len(material.tune), 'golden')} to tune on {show} no cause that stands out from chance, so "
        f"there is nothing to prove on the other {len(material.proof)}; add goldens like those that fail; "
        "--unproven writes the patch anyway"
    )


def most_calls(material: Material, proposals: int) -> int:
    """Maximum number of agent calls: screening with one trial, then baseline and finalists, without controls."""
    proof = (1 + min(FINALISTS, proposals)) * len(material.proof) * material.options.trials
    return (proposals + (proposals > 1)) * len(
        material.tune
    ) + proof  # screening takes only goldens it is meant for


def announcement(material: Material, proposals: int) -> str:
    """The next step, and its estimated cost at the prices of the run it starts from."""
    planned = most_calls(material, proposals)
    spent = [result.usage.cost_usd or 0.0 for result in material.results]
    price = f", about ${planned * sum(spent) / len(spent):.2f}" if any(spent) else ""
    return (
        f"{pluralize(proposals, 'proposal')} on {pluralize(len(material.tune), 'golden')}, then the best on "
        f"{pluralize(len(material.proof), 'other')} × {pluralize(material.options.trials, 'trial')}: "
        f"up to {pluralize(planned, 'call')}{price}"
    )


DRAWS = 200
LIKELY, SURE = 0.5, 0.8
STEPS = 20
MOST_GOLDENS = 2_000
HIGHEST = 0.97
"""How often a golden passes once the cause of its failure is removed."""


def power(gain: float, goldens: int, trials: int, alpha: float, rates: Sequence[float]) -> float:
    """The chance that a one-sided sign-flip test at `alpha` shows a gain, when goldens pass as `rates` say.

    A gain of .2 means that enough failing goldens are fixed to raise the mean by .2; the others stay as they
    are. The test is by its normal approximation T = Σd/√Σd², with at least as many changed goldens as 2^−n needs.
    """
    rng = random.Random(f"{goldens}/{trials}/{len(rates)}")  # noqa: S311
    base = [min(HIGHEST, max(1 - HIGHEST, rate)) for rate in rates] or [0.5]
    room = sum(max(0.0, HIGHEST - rate) for rate in base) / len(base)
    repaired = min(1.0, gain / room) if room > 0 else 0.0
    cut, fewest = NormalDist().inv_cdf(1 - alpha), fewest_goldens(alpha)
    shown = 0
    for _ in range(DRAWS):
        d = [_difference(rng, rng.choice(base), repaired, trials) for _ in range(goldens)]
        squares = sum(difference * difference for difference in d)
        moved = sum(difference != 0 for difference in d)
        shown += moved >= fewest and squares > 0 and sum(d) / squares**0.5 >= cut
    return shown / DRAWS


def _difference(rng: random.Random, rate: float, repaired: float, trials: int) -> float:
    after = HIGHEST if rng.random() < repaired else rate
    wins = sum(rng.random() < after for _ in range(trials)) - sum(rng.random() < rate for _ in range(trials))
    return wins / trials


def smallest_gain(goldens: int, trials: int, alpha: float, rates: Sequence[float]) -> float | None:
    """The smallest gain, in steps of five points, that would more likely be shown than not; None if none would."""
    for step in range(1, STEPS + 1):
        if power(step / STEPS, goldens, trials, alpha, rates) >= LIKELY:
            return step / STEPS
    return None


def goldens_for(gain: float, trials: int, alpha: float, rates: Sequence[float]) -> int | None:
    """How many goldens show a gain in four of five cases; None when that takes more than `MOST_GOLDENS`."""
    n = fewest_goldens(alpha)
    while n <= MOST_GOLDENS:
        if power(gain, n, trials, alpha, rates) >= SURE:
            return n
        n = max(n + 1, round(n * 1.15))
    return None


def fewest_goldens(alpha: float) -> int:
    """Goldens that a one-sided sign-flip test needs at least for this level: with n of them p is 2^−n or more."""
    return next(n for n in count(1) if 2.0**-n <= alpha)
