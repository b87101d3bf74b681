"""How often goldens have been used as proof. Every further use needs stronger evidence, so that all of them together
are wrong in at most one of twenty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rightcall.model.golden import AnyGolden, Golden
from rightcall.store import RunFilter, Store, StoredRun

ALPHA = 0.05
PAGE = 500
PROOF = "proof"
"""The phase of the baseline's run in proof: one for each use."""


def level(number: int) -> float:
    """The level of the n-th proof on the same goldens: .025, .0083, .0042 …; their sum never reaches .05."""
    return ALPHA / (number * (number + 1))


def proofs_before(store: Store, agent: str, proof: Iterable[AnyGolden]) -> int:
    """How often at least half of these goldens have been used as proof with this agent. The store is the ledger."""
    mine = {_said(golden) for golden in proof}
    return sum(
        2 * len(mine & {_said(golden) for golden in store.goldens(run.id)}) >= len(mine)
        for run in _proof_runs(store, agent)
    )


def _proof_runs(store: Store, agent: str) -> Iterator[StoredRun]:
    last = None
    while page := store.runs(RunFilter(agent=agent), limit=PAGE, after=last):
        for one in page:
            mark = one.run.settings.get("improve")
            if isinstance(mark, dict) and mark.get("phase") == PROOF:
                yield one
        last = page[-1].id


def _said(golden: AnyGolden) -> str:
    return golden.input if isinstance(golden, Golden) else golden.scenario
