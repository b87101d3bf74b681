"""Scores behaviour by the user's own goldens and metrics, or by those of a plan, without asking a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from rightcall.core.errors import InputError
from rightcall.metrics.base import Metric, asks_model
from rightcall.metrics.score_case import Scorer
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.runtime.context import effects

if TYPE_CHECKING:
    from rightcall.run.plan import Plan
    from rightcall.tools.runtime.toolbox import Toolbox

Judgement = Literal["passed", "failed", "not_judged"]

NOTHING_DECIDES = "nothing decides the golden"


@dataclass
class Trial:
    """The criteria of a suite. `toolbox` has its mocks and worlds; judged metrics are not asked."""

    scorer: Scorer
    tools: Mapping[str, Tool]
    toolbox: Toolbox | None = None
    judged: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        metrics = self.scorer.metrics
        self.judged = tuple(metric.name for metric in metrics if asks_model(metric))
        deciding = [metric for metric in metrics if not asks_model(metric)]
        self.scorer = Scorer(deciding, (), self.scorer.rules)

    def tools_of(self, golden: AnyGolden) -> Mapping[str, Tool]:
        """The tools that the golden offers."""
        return tools_for(golden, self.tools)

    async def judge(self, golden: AnyGolden, trajectory: Trajectory) -> tuple[Judgement, str]:
        """Whether behaviour passes, and why it was not judged. What a judge would decide stays open."""
        judgement, why = await self.judge_computed(golden, trajectory)
        if self.judged and (judgement == "passed" or why == NOTHING_DECIDES):
            return "not_judged", f"only {', '.join(self.judged)} could decide, which asks a model"
        return judgement, why

    async def judge_computed(self, golden: AnyGolden, trajectory: Trajectory) -> tuple[Judgement, str]:
        """The same by everything that asks no model: what right behaviour must pass."""
        try:
            return _judgement(await self.result(golden, trajectory))
        except InputError as error:
            return "not_judged", str(error)

    def judge_stated(self, golden: AnyGolden, trajectory: Trajectory) -> tuple[Judgement, str]:
        """Whether behaviour passes what the golden itself states, whatever metrics the suite adds."""
        try:
            return _judgement(self.scorer.stated(golden, 0, trajectory, self.tools))
        except InputError as error:
            return "not_judged", str(error)

    async def result(self, golden: AnyGolden, trajectory: Trajectory) -> CaseResult:
        """The result by everything that asks no model; `InputError` for a golden that cannot be compared."""
        if self.scorer.metrics:
            return await self.scorer.result(golden, 0, trajectory, self.tools)
        return self.scorer.stated(golden, 0, trajectory, self.tools)

    async def play(self, golden: AnyGolden, trajectory: Trajectory, good: Trajectory) -> Trajectory:
        """A mutant as it would have gone: in a world its calls are played in a fresh copy.

        Raises `NoWorld` when the golden looks at a world that is not known here.
        """
        in_world = good.state is not None or bool(good.ledger)
        if not in_world or _calls(trajectory) == _calls(good):
            return trajectory
        if self.toolbox is not None:
            from rightcall.run.rehearsal.stage import replay  # scoring files plays nothing

            return await replay(trajectory, self.toolbox, golden, self.tools_of(golden))
        if golden.expected_state is not None:
            raise NoWorld("the worlds of the suite are not known")
        return trajectory


def trial_of_plan(plan: Plan, tools: Mapping[str, Tool] | None = None) -> Trial:
    """The criteria of a plan, with its mocks and worlds. Nothing runs for real.

    `tools` are those of its agent once it is open: what a server runs is known then.
    """
    from rightcall.agents.agent import tools_of  # scoring files has no agent
    from rightcall.tools.runtime.mocks import runs_for_real
    from rightcall.tools.runtime.toolbox import Toolbox

    agent = replace(plan.agent, execute="mock", faults=None)
    declared = {tool.name: tool for tool in plan.definitions}
    sources = tools_of(agent) + [tool for name, tool in (tools or {}).items() if name not in declared]
    mocks = {name: mock for name, mock in (agent.mocks or {}).items() if not runs_for_real(mock)}
    toolbox = Toolbox(sources, mocks=mocks) if sources else None
    return Trial(plan.scorer, tools or declared, toolbox)


class NoWorld(Exception):  # noqa: N818  not an error: the mutant is not judged
    """What a change would have done is not known."""


def same_outcome(first: Trajectory, second: Trajectory) -> bool:
    """Whether two behaviours left the world in the same state, by the same number of effects."""
    return first.state == second.state and len(effects(first.ledger)) == len(effects(second.ledger))


def reads_expected_output(metric: Metric) -> bool:
    """Whether a metric compares the answer with the expected one, be it inside of another."""
    inner = getattr(metric, "mirrored", None) or getattr(metric, "metric", None)
    return bool(getattr(metric if inner is None else inner, "reads_expected_output", False))


def _calls(trajectory: Trajectory) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in trajectory.calls]


def _judgement(result: CaseResult) -> tuple[Judgement, str]:
    if result.error or not result.checked:
        return "not_judged", result.error or NOTHING_DECIDES
    if not result.passed:
        return "failed", next((score.reason for score in result.metrics.values() if not score.passed), "")
    return "passed", ""
