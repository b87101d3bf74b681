"""Where a store is, a SQLite file or a PostgreSQL URL; opening it, and retrying requests to it for a limited time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rightcall.core.errors import ConfigError, InputError, StoreError
from rightcall.store.base import Address

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

DEFAULT = Path(".rightcall/rightcall.db")
VARIABLE = "RIGHTCALL_STORE"


def store_address(location: str | os.PathLike[str] | None) -> Address:
    """The address of a path or URL; None is the store set in the environment, or the default."""
    if location is not None and not isinstance(location, str | os.PathLike):
        raise ConfigError(
            f"a store is a file or a URL, got {type(location).__name__}; of an open store use `store.name`"
        )
    text = os.fspath(location) if location is not None else os.environ.get(VARIABLE, "")
    if not text:
        return Address(DEFAULT)
    scheme, separator, rest = text.partition("://")
    if not separator or scheme == "sqlite":
        path = rest.removeprefix("/") if separator else text
        if path in ("", ":memory:"):
            raise ConfigError(
                f"'{text}' would be a store in memory, which loses every result; use a file (results.db)"
            )
        return Address(Path(path))
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return Address(url=f"postgresql+psycopg://{rest}")
    raise ConfigError(
        f"unsupported store URL '{scheme}://…'; use a file (results.db) or a URL such as "
        "postgresql://user@host/database"
    )


def open_store(
    url: str | os.PathLike[str] | None = None, *, must_exist: bool = False, small_cache: bool = False
) -> Store:
    """The store at a path or URL; by default the one in `RIGHTCALL_STORE`, or `.rightcall/rightcall.db`.

    Creates it if it does not exist, unless `must_exist`: then the error says what to run.
    One of another version is rejected. `small_cache` keeps less of a file in memory, for a process that mostly
    writes and runs for days.
    """
    address = store_address(url)
    if address.file is not None:
        if must_exist and not address.file.exists():
            hint = "check the path; the first `rightcall run --store` creates it"
            if address.file == DEFAULT:
                hint = f"the first `rightcall run` creates it; choose another with --store or {VARIABLE}"
            raise InputError(address.shown, "no store found", hint)
        if address.file.is_dir():
            raise InputError(address.shown, "is a folder; a store is a file")

    from rightcall.store.sql.store import Store  # SQLAlchemy takes a quarter second to import

    return Store(address, small_cache=small_cache)


T = TypeVar("T")

SECONDS = 60.0
"""How long a store may fail before a writer gives up."""

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 2.0


class Persistence:
    """Repeats operations that fail with a retryable `StoreError`: a lock, a lost connection, a full disk.

    Operations must be idempotent: a connection that breaks during a commit does not reveal whether the commit
    happened. Pauses double from `FIRST_PAUSE` to `LONGEST_PAUSE`.
    """

    def __init__(self, seconds: float | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = SECONDS if seconds is None else seconds
        self._clock = clock
        self._hurried = threading.Event()

    def hurry(self) -> None:
        """Give up after the current attempt. May be called from any thread."""
        self._hurried.set()

    def __call__(self, work: Callable[[], T]) -> T:
        """What `work` returns; its last error when the time is up or a retry cannot help."""
        give_up = self._clock() + self._seconds
        pause = FIRST_PAUSE
        while True:
            try:
                return work()
            except StoreError as error:
                left = give_up - self._clock()
                if not error.retryable or left <= 0 or self._hurried.is_set():
                    raise
            self._hurried.wait(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE)
