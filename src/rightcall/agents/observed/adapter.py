"""What an adapter is: hooks for one framework, and a way to run one of its agents."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, NoReturn, Protocol

import msgspec

from rightcall.agents.observed.recorder import EventRecorder
from rightcall.agents.observed.values import arguments_of, plain
from rightcall.core.errors import ConfigError
from rightcall.recording.hooks import SharedSetup, replaced
from rightcall.records.approval import Approval, ApprovalPolicy, ApprovalRule
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool


class LimitReachedError(Exception):
    """The agent stopped at a limit its author set, in a framework that says so without raising."""


class ToolAnswer(msgspec.Struct, frozen=True):
    """The answer of a tool desk: the output for the model, and whether it reports a failure."""

    output: Any
    failed: bool = False


class ToolDesk(Protocol):
    """Runs tools in place of the framework: mocked, or for real with faults. The executor provides it.

    `real` is the framework's own tool; the desk calls it only where tools run for real.
    """

    def hear(self, text: str) -> None: ...

    async def run(
        self, name: str, arguments: dict[str, Any], call_id: str, real: Callable[[], Awaitable[Any]]
    ) -> ToolAnswer: ...


class Watch(msgspec.Struct):
    """The state of one adapter in one trial."""

    adapter: str
    recorder: EventRecorder
    golden: Golden
    session_id: str
    desk: ToolDesk | None = None
    input: Callable[[Golden], Any] | None = None
    output: Callable[[Any], Any] | None = None
    values: dict[str, Any] = msgspec.field(default_factory=dict)
    """The values of `with` in this trial, by their keys."""
    memory: dict[Any, Any] = msgspec.field(default_factory=dict)
    """Whatever the adapter has to remember between the hooks of one trial."""
    turn_end: list[Callable[[], None]] = msgspec.field(default_factory=list)
    """What the adapter does when a turn ends, however it ends: it notes streams that nobody read to their end."""
    approvals: ApprovalPolicy | None = None

    def decide(self, name: str, arguments: Any, call_id: str) -> Approval:
        """What the suite's approver answers to a request, noted with the call; `waiting` when nobody answers."""
        call_arguments, _ = arguments_of(arguments)
        approval = self.approvals.decide(name, call_arguments) if self.approvals else Approval("waiting")
        self.recorder.decided(approval, name, arguments, call_id)
        return approval

    @property
    def edits(self) -> bool:
        """Whether the suite's approver changes the arguments of some call."""
        return self.approvals is not None and any(r.action == "edit" for r in self.approvals.rules.values())

    def rule(self, name: str) -> ApprovalRule | None:
        """The line of the suite's approver about a tool."""
        return self.approvals.rule(name) if self.approvals else None

    def given(self, text: str) -> Any:
        """The framework's input in a turn: the user's text, or what `input` makes of the golden with it."""
        if self.input is None:
            return text
        golden = (
            self.golden if self.golden.input == text else msgspec.structs.replace(self.golden, input=text)
        )
        return self.input(golden)

    def inputs(self, names: Sequence[str], text: str) -> dict[str, Any]:
        """What an agent with inputs of these names is given in a turn: the text takes the place that `with` leaves.

        A `ConfigError` when `with` leaves none, or several.
        """
        given = self.given(text)
        if isinstance(given, dict):
            return given
        stated = dict(self.values.get("inputs") or {})
        free = [name for name in names if name not in stated]
        if names and len(free) != 1:
            raise ConfigError(
                f"the agent takes {', '.join(names)}, and with.inputs has {', '.join(stated) or 'none of them'};"
                " give it all but the one that is the text"
            )
        return {**stated, free[0] if free else "input": given}

    async def run_tool(
        self, name: str, arguments: Any, call_id: str, real: Callable[[], Awaitable[Any]]
    ) -> ToolAnswer:
        """The result of a call: the desk's where there is one, otherwise that of the framework's own tool."""
        if self.desk is None:
            return ToolAnswer(await real())
        return await self.desk.run(name, plain(arguments), call_id, real)

    def end_turn(self) -> None:
        """The agent has answered, or failed to."""
        while self.turn_end:
            self.turn_end.pop(0)()

    def refuse(self, reason: str) -> NoReturn:
        """End the trial, as a broken setup, before an agent asks a model whose calls cannot be heard."""
        self.recorder.unheard = reason
        raise ConfigError(reason)

    @contextmanager
    def guarded(self, hook: str) -> Iterator[None]:
        """Keep exceptions inside a hook away from the agent; the trial ends as a setup error instead."""
        try:
            yield
        except Exception as error:
            if not self.recorder.problem:
                self.recorder.problem = f"{self.adapter}: {hook} failed: {type(error).__name__}: {error}"


