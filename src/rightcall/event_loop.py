"""From async to sync: what a coroutine gives, wherever it is called from."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def finished(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives. Inside a running event loop (a notebook) it runs in a thread with a loop for itself.

    That thread sees the context of its caller. The caller's loop stands still meanwhile, as with any other blocking
    call.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    outcome: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            outcome.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return outcome[0]


def blocking(name: str, work: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function under another name, for programs without async."""

    @wraps(work)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return finished(work(*args, **kwargs))

    call.__name__ = call.__qualname__ = name
    return call
