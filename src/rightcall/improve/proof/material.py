"""What `improve` works with: the agent, its goldens in two parts, and what they did in the run it starts from.

What proof can show about proposals, and the cost of trying them, is computed before anything is spent. Every further
use of goldens as proof needs stronger evidence, so that all proofs together are wrong in at most one of twenty cases;
so their uses are counted.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from rightcall.core.text import hundredths, pluralize
from rightcall.improve.golden_facts import first_expected_tool
from rightcall.improve.improvement import Tried, apply_changes, tokens_of
from rightcall.improve.proof.arms import Arms
from rightcall.improve.proof.judgement import refusal
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proposals import Proposal, is_exposed
from rightcall.providers.endpoint import cost
from rightcall.records.golden import AnyGolden, category_of, request_of
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage
from rightcall.stats.power import n_paired
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store


@dataclass(frozen=True)
class Material:
    """`results` are those of tune; `aside` are goldens that may be wrong themselves, which are in neither part."""

    run: str
    agent: str
    system: str
    arms: Arms
    tune: Sequence[AnyGolden]
    proof: Sequence[AnyGolden]
    results: Sequence[CaseResult]
    aside: tuple[str, ...]
    options: ImproveOptions

    @property
    def tools(self) -> list[Tool]:
        """The current definitions."""
        return self.arms.tools

    def exposed(self, proposal: Proposal, goldens: Sequence[AnyGolden]) -> list[AnyGolden]:
        """Those of the goldens that a proposal is meant for."""
        exposure = proposal.exposure([tool.name for tool in self.tools])
        return [golden for golden in goldens if is_exposed(golden, exposure)]

    def rates(self, goldens: Sequence[AnyGolden]) -> list[float]:
        """Pass rates of the tune goldens in the run that `improve` starts from."""
        passes: dict[str, list[bool]] = {golden.id: [] for golden in goldens}
        for result in self.results:
            if result.golden_id in passes and result.judged:
                passes[result.golden_id].append(result.passed)
        return [sum(some) / len(some) for some in passes.values() if some]

    def tokens(self, proposal: Proposal | None = None) -> int:
        """The tokens of definitions and system prompt in a request, with a proposal applied or unchanged."""
        return tokens_of(*apply_changes(proposal.changes if proposal else (), self.tools, self.system))

    def first_look(self, proposal: Proposal) -> Tried:
        """A proposal before anything is run: whether it is refused, which goldens it targets, what it costs."""
        more = self.tokens(proposal) - self.tokens()
        price = cost(self.agent, Usage(input_tokens=1000 * abs(more)))
        return Tried(
            proposal.name,
            proposal.why,
            refusal(proposal, self.tools, self.system, self.tune),
            exposed=len(self.exposed(proposal, self.proof)),
            tokens=more,
            cost_per_1000=-price if price is not None and more < 0 else price,
        )


TUNE = 0.4


def split_goldens(goldens: Sequence[AnyGolden], seed: str) -> tuple[list[AnyGolden], list[AnyGolden]]:
    """Tune and proof: whole clusters, balanced by expected tools and categories, the same for the same dataset."""
    groups: dict[tuple[str, str], dict[str, list[AnyGolden]]] = {}
    for golden in sorted(goldens, key=lambda golden_to_sort: golden_to_sort.id):
        clusters = groups.setdefault((category_of(golden), first_expected_tool(golden)), {})
        clusters.setdefault(golden.cluster or golden.id, []).append(golden)
    tune: list[AnyGolden] = []
    proof: list[AnyGolden] = []
    placed: dict[str, list[AnyGolden]] = {}
    for key, clusters in sorted(groups.items()):
        names = sorted(clusters)
        random.Random(f"{seed}/{key}").shuffle(names)  # noqa: S311
        for number, name in enumerate(names):
            share = tune if number < round(TUNE * len(names)) else proof
            placed.setdefault(name, share).extend(clusters[name])
    return tune, proof


ALPHA = 0.05
PAGE = 500
PROOF = "proof"
"""The phase of the baseline's run in proof: one for each use."""


