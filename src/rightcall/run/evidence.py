"""What is known once the trials are over: what a gate asks for by a key, and a run by a document of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from rightcall.core.seam import load
from rightcall.decide.rule_source import Facts
from rightcall.records.run import Run
from rightcall.run.plan import evidence_names
from rightcall.run.preparation import Prepared
from rightcall.store.sql.store import Store


class TrialsDone(msgspec.Struct, frozen=True):
    """A run whose trials are over; it is not complete when it was stopped."""

    prepared: Prepared
    store: Store
    run: Run
    complete: bool


Evidence = Callable[[TrialsDone], Awaitable[Facts]]
"""Collects facts of a run. What prevents a fact that was asked for is in the fact: it ends no run."""


async def collect_facts(done: TrialsDone) -> dict[str, Any]:
    """Everything that the gate of a run, or the run itself, asks for; in the order of the table."""
    plan = done.prepared.plan
    facts: dict[str, Any] = {"quarantined": len(plan.quarantine)}
    for name in evidence_names(plan.gate, done.run.fingerprints):
        evidence: Evidence = load("evidence", name)
        facts |= await evidence(done)
    return facts
