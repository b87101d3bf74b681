"""A plan of a run with attacks: the user's goldens, the attempts made from them, and their benign twins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from rightcall.agents.agent import Agent, is_address, tools_of, unread_tools
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.api.guards import tool_entries
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.attacks.attack_plan import AUTO_CARRIERS, AttackPlan, read_attack_plan
from rightcall.limbs.attacks.attempts import BEYOND_REQUESTS, AttackMaker, AttackSet
from rightcall.limbs.attacks.sites import keeps_texts
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ToolRoles
from rightcall.run.plan import Plan, Selection
from rightcall.schema.roles.derivation import toolset_roles
from rightcall.tools.definitions.source import confirmed_tools, definitions_of
from rightcall.tools.worlds.base import World

AT_REAL_TOOLS = ("result", "name", "error", "document", "definition")
IN_ONE_TURN = ("definition", "shadow")
IN_REQUESTS = ("result", "name", "error", "definition", "rug_pull", "skill", "user", "document")
"""What can be planted in the requests of an agent whose own code runs its tools."""


def plan_with_attacks(plan: Plan, source: Any, folder: Path = Path()) -> Plan:
    """The plan with attempts and twins among its goldens; `source` is `auto`, a file, or the plan of attacks itself."""
    asked = read_attack_plan(source, folder)
    attacks = for_agent(asked, plan.agent)
    everything = list(plan.numbered_goldens())
    goldens = [golden for _, golden in everything]
    chosen = list(plan.selection.choose(goldens)) or goldens
    attack_set = attack_goldens(plan.agent, chosen, attacks)
    attempts: list[AnyGolden] = [*attack_set.goldens]
    if plan.selection.only and chosen is goldens:  # attempts were named, to run them again
        attempts = [golden for golden in attempts if plan.selection.chooses(golden)]
        chosen = []
    agent = plan.agent
    if agent.execute == "real" and not agent.asks_once:
        entries = tools_of(agent)
        sinks = [name for name, roles in roles_of(entries, attacks).items() if roles.sinks]
        typed = {
            tool.name for tool in chain.from_iterable(map(definitions_of, entries)) if tool.output_schema
        }
        harmless = {name: {"generate": True} if name in typed else {"result": {"ok": True}} for name in sinks}
        agent = replace(agent, mocks={**harmless, **agent.mocks})
    counts: dict[str, Any] = {"seed": attacks.seed, "attempts": len(attack_set.attempts)}
    return replace(
        plan,
        agent=agent,
        dataset=[*chosen, *attempts],
        in_memory=None,
        lines=(),
        selection=Selection(),
        settings={**plan.settings, "attacks": counts},
        untested=tuple(gaps_of_plan(asked, attacks, attack_set, plan.agent)),
    )


def gaps_of_plan(
    asked: AttackPlan, attacks: AttackPlan, attack_set: AttackSet, agent: Agent
) -> Iterator[str]:
    """What a plan asks for and an agent cannot be attacked by, each with the reason."""
    if asked.carriers != AUTO_CARRIERS:
        for carrier in (carrier for carrier in asked.carriers if carrier not in attacks.carriers):
            yield f"attacks: {carrier} cannot be planted with mode {agent.mode} and execute {agent.execute}"
    if runs_own_tools(agent):
        yield f"attacks: the tools of {agent.name} run for real, also when a planted text asks: use a test system"
    yield from (f"attacks: {what} cannot be tested: {why}" for what, why in attack_set.refused.items())
    yield from (f"attacks: {what} is not run because {why}" for what, why in attack_set.left_out.items())


def attack_goldens(agent: Agent, goldens: Iterable[AnyGolden], plan: AttackPlan) -> AttackSet:
    """The attempts on an agent's tools."""
    attack_set = maker_for(agent, goldens, plan).attack_set()
    if runs_own_tools(agent):
        attack_set.left_out |= BEYOND_REQUESTS
    return attack_set


def attack_set_of(entries: Iterable[Any], goldens: Iterable[AnyGolden], plan: AttackPlan) -> AttackSet:
    """The attempts on a set of tools."""
    return maker_of(entries, goldens, plan).attack_set()


