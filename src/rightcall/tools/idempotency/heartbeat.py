"""Renews the leases of claims at work, from a thread: a tool that blocks the event loop is not silent."""

from __future__ import annotations

import contextlib
import threading
from weakref import WeakKeyDictionary

from rightcall.tools.idempotency.owners import Owner
from rightcall.tools.idempotency.store import BEATS, IdempotencyStore, StoreDownError
from rightcall.tools.runtime.clock import Clock


class Heartbeat:
    """Beats while there are claims. It matters to other machines only; on this one owners are asked for."""

    def __init__(self, store: IdempotencyStore, lease_s: float) -> None:
        self._store, self._lease_s = store, lease_s
        self._claims: WeakKeyDictionary[Owner, tuple[str, int, Clock]] = WeakKeyDictionary()
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None

    def add(self, owner: Owner, key: str, attempt: int, clock: Clock) -> None:
        """Keep a claim alive for as long as its owner exists and has not settled it."""
        with self._lock:
            self._claims[owner] = (key, attempt, clock)
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="rightcall-heartbeat", daemon=True)
                self._thread.start()

    def _beat(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._lease_s / BEATS)
            with self._lock:
                at_work = [(owner.id, *claim) for owner, claim in self._claims.items() if not owner.settled]
                if not at_work:
                    self._thread = None
                    return
            for owner, key, attempt, clock in at_work:
                with contextlib.suppress(StoreDownError):  # the next beat tries again; finishing will tell
                    self._store.renew(key, owner, attempt, clock.now() + self._lease_s)
