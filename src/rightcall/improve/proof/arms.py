"""Variants of an agent, run at the same time on the same goldens.

A provider that gets slower or is updated meanwhile then affects all variants equally.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.decide.golden_outcomes import Outcome
from rightcall.improve.counters import mean
from rightcall.improve.improvement import apply_changes
from rightcall.improve.proposals import Proposal
from rightcall.improve.variant import redefine_agent
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult, Run
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage
from rightcall.run.conclude import MOST_ERRORS
from rightcall.run.gate_evidence import gather_outcomes
from rightcall.run.live_run import Progress
from rightcall.run.plan import Plan
from rightcall.run.preparation import preflight
from rightcall.run.runner import run_plan
from rightcall.store.sql.store import Store


@dataclass(frozen=True)
class Arm:
    """Definitions and a system prompt, on some goldens. `phase` is kept with its run."""

    tools: Sequence[Tool]
    system: str
    goldens: Sequence[AnyGolden]
    trials: int
    phase: str


@dataclass
class Measured:
    """What an arm did: every result that is stored, without trajectories."""

    arm: Arm
    run: str = ""
    results: list[CaseResult] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    def rates(self, unanswered: float | None = None) -> dict[str, float]:
        """The pass rate of every golden whose trials are all in.

        Trials without an answer count as `unanswered`; without it they do not count.
        """
        scores: dict[str, list[float]] = {}
        asked = Counter(result.golden_id for result in self.results)
        for result in self.results:
            if result.judged:
                scores.setdefault(result.golden_id, []).append(float(result.passed))
            elif result.checked and unanswered is not None:
                scores.setdefault(result.golden_id, []).append(unanswered)
        return {name: mean(own) for name, own in scores.items() if asked[name] >= self.arm.trials}

    def rate(self) -> float:
        """The mean over goldens."""
        return mean(self.rates().values())

    def outcomes(self, only: frozenset[str]) -> list[Outcome]:
        """Outcomes of these goldens, for a comparison."""
        kept = sorted(self.results, key=lambda r: (r.golden_id, r.trial))
        return gather_outcomes(result for result in kept if result.golden_id in only)


Decided = Callable[[Sequence[Measured]], bool]
"""Looks at what the arms did so far; True ends all of them."""


class Arms:
    """Runs the arms of one plan and counts their cost, and the calls of real tools whose outcome is unknown."""

    def __init__(self, plan: Plan, store: Store, dataset: str) -> None:
        self._plan = plan
        self._store = store
        self._dataset = dataset
        self.calls = 0
        self.usage = Usage()
        self.unknown_calls = 0
        self.tools = list(plan.definitions)

    def arm(self, proposal: Proposal | None, goldens: Sequence[AnyGolden], trials: int, phase: str) -> Arm:
        """The agent with a proposal applied, or unchanged."""
        tools, system = apply_changes(
            proposal.changes if proposal else (), self.tools, self._plan.agent.system
        )
        return Arm(tools, system, goldens, trials, phase=phase)

    def draw_order(self, goldens: Sequence[AnyGolden]) -> list[AnyGolden]:
        """The goldens in the order in which an arm runs them: drawn from the plan's seed, whatever they do."""
        sorted_ones = sorted(goldens, key=lambda golden: golden.id)
        return list(replace(self._plan, dataset=sorted_ones, in_memory=None).goldens())

    async def problem(self, arm: Arm) -> str:
        """Why goldens contradict the definitions, such as an enum without a value they expect; else empty."""
        try:
            async with await preflight(self._plan_of(arm, 1)):
                pass  # opened to be checked, and closed again
        except ConfigError as error:
            return error.problems[0]
        return ""

    async def run(self, arms: Sequence[Arm], decided: Decided | None = None) -> list[Measured]:
        """Run all arms at once; `decided` may end them early, after any result."""
        measured = [Measured(arm) for arm in arms]
        over = asyncio.Event()

        def look() -> None:
            if decided is not None and not over.is_set() and decided(measured):
                over.set()

        tasks = [asyncio.create_task(self._one(arm_result, len(arms), look)) for arm_result in measured]
        waiting = asyncio.create_task(over.wait())
        try:
            while pending := [task for task in tasks if not task.done()]:
                await asyncio.wait([*pending, waiting], return_when=asyncio.FIRST_COMPLETED)
                if over.is_set() or any(task.done() and task.exception() for task in tasks):
                    break
        finally:  # finished results stay in the store, whatever ends it
            for task in (*tasks, waiting):
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error
        for arm_result in measured:
            self.calls += len(arm_result.results)
            self.usage = self.usage.plus(arm_result.usage)
            self.unknown_calls += sum(
                sum(f.code == "outcome_unknown" for f in r.codes) for r in arm_result.results
            )
            _require_answers(arm_result)
        return measured

    async def _one(self, arm_result: Measured, arms: int, look: Callable[[], None]) -> None:
        def watch(progress: Progress, batch: Sequence[CaseResult]) -> None:
            arm_result.results += [msgspec.structs.replace(result, trajectory=None) for result in batch]
            arm_result.usage = progress.tally.usage
            look()

        def set_run(run: Run) -> None:
            arm_result.run = run.id

        await run_plan(self._plan_of(arm_result.arm, arms), self._store, watch=watch, started=set_run)

    def _plan_of(self, arm: Arm, arms: int) -> Plan:
        plan = self._plan
        agent = redefine_agent(plan.agent, arm.tools, system=arm.system)
        mark: Mapping[str, Any] = {"phase": arm.phase, "dataset": self._dataset}
        goldens = sorted(arm.goldens, key=lambda golden: golden.id)
        return replace(
            plan, agent=agent, dataset=goldens, in_memory=None, trials=arm.trials, gate=None,
            group=f"{plan.group or plan.name}/improve", concurrency=max(1, plan.concurrency // arms),
            settings={**plan.settings, "improve": dict(mark)},
        )  # fmt: skip


def _require_answers(arm_result: Measured) -> None:
    errors = [result.error for result in arm_result.results if result.error]
    if len(errors) > MOST_ERRORS * len(arm_result.results):
        raise InfrastructureError(
            f"{len(errors)} of {len(arm_result.results)} cases got no answer, so nothing can be compared: {errors[0]}"
        )
