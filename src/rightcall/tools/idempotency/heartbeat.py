"""Renews the leases of claims at work, from a thread: a tool that blocks the event loop is not silent."""

from __future__ import annotations

import contextlib
import threading

from rightcall.tools.idempotency.owners import at_work
from rightcall.tools.idempotency.store import StoreDownError


class Heartbeat:
    """Beats while this process has claims that others can see.

    It matters to other machines only: on this one owners are asked for.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._lock = threading.Lock()
        self._beating = False

    def start(self) -> None:
        """Beat, unless it does so already."""
        if self._beating:
            return
        with self._lock:
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._beat, name="rightcall-heartbeat", daemon=True).start()

    def _beat(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._every_s)
            owners = at_work()
            if not owners:
                self._beating = False
                if not at_work():  # a claim made in between has seen it beating
                    return
                self._beating = True
                continue
            while owners:
                owner = owners.pop()  # drop the reference: holding it would keep the owner alive
                with contextlib.suppress(
                    StoreDownError
                ):  # the next beat tries again; finishing will report it
                    if owner.renew is not None:
                        owner.renew()
                del owner
