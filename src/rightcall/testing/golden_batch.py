"""The goldens of one test function: run together as soon as they are known to share an agent.

The first test of a function asks for its golden alone. When the second asks with the same agent, metrics and
trials, all goldens that are still to come are run at once, and each later test finds its results ready. A test
that brings an agent of its own is always run alone, so nothing is ever asked for in vain.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from rightcall.executor import Agent, Pool, Session
from rightcall.metrics import Metric, Rules
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.suite import CaseRunner, Plan, conversations_of, preflight
from rightcall.testing.session_store import Keeper

T = TypeVar("T")


@dataclass(frozen=True)
class Setup:
    """How goldens are checked."""

    agent: Agent
    metrics: tuple[Metric, ...]
    observe: tuple[Metric, ...]
    rules: Rules
    trials: int
    concurrency: int
    seed: int
    user: Any = None


@dataclass(frozen=True)
class Checked:
    """The trials of one golden, and the run they are kept in."""

    setup: Setup
    golden: AnyGolden
    results: tuple[CaseResult, ...]
    run_id: str


class Together:
    """One test function's goldens and what is known of them so far."""

    def __init__(self, name: str, goldens: Sequence[AnyGolden], keeper: Keeper, *, may_share: bool) -> None:
        self._name, self._goldens, self._keeper = name, goldens, keeper
        self._may_share = may_share
        self._ready: dict[str, Checked] = {}
        self._previous: Setup | None = None

    def checked(self, setup: Setup, golden: AnyGolden, to_come: Sequence[AnyGolden]) -> Checked:
        """The trials of a golden; `to_come` are the goldens of the tests after this one."""
        ready = self._ready.get(golden.id)
        if ready is not None and ready.golden == golden and same(ready.setup, setup):
            return ready
        wanted = [golden]
        if self._may_share and self._previous is not None and same(self._previous, setup):
            ids = {golden.id} | self._ready.keys()
            wanted += [other for other in to_come if other.id not in ids]
        self._previous = setup
        for found in self._perform(setup, wanted):
            self._ready[found.golden.id] = found
        return self._ready[golden.id]

    def _perform(self, setup: Setup, goldens: Sequence[AnyGolden]) -> list[Checked]:
        known = {golden.id for golden in self._goldens}
        whole = [*self._goldens, *(golden for golden in goldens if golden.id not in known)]
        plan = Plan(
            name=self._name,
            agent=setup.agent,
            dataset=whole,
            metrics=setup.metrics,
            observe=setup.observe,
            rules=setup.rules,
            trials=setup.trials,
            seed=setup.seed,
            concurrency=setup.concurrency,
            user=setup.user,
        )
        found = finished(perform(replace(plan, dataset=goldens)))
        kept = [result for results in found.values() for result in results]
        run_id = self._keeper.keep(plan, list(plan.goldens()), kept)
        held = {g.id: [one.id for one in conversations_of(g, setup.user)] for g in goldens}
        return [
            Checked(setup, golden, tuple(r for name in held[golden.id] for r in found[name]), run_id)
            for golden in goldens
        ]


async def perform(plan: Plan) -> dict[str, tuple[CaseResult, ...]]:
    """Every trial of the plan's goldens, many at once; by golden id, trials in order."""
    await preflight(plan)
    found: dict[str, list[CaseResult]] = {golden.id: [] for golden in plan.goldens()}
    opened = Session(
        plan.agent, concurrency=plan.concurrency, seed=plan.seed, run_id=plan.name, user=plan.user
    )
    async with opened as session:
        case = CaseRunner(plan, session)

        async def do(job: tuple[AnyGolden, int]) -> None:
            result = await case.result(*job)
            found[result.golden_id].append(result)

        await Pool(min(plan.concurrency, len(found) * plan.trials)).run(plan.jobs(), do)
    return {key: tuple(sorted(results, key=lambda r: r.trial)) for key, results in found.items()}


def same(one: Setup, other: Setup) -> bool:
    """Whether two tests ask for the same thing. Agents that cannot be compared are different."""
    try:
        return one is other or bool(one == other)
    except Exception:
        return False


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives, from a test that may or may not run inside an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="rightcall-check")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return outcome[0]
