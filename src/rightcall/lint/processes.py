"""Work shared with forks of this process.

A fork has everything that was read already, which a pool would have to be sent. Only bytes come back. Where there is
no fork, or one fails, the work is done here.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

Share = TypeVar("Share")
Result = TypeVar("Result")


def usable_processors() -> int:
    """How many processes can really run at a time."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(
    work: Callable[[Share], Result], shares: Sequence[Share], result: type[Result]
) -> Iterator[Result]:
    """The result of each share: the first is done here, each further one in a process of its own."""
    first, *others = shares
    if sys.platform != "linux":
        yield from map(work, shares)
        return
    started = [(share, *_start(work, share)) for share in others]
    try:
        yield work(first)
        decode = msgspec.msgpack.Decoder(result).decode
        while started:
            share, child, pipe = started[0]
            with os.fdopen(pipe, "rb", closefd=False) as file:
                data = file.read()
            _, status = os.waitpid(child, 0)
            os.close(pipe)
            del started[0]
            yield decode(data) if status == 0 else work(share)
    finally:
        for _, child, pipe in started:  # an error or Ctrl-C came first
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(pipe)


def _start(work: Callable[[Share], Result], share: Share) -> tuple[int, int]:
    """The number of a new process and the pipe on which its result comes."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    try:  # from here on in the child, which must not return and not write what the parent had begun to print
        with os.fdopen(writer, "wb") as file:
            file.write(msgspec.msgpack.encode(work(share)))
    except BaseException:
        os._exit(1)  # the parent does the share again and meets the error itself
    os._exit(0)
