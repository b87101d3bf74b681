"""One trial at a time, for frameworks whose agent objects hold the conversation or whose events name no run."""

from __future__ import annotations

import asyncio
import weakref
from typing import Any


class Exclusive:
    """A lock for each agent object and event loop, forgotten with the object."""

    def __init__(self) -> None:
        self._locks: weakref.WeakKeyDictionary[Any, tuple[Any, asyncio.Lock]] = weakref.WeakKeyDictionary()
        self._others: dict[int, tuple[Any, asyncio.Lock]] = {}

    def of(self, agent: Any) -> asyncio.Lock:
        """The lock of an agent in the running loop."""
        loop = asyncio.get_running_loop()
        try:
            found = self._locks.get(agent)
            if found is None or found[0] is not loop:
                found = self._locks[agent] = (loop, asyncio.Lock())
        except TypeError:  # an object that cannot be hashed or referred to weakly
            found = self._others.get(id(agent))
            if found is None or found[0] is not loop:
                found = self._others[id(agent)] = (loop, asyncio.Lock())
        return found[1]
