"""One `rightcall attacks worst-case`: what is read, replayed, searched and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import msgspec

from rightcall.agents.agent import tools_of
from rightcall.core.errors import ConfigError, InputError, RightCallError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import first_names, one_line
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.trajectories import load_trajectories
from rightcall.decide.rule_source import Facts
from rightcall.limbs.attacks.subject import AttackSubject, attack_subject, is_suite_file
from rightcall.limbs.attacks.worst_case.options import WorstCaseOptions
from rightcall.limbs.attacks.worst_case.suite_replay import (
    WorstCaseSetup,
    replay_worst_case,
    setup_of_subject,
)
from rightcall.records.call import ToolCall
from rightcall.records.golden import AnyGolden, Golden, with_id
from rightcall.records.safety import AttackCall, Plant, Safety
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ToolRoles
from rightcall.records.worst_case import Threat, Unguarded, WorstCaseNumbers, WorstCaseResult
from rightcall.run.plan import Plan
from rightcall.run.trials import TrialsDone
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.guard.policy import AUTO, STRICT, GuardPolicy, guard_policy


async def run_worst_case(
    source: str, choices: WorstCaseOptions, progress: Callable[[], None] | None = None
) -> WorstCaseResult:
    """Replay a suite or a dataset; counterexamples are run alone before they are reported.

    `progress` is called after each golden and each counterexample.
    """
    subject, goldens = _subject(source, choices)
    policy, name = _policy(subject, choices)
    setup = setup_of_subject(subject, policy, name, choices.threat or "text")
    setup = _with_recordings(replace(setup, progress=progress), choices.trajectories, goldens)
    result = await replay_worst_case(goldens, setup)
    roles: dict[str, ToolRoles] = subject.roles
    examples = await reproduce(goldens, result.summary.unguarded, roles, setup)
    if choices.output is not None:
        save_goldens(examples, choices.output)
    return result


def _subject(source: str, choices: WorstCaseOptions) -> tuple[AttackSubject, Sequence[AnyGolden]]:
    path = Path(source)
    if is_suite_file(path):
        subject = attack_subject(source, trust=choices.trust)
        assert subject.plan is not None
        return subject, list(subject.plan.in_dataset_order())
    if choices.tools is None:
        raise InputError(source, "a dataset does not say which tools there are", "add --tools FILE")
    subject = attack_subject(str(choices.tools), trust=choices.trust)
    return subject, list(map(with_id, load_goldens(path)))


def _policy(subject: AttackSubject, choices: WorstCaseOptions) -> tuple[GuardPolicy | None, str]:
    """The policy that was named, else the suite's; `auto` for a dataset.

    A suite without a guard has none: what `auto` would stop is no evidence about it.
    """
    if choices.guard is not None:
        return guard_policy(choices.guard), choices.guard
    suite = subject.suite
    guard = None if suite is None else suite.block("guard")
    if guard is not None:
        assert subject.plan is not None
        own = guard if isinstance(guard, str) else "of the suite"
        policy = subject.plan.agent.guard
        if isinstance(policy, GuardPolicy) or policy is None:
            return policy, own
        raise ConfigError(f"guard: {policy!r} was not read")
    return (None, "none (the suite sets none)") if suite is not None else (guard_policy("auto"), "auto")


def _with_recordings(
    setup: WorstCaseSetup, trajectories: Path | None, goldens: Sequence[AnyGolden]
) -> WorstCaseSetup:
    if trajectories is None:
        return setup
    recorded: dict[str, Sequence[ToolCall]] = {}
    for entry in load_trajectories(trajectories):
        recorded.setdefault(entry.golden_id, entry.trajectory.calls)
    if recorded.keys().isdisjoint(golden.id for golden in goldens):
        ids = first_names(list(recorded), 3)
        raise InputError(
            str(trajectories), f"no recording of these goldens, only of {ids}", "record runs of this dataset"
        )
    return replace(setup, recorded=recorded)


class NotReproducedError(RightCallError):
    """A counterexample that does not happen when it is run: the search or the replay is wrong, and proves nothing."""

    exit_code = 4


def counterexample(golden: AnyGolden, reached: Unguarded, roles: Mapping[str, ToolRoles]) -> AnyGolden:
    """The user's golden with the attacker's text in what it reads and his calls as `replay` and `forbidden`."""
    carriers = [name for name, tool in roles.items() if tool.external]
    named = (
        {call.tool for call in golden.expected_calls if isinstance(call.tool, str)}
        if isinstance(golden, Golden)
        else set()
    )
    carrier = next((name for name in carriers if name in named), carriers[0] if carriers else "")
    fields = (
        Plant("result", carrier, path=name, place="field", text=str(value))
        for name, value in reached.fields.items()
    )
    safety = Safety(
        "injection",
        plants=(Plant("result", carrier, text=reached.text), *fields),
        forbidden=(AttackCall(reached.tool, dict(reached.arguments)),),
        replay=reached.replay,
    )
    name = f"{golden.id}~{reached.goal.replace(': ', '-').replace(' ', '-')}"
    if not name.endswith(f"-{reached.tool}") and f"-{reached.tool}." not in name:
        name = f"{name}-{reached.tool}"
    return msgspec.structs.replace(golden, id=name, cluster=golden.cluster or golden.id, safety=safety)


async def reproduce(
    goldens: Sequence[AnyGolden],
    unguarded: Iterable[Unguarded],
    roles: Mapping[str, ToolRoles],
    setup: WorstCaseSetup,
) -> list[AnyGolden]:
    """The counterexamples as goldens, each run alone; `NotReproducedError` if one is stopped then."""
    by_id = {golden.id: golden for golden in goldens}
    counterexamples = []
    for reached in unguarded:
        golden = counterexample(by_id[reached.golden_id], reached, roles)
        recorded = setup.recorded.get(reached.golden_id)
        alone = replace(setup, recorded={golden.id: recorded} if recorded is not None else {})
        result = await replay_worst_case([golden], alone)
        if not any(again.tool == reached.tool for again in result.summary.unguarded):
            raise NotReproducedError(
                f"the counterexample {golden.id} is stopped when it is run alone; please report this"
            )
        counterexamples.append(golden)
    return counterexamples


MOST_KEPT = 50
"""Calls that nothing stopped, and calls of the user that were stopped, which a run keeps of each."""


async def worst_case_evidence(done: TrialsDone) -> Facts:
    """The numbers that the gate asks for. If something prevents them, they say what."""
    prepared = done.prepared
    gate = prepared.plan.gate
    if gate is None or gate.worst_case is None:
        return {}
    threat = gate.worst_case.threat
    try:
        numbers = await worst_case_numbers(prepared.plan, prepared.tools, threat)
    except (
        Exception
    ) as error:  # tools that cannot be read, a world that raises: the run is finished and stays
        why = one_line(scrubber()(str(error) or type(error).__name__), 200)
        numbers = WorstCaseNumbers(threat=threat, inconclusive=f"the replay failed: {why}")
    return {"worst_case": numbers}


async def worst_case_numbers(plan: Plan, tools: Mapping[str, Tool], threat: Threat) -> WorstCaseNumbers:
    """Replay the goldens of a plan through the guard of its agent.

    An agent without a guard is replayed without one. `tools` are all tools of the run: those of a server count as sinks
    too, although nobody supplies their results.
    """
    entries = list(tools_of(plan.agent))
    defined = {tool.name for tool in chain.from_iterable(definitions_of(entry) for entry in entries)}
    entries += [tool for name, tool in tools.items() if name not in defined]
    subject = AttackSubject(plan.name, tuple(entries), plan=plan)
    policy = guard_policy(plan.agent.guard)
    setup = setup_of_subject(subject, policy, policy_name(policy), threat)
    goldens = list(_own_goldens(plan))
    result = await replay_worst_case(goldens, setup)
    await reproduce(goldens, result.summary.unguarded, subject.roles, setup)
    return _numbers_of_run(result.summary)


def policy_name(policy: GuardPolicy | None) -> str:
    """A policy in a word or two."""
    if policy is None:
        return "none"
    return "auto" if policy == AUTO else "strict" if policy == STRICT else "of the suite"


def _numbers_of_run(numbers: WorstCaseNumbers) -> WorstCaseNumbers:
    """What a run keeps: the first rows behind the sums, without secrets and without what replays them."""
    clean = scrubber()
    unguarded = tuple(
        msgspec.structs.replace(
            reached, call=clean(reached.call), arguments={}, replay=(), text="", fields={}
        )
        for reached in numbers.unguarded[:MOST_KEPT]
    )
    return msgspec.structs.replace(numbers, unguarded=unguarded, stops=numbers.stops[:MOST_KEPT])


def _own_goldens(plan: Plan) -> Iterable[AnyGolden]:
    """The user's goldens; attempts that a plan of attacks made from them would count their calls again."""
    attacked = "attacks" in plan.settings
    for golden in plan.in_dataset_order():
        if not (attacked and golden.safety is not None and "~" in golden.id):
            yield golden
