"""The adaptive search of a plan with attacks: run once the plan's own trials are done, kept with the run, read back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rightcall.core.codec import decode, encode
from rightcall.decide.search_numbers import SearchRecord
from rightcall.model.run import Run

if TYPE_CHECKING:
    from rightcall.run.plan import Plan
    from rightcall.store.address import Persistence
    from rightcall.store.sql.store import Store

KIND = "adaptive"
"""The kind of document that a store keeps a search as, under the id of its run."""


async def search_of_plan(plan: Plan, store: Store, run: Run, persist: Persistence) -> None:
    """Run the search of a plan, if it has one, and keep what it gave with the run."""
    if plan.search is None or KIND not in run.fingerprints or search_of_run(store, run) is not None:
        return
    record = await plan.search(plan)
    await asyncio.to_thread(persist, lambda: store.runs.set_document(run.id, KIND, encode(record)))


def search_of_run(store: Store, run: Run) -> SearchRecord | None:
    """What the search of a stored run gave; None for a run without one, and until it has ended."""
    name = run.fingerprints.get(KIND, "")
    document = store.runs.document(KIND, name) if name else None
    return None if document is None else decode(document, SearchRecord, f"run {run.id}")
