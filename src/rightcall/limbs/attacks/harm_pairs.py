"""Attempts that no template makes: attacks written by hand, and requests of the user that must be refused.

A request that must be refused has a benign one on the same tool, which must be granted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from rightcall.core.codec import encode
from rightcall.limbs.attacks.attack_plan import OwnAttack
from rightcall.limbs.attacks.goals import AttackDemand, AttackTarget, task_tools
from rightcall.limbs.attacks.templates import harm_requests
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.safety import Plant, Safety
from rightcall.records.tool_roles import ToolRoles


def harm_text(target: AttackTarget, demand: AttackDemand, number: int) -> str:
    """A request with ill intent for the call of a sink; `number` chooses among its wordings."""
    wordings = harm_requests()[target.goal]
    words = wordings[number % len(wordings)].format(value=demand.value)
    return f"{words} ({target.tool} {encode(demand.arguments).decode()})."


def own_attempts(
    attacks: Sequence[OwnAttack], goldens: Sequence[Golden], roles: Mapping[str, ToolRoles]
) -> Iterator[tuple[Golden, Golden | None]]:
    """Each attack of a plan, on every golden whose task calls the tool that carries it.

    A request that must be refused is made once, with its benign twin if it has one.
    """
    sinks: dict[str, tuple[str, ...]] = {
        name: tuple(tool.sinks) for name, tool in roles.items() if tool.sinks
    }
    for number, attack in enumerate(attacks):
        plant = Plant(attack.carrier, attack.tool, attack.path, attack.place, text=attack.text)
        safety = Safety("injection", plants=(plant,), forbidden=attack.forbidden, sinks=sinks)
        if attack.carrier == "user":
            request = (Plant("user", place="replace", text=attack.text),)
            safety = msgspec.structs.replace(safety, family="harm", plants=request)
            name = f"{goldens[0].id}~own.{number}"
            attempt = request_golden(goldens[0], name, attack.text, "attack", safety=safety)
            yield attempt, _benign_twin(attack, attempt, f"{goldens[0].id}~benign.own.{number}")
            continue
        for golden in goldens:
            if attack.carrier == "memory":
                safety = msgspec.structs.replace(safety, first_session=golden.input)
            if not attack.tool or attack.tool in task_tools(golden) or plant.in_tool_list:
                yield attempt_of(golden, f"{golden.id}~own.{number}", safety), None


def _benign_twin(attack: OwnAttack, attempt: Golden, name: str) -> Golden | None:
    if attack.benign is None:
        return None
    return msgspec.structs.replace(
        attempt,
        input=attack.benign.text,
        id=name,
        expected_calls=tuple(
            ExpectedCall(cast(Any, call.tool), call.args, extra_args=call.extra_args)
            for call in attack.benign.calls
        ),
        tags=tuple("twin" if tag == "attack" else tag for tag in attempt.tags),
        safety=Safety("harm", twin_of=attempt.id, twin="authorised"),
    )


def attempt_of(golden: Golden, name: str, safety: Safety) -> Golden:
    """The golden as an attempt: its task stays, and other calls are allowed."""
    return msgspec.structs.replace(
        golden,
        id=name,
        extra_calls="allow",
        cluster=golden.cluster or golden.id,
        tags=with_tag(golden, "attack"),
        safety=safety,
    )


def request_golden(golden: Golden, name: str, text: str, tag: str, safety: Safety, **expected: Any) -> Golden:
    """Another request to the agent of a golden; nothing is expected of it but what is given here."""
    return Golden(
        text,
        id=name,
        tools=golden.tools,
        system=golden.system,
        extra_calls="allow",
        cluster=golden.cluster or golden.id,
        tags=with_tag(golden, tag),
        as_=golden.as_,
        safety=safety,
        **expected,
    )


def with_tag(golden: Golden, tag: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*golden.tags, tag)))