class Talk(Protocol):
    """One conversation with an agent of a framework; what it remembers ends with it."""

    async def open(self) -> None:
        """Wait until the conversation may begin; this does not count as the agent's time."""
        return

    async def say(self, text: str) -> Any:
        """One user turn; returns the agent's final output, or raises what the agent raises."""
        ...

    async def aclose(self) -> None:
        """Release the resources of the conversation."""
        return


class AgentTalk(Talk):
    """A conversation with one agent object."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent = agent
        self._watch = watch


class ExclusiveTalk(AgentTalk):
    """A conversation with an object that holds it, so that one trial runs at a time."""

    _held: asyncio.Lock | None = None

    async def open(self) -> None:
        if self._held is None:
            lock = _lock_of(self.exclusive_object())
            await lock.acquire()
            self._held = lock
            await self.take()

    async def aclose(self) -> None:
        lock = self._held
        self._held = None
        if lock is not None:
            await self.give_back()
            lock.release()

    def exclusive_object(self) -> Any:
        """What only one trial may use."""
        return self._agent

    async def take(self) -> None:
        """The object is ours: prepare it."""
        return

    async def give_back(self) -> None:
        """The last trial has ended: leave the object to the next one."""
        return


class Adapter(Protocol):
    """One framework. An instance is shared by all trials of a process and keeps nothing of them."""

    def notice(self) -> str:
        """What a user should know about the framework's behaviour, such as where it sends traces; usually nothing."""
        return ""

    def install(self) -> Callable[[], None]:
        """Install process-wide hooks; returns the function that removes them.

        Hooks do nothing outside a trial: they find the one they belong to by `hooks.watch_of(name)`.
        """
        return lambda: None

    conversation: ClassVar[Any] = None
    """The class of `talk`, made with an agent and a watch."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        """Begin a conversation with an agent object."""
        talk: Talk = self.conversation(agent, watch)
        return talk

    def unheard(self, agent: Any) -> str:
        """Why calls of this agent cannot be heard, and what to do; empty when they can."""
        return ""

    def tools(self, agent: Any) -> list[Tool]:
        """The definitions of the tools an agent object offers; empty when they cannot be known."""
        return []

    def parameters(self, agent: Any) -> dict[str, Any]:
        """What an agent takes besides the text, by the keys of `with`: the declared types, `Any` where there is none.

        What does not include None is required.
        """
        return {}


_LOCKS: weakref.WeakKeyDictionary[Any, tuple[Any, asyncio.Lock]] = weakref.WeakKeyDictionary()
_LOCKS_BY_ID: dict[int, tuple[Any, asyncio.Lock]] = {}


def declared_inputs(names: Sequence[str]) -> dict[str, Any]:
    """What `with` names of an agent with these inputs: of several it has to give all but one."""
    several = f"all of {', '.join(names)} but the one that is the text"
    return {"inputs": several if len(names) > 1 else dict[str, Any] | None} if names else {}


def _lock_of(agent: Any) -> asyncio.Lock:
    """The lock of an agent object in the running loop, forgotten with the object."""
    loop = asyncio.get_running_loop()
    locks: Any = _LOCKS
    key = agent
    try:
        hash(weakref.ref(agent))
    except TypeError:  # an object that cannot be hashed or referred to weakly
        locks = _LOCKS_BY_ID
        key = id(agent)
    entry: tuple[Any, asyncio.Lock] | None = locks.get(key)
    if entry is None or entry[0] is not loop:
        entry = locks[key] = (loop, asyncio.Lock())
    return entry[1]


_WATCHES: ContextVar[Mapping[str, Watch] | None] = ContextVar("rightcall_watches", default=None)


def watch_of(adapter: str) -> Watch | None:
    """The adapter's state of the trial this code runs in; None outside a trial it observes."""
    watches = _WATCHES.get()
    return watches.get(adapter) if watches else None


@contextmanager
def show_watches(watches: Mapping[str, Watch]) -> Iterator[None]:
    """Let the hooks called in this context, and in tasks and threads started from it, see these watches."""
    token = _WATCHES.set(watches)
    try:
        yield
    finally:
        _WATCHES.reset(token)


_SHARED: dict[Adapter, SharedSetup] = {}


def shared_hooks(adapter: Adapter) -> SharedSetup:
    """The hooks of an adapter, which all trials of a process share."""
    return _SHARED.setdefault(adapter, SharedSetup(adapter.install))


def all_replaced(*methods: tuple[Any, str, Callable[[Any], Any]]) -> Callable[[], None]:
    """Replace methods with `wrap(original)`; returns the function that restores all of them."""
    stack = ExitStack()
    for owner, name, wrap in methods:
        stack.callback(replaced(owner, name, wrap))
    return stack.close


def class_that_defines(kind: type, name: str) -> type:
    """The class among the bases of `kind` that defines a method itself."""
    return next(base for base in kind.__mro__ if name in vars(base))
