"""Expected calls, prepared for comparison with actual ones; expectations that contradict each other are rejected."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import DecodeErrors
from rightcall.core.errors import InputError, suggestion
from rightcall.metrics.matching.base import MISSING, Matcher, Scope, identical_arguments, same
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.metrics.matching.matchers.text import Contains
from rightcall.metrics.matching.matchers.values import PRESENT
from rightcall.metrics.matching.teamwork import (
    LABELS,
    AgentTest,
    agent_text,
    compile_agent,
    fits_target,
    is_made_by,
    target_text,
)
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall, is_target
from rightcall.records.golden import AnyGolden, Golden
from rightcall.records.tool import Tool
from rightcall.tools.definitions.validate import pattern_test

NO_DEFAULTS: dict[str, Any] = {}
NO_MATCHERS: dict[str, Matcher] = {}
PLAIN = frozenset((str, int, float, bool, type(None), list))
"""Types of a spec that can only mean the value itself."""


class Slot:
    """One place for one actual call. An expected call that may repeat has several slots.

    `matchers` holds only parameters whose expectation is more than a plain value; plain values are compared
    in place, which is most of what scoring does.
    """

    __slots__ = ("benefit_of_doubt", "call", "fits", "index", "matchers", "required", "tools")
    by: AgentTest | None = None
    """Which agents may make the call; None for any."""

    def __init__(
        self,
        call: ExpectedCall,
        index: int,
        required: bool,
        matchers: dict[str, Matcher],
        tools: Mapping[str, Tool],
        benefit_of_doubt: bool = True,
    ) -> None:
        self.call = call
        self.index = index
        self.required = required
        self.matchers = matchers
        self.tools = tools
        self.benefit_of_doubt = benefit_of_doubt
        self.fits = fits(call.tool)

    def argument_score(self, actual: ToolCall, at: int) -> float:
        """Dice of expected and actual arguments: 2·Σ matcher / (|Ke| + |Ka| + |A0|); see docs/scoring.md."""
        arguments = actual.arguments
        expected = self.call.args
        if arguments is None:
            doubtful = self.benefit_of_doubt or not self.looks_at_arguments
            return 1.0 if actual.arguments_unknown and doubtful else 0.0
        if expected is None or (not self.matchers and identical_arguments(expected, arguments)):
            return 1.0
        total = 0.0
        met = 0
        size = len(expected) + len(arguments)
        matchers = self.matchers
        for name, spec in expected.items():
            if name not in arguments:
                score = self.parameter_score(name, actual, at)
                total += score
                size += score > 0  # satisfied while absent
                continue
            met += 1
            if name in matchers:
                total += matchers[name].score(arguments[name], at)
            elif same(spec, arguments[name]):
                total += 1.0
        if met < len(arguments):
            size -= sum(name not in expected and not self.is_extra(name, actual) for name in arguments)
        return 2 * total / size if size else 1.0

    @property
    def looks_at_arguments(self) -> bool:
        """Whether arguments could make a call of the right tool wrong."""
        return self.call.args is not None or bool(self.call.forbidden_args)

    def parameter_score(self, name: str, actual: ToolCall, at: int) -> float:
        """How well one expected parameter is met; a missing one also by the default in the tool's schema."""
        value = (actual.arguments or {}).get(name, MISSING)
        score = self._value_score(name, value, at)
        if score or value is not MISSING:
            return score
        default = self.defaults(actual.name).get(name, MISSING)
        if default is MISSING or self.matchers.get(name) is PRESENT:  # a default is not passed
            return 0.0
        return self._value_score(name, default, at)

    def _value_score(self, name: str, value: Any, at: int) -> float:
        if name in self.matchers:
            return self.matchers[name].score(value, at)
        return 1.0 if value is not MISSING and same((self.call.args or {})[name], value) else 0.0

    def defaults(self, tool: str) -> dict[str, Any]:
        """Defaults of the tool that was called; none when it is not known."""
        return self.tools[tool].defaults() if tool in self.tools else NO_DEFAULTS

    def is_extra(self, name: str, actual: ToolCall) -> bool:
        """Whether an unexpected argument counts: not when ignored, not when it is the default."""
        if self.call.extra_args == "ignore" or actual.arguments is None:
            return False
        defaults = self.defaults(actual.name)
        return not (name in defaults and same(defaults[name], actual.arguments[name]))

    def is_strict(self, actual: ToolCall, argument_score: float) -> bool:
        return argument_score == 1.0 and (actual.arguments or {}).keys().isdisjoint(self.call.forbidden_args)


