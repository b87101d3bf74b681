"""What makes attempts on the tools of an agent, or on any set of tools."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rightcall.agents.agent import Agent, tools_of
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool
from rightcall.model.tool_roles import ToolRoles
from rightcall.schema.roles.derivation import toolset_roles
from rightcall.tools.definitions.source import confirmed_tools, definitions_of
from rightcall.tools.worlds.base import World
from rightcall.wings.attacks.attack_plan import AttackPlan
from rightcall.wings.attacks.attempts import AttackMaker
from rightcall.wings.attacks.sites import keeps_texts


def maker_for(agent: Agent, goldens: Iterable[AnyGolden], plan: AttackPlan) -> AttackMaker:
    """What makes attempts on an agent's tools."""
    entries = tools_of(agent)
    worlds = [entry.start() for entry in entries if isinstance(entry, World)]
    other_text = [agent.system, dict(agent.mocks), worlds]
    return maker_of(entries, goldens, plan, other_text, served=[skill.name for skill in agent.skills])


def maker_of(
    entries: Iterable[Any],
    goldens: Iterable[AnyGolden],
    plan: AttackPlan,
    other_text: object = None,
    served: Collection[str] = (),
) -> AttackMaker:
    """What makes attempts on a set of tools."""
    sources = list(entries)
    tools = {tool.name: tool for entry in sources for tool in definitions_of(entry)}
    roles = roles_of(sources, plan)
    keeps = keeps_texts(sources, roles)
    return AttackMaker(list(goldens), tools, roles, plan, other_text, served, keeps_texts=keeps)


def roles_of(entries: Iterable[Any], plan: AttackPlan) -> Mapping[str, ToolRoles]:
    """The roles of a set of tools, as the plan has them."""
    sources = list(entries)
    tools: list[Tool] = [tool for entry in sources for tool in definitions_of(entry) if tool.kind == "tool"]
    return toolset_roles(tools, plan.roles, confirmed=confirmed_tools(sources))
