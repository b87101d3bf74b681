"""Agents for runs on workers: each does what its golden says, at most once where it harms its process."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rightcall.records import Golden, ToolCall, Trajectory, Usage


def number_of(golden: Golden) -> int:
    return int(golden.id[1:])


def calls(golden: Golden) -> list[ToolCall]:
    """Right in three of four cases; every eleventh raises."""
    number = number_of(golden)
    if number % 11 == 5:
        raise ValueError("no idea")
    return [ToolCall("a", {"n": number if number % 4 else -1})]


def counted(golden: Golden) -> list[ToolCall]:
    """The same, and notes in a folder that it was asked."""
    folder = Path(golden.metadata["folder"])
    with (folder / f"asked-{os.getpid()}").open("a") as file:
        file.write(f"{golden.id}\n")
    time.sleep(golden.metadata.get("seconds", 0.0))
    return calls(golden)


def first_time(golden: Golden, what: str) -> bool:
    """Whether this is the first call."""
    try:
        (Path(golden.metadata["folder"]) / f"{what}-{golden.id}").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def harmful(golden: Golden) -> list[ToolCall]:
    """Counted, and harms its own process as `harm` says."""
    harm = golden.metadata.get("harm")
    if harm == "always":
        os._exit(3)
    if harm == "once" and first_time(golden, "killed"):
        os.kill(os.getpid(), signal.SIGKILL)
    if harm == "pause" and first_time(golden, "paused"):
        (Path(golden.metadata["folder"]) / "pid").write_text(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGSTOP)
    return counted(golden)


async def talkative(golden: Golden) -> Trajectory:
    """Answers at once and at length; what it says cannot be compressed away."""
    noise = random.Random(golden.id).randbytes(golden.metadata["bytes"] // 2)
    return Trajectory(calls=(ToolCall("a", {"n": number_of(golden)}),), output=noise.hex())


async def priced(golden: Golden) -> Trajectory:
    """Every answer costs 100 tokens."""
    return Trajectory(calls=(ToolCall("a", {"n": 0}),), usage=Usage(80, 20))


def of_text(question: str, history: list[dict[str, str]], session_id: str) -> str:
    return f"{question} {history} {len(session_id)}"


class KilledOnce:
    """Work whose process is killed when it is begun for the first time."""

    def __init__(self, work: Callable[[Any], None], folder: Path) -> None:
        self.work = work
        self.folder = folder

    def __call__(self, item: Any) -> None:
        try:
            (self.folder / "begun").touch(exist_ok=False)
        except FileExistsError:
            self.work(item)
        else:
            os.kill(os.getpid(), signal.SIGKILL)
