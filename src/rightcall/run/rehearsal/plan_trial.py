"""The criteria of a plan, with its mocks and worlds: for trivial agents, and for what goldens expect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rightcall.agents.agent import tools_of
from rightcall.model.tool import Tool
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.trial import Trial
from rightcall.run.trivial_agents import TrivialScorer
from rightcall.tools.runtime.mocks import runs_for_real
from rightcall.tools.runtime.toolbox import Toolbox


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


def trivial_scorer(plan: Plan, tools: Mapping[str, Tool]) -> TrivialScorer:
    """The trivial agents with the tools, mocks and criteria of a plan."""
    return TrivialScorer(trial_of_plan(plan, tools), single_turn=asks_once(plan))
