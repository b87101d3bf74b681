"""A way to a Unix socket that can be cut for a while, as when a server restarts."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path


class UnreliableSocket:
    """Listens in a folder under the name of the socket it leads to. While it is `cut`, nobody gets through."""

    def __init__(self, target: Path, folder: Path) -> None:
        self._target = target
        self._cut = threading.Event()
        self._ways: set[socket.socket] = set()
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / target.name))
        self._door.listen(64)
        threading.Thread(target=self._welcome, daemon=True).start()

    def cut(self, seconds: float) -> None:
        """Break every connection and refuse new ones; returns at once."""
        self._cut.set()
        for way in tuple(self._ways):
            _close(way)
        threading.Timer(seconds, self._cut.clear).start()

    def close(self) -> None:
        _close(self._door)

    def _welcome(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                if self._cut.is_set():
                    here.close()
                    continue
                there = socket.socket(socket.AF_UNIX)
                there.connect(str(self._target))
                self._ways |= {here, there}
                for one, other in ((here, there), (there, here)):
                    threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        for way in (one, other):
            _close(way)
            self._ways.discard(way)


def _close(way: socket.socket) -> None:
    with suppress(OSError):
        way.shutdown(socket.SHUT_RDWR)
    way.close()
