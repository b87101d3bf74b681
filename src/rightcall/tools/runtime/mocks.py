"""Mocks: canned results for tools, so that a suite has no side effects.

A suite says what each tool answers:

    mocks:
      get_weather: {result: {celsius: 21}}                       # always the same
      get_order:
        cases: [{args: {id: 17}, result: {status: sent}}]        # when the arguments include these …
        error: {error: not_found, detail: no such order}         # … and otherwise
      poll: {sequence: [{result: pending}, {result: done}]}      # in order; the last one repeats
      refund: {function: "my_pkg.mocks:refund"}                  # a Python function of the same arguments
      search: {generate: true}                                   # made from the tool's output schema
      charge: {real: true}                                       # the tool itself
      list_files: {goldens: {root-only: {result: []}}, result: [a.txt]}    # another answer for one golden

A tool without a mock gets a generated result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.options import described
from rightcall.files.python_object import load_object
from rightcall.tools.runtime.errors import Effect, Retry, ToolError, code_problem


class MockError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error of the contract that a mock answers with."""

    error: Annotated[str, described("error code, such as not_found")]
    detail: Annotated[str, described("what went wrong")] = ""
    hint: Annotated[str, described("what to do about it")] = ""
    effect: Annotated[Effect, described("whether the call had an effect")] = "none"
    retry: Annotated[Retry | None, described("whether and how to retry")] = None
    retry_after_s: Annotated[float | None, described("delay before a retry, in seconds")] = None

    def exception(self) -> ToolError:
        """The error as a tool would raise it."""
        detail = self.detail or self.error.replace("_", " ")
        return ToolError(**{**msgspec.structs.asdict(self), "detail": detail})


class MockCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer for calls whose arguments include `args`."""

    args: Annotated[dict[str, Any], described("arguments the call must include")]
    result: Annotated[Any, described("the result")] = msgspec.UNSET
    error: Annotated[MockError | None, described("the error")] = None


class Mock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one tool answers: one of result, error, sequence, function, generate and real."""

    result: Annotated[Any, described("the result of every call")] = msgspec.UNSET
    error: Annotated[MockError | None, described("the error of every call")] = None
    cases: Annotated[
        tuple[MockCase, ...], described("results by arguments; other fields apply to the rest")
    ] = ()
    sequence: Annotated[tuple[Any, ...], described("results in order; the last one repeats")] = ()
    function: Annotated[Any, described("module:function that computes the result")] = None
    generate: Annotated[bool, described("a result made from the tool's output schema")] = False
    real: Annotated[bool, described("run the tool itself")] = False
    goldens: Annotated[dict[str, Mock], described("another mock for single goldens, by id")] = {}
    delay_ms: Annotated[float, described("delay before the answer, in milliseconds")] = 0


def runs_for_real(mock: Any) -> bool:
    """Whether a mock, or the one of any golden, runs the tool itself."""
    if isinstance(mock, Mock):
        return mock.real or any(map(runs_for_real, mock.goldens.values()))
    if not isinstance(mock, Mapping):
        return False
    goldens = mock.get("goldens")
    return bool(mock.get("real")) or (
        isinstance(goldens, Mapping) and any(map(runs_for_real, goldens.values()))
    )


def tools_with_errors(mocks: Mapping[str, Any]) -> list[str]:
    """The tools whose mocks answer some calls with an error."""
    plans = {name: mock if isinstance(mock, Mock) else read_mock(mock, name) for name, mock in mocks.items()}
    return [name for name, mock in plans.items() if _has_error(mock)]


def _has_error(mock: Mock) -> bool:
    errors = [mock.error, *(answer.error for answer in (*mock.cases, *steps(mock)))]
    return any(error is not None for error in errors) or any(map(_has_error, mock.goldens.values()))


