"""What belongs to one trial: its name, its clock, its ledger, its counters, its worlds. Made by `Toolbox.context`."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError
from rightcall.recording.case import CURRENT
from rightcall.records.call import ToolCall
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import LedgerEntry, LedgerPhase, Trajectory
from rightcall.tools.runtime.errors import Abort

if TYPE_CHECKING:
    from rightcall.tools.runtime.call_outcome import Invocation


class Clock(Protocol):
    """Seconds since the epoch, and a way to wait. `slept` is the simulated waiting time."""

    slept: float

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """Real time."""

    slept = 0.0

    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """Simulated time that advances only when moved or waited for: waiting an hour takes no time."""

    def __init__(self, start: float = 1_000_000_000.0) -> None:
        self._now = start
        self.slept = 0.0

    def now(self) -> float:
        return self._now

    def move(self, seconds: float) -> None:
        """Jump forward, or back with a negative number."""
        self._now += seconds

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)
        self.slept += max(0.0, seconds)
        await asyncio.sleep(0)


LEARNED = "learned from the key"
"""The detail of an effect that another process had in the same trial."""


class Ledger:
    """Entries of one trial, in the order they happened. Threads may write to it."""

    def __init__(self) -> None:
        self._entries: list[LedgerEntry] = []
        self._forgotten = 0
        self._keys: set[str] = set()
        self._lock = threading.Lock()

    def add(self, phase: LedgerPhase, tool: str, **fields: Any) -> LedgerEntry:
        """Append one line; it is numbered here."""
        with self._lock:
            entry = LedgerEntry(self._forgotten + len(self._entries) + 1, phase, tool, **fields)
            self._entries.append(entry)
            if phase in ("effect", "late_effect"):
                self._keys.add(entry.key)
            return entry

    def keep_last(self, entries: int) -> None:
        """Forget older entries once there are twice as many: a server has no end at which to read them."""
        with self._lock:
            if len(self._entries) < 2 * entries:
                return
            self._forgotten += len(self._entries) - entries
            self._entries = self._entries[-entries:]
            self._keys = {e.key for e in self._entries if e.phase in ("effect", "late_effect")}

    def knows(self, key: str) -> bool:
        """Whether an effect under this key is noted."""
        return key in self._keys

    @property
    def entries(self) -> tuple[LedgerEntry, ...]:
        """Everything so far."""
        return tuple(self._entries)

    def effects(self) -> tuple[LedgerEntry, ...]:
        """The lines that changed the world, late ones included; an effect noted twice counts once."""
        return effects(self._entries)


def effects(entries: Iterable[LedgerEntry]) -> tuple[LedgerEntry, ...]:
    """The lines that changed the world, late ones included; an effect noted twice counts once.

    What was only learned (from the store or a probe, about another process) counts when it was not recorded otherwise.
    """
    lines = [entry for entry in entries if entry.phase in ("effect", "late_effect")]
    attempts = {(e.key or e.call_id, e.attempt) for e in lines if e.phase == "effect"}
    keys = {entry.key for entry in lines if entry.detail != LEARNED}
    world_changes = []
    for entry in lines:
        if entry.phase == "effect":
            world_changes.append(entry)
        elif entry.detail == LEARNED:
            if entry.key not in keys:
                keys.add(entry.key)
                world_changes.append(entry)
        elif (name := (entry.key or entry.call_id, entry.attempt)) not in attempts:
            attempts.add(name)
            world_changes.append(entry)
    return tuple(world_changes)


class CallVerdict(Protocol):
    """What a layer says of a call that it stops: `deny` or `confirm`, by which of its rules, and why."""

    @property
    def verdict(self) -> str: ...

    @property
    def by(self) -> tuple[str, ...]: ...

    @property
    def why(self) -> str: ...


class LayerState:
    """What a layer of the toolbox keeps in one trial; this one keeps nothing and does nothing."""

    def start(
        self, context: CallContext, system: str, tools: Sequence[Tool], messages: Sequence[Message]
    ) -> None:
        """A model is about to be asked: with this system text, these tools and these earlier messages."""

    def hear(self, text: str) -> None:
        """The user says something."""

    def offer(self, tools: Mapping[str, Tool]) -> Mapping[str, Tool] | None:
        """The list of tools that the model is shown in the next request; None when it is this one."""
        return None

    def note_offer(self, context: CallContext, tools: Sequence[Tool]) -> None:
        """The model is sent this list."""

    def bind_offer(self, context: CallContext, tools: Sequence[Tool]) -> None:
        """Calls of this list are run here."""

    def begin_session(self, context: CallContext, step: int) -> None:
        """The second session of a trial begins: its world is kept, and the agent's context is new."""

    def turn(
        self, calls: Sequence[ToolCall], context: CallContext
    ) -> AbstractContextManager[Mapping[int, CallVerdict]]:
        """Around the calls of one message: the verdicts on those that it stops, by their `id()`."""
        return nullcontext({})


