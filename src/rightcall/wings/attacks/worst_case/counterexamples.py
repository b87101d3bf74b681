"""Calls that nothing stopped, as goldens with a plant and a replay; each is run at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from rightcall.core.errors import RightCallError
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.safety import AttackCall, Plant, ReplayedCall, Safety
from rightcall.model.tool import Tool
from rightcall.model.tool_roles import ToolRoles
from rightcall.model.worst_case import Threat
from rightcall.tools.definitions.source import confirmed_tools
from rightcall.tools.guard.monitor import Guard, replay
from rightcall.tools.guard.policy import GuardPolicy
from rightcall.wings.attacks.subject import AttackSubject
from rightcall.wings.attacks.worst_case.outcome import Unguarded
from rightcall.wings.attacks.worst_case.representatives import STANDARD
from rightcall.wings.attacks.worst_case.search import Certificate, Chain, search_chains
from rightcall.wings.attacks.worst_case.suite_replay import WorstCaseSetup, replay_worst_case


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
        complete="any",
        replay=reached.replay,
    )
    name = f"{golden.id}~{reached.goal.replace(': ', '-').replace(' ', '-')}"
    if not name.endswith(f"-{reached.tool}") and f"-{reached.tool}." not in name:
        name = f"{name}-{reached.tool}"
    return msgspec.structs.replace(golden, id=name, cluster=golden.cluster or golden.id, safety=safety)


def chain_golden(chain: Chain, roles: Mapping[str, ToolRoles]) -> Golden:
    """A chain of the certificate as a golden: the first read is the user's, the rest is the attacker's."""
    reads = next((i for i, call in enumerate(chain.calls) if roles[call.name].external), 0) + 1
    mine, his = chain.calls[:reads], chain.calls[reads:]
    last = chain.calls[-1]
    text = STANDARD.attacker["text"]
    return Golden(
        STANDARD.request,
        id=f"chain~{chain.harm}-{chain.tool}-{chain.argument}",
        expected_calls=[ExpectedCall(call.name, call.arguments) for call in mine],
        safety=Safety(
            "injection",
            plants=(Plant("result", mine[-1].name, text=text),),
            forbidden=(AttackCall(last.name, {chain.argument: (last.arguments or {}).get(chain.argument)}),),
            complete="any",
            replay=[ReplayedCall(call.name, call.arguments or {}, call.output) for call in his],
        ),
    )


def certificate_of(
    subject: AttackSubject, policy: GuardPolicy | None, depth: int, threat: Threat
) -> Certificate:
    """The certificate of a subject: with the roles of its policy and the tools that ask for a confirmation themselves.

    Each chain is run through a fresh guard before it is reported.
    """
    confirmed = frozenset(confirmed_tools(subject.entries))
    guard = Guard(policy, subject.tools, confirmed=confirmed) if policy is not None else None
    roles = guard.roles if guard is not None else subject.roles
    certificate = search_chains(subject.tools, policy, roles, depth, threat, confirmed=confirmed)
    require_reproduction(certificate, subject.tools, policy, confirmed)
    return certificate


def require_reproduction(
    certificate: Certificate,
    tools: Iterable[Tool],
    policy: GuardPolicy | None,
    confirmed: Collection[str] = (),
) -> None:
    """Run each chain from its start through a fresh guard; `NotReproducedError` if one of its calls is stopped."""
    if policy is None:
        return
    guard = Guard(policy, tools, confirmed=confirmed)
    for chain in certificate.chains:
        state = guard.begin(STANDARD.request)
        if any(verdict.stops for _, verdict in replay(state, chain.calls)):
            raise NotReproducedError(f"the chain {chain.words} is stopped when it is run; please report this")


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
