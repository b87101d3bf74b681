"""Attacks that a plan writes out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from rightcall.model.golden import Golden
from rightcall.model.safety import Plant, Safety
from rightcall.model.tool_roles import ToolRoles
from rightcall.wings.attacks.attack_plan import OwnAttack
from rightcall.wings.attacks.goals import task_tools
from rightcall.wings.attacks.harm_pairs import own_pair


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
        if attack.carrier == "user":
            yield own_pair(attack, goldens[0], number, sinks)
            continue
        plant = Plant(attack.carrier, attack.tool, attack.path, attack.place, text=attack.text)
        safety = Safety("injection", plants=(plant,), forbidden=attack.forbidden, sinks=sinks)
        for golden in goldens:
            if attack.carrier == "memory":
                safety = msgspec.structs.replace(safety, first_session=golden.input)
            if not attack.tool or attack.tool in task_tools(golden) or plant.in_tool_list:
                attempt = msgspec.structs.replace(
                    golden,
                    id=f"{golden.id}~own.{number}",
                    extra_calls="allow",
                    cluster=golden.cluster or golden.id,
                    tags=tuple(dict.fromkeys((*golden.tags, "attack"))),
                    safety=safety,
                )
                yield attempt, None
