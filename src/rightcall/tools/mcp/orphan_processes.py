"""Processes that a server started and left behind: found by a mark in their environment, and terminated."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

MARK = "RIGHTCALL_SERVER"


def end_leftovers(mark: str) -> list[int]:
    """Terminate every process that carries the mark; returns their ids.

    A server that ends by itself does not always take its children along, and a child may have left its
    process group. The mark is inherited all the same. Where there is no /proc, nothing is found.
    """
    wanted = f"{MARK}={mark}".encode()
    found = [int(folder.name) for folder in _processes() if wanted in _environment(folder)]
    for process in found:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    return found


def _processes() -> list[Path]:
    proc = Path("/proc")
    own = str(os.getpid())
    if not proc.is_dir():
        return []
    return [folder for folder in proc.iterdir() if folder.name.isdigit() and folder.name != own]


def _environment(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []
