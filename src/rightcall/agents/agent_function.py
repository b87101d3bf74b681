"""How a user's function is called: what its parameters get of the text, the golden, the earlier turns, the trial's id.

    def answer(question: str) -> str: ...                what the user says, whatever the parameter is called
    def answer(question, history): ...                   and what was said before, in a single turn nothing
    def answer(question, thread_id): ...                 and an id of the trial
    def answer(golden): ...                              the golden, also where a parameter is annotated `Golden`

The first parameter that is none of the others gets the text; those that `with` names get its values. A class is made
for each trial, with the arguments that `with` names; `self` of a method of a class is a value of `with`. An agent that
takes only a golden holds a conversation itself; every other one is called for each turn. What else has no default is a
broken setup.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import sys
import sysconfig
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from traceback import walk_tb
from typing import Any, Literal, get_type_hints
from uuid import uuid4

import msgspec

from rightcall.agents.callable_agent import as_trajectory, call_in, detached, is_async
from rightcall.agents.limits import Limits
from rightcall.agents.observed.provider_outage import is_broken_setup, stop_of_exception, unreached_host
from rightcall.agents.pool import LagMeter
from rightcall.agents.trial_values import TrialValues
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.event_loop.worker_threads import TrialThread
from rightcall.recording.first_requests import TRIAL, WatchedTrial
from rightcall.records.dialects.endings import UnfinishedAnswerError
from rightcall.records.golden import AnyGolden, Turn, request_of
from rightcall.records.message import Message
from rightcall.records.trajectory import Trajectory, limit_trajectory_depth
from rightcall.tools.runtime.toolbox import Toolbox

Role = Literal["text", "golden", "history", "turns", "thread"]

NAMED: Mapping[str, Role] = {
    "history": "history",
    "messages": "history",
    "conversation_history": "history",
    "turns": "turns",
    "thread_id": "thread",
    "session_id": "thread",
}
"""Parameters that have a meaning by their name, unless one of them is the only parameter."""

INSTANCE = "self"
"""The object whose method a function of a class is."""

NOT_OF_USERS = (
    str(Path(__file__).parents[1]),
    *map(sysconfig.get_path, ("stdlib", "purelib", "platlib")),
    "<frozen",
)
"""Where the code is that is no user's: RightCall, Python, and what is installed."""

