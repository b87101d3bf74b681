"""The floor of a plan, computed once per dataset: a store keeps it for every later run of the same goldens."""

from __future__ import annotations

import asyncio
from functools import partial

import msgspec

from rightcall.core import codec
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.model.floor import Floor
from rightcall.model.run import Run
from rightcall.run.preparation import Prepared
from rightcall.store.sql.store import Store

KIND = "floor"
"""The kind of document that a store keeps floors as."""


async def floor_of_plan(prepared: Prepared, store: Store, run: Run) -> Floor:
    """The floor of a run of this plan, from the store if an equal plan has run before.

    It never fails: if something prevents it, the floor says what.
    """
    plan = prepared.plan
    asked = plan.floor or (plan.gate is not None and plan.gate.above_floor is not None)
    try:
        if (stored := _floor_in_store(store, prepared.floor_key)) is not None:
            return stored
        # After the last case: what computes a floor is loaded when none waits for it.
        from rightcall.run.floor import compute_floor, too_many
        from rightcall.run.rehearsal.plan_trial import trivial_scorer

        if (skipped := too_many(prepared.goldens, asked=asked)) is not None:
            return skipped
        scorer, pause = trivial_scorer(plan, prepared.tools), partial(asyncio.sleep, 0)
        floor = await compute_floor(plan.as_declared(), scorer, asked=asked, pause=pause)
        if not floor.skipped and run.fingerprints.get(KIND) == prepared.floor_key:
            store.runs.set_document(run.id, KIND, codec.encode(floor))
    except Exception as error:  # a store that fails, tools that cannot be read
        return Floor(skipped=one_line(scrubber()(str(error)), 200))
    return floor


def _floor_in_store(store: Store, key: str) -> Floor | None:
    content = store.runs.document(KIND, key)
    if content is None:
        return None
    try:
        return msgspec.json.decode(content, type=Floor)
    except msgspec.MsgspecError:  # of another version
        return None
