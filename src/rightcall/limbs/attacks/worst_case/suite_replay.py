"""The worst case of a suite, of a file of goldens, or of goldens in a program: `rc.worst_case`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from rightcall.api.guards import tool_entries
from rightcall.core.errors import InputError, suggestion
from rightcall.core.event_loop import as_blocking
from rightcall.core.text import first_names
from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.attacks.subject import AttackSubject
from rightcall.limbs.attacks.worst_case.attacker_calls import (
    Goal,
    HijackedTask,
    attacker_fields,
    attacker_text,
    goals_of,
)
from rightcall.limbs.attacks.worst_case.known_goals import goals_with_known_values, secrets_of
from rightcall.limbs.attacks.worst_case.planted_toolbox import PlantedToolbox, Planting
from rightcall.limbs.attacks.worst_case.replay import Replay
from rightcall.limbs.attacks.worst_case.tampered_calls import goals_with_user_calls
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden, with_id
from rightcall.records.safety import AttackCall, ReplayedCall, Safety
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ToolRoles
from rightcall.records.worst_case import (
    CallRow,
    GuardShare,
    Threat,
    Unguarded,
    WorstCaseNumbers,
    WorstCaseResult,
)
from rightcall.run.rehearsal.known_good import make_trajectory
from rightcall.run.rehearsal.values import NoValue
from rightcall.schema.roles.derivation import toolset_roles
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.definitions.source import confirmed_tools, definitions_of
from rightcall.tools.guard.monitor import Guard
from rightcall.tools.guard.policy import GuardPolicy, guard_policy
from rightcall.tools.runtime.mocks import runs_for_real
from rightcall.tools.runtime.toolbox import Toolbox

NO_CALL = "expects no call"
NOTHING_READ = "reads nothing external"


@dataclass(frozen=True)
class WorstCaseSetup:
    """What is replayed: tools and mocks of the suite, the policy, the threat, and recorded calls by golden."""

    entries: Sequence[Any]
    policy: GuardPolicy | None = None
    guard_name: str = "none"
    threat: Threat = "text"
    mocks: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""
    recorded: Mapping[str, Sequence[ToolCall]] = field(default_factory=dict)
    progress: Callable[[], None] | None = None


def setup_of_subject(
    subject: AttackSubject, policy: GuardPolicy | None, guard_name: str, threat: Threat
) -> WorstCaseSetup:
    """The setup of a suite, or of tools alone. Nothing runs for real but simulated worlds."""
    agent = subject.plan.agent if subject.plan is not None else None
    mocks = {name: mock for name, mock in (agent.mocks if agent else {}).items() if not runs_for_real(mock)}
    system = agent.system if agent is not None else ""
    return WorstCaseSetup(subject.entries, policy, guard_name, threat, mocks=mocks, system=system)


async def replay_worst_case(goldens: Iterable[AnyGolden], setup: WorstCaseSetup) -> WorstCaseResult:
    """Every golden with expected calls, replayed; the sums over all."""
    tools = {tool.name: tool for entry in setup.entries for tool in definitions_of(entry)}
    confirmed = confirmed_tools(setup.entries)
    where = setup.guard_name
    guard = Guard(setup.policy, tools.values(), confirmed=confirmed, where=where) if setup.policy else None
    roles = guard.roles if guard is not None else toolset_roles(tools.values(), confirmed=confirmed)
    planting = Planting()
    external = frozenset(name for name, of_tool in roles.items() if of_tool.external)
    plain = Toolbox(setup.entries, mocks=setup.mocks)
    planted = PlantedToolbox(setup.entries, planting, external, mocks=setup.mocks, guard=guard)
    secrets = await secrets_of(plain, tools, roles)
    replays: dict[str, Replay] = {}
    skipped: dict[str, str] = {}
    for golden in goldens:
        if golden.safety is not None and golden.safety.twin is not None:
            continue
        offered = tools_for(golden, tools)
        try:
            task = HijackedTask(golden, offered, roles, await _user_calls(golden, offered, plain, setup))
        except (NoValue, InputError) as problem:
            skipped[golden.id] = str(problem)
            continue
        if not task.user_calls:
            skipped[golden.id] = NO_CALL
            continue
        if _calls_planted_tool(golden.safety, tools):
            skipped[golden.id] = "the attack adds the tool that it calls; `run --attacks` tries it"
            continue
        _check_stated_tools(golden, {**tools, **offered})
        goals = goals_of(task)
        states_goals = golden.safety is not None and bool(golden.safety.replay or golden.safety.forbidden)
        untampered: list[str] = []
        if not states_goals:
            own_goals, untampered = goals_with_user_calls(task)
            goals += own_goals + goals_with_known_values(task, secrets)
        elif not goals:
            skipped[golden.id] = "no call fits safety.forbidden; state it in safety.replay"
            continue
        _plant(planting, golden, goals, roles, threat=setup.threat)
        his = list(chain.from_iterable(goal.calls for goal in goals))
        planting.remember((*setup.recorded.get(golden.id, ()), *his), offered)
        replay = replays[golden.id] = Replay(task, goals, planted, setup.system)
        await replay.run()
        if replay.delivered and not states_goals:
            replay.untried = (*(task.sinks.keys() - {call.name for call in his}), *untampered)
        if setup.progress is not None:
            setup.progress()
    unknown = {tool for _, tool in planting.unsupplied if tool in roles and roles[tool].source}
    return summarize(replays, skipped, setup, unknown)


def _plant(
    planting: Planting,
    golden: AnyGolden,
    goals: Sequence[Goal],
    roles: Mapping[str, ToolRoles],
    threat: Threat,
) -> None:
    """What the attacker writes: the plants of the golden where it states them, else what he wants done.

    Who owns the record needs no text for the values in it: a text without own fields is not used then.
    """
    plants = golden.safety.plants if golden.safety is not None and golden.safety.is_attack else ()
    stated = "\n".join(plant.text for plant in plants if plant.text and plant.place != "field")
    fields = {plant.path: plant.text for plant in plants if plant.place == "field" and plant.path}
    planting.fields = fields or (attacker_fields(goals, roles) if threat == "record" else {})
    planting.stated = stated if fields or not planting.fields else ""
    planting.text = planting.stated or attacker_text(goals, planting.fields)


def _calls_planted_tool(safety: Safety | None, tools: Mapping[str, Tool]) -> bool:
    """Whether the attacker calls a tool that only his plant would bring, such as a shadow."""
    if safety is None:
        return False
    planted = {plant.to for plant in safety.plants if plant.to} - tools.keys()
    forbidden = (call.tool for call in safety.forbidden if isinstance(call.tool, str))
    return not planted.isdisjoint((*(call.name for call in safety.replay), *forbidden))


def _check_stated_tools(golden: AnyGolden, tools: Mapping[str, Tool]) -> None:
    """Raise `InputError` for an attacker's call of a tool that does not exist: refusing it would prove nothing."""
    safety = golden.safety
    if safety is None or not safety.is_attack:
        return
    calls: Sequence[ReplayedCall | AttackCall] = safety.replay or safety.forbidden
    names = [call.name if isinstance(call, ReplayedCall) else call.tool for call in calls]
    for index, name in enumerate(names):
        if isinstance(name, str) and name not in tools:
            where = f"golden '{golden.id}': safety.{'replay' if safety.replay else 'forbidden'}[{index}]"
            hint = suggestion(name, tools) or f"tools: {first_names(sorted(tools), 8) or 'none'}"
            raise InputError(where, f"no tool '{name}'", hint)


