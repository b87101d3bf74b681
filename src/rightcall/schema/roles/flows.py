"""How text of an attacker can carry private data out of a toolset."""

from __future__ import annotations

from collections.abc import Mapping

from rightcall.model.tool_roles import Flows, ToolRoles

WAYS_OUT = ("send", "egress")


def flows_of(roles: Mapping[str, ToolRoles]) -> Flows:
    """External sources, private sources, and sinks by which data leaves: any of the first can drive the others."""
    return Flows(
        tuple(name for name, tool in roles.items() if tool.external),
        tuple(name for name, tool in roles.items() if tool.private),
        tuple(name for name, tool in roles.items() if not set(WAYS_OUT).isdisjoint(tool.sinks)),
    )
