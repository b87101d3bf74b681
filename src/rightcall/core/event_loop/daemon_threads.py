"""Threads that are reused and never keep the process from exiting.

The pool of the standard library joins its threads at exit, so that one hanging tool keeps the whole process from
ending. These are daemons.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable

Job = Callable[[], None]


class DaemonThreads:
    """As many threads as there are jobs at once; an idle one is reused. Jobs must not raise."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self._idle = 0
        # An object may be garbage-collected, and submit, while the lock is held.
        self._lock = threading.RLock()

    def submit(self, job: Job) -> None:
        if self._pid != os.getpid():  # a fork: the threads are the parent's, and the lock may be held there
            self._start()
        with self._lock:
            if self._idle > 0:
                self._idle -= 1
            else:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        # Python has noted that it need not wait for this thread. Those that code under test starts here inherit the
        # attribute; of those for which a program waits, first requests are captured, as elsewhere.
        threading.current_thread()._daemonic = False  # type: ignore[attr-defined]
        while True:
            self._jobs.get()()
            with self._lock:
                self._idle += 1


class OneThread:
    """One of those threads for jobs that must run in the same one, until it is left."""

    def __init__(self, threads: DaemonThreads) -> None:
        self._threads = threads
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._left = False
        threads.submit(self._work)

    def submit(self, job: Job) -> None:
        if self._left:
            self._threads.submit(job)
        else:
            self._jobs.put(job)

    def leave(self) -> None:
        """It ends after the job that it runs, which may never end; further jobs run in other threads."""
        self._left = True
        self._jobs.put(None)

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
