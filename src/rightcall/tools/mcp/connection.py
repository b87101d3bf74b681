"""A connection to an MCP server: when it ends, and why, and which processes it left behind."""

from __future__ import annotations

import asyncio
from typing import Any, Self

from rightcall.core.operating_system import kill_process, processes_with_variable

ENDING_S = 15.0
"""How long a connection may take to end."""

MARK = "RIGHTCALL_SERVER"


class WatchedStream:
    """The messages of a server; sets `ended` when there are no more, because it has exited or closed its output."""

    def __init__(self, stream: Any, ended: asyncio.Event) -> None:
        self._stream, self._ended = stream, ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self._stream.__anext__()
        except Exception:  # its end, or that of the connection
            self._ended.set()
            raise

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *details: Any) -> Any:
        return await self._stream.__aexit__(*details)


def innermost(failure: BaseException | None) -> BaseException | None:
    """The first exception that is no group."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


async def never_connected(life: asyncio.Task[None] | None) -> bool:
    """Whether a connection ended because the server refused it, so that nothing was sent to it."""
    if life is None:
        return False
    await asyncio.wait({life}, timeout=ENDING_S)
    failure = innermost(life.exception() if life.done() and not life.cancelled() else None)
    return type(failure).__name__ in ("ConnectError", "ConnectTimeout")


def reason_of_end(failure: BaseException | None) -> str:
    """The innermost reason of a failure, in a few words."""
    failure = innermost(failure)
    if failure is None:
        return ""
    if isinstance(failure, FileNotFoundError):
        return f": program '{failure.filename}' not found; is it installed and on the PATH?"
    text = str(failure).splitlines()[0][:200] if str(failure) else type(failure).__name__
    return f": {text}"


def end_leftovers(mark: str) -> list[int]:
    """Terminate every process that carries the mark; returns their ids.

    A server that ends by itself does not always take its children along, and a child may have left its
    process group. The mark is inherited all the same. Where there is no /proc, nothing is found.
    """
    leftovers = processes_with_variable(MARK, mark)
    for process in leftovers:
        kill_process(process)
    return leftovers
