"""One `rightcall attacks worst-case`: what is read, replayed, searched and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from rightcall.core.errors import ConfigError, InputError, RightCallError
from rightcall.core.text import first_names
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.trajectories import load_trajectories
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
from rightcall.records.tool_roles import ToolRoles
from rightcall.records.worst_case import Unguarded, WorstCaseResult
from rightcall.tools.guard.policy import GuardPolicy, guard_policy


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
