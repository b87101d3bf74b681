"""Mocks: canned results for tools, so that a suite has no side effects.

A suite says what each tool answers:

    mocks:
      get_weather: {result: {celsius: 21}}                       # always the same
      get_order:
        cases: [{args: {id: 17}, result: {status: sent}}]        # when the arguments include these …
        error: {error: not_found, detail: no such order}         # … and otherwise
      poll: {sequence: [{result: pending}, {result: done}]}      # in order; the last one repeats
      refund: {function: "my_pkg.mocks:refund"}                  # a Python function of the same arguments
      charge: {real: true}                                       # the tool itself
      list_files: {goldens: {root-only: {result: []}}, result: [a.txt]}    # another answer for one golden
      "*": "my_agent:execute_tool"                               # every other tool, by (name, arguments)

A tool without a mock gets a generated result. With mocks an agent runs in a loop. A function must take the parameters
of its tool. What the model should read as a failure it raises as `rightcall.ToolError`; any other exception is a
mistake in the mock, which ends the run or makes the case an error.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.options import described
from rightcall.files.python_object import failure_place, load_object
from rightcall.records.tool import Tool
from rightcall.tools.definitions.function import call_function
from rightcall.tools.runtime.call_outcome import usable
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Abort, Effect, Retry, ToolError, code_problem

MISTAKES = (NameError, TypeError, AttributeError, ImportError)
"""What only a mistake in a mock raises from its own lines."""


EVERY = "*"
"""In place of a tool's name: a dispatcher, `module:function` or a function of a tool's name and its arguments."""
UNNAMED_ERROR = "failed"
"""The code of an error that a dispatcher describes in words."""


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
    """What one tool answers: one of result, error, sequence, function and real."""

    result: Annotated[Any, described("the result of every call")] = msgspec.UNSET
    error: Annotated[MockError | None, described("the error of every call")] = None
    cases: Annotated[
        tuple[MockCase, ...], described("results by arguments; other fields apply to the rest")
    ] = ()
    sequence: Annotated[tuple[Any, ...], described("results in order; the last one repeats")] = ()
    function: Annotated[Any, described("module:function that computes the result")] = None
    real: Annotated[bool, described("run the tool itself")] = False
    goldens: Annotated[dict[str, Mock], described("another mock for single goldens, by id")] = {}


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
    named = {name: mock for name, mock in mocks.items() if name != EVERY}
    plans = {name: mock if isinstance(mock, Mock) else read_mock(mock, name) for name, mock in named.items()}
    return [name for name, mock in plans.items() if _has_error(mock)]


def _has_error(mock: Mock) -> bool:
    errors = [mock.error, *(answer.error for answer in (*mock.cases, *steps(mock)))]
    return any(error is not None for error in errors) or any(map(_has_error, mock.goldens.values()))


class MockPlan:
    """The mocks of a suite, checked against its tools when it is made.

    `mocks` maps a tool's name to a `Mock` or to its plain form. `runtime_only` are the parameters by tool that the
    runtime reads and a function need not take. Raises `ConfigError` with every problem: unknown tools, unknown fields,
    unknown errors, results that are not JSON or do not fit their schema, functions that cannot be imported or called.
    """

    def __init__(
        self,
        mocks: Mapping[str, Any],
        tools: Iterable[Tool],
        runtime_only: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._runtime_only = runtime_only or {}
        tool_names = list(self._tools)
        problems = []
        self._mocks: dict[str, Mock] = {}
        self._functions: dict[str, Callable[..., Any]] = {}
        self._dispatcher: Callable[..., Any] | None = None
        for name, plain in mocks.items():
            where = f"mocks.{name}"
            if name == EVERY:
                try:
                    self._dispatcher = _read_dispatcher(plain)
                except ConfigError as error:
                    problems.append(f"{where}: {error}")
                continue
            if name not in tool_names:
                hint = suggestion(name, tool_names) or f"the tools are: {', '.join(tool_names) or 'none'}"
                problems.append(f"{where}: no such tool '{name}'; {hint}")
                continue
            try:
                self._mocks[name] = plain if isinstance(plain, Mock) else read_mock(plain, where)
                problems += self._check(self._tools[name], self._mocks[name], where)
            except InputError as error:
                problems.append(f"{error}{_result_hint(plain)}")
        if problems:
            raise ConfigError(*problems)

    def find(self, tool: str, golden: str) -> Mock | None:
        """The mock of a tool for one golden, or None when it has none."""
        mock = self._mocks.get(tool)
        if mock is None:
            return Mock(function=self._dispatcher) if self._dispatcher is not None else None
        return mock.goldens.get(golden, mock)

    async def call(self, tool: Tool, mock: Mock, arguments: dict[str, Any], context: CallContext) -> Any:
        """What the function of a mock returns. Only `ToolError` and `Abort` are answers of a tool.

        Any other exception, or a result that is none, is a mistake in the mock: it ends the trial, which then shows
        nothing about the agent.
        """
        function = mock.function if callable(mock.function) else self._functions[mock.function]
        words = _words_for(function, arguments, self._runtime_only.get(tool.name, frozenset()))
        call = partial(function, **words)
        if self._dispatcher is not None and function is self._dispatcher:
            call = partial(_dispatch, function, tool.name, arguments)
        try:
            result = await call_function(call)
        except (ToolError, Abort):
            raise
        except Exception as error:
            place, is_own = failure_place(function, error)
            problem = f"mocks.{tool.name}: {_name_of(function)} raised {type(error).__name__}: {error}{place}"
            hint = 'raise rightcall.ToolError("not_found", "…") for what the model should read'
            is_mistake = is_own and isinstance(error, MISTAKES)
            raise context.end_trial(
                problem if is_mistake else f"{problem}; {hint}", ends_run=is_mistake
            ) from error
        if problem := _result_problem(tool, result):
            raise context.end_trial(f"mocks.{tool.name}: {_name_of(function)}: {problem}", ends_run=False)
        return result

    def _check(self, tool: Tool, mock: Mock, where: str) -> list[str]:
        problems = [
            f"{where}: {problem}"
            for error in (mock.error, *(case.error for case in (*mock.cases, *steps(mock))))
            if error is not None and (problem := code_problem(error.error, error.hint))
        ]
        answers = [mock.result is not msgspec.UNSET, mock.error is not None, bool(mock.sequence)]
        answers += [mock.function is not None, mock.real]
        if sum(answers) > 1:
            problems.append(f"{where}: several answers; use only one of result, error, sequence, function, …")
        results = [mock.result, *(case.result for case in (*mock.cases, *steps(mock)))]
        for result in results:
            if result is not msgspec.UNSET and (problem := _result_problem(tool, result)):
                problems.append(f"{where}: {problem}")
        function = mock.function
        if isinstance(function, str):
            try:
                function = self._functions[mock.function] = import_function(mock.function)
            except ConfigError as error:
                problems.append(f"{where}: {error}")
        if callable(function):
            runtime_only = self._runtime_only.get(tool.name, frozenset())
            problems += [f"{where}: {problem}" for problem in _call_problems(function, tool, runtime_only)]
        for golden, inner in mock.goldens.items():
            problems += self._check(tool, inner, f"{where}.goldens.{golden}")
        return problems


def _read_dispatcher(plain: Any) -> Callable[..., Any]:
    """The function that runs any tool; an error unless it can be called with a name and arguments."""
    function = plain.get("function") if isinstance(plain, Mapping) else plain
    if isinstance(function, str):
        function = import_function(function)
    if not callable(function):
        raise ConfigError("a dispatcher is module:function or a function (name, arguments)")
    try:
        inspect.signature(function).bind("name", {})
    except TypeError:
        raise ConfigError(
            f"{_name_of(function)} must take a tool's name and its arguments: (name, arguments)"
        ) from None
    except ValueError:  # written in C
        pass
    return function


def _dispatch(function: Callable[..., Any], tool: str, arguments: dict[str, Any]) -> Any:
    """What a dispatcher answers. A JSON text with an error in it is a tool error, as agents return them."""
    result = function(tool, arguments)
    try:
        answer = msgspec.json.decode(result) if isinstance(result, str) else result
    except msgspec.DecodeError:
        return result
    if not isinstance(answer, dict) or not isinstance(answer.get("error"), str) or not answer["error"]:
        return result
    text = answer["error"]
    hint = str(answer.get("hint") or "")
    detail = str(answer.get("detail") or answer.get("message") or text)
    if code_problem(text, hint):
        raise ToolError(UNNAMED_ERROR, detail, hint=hint or "correct the call, or tell the user")
    raise ToolError(text, detail, hint=hint)


def _result_problem(tool: Tool, result: Any) -> str:
    """Why a value cannot be the result of a tool; empty when it can."""
    _, error = usable(tool, result, most_bytes=sys.maxsize, effect="none")
    return "" if error is None else error.detail


def _call_problems(function: Callable[..., Any], tool: Tool, runtime_only: frozenset[str]) -> Iterator[str]:
    """Why some calls of a tool that fit its schema cannot be made of a function."""
    parameters = _parameters(function)
    if parameters is None:
        return
    of_tool = [name for name in tool.parameters if name not in runtime_only]
    has_default = {
        name for name in of_tool if name in tool.input_schema.get("required", ()) or name in tool.defaults()
    }
    for parameter in parameters.values():
        name = parameter.name
        is_needed = parameter.default is parameter.empty
        if not is_needed or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if parameter.kind is parameter.POSITIONAL_ONLY:
            yield f"{_name_of(function)} takes '{name}' by position, and arguments are passed by name"
        elif tool.lacks(name):
            near = suggestion(name, of_tool) or f"the parameters are: {', '.join(of_tool) or 'none'}"
            yield f"{_name_of(function)} needs '{name}', which {tool.name} does not have; {near}"
        elif name in of_tool and name not in has_default:
            yield f"{_name_of(function)} needs '{name}', which a call of {tool.name} may leave out; give it a default"
    surplus = [name for name in of_tool if not _takes(parameters, name)]
    if surplus:
        yield f"{_name_of(function)} does not take '{surplus[0]}', a parameter of {tool.name}; add it, or **others"


def _words_for(
    function: Callable[..., Any], arguments: dict[str, Any], runtime_only: frozenset[str]
) -> dict[str, Any]:
    """The arguments for a function, without those for the runtime that it does not take."""
    parameters = _parameters(function) if runtime_only else None
    if parameters is None:
        return arguments
    return {
        name: value
        for name, value in arguments.items()
        if name not in runtime_only or _takes(parameters, name)
    }


def _takes(parameters: Mapping[str, inspect.Parameter], name: str) -> bool:
    named = parameters.get(name)
    if named is not None and named.kind in (named.POSITIONAL_OR_KEYWORD, named.KEYWORD_ONLY):
        return True
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter] | None:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # written in C
        return None


def _name_of(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


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
