"""The goldens of one test function: run concurrently as soon as they are known to share an agent.

The first test of a function runs its golden alone. When the second uses the same agent, metrics and trials, all
remaining goldens run concurrently, and each later test finds its results ready. A test with its own agent, or
with tools that run for real, always runs alone, so no request is wasted and there is no effect that no test asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import msgspec

from rightcall.api.testing.session_store import SessionStore
from rightcall.core.event_loop import run_blocking
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.run.backend import Batch, InProcess, RunWork
from rightcall.run.plan import Plan, conversations_of
from rightcall.run.preparation import Prepared, preflight


@dataclass(frozen=True)
class Checked:
    """The trials of one golden, and the run they are stored in. `setup` is a plan without goldens."""

    setup: Plan
    golden: AnyGolden
    results: tuple[CaseResult, ...]
    run_id: str
    tools: Mapping[str, Tool]


class GoldenBatch:
    """One test function's goldens and their results so far."""

    def __init__(
        self, name: str, goldens: Sequence[AnyGolden], keeper: SessionStore, *, may_share: bool
    ) -> None:
        self._name = name
        self._goldens = goldens
        self._keeper = keeper
        self._may_share = may_share
        self._ready: dict[str, Checked] = {}
        self._previous: Plan | None = None

    def check_golden(
        self, setup: Plan, golden: AnyGolden, to_come: Sequence[AnyGolden], *, again: bool = False
    ) -> Checked:
        """The trials of a golden; `to_come` are the goldens of the tests after this one.

        With `again` trials without an answer are run again, and replace those that were stored.
        """
        if again:
            (self._ready[golden.id],) = self._perform(setup, [golden], again=True)
            return self._ready[golden.id]
        ready = self._ready.get(golden.id)
        if ready is not None and ready.golden == golden and same(ready.setup, setup):
            return ready
        goldens = [golden]
        # Real effects only in the test that asks for them: it may be the last, with -x or after Ctrl-C.
        shared = self._may_share and setup.agent.execute != "real"
        if shared and self._previous is not None and same(self._previous, setup):
            ids = {golden.id} | self._ready.keys()
            goldens += [other for other in to_come if other.id not in ids]
        self._previous = setup
        for trials in self._perform(setup, goldens):
            self._ready[trials.golden.id] = trials
        return self._ready[golden.id]

    def _perform(self, setup: Plan, goldens: Sequence[AnyGolden], again: bool = False) -> list[Checked]:
        ids = {golden.id for golden in self._goldens}
        whole = [*self._goldens, *(golden for golden in goldens if golden.id not in ids)]
        plan = replace(setup, name=self._name, dataset=whole)
        results, prepared = run_blocking(perform(replace(plan, dataset=goldens)))
        every = list(chain.from_iterable(results.values()))
        whole_plan = msgspec.structs.replace(prepared, plan=plan)
        run_id = self._keeper.keep(whole_plan, list(plan.goldens()), every, again=again)
        held = {g.id: [conversation.id for conversation in conversations_of(g, setup.user)] for g in goldens}
        return [
            Checked(
                setup,
                golden,
                tuple(chain.from_iterable(results[name] for name in held[golden.id])),
                run_id,
                tools=prepared.tools,
            )
            for golden in goldens
        ]


async def perform(plan: Plan) -> tuple[dict[str, tuple[CaseResult, ...]], Prepared]:
    """Every trial of the plan's goldens, concurrently; by golden id, trials in order; and what they were run with."""
    async with await preflight(plan) as prepared:
        plan = prepared.plan
        results: dict[str, list[CaseResult]] = {golden.id: [] for golden in plan.goldens()}
        prepared.session.begin(plan.name)

        async def take(batch: Batch) -> None:
            for result in batch.results:
                results[result.golden_id].append(result)

        count = len(results) * plan.trials
        await InProcess(prepared.session).run(RunWork(plan, plan.name, count), plan.jobs(), take)
    ordered = {key: tuple(sorted(results, key=lambda r: r.trial)) for key, results in results.items()}
    return ordered, prepared


def same(setup: Plan, other: Plan) -> bool:
    """Whether two tests use the same setup. Agents that cannot be compared are different."""
    try:
        return setup is other or bool(setup == other)
    except Exception:
        return False