def attacks(
    tools: str | Path | Iterable[Any], goldens: str | Path | Iterable[Golden], plan: Any = "auto"
) -> list[Golden]:
    """Attempts to attack an agent with these tools while it does the tasks of these goldens, and their benign twins.

    `tools` are functions, definitions, worlds or the name of a source of tools; `goldens` may be a file. `plan` is
    `auto`, a file of the format `rightcall/attacks/1`, or its contents. Run them as any goldens.
    """
    attack_plan = read_attack_plan(plan)
    tasks: Iterable[AnyGolden] = load_goldens(goldens) if isinstance(goldens, str | Path) else goldens
    return attack_set_of(run_blocking(tool_entries(tools)), tasks, attack_plan).goldens


def for_agent(plan: AttackPlan, agent: Agent) -> AttackPlan:
    """The plan as far as the agent's way of running allows it; `ConfigError` when nothing could be planted."""
    model = agent.model
    if isinstance(model, ObservedAgent):
        allowed: tuple[str, ...] = IN_REQUESTS
        if problem := model.request_problem or unread_tools(model, tools_of(agent)):
            raise ConfigError(f"attacks: {problem}")
    elif is_address(model) if isinstance(model, str) else callable(model) and not hasattr(model, "complete"):
        raise ConfigError(_own_tools(agent))
    elif agent.mode == "single_turn":
        allowed = (*IN_ONE_TURN, "user", "history")
    elif agent.execute == "real":
        allowed = (*AT_REAL_TOOLS, "user", "history")
    else:
        return plan
    carriers = tuple(carrier for carrier in plan.carriers if carrier in allowed)
    if not carriers:
        raise ConfigError(
            f"attacks: none of {', '.join(plan.carriers)} can be planted here; results are planted while tools run, "
            "so set agent.mode: loop"
        )
    return msgspec.structs.replace(plan, carriers=carriers)


def runs_own_tools(agent: Agent) -> bool:
    """Whether the agent's own code runs its tools, so that texts are planted in its requests."""
    return isinstance(agent.model, ObservedAgent) and agent.model.tools_run == "real"


def _own_tools(agent: Agent) -> str:
    remedy = "observe it: agent.observe: auto, or rc.observe(agent)"
    if is_address(agent.model):
        remedy = "write them with `rightcall attacks make`, plant them yourself, and score the recorded trajectories"
    return (
        f"attacks cannot be planted in what '{agent.name}' reads, because it brings its own tools; {remedy}"
    )


def maker_for(agent: Agent, goldens: Iterable[AnyGolden], plan: AttackPlan) -> AttackMaker:
    """What makes attempts on an agent's tools."""
    entries = tools_of(agent)
    worlds = [entry.start() for entry in entries if isinstance(entry, World)]
    other_text = [agent.system, dict(agent.mocks), worlds]
    served = [skill.name for skill in agent.skills]
    return maker_of(entries, goldens, plan, other_text, served, in_requests=runs_own_tools(agent))


def maker_of(
    entries: Iterable[Any],
    goldens: Iterable[AnyGolden],
    plan: AttackPlan,
    other_text: object = None,
    served: Collection[str] = (),
    *,
    in_requests: bool = False,
) -> AttackMaker:
    """What makes attempts on a set of tools."""
    sources = list(entries)
    tools = {tool.name: tool for tool in chain.from_iterable(definitions_of(entry) for entry in sources)}
    roles = roles_of(sources, plan)
    keeps = keeps_texts(sources, roles)
    return AttackMaker(
        list(goldens),
        tools,
        roles,
        plan,
        other_text=other_text,
        served=served,
        keeps_texts=keeps,
        in_requests=in_requests,
    )


def roles_of(entries: Iterable[Any], plan: AttackPlan) -> Mapping[str, ToolRoles]:
    """The roles of a set of tools, as the plan has them."""
    sources = list(entries)
    tools: list[Tool] = [tool for entry in sources for tool in definitions_of(entry) if tool.kind == "tool"]
    return toolset_roles(tools, plan.roles, confirmed=confirmed_tools(sources))
