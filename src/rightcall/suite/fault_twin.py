"""A run with faults is compared with its twin: the same plan without them."""

from __future__ import annotations

from dataclasses import replace

from rightcall.errors import InputError
from rightcall.store import RunFilter, Store
from rightcall.suite.plan import Plan


def without_faults(plan: Plan) -> Plan:
    """The twin of a plan with faults. Its results are only compared with, so no gate decides about them."""
    return replace(plan, agent=replace(plan.agent, faults=None), name=f"{plan.name} (no faults)", gate=None)


def finished_twin(store: Store, resume: str, name: str) -> str | None:
    """The finished run without faults that belongs to a run with faults; None when `resume` is itself without."""
    run = store.run(resume).run
    if "faults" not in run.fingerprints:
        return None
    before = store.runs(RunFilter(name=name, state="finished", until=run.started_at), limit=1)
    if not before:
        raise InputError(f"run {run.id}", f"its twin '{name}' is not in the store", "start a new run instead")
    return before[0].id
