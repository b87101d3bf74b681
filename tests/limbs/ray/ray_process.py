"""`rightcall run` in a separate process, with the Ray cluster it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[3]


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    with (folder / "stdout").open("w") as out, (folder / "stderr").open("w") as err:
        return subprocess.Popen(
            [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, **environment},
            stdout=out,  # an unread pipe would block the driver
            stderr=err,
            text=True,
        )


def output(process: subprocess.Popen[str], folder: Path, seconds: float = 300.0) -> tuple[str, str]:
    """What a process wrote until it ended."""
    process.wait(seconds)
    return (folder / "stdout").read_text("utf-8"), (folder / "stderr").read_text("utf-8")


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str], seconds: float = 300.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Processes below one, with their names; those that end meanwhile are left out."""
    try:
        tasks = Path(f"/proc/{pid}/task")
        children = [int(one) for task in tasks.iterdir() for one in (task / "children").read_text().split()]
    except OSError:
        return
    for child in children:
        try:
            yield child, Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        yield from descendants(child)


def workers_of(pid: int) -> list[int]:
    return [child for child, name in descendants(pid) if name.startswith("ray::_Actor")]


def head_of(pid: int) -> int:
    return next(child for child, name in descendants(pid) if "gcs_server" in name)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
