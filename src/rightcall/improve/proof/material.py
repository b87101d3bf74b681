"""What `improve` works with: the agent, its goldens in two parts, and what they did in the run it starts from.

Every further use of goldens as proof needs stronger evidence, so that all proofs together are wrong in at most one of
twenty cases; so their uses are counted.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rightcall.improve.improvement import Tried
from rightcall.improve.leakage import refusal
from rightcall.improve.patch import apply_changes, tokens_of
from rightcall.improve.proof.arms import Arms
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proposals import Proposal, first_expected_tool, is_exposed
from rightcall.model.golden import AnyGolden, category_of, request_of
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.models.prices import cost
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
