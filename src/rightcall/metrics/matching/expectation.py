"""Expected calls, made ready to be compared with actual ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rightcall.errors import InputError, suggestion
from rightcall.metrics.matching.base import MISSING, Matcher, Scope
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.metrics.matching.equality import same
from rightcall.model.call import ToolCall
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool

NO_DEFAULTS: dict[str, Any] = {}


class Slot:
    """One place for one actual call. An expected call that may repeat has several slots."""

    __slots__ = ("call", "defaults", "fits", "forbidden", "index", "matchers", "required", "specs")

    def __init__(
        self,
        call: ExpectedCall,
        index: int,
        required: bool,
        matchers: dict[str, Matcher] | None,
        defaults: Callable[[str], dict[str, Any]],
    ) -> None:
        self.call, self.index, self.required = call, index, required
        self.matchers, self.specs, self.defaults = matchers, call.args or {}, defaults
        self.forbidden = frozenset(call.forbidden_args)
        self.fits = fits(call.tool)

    def argument_score(self, actual: ToolCall, at: int) -> float:
        """Dice of expected and actual arguments: 2·Σ matcher / (|Ke| + |Ka| + |A0|); see `docs/scoring.md`."""
        arguments = actual.arguments
        if arguments is None:
            return 0.0
        matchers = self.matchers
        if matchers is None:
            return 1.0
        total, absent = 0.0, 0
        for name, matcher in matchers.items():
            value = arguments.get(name, MISSING)
            score = matcher.score(value, at)
            if value is MISSING:
                score = score or self._default_score(name, matcher, actual, at)
                absent += score > 0
            total += score
        size = len(matchers) + absent + len(arguments)
        size -= sum(1 for name in arguments if name not in matchers and not self.is_extra(name, actual))
        return 2 * total / size if size else 1.0

    def _default_score(self, name: str, matcher: Matcher, actual: ToolCall, at: int) -> float:
        default = self.defaults(actual.name).get(name, MISSING)
        return 0.0 if default is MISSING else matcher.score(default, at)

    def is_extra(self, name: str, actual: ToolCall) -> bool:
        """Whether an argument that nobody expected counts: not when ignored, not when it is the default."""
        if self.call.extra_args == "ignore":
            return False
        defaults = self.defaults(actual.name)
        return not (name in defaults and same(defaults[name], (actual.arguments or {})[name]))

    def is_strict(self, actual: ToolCall, argument_score: float) -> bool:
        return argument_score == 1.0 and not (self.forbidden and self.forbidden & (actual.arguments or {}).keys())


def fits(pattern: Any) -> Callable[[str], bool]:
    """Whether a tool's name is what a pattern asks for."""
    if isinstance(pattern, str):
        return pattern.__eq__
    if isinstance(pattern, dict):
        from rightcall.tools.validate import fullmatch

        if pattern.keys() != {"regex"}:
            raise InputError("", "tool must be a name, a list of names or {\"regex\": …}")
        return fullmatch(pattern["regex"])
    return frozenset(pattern).__contains__


def pattern_text(pattern: Any) -> str:
    """A tool pattern as a person would say it."""
    if isinstance(pattern, str):
        return pattern
    return f"/{pattern['regex']}/" if isinstance(pattern, dict) else " or ".join(pattern)


def make_slots(
    golden: Golden, expected: Sequence[ExpectedCall], calls: Sequence[ToolCall], tools: Mapping[str, Tool], scope: Scope
) -> list[Slot]:
    """The slots of one alternative, matchers compiled; repeats beyond the number of actual calls are cut off."""
    known_defaults: dict[str, dict[str, Any]] = {}

    def defaults(tool: str) -> dict[str, Any]:
        if golden.defaults == "strict" or tool not in tools:
            return NO_DEFAULTS
        return known_defaults.setdefault(tool, tools[tool].defaults())

    slots: list[Slot] = []
    for index, call in enumerate(expected):
        try:
            matchers = _matchers(call, tools, scope)
        except InputError as error:
            raise InputError(f"expected_calls[{index}]", error.problem, error.hint) from None
        least = call.min if call.required else 0
        most = max(call.min, 1) if call.max is None else call.max
        most = max(least, min(most, least + len(calls)))
        slots += [Slot(call, index, i < least, matchers, defaults) for i in range(most)]
    return slots


def _matchers(call: ExpectedCall, tools: Mapping[str, Tool], scope: Scope) -> dict[str, Matcher] | None:
    if call.args is None:
        return None
    tool = tools.get(call.tool) if isinstance(call.tool, str) else None
    parameters = tool.parameters if tool and scope.by_schema else {}
    return {name: compile_matcher(spec, scope, parameters.get(name)) for name, spec in call.args.items()}


def call_ids(expected: Sequence[ExpectedCall]) -> dict[str, int]:
    """Position of each expected call that has an id."""
    return {call.id: index for index, call in enumerate(expected) if call.id}


def predecessors(expected: Sequence[ExpectedCall]) -> list[set[int]]:
    """For each expected call all that must come strictly before it, directly or through others."""
    ids = call_ids(expected)
    direct = [{_known(ids, name, i) for name in call.after} for i, call in enumerate(expected)]
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
            raise InputError(f"expected_calls[{start}]", "'after' goes round in a circle", "remove one of the edges")
        before.append(seen)
    return before


def _known(ids: dict[str, int], name: str, index: int) -> int:
    if name not in ids:
        hint = suggestion(name, ids) or f"ids here: {', '.join(ids) or 'none'}"
        raise InputError(f"expected_calls[{index}].after", f"there is no expected call with the id '{name}'", hint)
    return ids[name]
