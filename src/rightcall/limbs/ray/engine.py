"""The protocol of engines, which transport bytes between a driver and its workers; and what a worker is given first."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rightcall.core.errors import ConfigError
from rightcall.limbs.ray.message import Pack
from rightcall.run.backend import RunWork
from rightcall.run.plan import Plan

SILENCE_SECONDS = 60.0
"""A worker that says nothing for this long is lost. Code in C may hold the interpreter for a while."""


HELLO_SECONDS = 600.0
"""A worker that has not said hello after this long is lost. Opening an agent may load a large model."""


class WorkerLost(Exception):  # noqa: N818  it reports the end of a worker
    """A worker is gone: killed, out of memory, with its node, or silent."""


class WorkerEngine(Protocol):
    """Starts workers and transports bytes to and from them. Any call about a lost worker raises `WorkerLost`."""

    def pack(self, value: Any) -> bytes:
        """Pickle what goes to a worker."""
        ...

    def opening(self) -> str:
        """What `open` is about to do, if that takes long; empty when it is done."""
        ...

    async def open(self) -> None:
        """Be ready to start workers; may be called again."""
        ...

    def count(self) -> int:
        """How many workers the engine has resources for."""
        ...

    async def spawn(self, number: int, setup: bytes) -> Any:
        """A worker with this setup; waits until there is room for it."""
        ...

    def lease(self, worker: Any, payload: bytes) -> AsyncIterator[bytes]:
        """Give a worker a lease and stream what it sends."""
        ...

    async def tell(self, worker: Any, message: bytes) -> bytes:
        """Give a worker a message and return its answer."""
        ...

    async def lost(self, worker: Any) -> str:
        """End a worker, if anything of it is left, and say how it ended."""
        ...

    async def watch(self) -> None:
        """Run until cancelled; raise `InfrastructureError` when workers can no longer be reached."""
        ...


@dataclass(frozen=True)
class WorkerOptions:
    """How workers are used; `count` of them [default: as many as the engine has room for]."""

    count: int | None = None
    lease_seconds: float = 1.0
    silence_seconds: float = SILENCE_SECONDS
    hello_seconds: float = HELLO_SECONDS
    paths: tuple[str, ...] = ()
    folder: str = ""


SILENCE_SLICES = 20


async def next_sent(stream: AsyncIterator[bytes], patience: float) -> bytes | None:
    """What a worker sends next, None at the end; a worker that is silent for too long is lost.

    Silence is measured in slices: one in which this process itself was suspended counts as one slice.
    """
    coming = asyncio.ensure_future(anext(stream, None))
    try:
        for _ in range(SILENCE_SLICES):
            await asyncio.wait([coming], timeout=patience / SILENCE_SLICES)
            if coming.done():
                return coming.result()
    finally:
        coming.cancel()
    raise WorkerLost(f"silent for {patience:g} s")


@dataclass(frozen=True)
class WorkerSetup:
    """All that a worker needs before its first lease. The dataset stays with the driver."""

    plan: Plan
    run_id: str
    models: tuple[str, ...] = ()
    store: str = ""


def pack_setup(work: RunWork, options: WorkerOptions, pack: Pack) -> bytes:
    """The setup, packed inside the places where its modules are: those must be known before it is unpacked."""
    light = replace(work.plan, dataset=(), in_memory=None, quarantine=frozenset())
    setup = WorkerSetup(light, work.run_id, tuple(work.models), work.store)
    try:
        inner = pack(setup)
    except Exception as error:  # whatever a foreign object raises when it is pickled
        raise ConfigError(
            f"the agent cannot be sent to workers ({type(error).__name__}: {error}); an open client or connection "
            "cannot be sent: name a function that creates it, module:function"
        ) from None
    return pack((options.paths, options.folder, inner))


def unpack_in_place(data: bytes, settle_in: Callable[[Sequence[str], str], None]) -> Any:
    """Unpack a value that was packed with the paths of its modules, which must be known first."""
    paths, folder, inner = pickle.loads(data)  # noqa: S301
    settle_in(paths, folder)
    return pickle.loads(inner)  # noqa: S301