class CallContext:
    """One trial of one task. Contexts share nothing, so trials may run concurrently.

    `task` is the golden's id. `ledger` records what was really done, `invocations` every call with its
    outcome in the order they ended, `worlds` the fake worlds of this trial by name. `roles` are the caller's; None
    means that callers are not distinguished. `recording` is what the trial is recorded to or replayed from. `offered`
    are the tools that it offers, and `states` what the layers in use keep, by their names.
    """

    def __init__(self, *, run: str, task: str, trial: int, clock: Clock, seed: int) -> None:
        self.run = run
        self.task = task
        self.trial = trial
        self.clock = clock
        self.seed = seed
        self.recording = CURRENT.get()
        self.ledger = Ledger()
        self.invocations: list[Invocation] = []
        self.worlds: dict[str, Any] = {}
        self.offered: Mapping[str, Any] = {}
        self.roles: tuple[str, ...] | None = ()
        self.locks: dict[str, asyncio.Lock] = {}
        self.states: dict[str, LayerState] = {}
        self.granted: set[str] = set()
        """Ids of calls that the user agrees to when a tool or the guard asks."""
        self._counters: Counter[Hashable] = Counter()
        self._no_evidence: tuple[str, bool] | None = None

    def end_trial(self, problem: str, *, ends_run: bool) -> Abort:
        """The exception that ends the trial, because a mock or recording cannot answer a call: nobody's answer.

        `ends_run` says that the mistake is in a mock itself, so that every trial would meet it.
        """
        self._no_evidence = self._no_evidence or (problem, ends_run)
        return Abort(problem, effect="none")

    def hear(self, text: str) -> None:
        """The user says something: a guard trusts what is in it."""
        for state in self.states.values() if text else ():
            state.hear(text)

    def count(self, what: Hashable) -> int:
        """How often this has been counted before: 0, 1, 2, …"""
        self._counters[what] += 1
        return self._counters[what] - 1

    def elapsed(self) -> float:
        """Seconds for measuring durations: real time plus simulated waiting."""
        return time.perf_counter() + self.clock.slept

    def random(self, *what: object) -> random.Random:
        """A generator that depends on the seed, the task, the trial and the purpose, and on nothing else."""
        text = "\x1f".join(str(part) for part in (self.seed, self.task, self.trial, *what))
        return random.Random(bytes.fromhex(hex_digest(text)))  # noqa: S311

    def with_evidence(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with what was really done: the ledger, and the worlds before and after.

        Raises `ConfigError` when a mistake in a mock ended the trial: the setup is broken.
        """
        if self._no_evidence is not None:
            problem, ends_run = self._no_evidence
            if ends_run:
                raise ConfigError(problem)
            trajectory = msgspec.structs.replace(trajectory, stop_reason="infra_error", error=problem)
        before = {name: world.start() for name, world in self.worlds.items()}
        return msgspec.structs.replace(
            trajectory,
            ledger=self.ledger.entries,
            state_before=before or None,
            state=self.state() or None,
        )

    def state(self) -> dict[str, Any]:
        """The state of every world of this trial as plain data."""
        return {name: world.state() for name, world in self.worlds.items()}
