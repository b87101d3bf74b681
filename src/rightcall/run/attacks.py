"""Attacks on the agent of a plan: the adaptive search, the worst case that a gate asks for, and the numbers of a run.

The search is run once the plan's trials are done, and kept with the run. The worst case is replayed once per run, by
the wing that knows attacks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from rightcall.core import seam
from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.decide.safety_numbers import SafetyNumbers, SafetyTally
from rightcall.decide.search_numbers import SearchRecord
from rightcall.metrics.safety.scores import without_runaway
from rightcall.metrics.tally import Tally
from rightcall.model.run import Run
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.model.worst_case import WorstCaseNumbers
from rightcall.run.plan import Plan
from rightcall.store.base import Key
from rightcall.store.sql.run_writer import RunWriter
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.store.address import Persistence

KIND = "adaptive"
"""The kind of document that a store keeps a search as, under the id of its run."""


async def search_of_plan(
    plan: Plan, store: Store, run: Run, persist: Persistence, tally: Tally, tell: Callable[[str], None]
) -> None:
    """Run the search of a plan, if it has one, keep what it gave with the run, and count what it used."""
    if plan.search is None or KIND not in run.fingerprints:
        return
    if (stored := search_of_run(store, run)) is not None:  # before a resume
        tally.spend(stored.numbers.usage)
        return
    record = await plan.search(within_budget(plan, tally.usage), tell)
    tally.spend(record.numbers.usage)
    await asyncio.to_thread(persist, lambda: store.runs.set_document(run.id, KIND, encode(record)))


def within_budget(plan: Plan, used: Usage) -> Plan:
    """The plan with what `used` leaves of the run's tokens and cost."""
    limits = plan.run_limits
    tokens = None if limits.tokens is None else max(1, limits.tokens - used.tokens)
    cost = None if limits.cost_usd is None else max(1e-9, limits.cost_usd - (used.cost_usd or 0.0))
    left = msgspec.structs.replace(limits, tokens=tokens, cost_usd=cost)
    return replace(plan, run_limits=left)


def search_of_run(store: Store, run: Run) -> SearchRecord | None:
    """What the search of a stored run gave; None for a run without one, and until it has ended."""
    name = run.fingerprints.get(KIND, "")
    document = store.runs.document(KIND, name) if name else None
    return None if document is None else decode(document, SearchRecord, f"run {run.id}")


def attack_numbers(store: Store, run: str) -> SafetyNumbers | None:
    """The numbers of a run; None when none of its goldens is an attempt."""
    attempts = {
        golden.id: golden.safety.is_attack for golden in store.runs.goldens(run) if golden.safety is not None
    }
    if not attempts:
        return None
    tally = SafetyTally()
    for result in store.runs.results(run):
        tally.add(result, attack=attempts.get(result.golden_id, False))
    numbers, stored = tally.numbers(), store.runs.get(run).run
    if numbers is not None and stored.summary is not None and stored.summary.stopped_early:
        numbers = numbers.without_rates()
    search = search_of_run(store, stored)
    if numbers is None or search is None:
        return numbers
    return msgspec.structs.replace(numbers, adaptive=search.numbers)


def settle_stored(store: Store, writer: RunWriter, keys: Sequence[Key]) -> None:
    """Replace these results of a run that is not finished by what they show."""
    stored = store.runs.results_of(writer.run_id, keys, trajectories=True)
    writer.replace([without_runaway(result) for result in stored.values()])


SERVICE = "worst_case_numbers"


def worst_case_problems(plan: Plan) -> list[str]:
    """What to install when the gate asks for a worst case that nothing here can replay."""
    if plan.gate is None or plan.gate.worst_case is None:
        return []
    try:
        seam.load("services", SERVICE)
    except ConfigError as error:
        return [f"gate: worst_case: {problem}" for problem in error.problems]
    return []


async def worst_case_of_plan(plan: Plan, tools: Mapping[str, Tool]) -> WorstCaseNumbers | None:
    """The numbers that the gate asks for; None when it does not. If something prevents them, they say what."""
    asked = plan.gate.worst_case if plan.gate is not None else None
    if asked is None:
        return None
    try:
        replay = seam.load("services", SERVICE)
        numbers: WorstCaseNumbers = await replay(plan, tools, asked.threat, asked.certificate or 0)
    except (
        Exception
    ) as error:  # tools that cannot be read, a world that raises: the run is finished and stays
        why = one_line(scrubber()(str(error) or type(error).__name__), 200)
        return WorstCaseNumbers(threat=asked.threat, inconclusive=f"the replay failed: {why}")
    return numbers