class MockPlan:
    """The mocks of a suite, checked against its tools when it is made.

    `mocks` maps a tool's name to a `Mock` or to its plain form. Raises `ConfigError` with every problem:
    unknown tools, unknown fields, unknown errors, functions that cannot be imported.
    """

    def __init__(self, mocks: Mapping[str, Any], tools: Iterable[str]) -> None:
        tool_names, problems = list(tools), []
        self._mocks: dict[str, Mock] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        for name, plain in mocks.items():
            where = f"mocks.{name}"
            if name not in tool_names:
                hint = suggestion(name, tool_names) or f"the tools are: {', '.join(tool_names) or 'none'}"
                problems.append(f"{where}: no such tool '{name}'; {hint}")
                continue
            try:
                self._mocks[name] = plain if isinstance(plain, Mock) else read_mock(plain, where)
                problems += self._check(name, self._mocks[name], where)
            except InputError as error:
                problems.append(f"{error}{_result_hint(plain)}")
        if problems:
            raise ConfigError(*problems)

    def find(self, tool: str, golden: str) -> Mock | None:
        """The mock of a tool for one golden, or None when it has none."""
        mock = self._mocks.get(tool)
        return mock.goldens.get(golden, mock) if mock is not None else None

    def function(self, mock: Mock) -> Callable[..., Any]:
        """The Python function of a mock that has one."""
        if callable(mock.function):
            return mock.function  # type: ignore[no-any-return]
        return self._functions[mock.function]

    def _check(self, name: str, mock: Mock, where: str) -> list[str]:
        problems = [
            f"{where}: {problem}"
            for error in (mock.error, *(case.error for case in (*mock.cases, *steps(mock))))
            if error is not None and (problem := code_problem(error.error, error.hint))
        ]
        answers = [mock.result is not msgspec.UNSET, mock.error is not None, bool(mock.sequence)]
        answers += [mock.function is not None, mock.generate, mock.real]
        if sum(answers) > 1:
            problems.append(f"{where}: several answers; use only one of result, error, sequence, function, …")
        if isinstance(mock.function, str):
            try:
                self._functions[mock.function] = import_function(mock.function)
            except ConfigError as error:
                problems.append(f"{where}: {error}")
        for golden, inner in mock.goldens.items():
            problems += self._check(name, inner, f"{where}.goldens.{golden}")
        return problems


def _result_hint(plain: Any) -> str:
    """How to write a result that was given in place of a mock; "" where the mock has a field that exists."""
    is_mock = isinstance(plain, Mapping) and not set(Mock.__struct_fields__).isdisjoint(plain)
    return "" if is_mock else "; what the tool returns goes under result: {result: …}"


def read_mock(plain: Any, where: str) -> Mock:
    mock = convert(plain, Mock, where)
    sequence = tuple(
        convert({"args": {}, **step}, MockCase, f"{where}.sequence[{i}]")
        if isinstance(step, dict) and step and step.keys() <= {"result", "error", "args"}
        else MockCase({}, step)
        for i, step in enumerate(mock.sequence)
    )
    return msgspec.structs.replace(mock, sequence=sequence)


def steps(mock: Mock) -> tuple[MockCase, ...]:
    """The steps of a sequence, each as a case."""
    return tuple(step if isinstance(step, MockCase) else MockCase({}, step) for step in mock.sequence)


def includes(arguments: Mapping[str, Any], required: Mapping[str, Any]) -> bool:
    """Whether the arguments contain every wanted value; 1 and 1.0 are one value, 1 and true are not."""
    return all(name in arguments and _same(arguments[name], value) for name, value in required.items())


def import_function(path: str) -> Callable[..., Any]:
    """The callable that `module:attribute` names."""
    function = load_object(path, "function")
    if not callable(function):
        raise ConfigError(f"function '{path}' is a {type(function).__name__}, not a function")
    return function  # type: ignore[no-any-return]


def _same(first: Any, other: Any) -> bool:
    if isinstance(first, bool) or isinstance(other, bool):
        return first is other
    if isinstance(first, list) and isinstance(other, list):
        return len(first) == len(other) and all(map(_same, first, other))
    if isinstance(first, dict) and isinstance(other, dict):
        return first.keys() == other.keys() and all(_same(first[name], other[name]) for name in first)
    return bool(first == other)
