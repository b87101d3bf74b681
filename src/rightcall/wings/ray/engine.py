"""The protocol of engines, which transport bytes between a driver and its workers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Protocol

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
    writes: bool = False
    paths: tuple[str, ...] = ()
    folder: str = ""
