"""The certificate: no chain of up to K calls of a toolset reaches a harm, under a policy and a threat.

The verdicts of a guard depend on the labels of values, on the classes of parameters and on counters, so states are few:
an exhaustive breadth-first search over tools × one value for each label and role. Before the first delivery only
reads happen. Each rule looks at one argument, so one argument at a time is the attacker's and the others are the
user's. What the user asked for is taken as given: everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rightcall.core.text import pluralize
from rightcall.model.call import ToolCall
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.model.tool_roles import SINK_KINDS, ToolRoles
from rightcall.model.worst_case import Threat
from rightcall.schema.roles.leaves import leaves, types_of
from rightcall.tools.guard.monitor import Guard, GuardState
from rightcall.tools.guard.policy import GuardPolicy
from rightcall.wings.attacks.worst_case.representatives import STANDARD, Representatives, result_of

HARMS = {
    "destination": "sends to the attacker",
    "url": "tells the attacker",
    "credential": "sets a credential that the user did not choose",
    "secret": "lets a secret leave",
    "link": "carries the attacker's address",
    "destroy": "destroys what the user did not name",
    "pick": "acts on what the attacker chose",
    "program": "runs the attacker's program",
}
MOST_CHAINS = 200


class Chain(Record, frozen=True, omit_defaults=False):
    """The shortest chain to one harm by one argument: calls with their results."""

    harm: str
    tool: str
    argument: str
    calls: tuple[ToolCall, ...]

    @property
    def words(self) -> str:
        steps = " → ".join(call.name for call in self.calls)
        return f"{steps}: {self.tool}.{self.argument} {HARMS[self.harm]}"


class Certificate(Record, frozen=True, omit_defaults=False):
    """What the search shows. `assumptions` are the roles that it takes for granted, with who said so."""

    proved: bool
    depth: int
    threat: Threat
    states: int
    chains: tuple[Chain, ...] = ()
    assumptions: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        searched = f"{pluralize(self.states, 'state')} searched, threat {self.threat}"
        if self.proved:
            return f"Certificate: proved to depth {self.depth}: no chain of calls reaches a harm ({searched})"
        return f"Certificate: {pluralize(len(self.chains), 'chain')} to a harm within {self.depth} calls ({searched})"


@dataclass(frozen=True)
class _Node:
    state: GuardState | None
    tainted: bool = False
    secret_read: bool = False
    stored: frozenset[str] = frozenset()
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True)
class _Move:
    """A call of a tool, the harm that it does by one argument, and the value of the attacker's that it stores."""

    call: ToolCall
    of_tool: ToolRoles
    harm: str = ""
    argument: str = ""
    carried: str = ""


def search_chains(
    tools: Iterable[Tool],
    policy: GuardPolicy | None,
    roles: Mapping[str, ToolRoles],
    depth: int = 4,
    threat: Threat = "text",
    values: Representatives = STANDARD,
    confirmed: frozenset[str] = frozenset(),
) -> Certificate:
    """Every chain of calls to a depth; for each harm, tool and argument the shortest that is reached."""
    tool_list = list(tools)
    guard = Guard(policy, tool_list, confirmed=confirmed) if policy is not None else None
    free = [tool for tool in tool_list if tool.name not in confirmed or not roles[tool.name].sinks]
    moves = [move for tool in free for move in moves_of(tool, roles[tool.name], values)]
    start = _Node(guard.begin(values.request) if guard is not None else None)
    level, seen, chains = [start], {_key(start, values)}, dict[tuple[str, str, str], Chain]()
    for _ in range(depth):
        following: list[_Node] = []
        for node in level:
            for move in moves:
                next_node = _step(node, move, values, threat)
                if next_node is None:
                    continue
                if move.harm and (move.harm != "secret" or node.secret_read):
                    harm = (move.harm, move.call.name, move.argument)
                    chains.setdefault(harm, Chain(*harm, next_node.calls))
                if (key_of_state := _key(next_node, values)) not in seen:
                    seen.add(key_of_state)
                    following.append(next_node)
        level = following
    assumptions = (
        f"{tool.tool}: {reason.role} ({reason.by})" for tool in roles.values() for reason in tool.reasons
    )
    shown = tuple(chains.values())[:MOST_CHAINS]
    return Certificate(not chains, depth, threat, len(seen), shown, tuple(assumptions))


