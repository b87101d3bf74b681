"""The views of runs, read from the store once and cached while the run is unchanged."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from starlette.requests import Request

from rightcall.improve.findings import Analysis
from rightcall.improve.run_analysis import analyze_run
from rightcall.limbs.dashboard.links import from_segment
from rightcall.show.view.run import RunView, run_view
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

T = TypeVar("T")


class Cache:
    """The newest `most` values by key. A value is computed by one thread, while others wait for it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def has_key(self, key: Hashable) -> bool:
        """Whether the value is there without work."""
        with self._lock:
            return key in self._values

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of the key, computed when missing; failures are not cached."""
        with self._lock:
            mine = self._making.setdefault(key, threading.Lock())
        with mine:
            try:
                with self._lock:
                    if key in self._values:
                        self._values.move_to_end(key)
                        cached_value: T = self._values[key]
                        return cached_value
                value = make()
                with self._lock:
                    self._values[key] = value
                    while len(self._values) > self._most:
                        self._values.popitem(last=False)
                return value
            finally:
                with self._lock:
                    self._making.pop(key, None)


AT_ONCE = 1_000
"""Runs with up to this many results are summarized with the page; larger ones after it has loaded."""


def store_of(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def run_from_url(request: Request) -> StoredRun:
    return store_of(request).runs.get(from_segment(request.path_params["run"]))


def cached(request: Request, key: Hashable, read: Callable[[Store], T]) -> T:
    """What `read` makes of the store, once for the same key."""
    value: T = request.app.state.views.get(key, lambda: read(store_of(request)))
    return value


def view_of(request: Request, run: StoredRun) -> RunView:
    """Everything computed over all cases of the run."""
    return cached(request, _key(run), lambda store: run_view(store, run.id))


def analysis_of(request: Request, run: StoredRun) -> Analysis:
    return cached(request, ("analysis", _key(run)), lambda store: analyze_run(store, run.id))


def at_hand(request: Request, run: StoredRun) -> bool:
    """Whether the view can be shown without delay."""
    return run.results <= AT_ONCE or request.app.state.views.has_key(_key(run))


def dangerous_goldens(request: Request, run: StoredRun) -> list[str]:
    """The goldens that every list of the run begins with."""
    return cached(
        request,
        ("danger", _key(run)),
        lambda store: store.runs.failures(run.id).dangerous_goldens(store.tools_of(run)),
    )


def _key(run: StoredRun) -> Hashable:
    return run.id, run.updated_at, run.results, run.verdict