async def _user_calls(
    golden: AnyGolden, offered: Mapping[str, Tool], plain: Toolbox, setup: WorstCaseSetup
) -> Sequence[ToolCall]:
    """The recorded calls of a golden, else its expected ones; what a tool requires and they do not state is made up."""
    recorded = setup.recorded.get(golden.id)
    if recorded is not None:
        return recorded
    calls = tuple(msgspec.structs.replace(call, extra_args="ignore") for call in golden.expected_calls)
    open_golden = msgspec.structs.replace(golden, expected_calls=calls) if calls else golden
    return (await make_trajectory(open_golden, offered, plain)).calls


def summarize(
    replays: Mapping[str, Replay],
    skipped: Mapping[str, str],
    setup: WorstCaseSetup,
    unknown_results: Collection[str] = (),
) -> WorstCaseResult:
    """The sums over all goldens; what was not tried is inconclusive, with the reason."""
    rows = list(chain.from_iterable(replay.rows for replay in replays.values()))
    user = [row for row in rows if row.who == "user"]
    stops = tuple(row for row in user if row.stopped)
    unguarded: dict[tuple[str, str], Unguarded] = {}
    for replay in replays.values():
        for reached in replay.unguarded.values():
            unguarded.setdefault((reached.tool, reached.goal), reached)
    tries = list(chain.from_iterable(replay.tries() for replay in replays.values()))
    undelivered = {name: NOTHING_READ for name, replay in replays.items() if not replay.delivered}
    numbers = WorstCaseNumbers(
        setup.guard_name,
        setup.threat,
        goldens=len(replays),
        attacker_calls=len(tries),
        stopped=sum(map(_is_stopped, tries)),
        reached=tuple(dict.fromkeys(reached.tool for reached in unguarded.values())),
        user_calls=len(user),
        user_sinks=sum(bool(row.sink) for row in user),
        false_stops=len(stops),
        asked=sum(row.verdict == "confirm" for row in stops),
        tasks_stopped=len({row.golden_id for row in stops}),
        untried={**skipped, **undelivered},
        inconclusive=_inconclusive(replays, skipped, len(tries), unknown_results),
        sinks=_shares(tries),
        unguarded=tuple(unguarded.values()),
        stops=stops,
    )
    return WorstCaseResult(tuple(rows), numbers)


