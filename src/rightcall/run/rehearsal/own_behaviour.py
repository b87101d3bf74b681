"""Plays what a golden expects, and checks whether it passes the golden itself. If it does not, the golden is wrong."""

from __future__ import annotations

from collections.abc import AsyncIterator, Container
from typing import NamedTuple

from rightcall.core.errors import InputError
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.trajectory import Trajectory
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.known_good import make_trajectory
from rightcall.run.rehearsal.toolset import Toolset, Toolsets
from rightcall.run.rehearsal.trial import Trial, trial_of_plan
from rightcall.run.rehearsal.values import NoValue


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


async def goldens_never_met(plan: Plan, passed: Container[str] = ()) -> AsyncIterator[tuple[str, str]]:
    """Goldens of a plan that no agent can pass, each with the reason; those that one has `passed` are not tried."""
    trial = trial_of_plan(plan)
    toolsets = Toolsets()
    for golden in plan.goldens():
        if golden.id in passed:
            continue
        toolset = toolsets.of(trial.tools_of(golden))
        if why := cannot_be_met(golden, await own_behaviour(golden, toolset, trial)):
            yield golden.id, why