GOLDEN_TYPE = re.compile(r"\b(?:Any|Conversational)?Golden\b")
BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)
FURTHER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class AgentFunction:
    """A function, a callable object or a class of the user, and what each of its parameters gets."""

    function: Callable[..., Any]
    parameters: Mapping[str, Role]
    by_place: frozenset[str] = frozenset()
    """Parameters that cannot be given by name."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """What `with` states; in a trial, the values of the trial."""
    trial_values: TrialValues | None = None
    thread: TrialThread | None = None
    """Of a trial in which values or an instance were made: what blocks in it stays in one thread."""

    @classmethod
    def of(cls, function: Callable[..., Any], values: Mapping[str, Any] = {}) -> AgentFunction:
        """The function as an agent; `ConfigError` names the parameters that nothing provides."""
        parameters = _parameters(function)
        if parameters is None:  # a builtin: it takes what it takes
            return cls(function, {"": "text"}, frozenset({""}))
        if inspect.isclass(function):
            arguments = _signature(function) or ()
            if needed := [name for name in _names_without_default(arguments) if name not in values]:
                raise ConfigError(_missing_values_text(function, arguments, needed))
        else:
            parameters = tuple(p for p in parameters if p.name not in values)
        roles = _roles(parameters)
        missing = [name for name in _names_without_default(parameters) if name not in roles]
        if missing:
            raise ConfigError(_missing_values_text(function, parameters, missing))
        if not {"text", "golden"} & {*roles.values()}:
            raise ConfigError(
                f"{_function_name(function)} takes no text; an agent is called with what the user says"
            )
        return cls(function, roles, frozenset(p.name for p in parameters if p.kind in BY_PLACE), values)

    @property
    def takes_turns(self) -> bool:
        """Whether it is called for each turn; one that takes only a golden holds a conversation itself."""
        return {*self.parameters.values()} != {"golden"}

    async def begin(self, golden: AnyGolden) -> AgentFunction:
        """The same agent for one trial: with its values, or a new instance where the user gave a class."""
        if not self.values and not inspect.isclass(self.function):
            return self
        thread = TrialThread(of_loop=is_async(self.function))
        trial_values = TrialValues(self.values, further_parameters(self.function), golden, thread)
        begun = replace(self, trial_values=trial_values, thread=thread)
        try:
            values = await trial_values.make()
            if not inspect.isclass(self.function):
                return replace(begun, values=values)
            return replace(begun, function=await thread.run(partial(self.function, **values)), values={})
        except BaseException:
            await begun.end()
            raise

    async def end(self) -> None:
        """The trial is over."""
        try:
            if self.trial_values is not None:
                await self.trial_values.end()
        finally:
            if self.thread is not None:
                self.thread.leave()

    async def call(
        self, text: str, golden: AnyGolden, *, earlier: Sequence[Message] = (), thread: str = ""
    ) -> Any:
        """What the function returns for one turn, or for the whole golden."""
        values = [
            (name, self._value(role, text, golden, earlier=earlier, thread=thread))
            for name, role in self.parameters.items()
        ]
        places = [value for name, value in values if name in self.by_place]
        words = {name: value for name, value in values if name not in self.by_place}
        return await call_in(self.thread, self.function, *places, **words, **self.values)

    def _value(
        self, role: Role, text: str, golden: AnyGolden, *, earlier: Sequence[Message], thread: str
    ) -> Any:
        if role == "text":
            return text
        if role == "golden":
            return detached(golden)
        if role == "thread":
            return thread or uuid4().hex
        if role == "history":
            return [{"role": m.role, "content": m.content} for m in _dialogue(earlier)]
        return [Turn("user" if m.role == "user" else "assistant", m.content) for m in _dialogue(earlier)]


class UnreadableAnswerError(Exception):
    """What a function returned cannot be read; `kind` is its type."""

    def __init__(self, problem: str, kind: str) -> None:
        super().__init__(problem)
        self.kind = kind


class UserAgent:
    """Runs a function once for a golden, in a thread when it is not async.

    `as_trajectory` says what it may return. An exception and a result that cannot be read are the agent's failures, not
    of the run.
    """

    def __init__(self, function: AgentFunction, limits: Limits, lag: LagMeter, toolbox: Toolbox) -> None:
        self._function = function
        self._limits = limits
        self._lag = lag
        self._toolbox = toolbox

    async def perform(self, golden: AnyGolden, trial: int) -> Trajectory:
        before = self._lag.so_far()
        deadline = asyncio.timeout(self._limits.seconds)
        try:
            returned, taken = await self._call(golden, deadline)
        except ConfigError:  # a value of `with` cannot be made
            raise
        except Exception as error:
            if deadline.expired():
                return Trajectory(stop_reason="limit", error=f"more than {self._limits.seconds:g} seconds")
            stop, text = stop_of_exception(error)
            return with_cause(Trajectory(stop_reason=stop, error=text), error)
        if isinstance(watched := TRIAL.get(), WatchedTrial):
            watched.returned_text = isinstance(returned, str)
        try:
            trajectory = limit_trajectory_depth(as_trajectory(returned))
        except UnfinishedAnswerError as error:
            return Trajectory(stop_reason="infra_error", error=str(error)[:500])
        except InputError as error:
            cause = type(returned).__name__
            return Trajectory(stop_reason="unreadable", error=str(error)[:500], cause=cause)
        for _, layer in self._toolbox.layers_of(golden):
            trajectory = layer.note_golden(golden, trajectory)
        if trajectory.latency_ms is None:
            lag = min(taken, round((self._lag.so_far() - before) * 1000, 3))
            trajectory = msgspec.structs.replace(trajectory, latency_ms=taken, lag_ms=lag)
        return trajectory

    async def _call(self, golden: AnyGolden, deadline: asyncio.Timeout) -> tuple[Any, float]:
        """What the function returns in a new trial, and the milliseconds that it took."""
        function = await self._function.begin(golden)
        try:
            started = time.perf_counter()
            async with deadline:
                returned = await function.call(request_of(golden), golden)
            return returned, round((time.perf_counter() - started) * 1000, 3)
        finally:
            await function.end()


def further_parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """What `with` may name: the arguments of a class, or the parameters of a function, with their types."""
    try:
        hints = get_type_hints(function.__init__ if inspect.isclass(function) else function)
    except Exception:  # annotations are code of the user
        hints = {}
    hints[INSTANCE] = _class_of_method(function)
    parameters = _signature(function) or ()
    return {p.name: hints.get(p.name, Any) for p in parameters if p.kind not in (*FURTHER, p.POSITIONAL_ONLY)}


def required_arguments(function: Callable[..., Any]) -> dict[str, Any]:
    """What `with` has to name, with the types: what has no default, and nothing else provides."""
    parameters = (_signature(function) if inspect.isclass(function) else _parameters(function)) or ()
    provided = {} if inspect.isclass(function) else _roles(parameters)
    types = further_parameters(function)
    return {name: types.get(name, Any) for name in _names_without_default(parameters) if name not in provided}


def naming_hint(value: Any, name: str) -> str:
    """Which methods of a class or an object an agent may be named by; empty when none takes a text.

    `name` is that of the class or the object.
    """
    kind = value if inspect.isclass(value) else type(value)
    methods = ((method, function) for method, function in vars(kind).items() if inspect.isfunction(function))
    named = [
        f"{name}.{method}"
        for method, function in methods
        if method[:1] != "_" and len(_names_without_default(_signature(function) or ())) > 1
    ]
    return f"name the method that gets the text ({', '.join(named)}), or add __call__" if named else ""


def with_cause(trajectory: Trajectory, error: BaseException | None) -> Trajectory:
    """The trajectory that an exception ended, with its cause, or with the host that could not be reached."""
    if error is None:
        return trajectory
    if isinstance(error, UnreadableAnswerError):
        return msgspec.structs.replace(trajectory, cause=error.kind)
    place = _place_of(error)
    if trajectory.stop_reason != "infra_error" or is_broken_setup(error):
        cause = f"{type(error).__name__} at {place}" if place else ""
        return msgspec.structs.replace(trajectory, cause=cause)
    text = f"{trajectory.error} ({place})" if place else trajectory.error
    return msgspec.structs.replace(trajectory, error=text, unreached=unreached_host(error))


def _place_of(error: BaseException) -> str:
    """The last file and line of the user's code that an exception passed; empty without one."""
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if not file.startswith(NOT_OF_USERS):
            place = Path(file)
            with suppress(OSError, ValueError):  # the working folder is gone; the file lies elsewhere
                place = place.relative_to(Path.cwd())
            return f"{place}:{line} in {frame.f_code.co_name}"
    return ""


