"""Processor time and memory of this process and of those below it, while something runs."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from tests.limbs.ray.ray_process import descendants

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
NOT_OURS = ("loopback_model", "postgres")
"""What stands in for the world outside."""


class ProcessTimes:
    """Follows processes while its block runs. Times count from the last `mark`; names are those of processes."""

    def __init__(self, workers: str = "ray::_Actor") -> None:
        self._workers = workers
        self._used: dict[int, tuple[str, float]] = {}
        self._marked: dict[int, float] = {}
        self._own = self._looking = 0.0
        self._look_at = threading.Lock()
        self._done = threading.Event()
        self.driver_bytes = self.worker_bytes = self.all_bytes = 0

    def mark(self) -> None:
        """Count from now on."""
        self._look()
        self._marked = {pid: used for pid, (_, used) in self._used.items()}
        self._own = time.process_time()
        self._looking = 0.0

    @property
    def driver(self) -> float:
        """Of this process, without what looking at the others takes."""
        return time.process_time() - self._own - self._looking

    @property
    def workers(self) -> float:
        return self._since(True)

    @property
    def others(self) -> float:
        """Of everything that is neither this process nor a worker: what carries bytes between them."""
        return self._since(False)

    def _since(self, workers: bool) -> float:
        return sum(
            used - self._marked.get(pid, 0.0)
            for pid, (name, used) in self._used.items()
            if name.startswith(self._workers) is workers
        )

    def __enter__(self) -> ProcessTimes:
        self.mark()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(0.5):
            began = time.thread_time()
            self._look()
            self._looking += time.thread_time() - began

    def _look(self) -> None:
        with self._look_at:
            mine = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * PAGE
            whole = mine
            largest = 0
            for pid, name in descendants(os.getpid()):
                try:
                    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                except OSError:
                    continue
                if any(word in name for word in NOT_OURS):
                    continue
                known = self._used.get(pid, (name, 0.0))[0]
                self._used[pid] = (
                    name if name.startswith("ray::") else known,  # its last name, which tells what it was
                    (int(stat[11]) + int(stat[12])) / TICK,
                )
                size = int(stat[21]) * PAGE
                whole += size
                if name.startswith(self._workers):
                    largest = max(largest, size)
            self.driver_bytes = max(self.driver_bytes, mine)
            self.worker_bytes = max(self.worker_bytes, largest)
            self.all_bytes = max(self.all_bytes, whole)