def level(number: int) -> float:
    """The level of the n-th proof on the same goldens: .025, .0083, .0042 …; their sum never reaches .05."""
    return ALPHA / (number * (number + 1))


def proofs_before(store: Store, agent: str, proof: Iterable[AnyGolden]) -> int:
    """How often at least half of these goldens have been used as proof with this agent. The store is the ledger."""
    mine = {request_of(golden) for golden in proof}
    return sum(
        2 * len(mine & {request_of(golden) for golden in store.runs.goldens(run.id)}) >= len(mine)
        for run in _proof_runs(store, agent)
    )


def _proof_runs(store: Store, agent: str) -> Iterator[StoredRun]:
    last = None
    while page := store.runs.page(RunFilter(agent=agent), limit=PAGE, after=last):
        for stored in page:
            mark = stored.run.settings.get("improve")
            if isinstance(mark, dict) and mark.get("phase") == PROOF:
                yield stored
        last = page[-1].id


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
    return goldens_for(gain, material.options.trials, alpha, rates, power=LIKELY) <= exposed


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
    trials = material.options.trials
    exposed = len(material.exposed(best, material.proof))
    like = material.exposed(best, material.tune)
    rates = material.rates(like)
    least = smallest_gain(exposed, trials, alpha, rates)
    can = "cannot show anything" if least is None else f"can show +{hundredths(least, '.0f')} points or more"
    sentence = f"{exposed} goldens for {best.name} in proof {can} at level {alpha:.2g}"
    worth = largest_gain(material, best)
    if worth is not None:
        sentence += f"; the finding is worth at most +{hundredths(worth, '.0f')} points"
        needed = goldens_for(worth, trials, alpha, rates)
        if exposed < needed <= MOST_GOLDENS:
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
    """Maximum number of agent calls: screening with one trial, then baseline and finalists."""
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


LIKELY = 0.5
SURE = 0.8
STEPS = 20
MOST_GOLDENS = 2_000
HIGHEST = 0.97
"""How often a golden passes once the cause of its failure is removed."""


def smallest_gain(goldens: int, trials: int, alpha: float, rates: Sequence[float]) -> float | None:
    """The smallest gain, in steps of five points, that would more likely be shown than not; None if none would."""
    gains = (step / STEPS for step in range(1, STEPS + 1))
    return next(
        (gain for gain in gains if goldens_for(gain, trials, alpha, rates, power=LIKELY) <= goldens), None
    )


def goldens_for(
    gain: float, trials: int, alpha: float, rates: Sequence[float], *, power: float = SURE
) -> int:
    """How many goldens that pass as `rates` say show a gain at `alpha`, one-sided, with this power.

    A gain of .2 means that enough failing goldens are fixed to raise the mean by .2; the others stay as they are.
    """
    base = [min(HIGHEST, max(1 - HIGHEST, rate)) for rate in rates] or [0.5]
    room = max(0.001, sum(HIGHEST - rate for rate in base) / len(base))
    gain = min(gain, room)
    fixed = gain / room
    squares = math.fsum(
        fixed * ((HIGHEST - rate) ** 2 + (HIGHEST * (1 - HIGHEST) + rate * (1 - rate)) / trials)
        + (1 - fixed) * 2 * rate * (1 - rate) / trials
        for rate in base
    )  # E d² summed: the test's statistic is Σd/√Σd²
    needed = n_paired(gain, squares / len(base), 2 * alpha, power)
    return math.ceil(max(needed, fewest_goldens(alpha) / gain))


def fewest_goldens(alpha: float) -> int:
    """Goldens that a one-sided sign-flip test needs at least for this level: with n of them p is 2^−n or more."""
    return next(n for n in count(1) if 2.0**-n <= alpha)
