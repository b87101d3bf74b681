"""Temporary files of tests in memory where that is possible.

Thousands of tests make a store. On a disk each waits for it dozens of times, which takes longer than everything else the test does.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 8 << 30
"""A session needs a part of it; in containers the folder has 64 MB."""


def keep_temporary_files_in_memory() -> None:
    """For this process and those it starts, unless TMPDIR says where they belong."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    place = os.statvfs(MEMORY)
    if place.f_bavail * place.f_frsize >= ROOM and not place.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None