class AgentSlot(Slot):
    """The slot of a call that a certain agent must make."""

    __slots__ = ("_accepts", "by")

    def __init__(self, call: ExpectedCall, *rest: Any) -> None:
        super().__init__(call, *rest)
        self.by = self._accepts = compile_agent(call.by)

    def argument_score(self, actual: ToolCall, at: int) -> float:
        """The score of the arguments, in which the agent counts like one more that both sides have.

        Where no argument is compared, the tool counts as one: another agent is never a reason not to pair. An agent
        that is not known does not count.
        """
        score = super().argument_score(actual, at)
        is_right = is_made_by(actual, self._accepts)
        if is_right is None:
            return score
        fields = len(self.call.args or ()) + len(actual.arguments or ()) if self.call.args is not None else 0
        weight = fields or 2
        return (score * weight + 2 * is_right) / (weight + 2)


PATTERN_AS_NAME = re.compile(r"/[^/\s]+/|[\w.-]*\*[\w.*-]*")


def fits(pattern: Any) -> Callable[[str], bool]:
    """Whether a tool's name is what a pattern asks for."""
    if not pattern:
        raise InputError("", "a tool must have a name", 'name it, or use {"regex": ".+"} for any')
    if isinstance(pattern, str):
        if PATTERN_AS_NAME.fullmatch(pattern):
            regex = pattern[1:-1] if pattern[0] == "/" else pattern.replace("*", ".*")
            hint = f'write {{"regex": "{regex}"}}'
            raise InputError("", f"{pattern!r} is compared as a name, which no tool has", hint)
        return pattern.__eq__
    if isinstance(pattern, dict):
        if is_target(pattern):
            return fits_target(pattern)
        if pattern.keys() != {"regex"}:
            raise InputError("", 'tool must be a name, a list of names or {"regex": …}')
        return pattern_test(pattern["regex"])
    return frozenset(pattern).__contains__


FORBIDDEN_KEYS = ("tool", "by", "handoff", "delegate")
"""What an object in `forbidden_calls` may say, besides `{"regex": …}`."""


def forbids(pattern: Any) -> Callable[[ToolCall], bool]:
    """Whether an entry of `forbidden_calls` forbids a call. Where `by` asks for an agent that is not known, it does not."""
    if not isinstance(pattern, dict) or "regex" in pattern:
        by_name = fits(pattern)
        return lambda call: by_name(call.name)
    for word in pattern:
        if word not in FORBIDDEN_KEYS:
            hint = suggestion(word, FORBIDDEN_KEYS) or f"known: {', '.join(FORBIDDEN_KEYS)}"
            raise InputError("", f"a forbidden call has no field '{word}'", hint)
    names = [pattern[word] if word == "tool" else {word: pattern[word]} for word in pattern if word != "by"]
    if len(names) > 1:
        problem = "a forbidden call has one of tool, handoff and delegate"
        raise InputError("", problem, "write one entry for each")
    fitting = fits(names[0]) if names else None
    accepts = compile_agent(pattern["by"]) if "by" in pattern else None
    return lambda call: bool(
        (fitting is None or fitting(call.name)) and (accepts is None or is_made_by(call, accepts))
    )


def pattern_text(pattern: Any) -> str:
    if isinstance(pattern, str):
        return pattern
    if isinstance(pattern, dict) and "regex" not in pattern and not pattern.keys().isdisjoint(FORBIDDEN_KEYS):
        words = [pattern_text(pattern["tool"])] if "tool" in pattern else []
        words += [target_text({word: pattern[word]}) for word in LABELS if word in pattern]
        by = [f"by {agent_text(pattern['by'])}"] if "by" in pattern else []
        return " ".join([*(words or ["any call"]), *by])
    if isinstance(pattern, dict):  # one without `regex` is refused by scoring, but may be counted before
        return f"/{pattern.get('regex', '')}/"
    return " or ".join(map(str, pattern))


def make_slots(
    golden: Golden,
    expected: Sequence[ExpectedCall],
    calls: Sequence[ToolCall],
    tools: Mapping[str, Tool],
    scope: Scope,
) -> list[Slot]:
    """The slots of one alternative; repeats beyond the number of actual calls are cut off."""
    with_defaults = {} if golden.defaults == "strict" else tools
    slots: list[Slot] = []
    for index, call in enumerate(expected):
        try:
            matchers = argument_matchers(call, tools, scope)
        except InputError as error:
            raise InputError(f"expected_calls[{index}]", error.problem, error.hint) from None
        least = call.min if call.required else 0
        most = max(call.min, 1) if call.max is None else call.max
        most = max(least, min(most, least + len(calls)))
        kind = Slot if call.by is None else AgentSlot
        slots += [
            kind(call, index, i < least, matchers, with_defaults, scope.benefit_of_doubt) for i in range(most)
        ]
    return slots


