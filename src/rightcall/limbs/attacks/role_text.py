"""Roles and flows, for the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from rightcall.core.text import first_names, pluralize
from rightcall.records.tool_roles import Flows, ToolRoles

if TYPE_CHECKING:
    from rightcall.show.screen import Screen

MOST_NAMES = 6


def roles_document(roles: Mapping[str, ToolRoles], flows: Flows) -> dict[str, Any]:
    """All of it as one JSON document."""
    return {
        "tools": [_with_every_role(tool) for tool in roles.values()],
        "flows": {**msgspec.to_builtins(flows), "open": flows.open, "missing": flows.missing},
    }


def _with_every_role(tool: ToolRoles) -> dict[str, Any]:
    """The roles with those that the tool does not have, so that a reader needs no defaults."""
    record: dict[str, Any] = {name: getattr(tool, name) for name in ToolRoles.__struct_fields__}
    return {**record, "reasons": msgspec.to_builtins(tool.reasons)}


def print_roles(out: Screen, roles: Mapping[str, ToolRoles], flows: Flows) -> None:
    """The roles of each tool on one line, the reasons below it, and the flows in one sentence."""
    width = max(map(len, roles), default=0)
    for tool in roles.values():
        out.say("[bold]{}[/bold]  {}", f"{tool.tool:<{width}}", role_words(tool) or "no role", soft_wrap=True)
        because = " · ".join(f"{reason.role}: {reason.why} ({reason.by})" for reason in tool.reasons)
        if because:
            out.say("[dim]{}  {}[/dim]", " " * width, because, soft_wrap=True)
    out.print()
    out.print(flow_sentence(flows), soft_wrap=True)


def role_words(tool: ToolRoles) -> str:
    """`external, private source; send, money sink, guarded`; `source` for one that is neither."""
    kinds = [kind for kind, holds in (("external", tool.external), ("private", tool.private)) if holds]
    source = " ".join(filter(None, (", ".join(kinds), "source" if tool.source else "")))
    sink = f"{', '.join(tool.sinks)} sink" if tool.sinks else ""
    return "; ".join(filter(None, (source, f"{sink}, guarded" if tool.guarded else sink)))


def flow_sentence(flows: Flows) -> str:
    """Which tools make data leave, or why none does."""
    if not flows.open:
        return f"Nothing to exfiltrate: no {flows.missing} among these tools."
    return (
        f"Text of an attacker in {_names(flows.external)} can make the agent read {_names(flows.private)}"
        f" and pass it on with {_names(flows.sinks)}:"
        f" {pluralize(len(flows.external) * len(flows.private) * len(flows.sinks), 'flow')}."
    )


def _names(tools: Any) -> str:
    return first_names(list(tools), MOST_NAMES)
