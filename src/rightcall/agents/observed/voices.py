"""Who speaks in a trial: what a framework and the client below it both see is heard once.

A request to a model has a place. It is below a framework if that waits for its model, or runs an agent whose steps are
all its own, and inside a call if a tool of the framework runs; everything else is the agent's own. Places are
read from the context of the code that asks, so that what runs beside a framework is not taken for a part of it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, Protocol

import msgspec

from rightcall.agents.observed.values import whole
from rightcall.core.text import pluralize
from rightcall.records.message import NOT_HEARD, Message

Role = Literal["framework", "client", "below"]
"""Of a recorder: whether requests can be below its own. All of one that is `below` are below a framework."""


class SharedTrial:
    """What the recorders of one trial share: a lock, and the order of what they note."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._moments = itertools.count()

    def moment(self) -> int:
        return next(self._moments)


class HeardTurn(msgspec.Struct):
    """What the user says, and the messages of the first request that followed; none when they were not heard."""

    text: str
    moment: int
    request: Sequence[Message] = ()
    asked: bool = False

    def message(self, *, is_first: bool) -> Message:
        """What was sent: the request's messages of the user since the last answer."""
        answers = (at for at, message in enumerate(self.request) if message.role == "assistant")
        start = max(answers, default=-1) + 1
        texts = [m.content for m in self.request[start:] if m.role == "user" and m.content]
        if not texts:
            return Message("user", self.text, note=NOT_HEARD)
        earlier = sum(message.role != "system" for message in self.request[:start])
        note = f"after {pluralize(earlier, 'earlier message')}" if earlier and is_first else ""
        return Message("user", whole("\n\n".join(texts)), note=note)


class Hearer(Protocol):
    """What has to be known of a recorder to find the place of a request."""

    role: Role
    shared: SharedTrial

    @property
    def waits(self) -> bool: ...

    def place_in_running_tool(self) -> Place | None: ...


class Place(msgspec.Struct, frozen=True):
    """Where a request belongs; `path` are the agents from the root to the one whose call `parent` is."""

    below: bool = False
    depth: int = 0
    parent: str = ""
    path: tuple[str, ...] = ()


TOP = Place()
BELOW = Place(below=True)


class Voice(msgspec.Struct, eq=False):
    """One request that a framework makes, or with `is_run` a whole run, whose hooks run in other contexts.

    With `while_waiting` a run whose code may ask by itself: only what is asked while it waits is below it.
    """

    recorder: Hearer
    place: Place
    waits: bool = True
    is_run: bool = False
    while_waiting: bool = False


_VOICES: ContextVar[tuple[Voice, ...]] = ContextVar("rightcall_voices", default=())
"""The latest of each recorder, the innermost last."""


def place_of_request(recorder: Hearer) -> Place:
    """The place of a request that this recorder notes in the current context."""
    if recorder.role == "below":
        return BELOW
    for voice in reversed(_VOICES.get()):
        outer = voice.recorder
        if outer is recorder or outer.shared is not recorder.shared:
            continue
        if voice.waits or ((voice.is_run or voice.while_waiting) and outer.waits):
            return BELOW
        if (place := outer.place_in_running_tool()) is not None:
            return place
        if voice.is_run:
            return BELOW
    return TOP


def speak(voice: Voice) -> None:
    """Let the code that runs from here on in this context belong to this request or run."""
    recorder = voice.recorder
    voices = (v for v in _VOICES.get() if v.recorder.shared is recorder.shared)
    _VOICES.set((*(v for v in voices if v.recorder is not recorder), voice))


@contextmanager
def speaking(voice: Voice | None) -> Iterator[None]:
    """The same for the code inside the block."""
    before = _VOICES.get()
    if voice is not None:
        speak(voice)
    try:
        yield
    finally:
        _VOICES.set(before)


def own_voice(recorder: Hearer) -> Voice | None:
    """The request of this recorder to which the current context belongs, while it waits."""
    return next((v for v in _VOICES.get() if v.recorder is recorder and v.waits), None)
