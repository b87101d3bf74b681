"""What proof can show of proposals, and what trying them takes: said before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.analysis import Proposal
from rightcall.suite.improvement.material import Material
from rightcall.suite.improvement.power import LIKELY, fewest_goldens, goldens_for, power, smallest_gain
from rightcall.suite.improvement.split import TUNE

FINALISTS = 3


def can_show(material: Material, one: Proposal, alpha: float) -> bool:
    """Whether proof would more likely than not show what a proposal is worth at most."""
    exposed = len(material.exposed(one, material.proof))
    if exposed < fewest_goldens(alpha):
        return False
    gain = ceiling(material, one)
    if gain is None:
        return True
    rates = material.rates(material.exposed(one, material.tune))
    return power(gain, exposed, material.options.trials, alpha, rates) >= LIKELY


def ceiling(material: Material, one: Proposal) -> float | None:
    """The most that a proposal can win back on the goldens it is meant for, as a share of them."""
    exposed = material.exposed(one, material.tune)
    return min(1.0, one.worth / len(exposed)) if one.worth is not None and exposed else None


def shortage(material: Material, proposals: Sequence[Proposal], alpha: float) -> str:
    """Why proof could not show what any finding is worth; empty when it could for one of them."""
    found = [one for one in proposals if one.source != "lint"] or list(proposals)
    if any(can_show(material, one, alpha) for one in found):
        return ""
    best = max(found, key=lambda one: len(material.exposed(one, material.proof)))
    trials, exposed = material.options.trials, len(material.exposed(best, material.proof))
    like = material.exposed(best, material.tune)
    rates = material.rates(like)
    least = smallest_gain(exposed, trials, alpha, rates)
    can = (
        "cannot show anything" if least is None else f"can show +{100 * least:.0f} points or more (simulated)"
    )
    sentence = f"{exposed} goldens for {best.name} in proof {can} at level {alpha:.2g}"
    worth = ceiling(material, best)
    if worth is not None:
        sentence += f"; the finding is worth at most +{100 * worth:.0f}"
        needed = goldens_for(worth, trials, alpha, rates)
        if needed is not None and needed > exposed:
            names = ", ".join(golden.id for golden in like[:2])
            more = round((needed - exposed) / (1 - TUNE))
            sentence += f". Add about {more} goldens" + (f" like {names}" if names else "")
    return sentence + ", or take the patch unproven (--unproven)"


def planned_calls(material: Material, proposals: int) -> int:
    """Calls of the agent at most: screening with one trial, then baseline and finalists. Controls come on top."""
    proof = (1 + min(FINALISTS, proposals)) * len(material.proof) * material.options.trials
    return (proposals + (proposals > 1)) * len(
        material.tune
    ) + proof  # screening takes only goldens it is meant for


def announcement(material: Material, proposals: int) -> str:
    """What comes next, and what it may cost by the prices of the run it starts from."""
    planned = planned_calls(material, proposals)
    spent = [result.usage.cost_usd or 0.0 for result in material.results]
    price = f", about ${planned * sum(spent) / len(spent):.2f}" if any(spent) else ""
    some = "1 proposal" if proposals == 1 else f"{proposals} proposals"
    return (
        f"{some} on {len(material.tune)} goldens, then the best on {len(material.proof)} others × "
        f"{material.options.trials} trials: up to {planned:,} calls{price}"
    )
