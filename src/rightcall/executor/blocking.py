"""Waiting for async work from ordinary code."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from rightcall.errors import ConfigError

T = TypeVar("T")


def finished(work: Coroutine[Any, Any, T], instead: str) -> T:
    """What a coroutine gives; inside a running event loop an error that says what to type instead."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise ConfigError(f"this cannot run inside a running event loop; write: {instead}")
