"""What a golden expects, as it goes: whether it passes the golden itself. One that it does not pass is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from rightcall.agents.agent import tools_of
from rightcall.core.errors import InputError
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.expected_value import NoValue
from rightcall.run.rehearsal.known_good import make_trajectory
from rightcall.run.rehearsal.toolset import Toolset, Toolsets
from rightcall.run.rehearsal.trial import Trial
from rightcall.tools.runtime.mocks import runs_for_real
from rightcall.tools.runtime.toolbox import Toolbox


class OwnBehaviour(NamedTuple):
    """The behaviour that a golden expects, as it went; `why` it does not pass, empty when it does."""

    trajectory: Trajectory
    why: str = ""


async def own_behaviour(golden: AnyGolden, toolset: Toolset, trial: Trial) -> OwnBehaviour | None:
    """How the calls that a golden expects go; None where they cannot be made from it."""
    try:
        trajectory = await make_trajectory(golden, toolset.tools, trial.toolbox)
    except (NoValue, InputError):
        return None
    if any(not toolset.accepts(call.name, call.arguments) for call in trajectory.calls):
        return (
            None  # values that the golden leaves open could not be made up; its schema is checked elsewhere
        )
    judgement, why = trial.judge_stated(golden, trajectory)
    if judgement == "not_judged":
        return None
    return OwnBehaviour(trajectory, (why or "it fails") if judgement == "failed" else "")


def cannot_be_met(golden: AnyGolden, own: OwnBehaviour | None) -> str:
    """Why a golden is certainly wrong; empty when it may be right.

    The turns of a conversation are made up here; an agent's may go another way.
    """
    return own.why if own is not None and isinstance(golden, Golden) else ""


def trial_of_plan(plan: Plan, tools: Mapping[str, Tool] | None = None) -> Trial:
    """The criteria of a plan, with its mocks and worlds. Nothing runs for real.

    `tools` are those of its agent once it is open: what a server runs is known then.
    """
    agent = replace(plan.agent, execute="mock", faults=None)
    declared = {tool.name: tool for tool in plan.definitions}
    sources = tools_of(agent) + [tool for name, tool in (tools or {}).items() if name not in declared]
    mocks = {name: mock for name, mock in (agent.mocks or {}).items() if not runs_for_real(mock)}
    toolbox = Toolbox(sources, mocks=mocks) if sources else None
    return Trial(plan.scorer, tools or declared, toolbox)


def asks_once(plan: Plan) -> bool:
    """Whether the calls of an agent have no results, except in conversations."""
    return plan.agent.mode == "single_turn" and not plan.own_agent


async def goldens_never_met(plan: Plan) -> AsyncIterator[tuple[str, str]]:
    """Goldens of a plan that no agent can pass, each with the reason."""
    trial, toolsets = trial_of_plan(plan), Toolsets()
    for golden in plan.goldens():
        toolset = toolsets.of(trial.tools_of(golden))
        if why := cannot_be_met(golden, await own_behaviour(golden, toolset, trial)):
            yield golden.id, why