def _step(node: _Node, move: _Move, values: Representatives, threat: Threat) -> _Node | None:
    """The state after a call; None when the guard stops it, or nobody has told the agent to make it."""
    name, arguments, of_tool = move.call.name, move.call.arguments or {}, move.of_tool
    if not node.tainted and (of_tool.sinks or not of_tool.source):
        return None
    if node.state is not None and node.state.check(name, arguments).stops:
        return None
    stored = node.stored | {move.carried} if move.carried and set(of_tool.sinks) & _STORING else node.stored
    output = result_of(of_tool, values, threat, stored)
    answered = ToolCall(name, arguments, f"c{len(node.calls)}", status="ok", output=output)
    state = node.state.copy() if node.state is not None else None
    if state is not None:
        state.ran(name, arguments)
        state.result(name, arguments, output)
    return _Node(
        state,
        node.tainted or of_tool.external,
        node.secret_read or of_tool.private,
        stored,
        (*node.calls, answered),
    )


_STORING = frozenset(SINK_KINDS) - {"egress", "destroy"}


def _key(node: _Node, values: Representatives) -> Any:
    """What verdicts depend on: labels, counters, and what was read and stored."""
    if node.state is None:
        return (node.tainted, node.secret_read, node.stored)
    provenance = node.state.provenance
    every = (*values.attacker.values(), *values.known.values(), values.private[1])
    used = node.state.used
    return (
        node.tainted, node.secret_read, node.stored, provenance.tainted,
        tuple(provenance.label(value) for value in every), frozenset(provenance.sticky), frozenset(provenance.private),
        tuple(sorted(used.calls.items())), tuple(sorted(used.totals.items())),
    )  # fmt: skip


def moves_of(tool: Tool, roles: ToolRoles, values: Representatives) -> Iterator[_Move]:
    """The calls of a tool that matter: a plain one, and for each argument those with a value of another label."""
    schemas = dict(leaves(tool.input_schema))
    base = {name: _plain(name, roles, schemas.get(name, {}), values) for name in tool.parameters}
    yield _Move(ToolCall(tool.name, base), roles)
    for name in tool.parameters:
        classes: set[str] = set(roles.parameters.get(name, ()))
        types = types_of(schemas.get(name, {}))
        if not classes or (types and "string" not in types):
            continue
        for value, harm in _choices(classes, roles, values):
            listed = [value] if (tool.parameters[name] or {}).get("type") == "array" else value
            yield _Move(ToolCall(tool.name, {**base, name: listed}), roles, harm, name, value)


def _choices(classes: set[str], roles: ToolRoles, values: Representatives) -> Iterator[tuple[str, str]]:
    """Values of an attacker for one argument, each with the harm that it does."""
    sinks = set(roles.sinks)
    if "credential" in classes and sinks:
        yield values.attacker["credential"], "credential"
        yield values.known["credential"], "credential"
    if "destination" in classes and sinks & {"send", "money", "grant"}:
        yield values.attacker["destination"], "destination"
    if "url" in classes and "egress" in sinks:
        yield values.attacker["url"], "url"
    if "program" in classes and sinks:
        yield values.attacker["program"], "program"
    if classes & {"pick", "identity"} and sinks & {"money", "commit", "grant", "destroy", "exec"}:
        yield values.attacker["pick"], "pick"
    if "destroy" in sinks and classes & {"pick", "identity", "destination", "title"}:
        yield values.known["pick"], "destroy"
    if classes & {"text", "title"} and sinks:
        leaves_by = sinks & {"send", "money", "grant", "exec", "egress"}
        yield values.attacker["text"], "link" if leaves_by else ""
        if leaves_by:
            yield f"it is {values.private[1]}", "secret"


_PREFERENCE = ("credential", "url", "destination", "identity", "program", "pick", "title")


def _plain(name: str, roles: ToolRoles, schema: dict[str, Any], values: Representatives) -> Any:
    types = types_of(schema)
    if schema.get("enum"):
        return schema["enum"][0]
    if types and types <= {"integer", "number"}:
        return 1
    if types and types <= {"boolean"}:
        return False
    classes = roles.parameters.get(name, ())
    value = values.user[next((kind for kind in _PREFERENCE if kind in classes), "text")]
    return [value] if types and "array" in types else value
