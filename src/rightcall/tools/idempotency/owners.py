"""The owners of claims, and whether they can still act.

A claim must last until its work has certainly ended, and no longer. Clocks cannot tell: they
jump, and a busy process may fall silent. So the owner is checked directly where possible:

* in this process a claim is alive as long as its `Owner` object is. Whatever works on the claim refers to it:
  the call, the task, and, through the context variable, every thread and task that the tool starts with
  `asyncio.to_thread` or `create_task`.
* for another process on this machine, the operating system knows.
* for another machine, only the lease shows it; see `store`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from weakref import WeakValueDictionary

from rightcall.core.errors import InfrastructureError
from rightcall.core.operating_system import process_space, process_start

_numbers = count()


class Owner:
    """One attempt's hold on a key. `abandon` is called when nothing refers to it any more, unless settled.

    `renew` is called from time to time while it is alive.
    """

    __slots__ = ("__weakref__", "abandon", "id", "renew", "settled")

    def __init__(self) -> None:
        self.id = f"{this_process()}:{next(_numbers)}"
        self.abandon: Callable[[], None] | None = None
        self.renew: Callable[[], object] | None = None
        self.settled = False
        _here[self.id] = self

    def __del__(self) -> None:
        if not self.settled and self.abandon is not None and not sys.is_finalizing():
            self.abandon()


_here: WeakValueDictionary[str, Owner] = WeakValueDictionary()
holding: ContextVar[Owner | None] = ContextVar("rightcall_holding", default=None)
"""The claim that the code running here works on."""


def at_work() -> list[Owner]:
    """The owners in this process whose claims are to be renewed."""
    return [owner for owner in list(_here.values()) if owner.renew is not None and not owner.settled]


def is_alive(owner: str) -> bool | None:
    """Whether an owner can still act; None when that cannot be known from here."""
    process = owner.rpartition(":")[0]
    if process == this_process():
        return owner in _here
    return process_runs(process)


def this_process() -> str:
    """A name of this process that is unique on all machines, now and later."""
    return _owner_name(os.getpid())


def process_runs(process: str) -> bool | None:
    """Whether a named process still runs; None when it ran on another machine."""
    machine, _, rest = process.partition("/")
    number, _, started = rest.partition("/")
    if not machine or machine != _machine() or not number.isdigit():
        return None
    return process_start(int(number)) == started.partition("/")[0]


@lru_cache(maxsize=4)
def _owner_name(number: int) -> str:
    return f"{_machine()}/{number}/{process_start(number)}/{uuid.uuid4().hex[:12]}"


@lru_cache(maxsize=1)
def _machine() -> str:
    """Where process numbers are unique; "" where only the lease is left."""
    return process_space()


class Heartbeat:
    """Renews leases while this process has claims that others can see.

    It matters only to other machines: on this one, owners are checked directly. It is a thread, so that a tool that
    blocks the event loop does not let leases expire.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._lock = threading.Lock()
        self._beating = False

    def start(self) -> None:
        """Start, unless it is already running."""
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
                owner = owners.pop()  # drop the reference: keeping it would keep the owner alive
                # The next beat tries again; finishing will report it.
                with contextlib.suppress(InfrastructureError):
                    if owner.renew is not None:
                        owner.renew()
                del owner
