"""How calls differ from what a golden expects: tools, and arguments one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import MISSING, Scope
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.metrics.matching.expectation import fits, pattern_text
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, Golden
from rightcall.run.rehearsal.toolset import Toolset


class ArgumentDifference(NamedTuple):
    """One argument that is not as expected: `expected` is the golden's matcher, `MISSING` when it has none."""

    path: str
    tool: str
    parameter: str
    expected: Any
    actual: Any


class CallDifference(NamedTuple):
    """What calls have that a golden does not expect: other arguments, expected tools missing, other tools called."""

    arguments: tuple[ArgumentDifference, ...] = ()
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return len(self.arguments) + 100 * (len(self.missing) + len(self.extra))

    @property
    def one_argument(self) -> ArgumentDifference | None:
        """The argument in which alone they differ; None when there is more or less."""
        return self.arguments[0] if self.size == 1 else None

    @property
    def other_tool(self) -> tuple[str, str] | None:
        """The expected tool and the one called instead, when only these two differ in name."""
        return (self.missing[0], self.extra[0]) if len(self.missing) == len(self.extra) == 1 else None


def difference_from(golden: AnyGolden, calls: Sequence[ToolCall], toolset: Toolset) -> CallDifference:
    """The smallest difference from one of the golden's alternatives."""
    differences = [_difference(expected, calls, golden, toolset) for _, expected in alternatives_of(golden)]
    return min(differences, key=lambda difference: difference.size)


def alternatives_of(golden: AnyGolden) -> Iterator[tuple[str, list[tuple[str, ExpectedCall]]]]:
    """Every set of expected calls that will do, each call with its path in the golden."""
    own = _with_paths("expected_calls", golden.expected_calls)
    for number, turn in enumerate(golden.turns):
        own += _with_paths(f"turns[{number}].expected_calls", turn.expected_calls or ())
    if own or not golden.any_of:
        yield "expected_calls", own
    for number, calls in enumerate(golden.any_of):
        yield f"any_of[{number}]", _with_paths(f"any_of[{number}]", calls)


def argument_demands(golden: AnyGolden) -> Iterator[tuple[str, str, str, Any]]:
    """Every argument that all alternatives demand of a required call: its path, tool, parameter and matcher.

    Nothing where the golden has alternatives: what one of them demands is demanded of nobody.
    """
    alternatives = list(alternatives_of(golden))
    if len(alternatives) != 1:
        return
    for path, call in alternatives[0][1]:
        if call.required and isinstance(call.tool, str):
            for name, spec in (call.args or {}).items():
                yield path, call.tool, name, spec


def fills_defaults(golden: AnyGolden) -> bool:
    """Whether scoring fills in the defaults of a schema."""
    return not isinstance(golden, Golden) or golden.defaults == "apply"


def accepts(spec: Any, value: Any) -> bool:
    """Whether a golden's matcher accepts a value, or its absence; one that nobody can ask here accepts anything."""
    try:
        return compile_matcher(spec, Scope()).score(value, 0) >= 1.0
    except (InputError, TypeError, ValueError):
        return True


def _with_paths(field: str, calls: Sequence[ExpectedCall]) -> list[tuple[str, ExpectedCall]]:
    return [(f"{field}[{number}]", call) for number, call in enumerate(calls)]


def _difference(
    expected: Sequence[tuple[str, ExpectedCall]],
    calls: Sequence[ToolCall],
    golden: AnyGolden,
    toolset: Toolset,
) -> CallDifference:
    pairs = []
    for index, (path, expectation) in enumerate(expected):
        for at, call in enumerate(calls):
            if _fits(expectation, call.name):
                arguments = tuple(_argument_differences(path, expectation, call, golden, toolset=toolset))
                pairs.append((len(arguments), index, at, arguments))
    matched: set[int] = set()
    answered: set[int] = set()
    differences: list[ArgumentDifference] = []
    for _, index, at, arguments in sorted(pairs, key=lambda pair: pair[:3]):
        if index not in matched and at not in answered:
            matched.add(index)
            answered.add(at)
            differences += arguments
    missing = tuple(
        pattern_text(expectation.tool)
        for index, (_, expectation) in enumerate(expected)
        if index not in matched and expectation.required
    )
    allowed = golden.extra_calls == "allow"
    extra = tuple(
        call.name for at, call in enumerate(calls) if at not in answered and not (allowed and matched)
    )
    return CallDifference(tuple(differences), missing, extra)


def _fits(expectation: ExpectedCall, name: str) -> bool:
    try:
        return fits(expectation.tool)(name)
    except InputError:
        return False


def _argument_differences(
    path: str, expectation: ExpectedCall, call: ToolCall, golden: AnyGolden, toolset: Toolset
) -> Iterator[ArgumentDifference]:
    if expectation.args is None:
        return
    tool = toolset.tools.get(call.name)
    defaults = tool.defaults() if tool and fills_defaults(golden) else {}
    arguments = call.arguments or {}
    for name, spec in expectation.args.items():
        value = arguments.get(name, defaults.get(name, MISSING))
        if not accepts(spec, value):
            actual = arguments.get(name, MISSING)
            yield ArgumentDifference(f"{path}.args.{name}", call.name, name, spec, actual=actual)
    if expectation.extra_args == "forbid":
        for name, value in arguments.items():
            if name not in expectation.args and not (name in defaults and defaults[name] == value):
                yield ArgumentDifference(f"{path}.args.{name}", call.name, name, MISSING, actual=value)