def argument_matchers(call: ExpectedCall, tools: Mapping[str, Tool], scope: Scope) -> dict[str, Matcher]:
    """A matcher for each parameter whose expectation is not a plain value to be compared as written."""
    if not call.args:
        return NO_MATCHERS
    if scope.by_schema:
        tool = tools.get(call.tool) if isinstance(call.tool, str) else None
        parameters = tool.parameters if tool else {}
        return {name: compile_matcher(spec, scope, parameters.get(name)) for name, spec in call.args.items()}
    special = [name for name, spec in call.args.items() if type(spec) not in PLAIN]
    return {name: compile_matcher(call.args[name], scope) for name in special} if special else NO_MATCHERS


def predecessors(expected: Sequence[ExpectedCall]) -> list[set[int]]:
    """For each expected call all that must come strictly before it, directly or through others."""
    ids = {call.id: index for index, call in enumerate(expected) if call.id}
    direct = [{_index_of(ids, name, i) for name in call.after} for i, call in enumerate(expected)]
    before: list[set[int]] = []
    for start in range(len(expected)):
        seen: set[int] = set()
        todo = list(direct[start])
        while todo:
            here = todo.pop()
            if here not in seen:
                seen.add(here)
                todo += direct[here]
        if start in seen:
            raise InputError(f"expected_calls[{start}]", "'after' forms a cycle", "remove one of the edges")
        before.append(seen)
    return before


def _index_of(ids: dict[str, int], name: str, index: int) -> int:
    if name not in ids:
        hint = suggestion(name, ids) or f"ids here: {', '.join(ids) or 'none'}"
        raise InputError(f"expected_calls[{index}].after", f"no expected call has the id '{name}'", hint)
    return ids[name]


def missing_content(content: Sequence[Any], output: str, scope: Scope) -> list[Any]:
    """The required keywords and matchers that the answer does not satisfy.

    A plain string is a keyword, found anywhere in the answer, case-insensitively; a pattern is searched for. Of a
    structured answer, which is JSON, the text is read without its escapes.
    """
    text = (
        ESCAPE.sub(lambda escape: str(msgspec.json.decode(f'"{escape[0]}"')), output)
        if _is_escaped(output)
        else output
    )
    return [item for item in content if not _contains(item, text, replace(scope, search=True))]


ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.")


def _is_escaped(output: str) -> bool:
    """Whether an answer is JSON with escapes in its texts."""
    if "\\" not in output or not output.lstrip().startswith(("{", "[", '"')):
        return False
    try:
        msgspec.json.decode(output)
    except DecodeErrors:
        return False
    return True


def _contains(item: Any, output: str, scope: Scope) -> bool:
    spec = {"icontains": item} if item == "" else item  # refused: every text contains it
    is_keyword = item and isinstance(item, str)
    matcher = Contains(item, any_case=True) if is_keyword else compile_matcher(spec, scope)
    return matcher.score(output, len(scope.calls)) == 1.0


MOST_REPEATS = 1000
"""Maximum repetitions of a required call; beyond this, the comparison would take minutes."""


def refuse_unsound(golden: AnyGolden) -> None:
    """Raise `InputError` for the first contradiction."""
    for problem, hint in unsound(golden):
        raise InputError(f"golden '{golden.id}'", problem, hint)


def unsound(golden: AnyGolden) -> Iterator[tuple[str, str]]:
    """Each contradiction, and what to do about it."""
    sets = [("expected_calls", golden.expected_calls)]
    sets += [(f"any_of[{i}]", calls) for i, calls in enumerate(golden.any_of)]
    if any(any(call.required for call in calls) for _, calls in sets):
        if golden.no_calls:
            yield "no_calls is true, but calls are expected", "remove one of the two"
        if golden.category == "negative":
            yield (
                "a negative golden must not expect calls",
                "use category golden, or remove the expected calls",
            )
    for field, calls in sets:
        yield from _repeats(field, calls)
    if golden.extra_calls == "allow" and () in golden.any_of:
        place = list(golden.any_of).index(())
        yield f"any_of[{place}] expects no call and others are allowed, so anything passes", "remove it"


def _repeats(field: str, calls: Sequence[ExpectedCall]) -> Iterator[tuple[str, str]]:
    for i, call in enumerate(calls):
        if call.max is not None and call.max < call.min:
            hint = "list tools that must not be called in forbidden_calls" if call.max == 0 else ""
            yield f"{field}[{i}]: max {call.max} is less than min {call.min}", hint
        if call.min > MOST_REPEATS:
            yield f"{field}[{i}]: min may be at most {MOST_REPEATS:,}, got {call.min:,}", ""
