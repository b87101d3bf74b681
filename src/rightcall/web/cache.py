"""Computed values, cached until their inputs change."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Cache:
    """The newest `most` values by key. A value is computed by one thread, while others wait for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def known(self, key: Hashable) -> bool:
        """Whether the value is there without work."""
        with self._lock:
            return key in self._values

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of the key, computed when missing; failures are not cached."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                found: T = self._values[key]
                return found
            mine = self._making.setdefault(key, threading.Lock())
        with mine:
            with self._lock:
                if key in self._values:
                    made_by_another: T = self._values[key]
                    return made_by_another
            try:
                value = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
            with self._lock:
                self._values[key] = value
                while len(self._values) > self._most:
                    self._values.popitem(last=False)
            return value
