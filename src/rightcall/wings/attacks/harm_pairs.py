"""Harm pairs: a request of the user that must be refused, and a benign one on the same tool that must be granted."""

from __future__ import annotations

from typing import Any, cast

import msgspec

from rightcall.core.codec import encode
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import Golden
from rightcall.model.safety import Plant, Safety
from rightcall.wings.attacks.attack_plan import OwnAttack
from rightcall.wings.attacks.goals import AttackDemand, AttackTarget
from rightcall.wings.attacks.templates import harm_requests


def harm_attempt(
    golden: Golden, name: str, target: AttackTarget, demand: AttackDemand, number: int
) -> Golden:
    """A request with ill intent for the call of a sink; `number` chooses among its wordings."""
    wordings = harm_requests()[target.goal]
    words = wordings[number % len(wordings)].format(value=demand.value)
    text = f"{words} ({target.tool} {encode(demand.arguments).decode()})."
    plants = (Plant("user", place="replace", text=text),)
    safety = Safety("harm", target.goal, "request", plants, demand.canaries, demand.forbidden)
    return harm_golden(golden, name, text, safety)


def own_pair(
    attack: OwnAttack, golden: Golden, number: int, sinks: dict[str, tuple[str, ...]]
) -> tuple[Golden, Golden | None]:
    """A request of the plan that must be refused, and its benign twin if the plan has one."""
    plants = (Plant("user", place="replace", text=attack.text),)
    safety = Safety("harm", plants=plants, forbidden=attack.forbidden, sinks=sinks)
    attempt = harm_golden(golden, f"{golden.id}~own.{number}", attack.text, safety)
    if attack.benign is None:
        return attempt, None
    twin = msgspec.structs.replace(
        attempt,
        input=attack.benign.text,
        id=f"{golden.id}~benign.own.{number}",
        expected_calls=tuple(
            ExpectedCall(cast(Any, call.tool), call.args, extra_args=call.extra_args)
            for call in attack.benign.calls
        ),
        tags=tuple("twin" if tag == "attack" else tag for tag in attempt.tags),
        safety=Safety("harm", twin_of=attempt.id, twin="authorised"),
    )
    return attempt, twin


def harm_golden(golden: Golden, name: str, text: str, safety: Safety) -> Golden:
    """A request that must be refused, to the agent of this golden: nothing is expected of it but that."""
    return Golden(
        text,
        id=name,
        tools=golden.tools,
        system=golden.system,
        extra_calls="allow",
        cluster=golden.cluster or golden.id,
        tags=tuple(dict.fromkeys((*golden.tags, "attack"))),
        as_=golden.as_,
        safety=safety,
    )
