"""What an agent takes besides the text, by the keys of `with`: dependencies, context, state, constructor arguments.

A function or a class is called once for each trial; with a parameter `labels` it receives the golden's `id`, `tags` and
`metadata`, never what is expected. The code after the `yield` of a generator runs when the trial ends. All of that is
in the thread of the agent: SQLite's connections are used where they were opened. Any other value is copied for each
trial, if it can be copied.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from functools import partial
from types import NoneType
from typing import Any, get_args, is_typeddict

from rightcall.agents.callable_agent import call_in, detached
from rightcall.core.errors import ConfigError, contain_exits, suggestion
from rightcall.core.event_loop.worker_threads import TrialThread
from rightcall.datasets.review import KEY, PROPOSAL
from rightcall.files.python_object import failure_place
from rightcall.records.golden import AnyGolden

LABELS = "labels"
EXAMPLE = "MODULE:FUNCTION"
ENDED = object()
"""What a generator gives when it has ended."""


class TrialValues:
    """The values of one trial, made when it begins and ended with it; `parameters` are the declared types."""

    def __init__(
        self,
        values: Mapping[str, Any],
        parameters: Mapping[str, Any],
        golden: AnyGolden,
        thread: TrialThread,
    ) -> None:
        self._values = values
        self._parameters = parameters
        self._golden = golden
        self._thread = thread
        self._generators: list[tuple[str, Any, AsyncGenerator[Any] | Generator[Any]]] = []
        self.by_name: dict[str, Any] = {}

    async def make(self) -> dict[str, Any]:
        """The values by their keys; made once."""
        if self.by_name:
            return self.by_name
        try:
            for name, value in self._values.items():
                declared = self._parameters.get(name, Any)
                self.by_name[name] = as_declared(name, await self._value(name, value), declared)
        except BaseException:
            await self.end()
            raise
        return self.by_name

    async def end(self) -> None:
        """Run what follows the `yield` of generators, the last one first."""
        while self._generators:
            name, function, generator = self._generators.pop()
            try:
                await self._next(generator)
            except Exception as error:
                raise self._failure(name, function, error) from error

    async def _value(self, name: str, value: Any) -> Any:
        if not _is_called(value):
            return detached(value)
        words = {LABELS: labels_of(self._golden)} if LABELS in _parameters_of(value) else {}
        try:
            if inspect.isgeneratorfunction(value) or inspect.isasyncgenfunction(value):
                generator = value(**words)
                self._generators.append((name, value, generator))
                return await self._next(generator)
            return await call_in(self._thread, partial(value, **words))
        except Exception as error:
            raise self._failure(name, value, error) from error

    async def _next(self, generator: AsyncGenerator[Any] | Generator[Any]) -> Any:
        """What a generator yields next. An async one runs in the task of the trial, as what it opens may demand."""
        if not inspect.isasyncgen(generator):
            return await self._thread.run(partial(next, generator, ENDED))
        with contain_exits():
            return await anext(generator, ENDED)

    def _failure(self, name: str, function: Any, error: Exception) -> ConfigError:
        problem = (
            f"{_name_of(function)}{failure_place(function, error)[0]} raised {type(error).__name__}: {error}"
        )
        return ConfigError(f"with.{name}: {problem} (golden '{self._golden.id}')")


def value_problems(values: Mapping[str, Any], parameters: Mapping[str, Any], agent: str) -> Iterator[str]:
    """What is wrong with the values of an agent that takes `parameters`: unknown keys, wrong types."""
    for name, value in values.items():
        if name not in parameters:
            names = ", ".join(parameters) or "nothing besides the text"
            hint = suggestion(name, list(parameters)) or f"it takes {names}"
            yield f"with.{name}: {agent} takes no '{name}'; {hint}"
        elif _is_called(value):
            yield from _call_problems(name, value)
        else:
            try:
                as_declared(name, detached(value), parameters[name])
            except ConfigError as error:
                yield from error.problems


def parameters_without_default(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters without which an agent does not run: their types do not include None."""
    return {name: declared for name, declared in parameters.items() if not _includes_none(declared)}


def type_name(declared: Any) -> str:
    """A declared type for a message: `SupportDependencies`."""
    return declared.__name__ if isinstance(declared, type) else str(declared)


def example_value(declared: Any) -> str:
    """What to write under `with` for a type: `{}` when nothing has to be stated."""
    if declared is Any or not isinstance(declared, type):
        return EXAMPLE
    try:
        inspect.signature(declared).bind()
    except (TypeError, ValueError):
        return EXAMPLE
    return EXAMPLE if getattr(declared, "__required_keys__", ()) else "{}"


def as_declared(name: str, value: Any, declared: Any) -> Any:
    """The value, or the object of the declared class that a JSON object describes."""
    if not isinstance(declared, type) or is_typeddict(declared) or declared.__module__ == "builtins":
        return value
    try:
        if value is None or isinstance(value, declared):
            return value
    except TypeError:  # a protocol that cannot be checked
        return value
    if isinstance(value, dict):
        try:
            return declared(**value)
        except Exception as error:  # a class of the user
            problem = f"{type(error).__name__}: {error}"
            raise ConfigError(f"with.{name} does not describe a {type_name(declared)}: {problem}") from None
    if isinstance(value, str | int | float | list):
        raise ConfigError(
            f"with.{name} must be a {type_name(declared)}, got {value!r:.80}; write the fields of one,"
            " or MODULE:FUNCTION that returns it"
        )
    return value


def labels_of(golden: AnyGolden) -> dict[str, Any]:
    """What a function under `with` may know of its golden."""
    metadata = {name: value for name, value in golden.metadata.items() if name not in (KEY, PROPOSAL)}
    return {"id": golden.id, "tags": list(golden.tags), "metadata": detached(metadata)}


def _is_called(value: Any) -> bool:
    """Whether a value makes the value of a trial; an object that happens to be callable is one."""
    return inspect.isroutine(value) or inspect.isclass(value) or isinstance(value, partial)


def _call_problems(name: str, function: Any) -> Iterator[str]:
    required = [
        parameter.name
        for parameter in _parameters_of(function).values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and parameter.name != LABELS
    ]
    if required:
        yield (
            f"with.{name}: {_name_of(function)} needs {', '.join(required)}; it is called for each trial"
            f" without arguments, or with `{LABELS}`: the golden's id, tags and metadata"
        )


def _parameters_of(function: Any) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _includes_none(declared: Any) -> bool:
    if declared is Any or NoneType in get_args(declared):
        return True
    try:
        return isinstance(declared, type) and issubclass(NoneType, declared)
    except TypeError:  # a protocol that cannot be checked
        return False


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", None) or repr(function)
