"""A policy as YAML: every rule of the base written out, with the role that it came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rightcall.model.tool_roles import ToolRoles
from rightcall.tools.guard.base_rules import base_rules
from rightcall.tools.guard.policy import FORMAT, GuardPolicy, GuardRule

HEAD = """\
# What the guard demands of each tool. Edit, then set `guard: FILE` in the suite.
# A rule has one condition: needs links passages secrets asked limit hosts confirm deny allow.
"""


def write_rules_out(policy: GuardPolicy, roles: Mapping[str, ToolRoles]) -> GuardPolicy:
    """The same policy without a base: all rules are listed."""
    if policy.base == "none":
        return policy
    replaced = {(name, tool) for rule in policy.rules for name in [rule.name] for tool in rule.tools if name}
    rules = [
        rule
        for tool in roles.values()
        for rule in base_rules(tool, policy.without)
        if (rule.name, tool.tool) not in replaced
    ]
    return msgspec.structs.replace(policy, base="none", without=(), rules=(*rules, *policy.rules))


def policy_yaml(policy: GuardPolicy) -> str:
    """The policy as a file that `guard:` reads, rules grouped by tool."""
    lines = [HEAD + f"format: {FORMAT}", f"base: {policy.base}", f"known: {policy.known or 'fields'}"]
    for key in ("taint", "without", "trust", "roles"):
        plain = msgspec.to_builtins(getattr(policy, key))
        if plain and plain != "external":
            lines.append(f"{key}: {_flow(plain)}")
    lines.append("rules:" if policy.rules else "rules: []")
    last = ""
    for rule in policy.rules:
        tool = ", ".join(rule.tools)
        if tool != last and rule.because:
            lines.append(f"  # {tool}: {rule.because}")
        last = tool
        lines.append(f"  - {_flow(_plain_rule(rule))}")
    return "\n".join(lines) + "\n"


def _plain_rule(rule: GuardRule) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(rule)
    plain.pop("because", None)
    return plain


def _flow(value: Any) -> str:
    """A value in YAML's one-line form; JSON strings are YAML strings."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(str(key))}: {_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if (
        isinstance(value, str)
        and value.replace("_", "").isalpha()
        and value.isascii()
        and value not in _WORDS
    ):
        return value
    return msgspec.json.encode(value).decode()


_WORDS = frozenset(word for plain in ("yes", "no", "on", "off", "true", "false", "null", "y", "n") for word in
                   (plain, plain.title(), plain.upper()))  # fmt: skip
"""Words that YAML 1.1 does not read as text."""
