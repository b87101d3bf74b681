"""Attacks that a plan writes out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from rightcall.model.golden import Golden
from rightcall.model.safety import Plant, Safety
from rightcall.model.tool_roles import ToolRoles
from rightcall.wings.attacks.attack_plan import OwnAttack
from rightcall.wings.attacks.goals import task_tools


def own_attempts(
    attacks: Sequence[OwnAttack], goldens: Sequence[Golden], roles: Mapping[str, ToolRoles]
) -> Iterator[Golden]:
    """Each attack of a plan, on every golden whose task calls the tool that carries it."""
    sinks: dict[str, tuple[str, ...]] = {
        name: tuple(tool.sinks) for name, tool in roles.items() if tool.sinks
    }
    for number, attack in enumerate(attacks):
        plant = Plant(attack.carrier, attack.tool, attack.path, attack.place, text=attack.text)
        safety = Safety("injection", plants=(plant,), forbidden=attack.forbidden, sinks=sinks)
        for golden in goldens:
            if not attack.tool or attack.tool in task_tools(golden) or plant.in_tool_list:
                yield msgspec.structs.replace(
                    golden,
                    id=f"{golden.id}~own.{number}",
                    extra_calls="allow",
                    cluster=golden.cluster or golden.id,
                    tags=tuple(dict.fromkeys((*golden.tags, "attack"))),
                    safety=safety,
                )