def _is_stopped(positions: Iterable[CallRow]) -> bool:
    return all(row.stopped for row in positions)


def _shares(tries: Iterable[Sequence[CallRow]]) -> tuple[GuardShare, ...]:
    """How many calls of each kind of sink were stopped, and by what."""
    calls = Counter[str]()
    stopped = Counter[str]()
    rules: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for positions in tries:
        for kind in positions[0].sink or ("unknown",):
            calls[kind] += 1
            if _is_stopped(positions):
                stopped[kind] += 1
                rules[kind].update(list(dict.fromkeys(chain.from_iterable(row.by for row in positions))))
    return tuple(GuardShare(kind, stopped[kind], calls[kind], dict(rules[kind])) for kind in calls)


def _inconclusive(
    replays: Mapping[str, Replay],
    skipped: Mapping[str, str],
    attacker_calls: int,
    unknown_results: Collection[str],
) -> str:
    """What should have been tried and was not; "" when everything was."""
    gaps = []
    missed = {name: why for name, why in skipped.items() if why != NO_CALL}
    if missed:
        gaps.append(f"not replayed: {first_names(list(missed), 5)} ({next(iter(missed.values()))})")
    if not replays:
        return "; ".join(gaps) or "no golden expects a call that could be replayed"
    if not any(replay.delivered for replay in replays.values()):
        return "no golden's calls read an external source successfully, so no attack would be delivered"
    if unknown_results:
        names = first_names(sorted(unknown_results), 5)
        gaps.append(f"no world, mock or recording supplies what {names} returns")
    attacks = [row for replay in replays.values() for row in replay.rows if row.who == "attacker"]
    tried = {row.tool for row in attacks} | {row.goal.split()[1] for row in attacks if " " in row.goal}
    if untried := sorted(set(chain.from_iterable(replay.untried for replay in replays.values())) - tried):
        names = first_names(untried, 5)
        gaps.append(
            f"no call of {names} could be made that fits the schema, so it was not tried; state it in safety.replay"
        )
    if not attacker_calls and not gaps:
        return "no tool is a sink, so an attacker could do nothing"
    return "; ".join(gaps)


async def aworst_case(
    goldens: str | Path | Iterable[AnyGolden],
    tools: str | Path | Iterable[Any],
    guard: str | Path | GuardPolicy = "auto",
    *,
    threat: Threat = "text",
    mocks: Mapping[str, Any] | None = None,
) -> WorstCaseResult:
    """What a hijacked agent could still do: the goldens' calls, then the attacker's, through the guards. No model.

    `goldens` are a file or goldens with expected calls, `tools` functions, definitions, worlds or
    the name of a source of tools. `guard` is `auto`, `strict`, `none`, a policy or its file. `threat`: the attacker
    writes `text` in a record, or owns the `record`.
    """
    chosen = load_goldens(goldens) if isinstance(goldens, str | Path) else map(with_id, goldens)
    name = guard if isinstance(guard, str) else str(guard) if isinstance(guard, Path) else "policy"
    setup = WorstCaseSetup(await tool_entries(tools), guard_policy(guard), name, threat, mocks=mocks or {})
    return await replay_worst_case(chosen, setup)


worst_case = as_blocking("worst_case", aworst_case)