def _dialogue(messages: Sequence[Message]) -> list[Message]:
    """What user and agent said to each other; a message that only calls tools is none."""
    return [m for m in messages if m.role in ("user", "assistant") and (m.content or not m.calls)]


def _signature(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...] | None:
    try:
        return tuple(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...] | None:
    """The parameters of a call; those of a class are its instances'. None when they cannot be known."""
    if not inspect.isclass(function):
        return _signature(function)
    if "__call__" not in dir(function) or function.__call__ is type.__call__:
        hint = naming_hint(function, _function_name(function)) or "add __call__"
        raise ConfigError(f"{_function_name(function)} is a class whose instances cannot be called; {hint}")
    bound = _signature(function.__call__)
    return None if bound is None else bound[1:]


def _roles(parameters: Sequence[inspect.Parameter]) -> dict[str, Role]:
    plain = [p for p in parameters if p.kind not in FURTHER]
    goldens = [p.name for p in plain if p.name == "golden" or GOLDEN_TYPE.search(_annotation(p))]
    others = [p for p in plain if p.name not in goldens and (p.name != INSTANCE or p.kind in BY_PLACE)]
    needed = [p for p in others if p.name not in NAMED and p.default is p.empty]
    first = needed or ([] if goldens else others)
    further = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
    roles: dict[str, Role] = {p.name: NAMED[p.name] for p in others if p.name in NAMED}
    roles |= dict.fromkeys(goldens, "golden")
    roles |= {p.name: "text" for p in (first or ([] if goldens else further))[:1]}
    return {p.name: roles[p.name] for p in parameters if p.name in roles}


def _class_of_method(function: Callable[..., Any]) -> Any:
    """The class whose method a function is, as far as its module has it."""
    value: Any = sys.modules.get(getattr(function, "__module__", ""))
    for name in getattr(function, "__qualname__", "").split(".")[:-1]:
        value = getattr(value, name, None)
    return value if inspect.isclass(value) else Any


def _annotation(parameter: inspect.Parameter) -> str:
    annotation = parameter.annotation
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _names_without_default(parameters: Sequence[inspect.Parameter]) -> list[str]:
    return [p.name for p in parameters if p.default is p.empty and p.kind not in FURTHER]


def _function_name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__qualname__", "") or type(function).__qualname__)


def _missing_values_text(
    function: Callable[..., Any], parameters: Sequence[inspect.Parameter], missing: Sequence[str]
) -> str:
    heading = f"{_function_name(function)}({', '.join(p.name for p in parameters)})"
    return (
        f"{heading} needs {_quoted_names(missing)}, which nothing provides: an agent is called with the text, and with "
        "what it names of golden, history or messages, and thread_id or session_id; give the others a default, or a "
        f"value: with: {{{', '.join(f'{name}: MODULE:FUNCTION' for name in missing)}}}"
    )


def _quoted_names(names: Sequence[str]) -> str:
    return " and ".join(f"'{name}'" for name in names)
