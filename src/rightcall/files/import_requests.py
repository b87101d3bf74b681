"""What a module asks over the network while it is imported, which is no part of any trial."""

from __future__ import annotations

import socket
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

INSTALLED = tuple(sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib"))


class ImportRequestWarning(UserWarning):
    """A module of the user connects to a server while it is imported."""


@contextmanager
def import_requests() -> Iterator[None]:
    """Warn of each line of a module that connects to a server inside the block; installed packages may."""
    places: dict[str, str] = {}
    own = "connect" in vars(socket.socket)
    original = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> Any:
        frame = _importing_frame(sys._getframe(1))
        if frame is not None and isinstance(address, tuple):
            place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
            places.setdefault(place, f"{address[0]}:{address[1]}")
        return original(self, address)

    socket.socket.connect = connect  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        if own:
            socket.socket.connect = original  # type: ignore[method-assign]
        else:
            del socket.socket.connect
        for place, server in places.items():
            problem = (
                f"{place} connects to {server} while it is imported, which is in no trial and not counted"
            )
            remedy = "move script code under: if __name__ == '__main__'"
            warnings.warn(f"{problem}; {remedy}", ImportRequestWarning, stacklevel=2)


def _importing_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost module that is being imported, unless it is an installed one."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return None if frame is None or frame.f_code.co_filename.startswith(INSTALLED) else frame
