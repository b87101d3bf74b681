"""The lockfile next to a suite: are its tools those that were approved?"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path

from rightcall.lint.lockfile import LOCK_FILE, LockDifference, differences, read_lock
from rightcall.lint.source.tools import tool_set
from rightcall.records.tool import Tool


def lock_differences(folder: Path, tools: Iterable[Tool]) -> list[LockDifference]:
    """The tools that are not as the lockfile in a folder has them; none when there is no lockfile."""
    path = folder / LOCK_FILE
    if not os.path.lexists(path):
        return []
    return differences(read_lock(path), tool_set(tools).tools)


def lock_problems(folder: Path, changes: Iterable[LockDifference]) -> list[str]:
    """Each difference as a sentence, with what to do."""
    path = folder / LOCK_FILE
    accept = f"review it, then accept it: rightcall lint SUITE --lock {shlex.quote(str(path))} --update-lock"
    return [f"{path}: {difference.tool}: {difference.text}; {accept}" for difference in changes]
