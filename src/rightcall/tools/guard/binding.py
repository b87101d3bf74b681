"""A policy bound to the tools of a set: which rules concern which tool, with an error for a rule that binds nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.errors import InputError, suggestion
from rightcall.core.text import first_names
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ParameterClass, ToolRoles
from rightcall.schema.roles.derivation import tool_roles, toolset_roles
from rightcall.schema.roles.parameters import classify, leaves, types_of
from rightcall.tools.guard.base_rules import base_rules
from rightcall.tools.guard.policy import GuardPolicy, GuardRule, several

MOST_UNDECLARED = 200
"""Undeclared arguments of one call that are classed one by one: rules are compared with each of its leaves."""


class BoundPolicy:
    """A policy bound to tools. `confirmed` are tools that ask for a confirmation themselves."""

    def __init__(
        self,
        policy: GuardPolicy,
        tools: Iterable[Tool],
        *,
        confirmed: Collection[str] = (),
        where: str = "guard",
    ) -> None:
        self.policy = policy
        self.tools = {tool.name: tool for tool in tools}
        self.roles: dict[str, ToolRoles] = toolset_roles(
            self.tools.values(), policy.roles, confirmed=confirmed
        )
        check_bindings(policy, self.tools, self.roles, where)
        self._rules: dict[tuple[str, frozenset[str]], list[GuardRule]] = {}
        self._declared = {
            name: frozenset(path for path, _ in leaves(tool.input_schema))
            for name, tool in self.tools.items()
        }
        self._keys = {id(rule): index for index, rule in enumerate(policy.rules)}

    def roles_of(self, tool: str) -> ToolRoles:
        """The roles of a tool; of one that the golden brings, by its name alone."""
        if tool not in self.roles:
            self.roles[tool] = tool_roles(Tool(tool))
            self._declared[tool] = frozenset()
        return self.roles[tool]

    def rules_for(self, tool: str, paths: Iterable[str] = ()) -> list[GuardRule]:
        """The rules that bind on a call with arguments at these paths; undeclared ones are classed by their names."""
        roles = self.roles_of(tool)
        undeclared = frozenset(paths) - self._declared[tool]
        further: dict[str, tuple[ParameterClass, ...]] = {}
        if len(undeclared) > MOST_UNDECLARED:  # each is then bound as any of them would be
            further = {
                "*": tuple(sorted(set(chain.from_iterable(classify(path, {}) for path in undeclared))))
            }
        key = (tool, frozenset((*further, *further.get("*", ()))) or undeclared)
        if key not in self._rules:
            further = further or {path: tuple(classify(path, {})) for path in undeclared}
            extended = msgspec.structs.replace(roles, parameters={**roles.parameters, **further})
            if len(self._rules) > 10_000:  # a model that invents arguments without end
                self._rules.clear()
            self._rules[key] = rules_of_tool(self.policy, extended)
        return self._rules[key]

    def key_of(self, rule: GuardRule) -> int:
        """What counts towards one limit: a rule of the file, for all tools that it binds."""
        return self._keys.get(id(rule), -1)


def rules_of_tool(policy: GuardPolicy, roles: ToolRoles) -> list[GuardRule]:
    """The rules that concern one tool: those of the base, then those of the file, which replace rules of their name."""
    own = [rule for rule in policy.rules if concerns(rule, roles)]
    if policy.base == "none":
        return own
    replaced = {rule.name for rule in own if rule.name}
    return [*(rule for rule in base_rules(roles, policy.without) if rule.name not in replaced), *own]


def concerns(rule: GuardRule, roles: ToolRoles) -> bool:
    """Whether a rule binds on calls of a tool."""
    if rule.allow is not None:
        return not any(fnmatchcase(roles.tool, pattern) for pattern in rule.allow)
    by_name = not rule.tool or any(fnmatchcase(roles.tool, pattern) for pattern in rule.tools)
    by_sink = not rule.sink or not set(several(rule.sink)).isdisjoint(roles.sinks)
    return by_name and by_sink


def covers(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the patterns is the path, a part that contains it, or matches it."""
    return any(
        path == pattern or path.startswith(f"{pattern}.") or fnmatchcase(path, pattern)
        for pattern in patterns
    )


def check_bindings(
    policy: GuardPolicy, tools: Mapping[str, Tool], roles: Mapping[str, ToolRoles], where: str = "guard"
) -> None:
    """Raise `InputError` for the first rule that binds nothing."""
    for name in policy.trust.fields:
        if name not in tools:
            raise InputError(f"{where}: trust.fields", f"no tool '{name}'", _near(name, tools))
    for index, rule in enumerate(policy.rules):
        place = f"{where}: rules[{index}]"
        patterns = rule.allow if rule.allow is not None else rule.tools
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in tools):
                raise InputError(place, f"no tool '{pattern}'", _near(pattern, tools))
        bound = [tools[name] for name, of_tool in roles.items() if concerns(rule, of_tool)]
        if not bound and rule.allow is None:
            raise InputError(
                place,
                f"no tool is a {first_names(several(rule.sink), 3)} sink",
                "see `rightcall attacks list SOURCE`",
            )
        _check_arguments(rule, bound, place)


def _check_arguments(rule: GuardRule, bound: list[Tool], where: str) -> None:
    schemas = {path: schema for tool in bound for path, schema in leaves(tool.input_schema) if path}
    same = several(rule.limit.same) if rule.limit is not None else ()
    for pattern in (*several(rule.arg), *several(rule.unless), *same):
        if not any(covers((pattern,), path) for path in schemas):
            raise InputError(where, f"no argument '{pattern}'", _near(pattern, schemas))
    if rule.limit is None or not rule.limit.arg:
        return
    if rule.limit.arg not in schemas:
        raise InputError(where, f"limit: no argument '{rule.limit.arg}'", _near(rule.limit.arg, schemas))
    types = types_of(schemas[rule.limit.arg])
    if types.isdisjoint(("integer", "number")):
        problem = (
            f"limit: {rule.limit.arg} is {'any value' if not types else 'a ' + min(types)}, not a number"
        )
        raise InputError(where, problem, "limit a number, or only `calls`")


def _near(name: str, names: Any) -> str:
    return suggestion(name, names) or f"one of: {first_names(sorted(names), 8)}"
