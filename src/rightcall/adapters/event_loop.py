"""Waiting for async work from code that is not async."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Coroutine
from typing import Any


def blocking(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine; in a separate thread when this one already runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    context, outcome = contextvars.copy_context(), _Outcome()

    def run() -> None:
        try:
            outcome.value = context.run(asyncio.run, work)
        except BaseException as error:
            outcome.error = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if outcome.error is not None:
        raise outcome.error
    return outcome.value


class _Outcome:
    value: Any = None
    error: BaseException | None = None
