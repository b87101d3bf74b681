"""How long a test waits for what must happen: long enough for a machine with twenty other programs on two cores.

The limit only ends a test that hangs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

SECONDS = 300.0


def wait_until(happened: Callable[[], Any], pause: float = 0.01) -> None:
    """Look again and again; an error if it does not happen."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, "nothing happens"
        time.sleep(pause)


async def until(happened: Callable[[], Any], pause: float = 0.005) -> None:
    """The same on an event loop."""
    end = time.monotonic() + SECONDS
    while not happened():
        assert time.monotonic() < end, "nothing happens"
        await asyncio.sleep(pause)
