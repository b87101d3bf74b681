"""Checks goldens against their tools, before any money is spent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from rightcall.core.errors import InputError, suggestion
from rightcall.datasets.review import needs_review
from rightcall.metrics.matching.alignment import MOST_ORDERED
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.call_kinds import KINDS as JUDGED_KINDS
from rightcall.metrics.matching.compile import compile_matcher, matcher_key
from rightcall.metrics.matching.expectation import fits, forbids, pattern_text, predecessors, unsound
from rightcall.metrics.matching.literal_objects import literal_objects
from rightcall.records.expected_call import ExpectedCall, is_target
from rightcall.records.golden import AnyGolden, Golden, names_agents, states_check
from rightcall.records.record import Record
from rightcall.records.safety import safety_problems
from rightcall.records.tool import Tool
from rightcall.run.golden_agents import Note, agent_notes
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.definitions.validate import argument_problems, is_valid


class DatasetFinding(Record, frozen=True):
    """A problem in a dataset: it cannot work (error) or is probably unintended (warning)."""

    where: str
    golden_id: str
    severity: Literal["error", "warning"]
    code: str
    message: str
    hint: str = ""


FIELDS_BEHIND: dict[str, str] = {"forbidden_call": "forbidden_calls", "wrong_state": "expected_state"}
"""The field of a golden without which a failure code never occurs."""


def codes_of(golden: AnyGolden) -> set[str]:
    """The failure codes that need a field of the golden, and that this one can show."""
    return {code for code, field in FIELDS_BEHIND.items() if getattr(golden, field) or golden.safety}


class ForbiddenCodes:
    """The codes that a gate forbids, and that no golden seen so far can show."""

    def __init__(self, forbid: Iterable[str]) -> None:
        self.unseen = FIELDS_BEHIND.keys() & set(forbid)

    def see(self, codes: Iterable[str]) -> bool:
        """Note the codes that a golden can show; whether one is left that none can."""
        self.unseen -= set(codes)
        return bool(self.unseen)

    def problems(self) -> list[str]:
        """A problem for each code that is left: forbidding it decides nothing."""
        return [
            f"gate: forbid: {code} can never occur, because no golden has {FIELDS_BEHIND[code]}; state it, or "
            f"remove {code}"
            for code in sorted(self.unseen)
        ]


def check_goldens(
    goldens: Iterable[tuple[str, AnyGolden]], tools: Mapping[str, Tool]
) -> Iterator[DatasetFinding]:
    """Every problem in goldens, which come with their locations. Without tools, only checks that need none."""
    places: dict[str, str] = {}
    for where, golden in goldens:
        if golden.id in places:
            message = f"the id '{golden.id}' is already used at {places[golden.id]}"
            yield DatasetFinding(
                where,
                golden.id,
                "error",
                "duplicate_id",
                message=message,
                hint="use a unique id for each golden",
            )
        places.setdefault(golden.id, where)
        if golden.metadata and needs_review(golden):
            hint = "look at what it asks and expects: rightcall generate review FILE"
            yield DatasetFinding(
                where, golden.id, "error", "unreviewed", message="nobody has looked at this draft", hint=hint
            )
        for severity, code, message, hint in notes_of(golden, tools):
            yield DatasetFinding(where, golden.id, severity, code, message=message, hint=hint)


def notes_of(golden: AnyGolden, tools: Mapping[str, Tool]) -> Iterator[Note]:
    """The problems of one golden."""
    yield from _unknown_offers(golden, tools)
    offered = tools_for(golden, tools)
    yield from _contradictions(golden)
    yield from _kinds(golden, offered)
    if golden.judge != "skills" and all(tool.kind == "skill" for tool in offered.values()):
        offered = {}  # only skills are known, so any other name may be a tool
    for name, expected in _expectations(golden):
        yield from _check_calls(name, expected, golden, offered)
    for i, pattern in enumerate(golden.forbidden_calls):
        yield from _check_forbidden(f"forbidden_calls[{i}]", pattern, offered)
    if names_agents(golden) or any(isinstance(pattern, dict) for pattern in golden.forbidden_calls):
        yield from agent_notes(golden, offered)
    yield from _consent(golden, offered)
    yield from _attack(golden, offered)
    for i, item in enumerate(golden.output_contains):
        spec = {"icontains": item} if isinstance(item, str) else item
        yield from _check_matcher(f"output_contains[{i}]", spec, Scope())


def _kinds(golden: AnyGolden, tools: Mapping[str, Tool]) -> Iterator[Note]:
    """Expected calls of another kind than the golden judges, or than the call itself says."""
    for field, calls in _expectations(golden):
        for i, call in enumerate(calls):
            for tool in (tools[name] for name in _names(call.tool) if name in tools):
                if golden.judge != "all" and tool.kind != JUDGED_KINDS[golden.judge]:
                    message = f"{field}[{i}]: judge is {golden.judge}, but {tool.name} is a {tool.kind}"
                    yield "error", "contradiction", message, "remove the call, or judge"
                if call.kind is not None and tool.kind != call.kind:
                    yield (
                        "error",
                        "contradiction",
                        f"{field}[{i}]: {tool.name} is a {tool.kind}, not a {call.kind}",
                        "",
                    )


def _expectations(golden: AnyGolden) -> Iterator[tuple[str, Sequence[ExpectedCall]]]:
    yield "expected_calls", golden.expected_calls
    for i, alternative in enumerate(golden.any_of):
        yield f"any_of[{i}]", alternative
    for i, turn in enumerate(golden.turns):
        yield f"turns[{i}].expected_calls", turn.expected_calls or ()


def _unknown_offers(golden: AnyGolden, tools: Mapping[str, Tool]) -> Iterator[Note]:
    for i, offer in enumerate(golden.tools or ()):
        if isinstance(offer, str) and tools and offer not in tools:
            yield "error", "unknown_tool", f"tools[{i}]: no such tool '{offer}'", suggestion(offer, tools)


def _contradictions(golden: AnyGolden) -> Iterator[Note]:
    required = [call for call in golden.expected_calls if call.required]
    least = sum(call.min for call in required)
    for problem, hint in unsound(golden):
        yield "error", "contradiction", problem, hint
    if golden.max_calls is not None and least > golden.max_calls:
        yield "error", "contradiction", f"{least} calls are expected, but max_calls is {golden.max_calls}", ""
    for field, calls in _expectations(golden):
        for i, call in enumerate(calls):
            for pattern in golden.forbidden_calls:
                if isinstance(call.tool, str) and _safely_forbids(pattern, call):
                    message = f"{field}[{i}]: {call.tool} is both expected and forbidden"
                    yield "error", "contradiction", message, ""
    if isinstance(golden, Golden) and not golden.input.strip():
        yield "warning", "empty_input", "input is empty", ""
    if not states_check(golden):
        message = "the golden states no check, so it is unchecked: it runs, but neither passes nor fails"
        yield "warning", "unchecked", message, "state what should happen, or name a metric in the suite"
    if isinstance(golden, Golden) and _says_nothing(golden):
        message = "nothing is expected, so any call fails the golden"
        yield (
            "warning",
            "no_expectation",
            message,
            "set no_calls: true if that is intended, or extra_calls: allow",
        )
    if golden.category == "secondary" and not golden.expected_calls and not golden.any_of:
        yield "warning", "no_expectation", "a secondary golden is graded by F1, but expects no calls", ""


def _says_nothing(golden: Golden) -> bool:
    return golden.category == "golden" and golden.extra_calls == "forbid" and not (
        golden.expected_calls or golden.any_of or golden.no_calls or golden.forbidden_calls or golden.confirm
        or golden.as_
    )  # fmt: skip


def _attack(golden: AnyGolden, tools: Mapping[str, Tool]) -> Iterator[Note]:
    """What is wrong with the attack of an attempt."""
    if golden.safety is not None:
        for message, hint in safety_problems(golden.safety, tools or None):
            yield "error", "bad_attack", message, hint


def _consent(golden: AnyGolden, tools: Mapping[str, Tool]) -> Iterator[Note]:
    """What is wrong with the tools that need a confirmation, and with the caller."""
    for i, name in enumerate(golden.confirm):
        yield from _check_tool(f"confirm[{i}]", name, tools)
        if golden.no_calls or any(
            _safely_forbids(pattern, ExpectedCall(name)) for pattern in golden.forbidden_calls
        ):
            message = f"confirm[{i}]: the agent should ask before {name}, which it must not call"
            yield "error", "contradiction", message, ""
    caller = golden.as_
    if caller is not None and not (caller.roles and all(role.strip() for role in caller.roles)):
        yield "error", "no_roles", "as: the role is empty", 'name one, such as {"role": "viewer"}'
    if caller is None or not tools:
        return
    if not any(tool.roles for tool in tools.values()):
        message = f"as: {', '.join(caller.roles)} cannot be checked, because no tool has roles"
        yield "error", "no_roles", message, "add roles to the definitions of the tools"
    roles = set(chain.from_iterable(tool.roles for tool in tools.values()))
    for role in sorted(set(caller.roles) - roles):
        if meant := suggestion(role, roles):
            yield "warning", "unknown_role", f"as: no tool has the role '{role}'", meant
    for field, calls in _expectations(golden):
        for i, call in enumerate(calls):
            for tool in (tools[name] for name in _names(call.tool) if name in tools):
                if call.required and not caller.may_call(tool.roles):
                    message = (
                        f"{field}[{i}]: {tool.name} is expected, but needs the role {' or '.join(tool.roles)}"
                    )
                    hint = "leave the call out: a refused call is not a failure"
                    yield "error", "contradiction", message, hint


def _safely_forbids(pattern: Any, call: ExpectedCall) -> bool:
    """Whether a call is forbidden by whichever agent that may make it."""
    try:
        return bool(call.tool) and forbids(pattern)(call.as_tool_call())
    except InputError:
        return False


def _check_forbidden(field: str, pattern: Any, tools: Mapping[str, Tool]) -> Iterator[Note]:
    if not isinstance(pattern, dict) or "regex" in pattern:
        yield from _check_tool(field, pattern, tools)
        return
    try:
        forbids(pattern)
    except InputError as error:
        yield "error", "bad_matcher", f"{field}: {error.problem}", error.hint
        return
    if "tool" in pattern:
        yield from _check_tool(f"{field}.tool", pattern["tool"], tools)


def _check_calls(
    field: str, expected: Sequence[ExpectedCall], golden: AnyGolden, tools: Mapping[str, Tool]
) -> Iterator[Note]:
    try:
        before = predecessors(expected)
    except InputError as error:
        yield (
            "error",
            "bad_order",
            f"{error.where.replace('expected_calls', field)}: {error.problem}",
            error.hint,
        )
        before = []
    if len(expected) > MOST_ORDERED and any(call.after for call in expected):
        message = f"{field}: 'after' can order at most {MOST_ORDERED} expected calls, got {len(expected)}"
        yield "error", "bad_order", message, "split the golden, or use order: strict"
    if golden.order == "strict":
        for i, earlier in enumerate(before):
            if late := [k for k in earlier if k > i]:
                message = f"{field}[{i}] must come after {field}[{late[0]}], but order is strict"
                yield "error", "contradiction", message, "reorder them"
    ids = [call.id for call in expected if call.id]
    for name in {name for name in ids if ids.count(name) > 1}:
        yield "error", "duplicate_id", f"{field}: the id '{name}' is used twice", ""
    scope = Scope(
        tool_of={call.id: lambda name: True for call in expected if call.id},
    )
    for i, call in enumerate(expected):
        if not _is_plain_and_valid(call, tools):
            yield from _check_call(f"{field}[{i}]", call, tools, scope)


PLAIN = frozenset((str, int, float, bool, type(None)))


def _is_plain_and_valid(call: ExpectedCall, tools: Mapping[str, Tool]) -> bool:
    """Whether it expects one tool of those offered, with values that the schema accepts: most calls do."""
    tool = tools.get(call.tool) if isinstance(call.tool, str) else None
    return (
        tool is not None
        and call.args is not None
        and not call.forbidden_args
        and PLAIN.issuperset(map(type, call.args.values()))
        and not any(map(tool.lacks, call.args))
        and is_valid(tool, call.args)
    )


def _check_call(field: str, call: ExpectedCall, tools: Mapping[str, Tool], scope: Scope) -> Iterator[Note]:
    for note in _check_tool(f"{field}.tool", call.tool, tools):
        if (
            note[1] == "unknown_tool" and call.by is not None
        ):  # a suite need not know the tools of inner agents
            yield "warning", note[1], f"{note[2]}, unless it is one of an agent used as a tool", note[3]
        else:
            yield note
    for name in call.forbidden_args:
        if name in (call.args or {}):
            yield "error", "contradiction", f"{field}: {name} is both expected and forbidden", ""
    called = [tools[name] for name in _names(call.tool) if name in tools]
    misspelt: set[str] = set()
    for name, spec in (call.args or {}).items():
        yield from _check_matcher(f"{field}.args.{name}", spec, scope)
        schemas = [tool.parameters.get(name) for tool in called]
        for literal in literal_objects(spec, f"{field}.args.{name}", schemas[0] if schemas else None):
            severity: Literal["error", "warning"] = "error" if literal.certain else "warning"
            yield severity, "literal_object", literal.message, literal.hint
            misspelt |= {name} if literal.certain else set()
    for tool in called:
        yield from _against_schema(field, call, tool, misspelt)


def _check_tool(field: str, pattern: Any, tools: Mapping[str, Tool]) -> Iterator[Note]:
    try:
        matches = fits(pattern)
    except InputError as error:
        yield "error", "bad_matcher", f"{field}: {error.problem}", error.hint
        return
    if not tools or is_target(pattern):
        return
    for name in _names(pattern):
        if name not in tools:
            hint = suggestion(name, tools) or f"tools offered: {', '.join(list(tools)[:8])}"
            yield "error", "unknown_tool", f"{field}: no such tool '{name}'", hint
    if isinstance(pattern, dict) and not any(map(matches, tools)):
        yield "error", "unknown_tool", f"{field}: no tool matches {pattern_text(pattern)}", ""


def _names(pattern: Any) -> Sequence[str]:
    return (pattern,) if isinstance(pattern, str) else () if isinstance(pattern, dict) else pattern


def _check_matcher(field: str, spec: Any, scope: Scope) -> Iterator[Note]:
    try:
        compile_matcher(spec, scope)
    except InputError as error:
        yield "error", "bad_matcher", f"{field}: {error.problem}", error.hint


def _against_schema(field: str, call: ExpectedCall, tool: Tool, misspelt: set[str]) -> Iterator[Note]:
    schema = tool.input_schema
    parameters = tool.parameters
    for name in [*(call.args or {}), *call.forbidden_args]:
        if tool.lacks(name):
            hint = suggestion(name, parameters) or f"parameters: {', '.join(parameters) or 'none'}"
            yield "error", "unknown_argument", f"{field}: {tool.name} has no parameter '{name}'", hint
    if call.args is None:
        return
    required = [name for name in schema.get("required", ()) if isinstance(name, str)]
    lacking = [name for name in required if name not in call.args]
    if lacking and call.extra_args == "forbid":
        message = f"{field}: {tool.name} requires {', '.join(lacking)}, which is not expected, so a valid call fails"
        yield "error", "required_argument", message, 'expect it, or set extra_args: "ignore"'
    for name, spec in call.args.items():
        kind = matcher_key(spec) if isinstance(spec, dict) else None
        value = spec["exact"] if kind == "exact" else spec
        if name in parameters and name not in misspelt and not callable(spec) and kind in (None, "exact"):
            for problem in argument_problems(tool, name, value):
                yield "error", "invalid_value", f"{field}.args.{name}: {problem.message}", ""
        if name in parameters and kind == "one_of" and _all_refused(tool, name, spec["one_of"]):
            yield "error", "invalid_value", f"{field}.args.{name}: {tool.name} refuses every listed value", ""


def _all_refused(tool: Tool, name: str, choices: Any) -> bool:
    """Whether the schema refuses all of several plain values."""
    if not isinstance(choices, list) or not choices or any(isinstance(choice, dict) for choice in choices):
        return False
    return all(any(True for _ in argument_problems(tool, name, choice)) for choice in choices)
