"""Commands killed while they write: the same command completes the work, as if nothing had happened.

    python -m benchmarks kills [--kills 20] [--seed 1] [--job NAME ...]

`improve`, `generate`, `check`, `traces import` into a store and into files, `mcp record`, and runs that record
models and a server are real processes.
Each is killed (SIGKILL, every third time SIGTERM) at a moment drawn from the seed, between its first write and its end,
then typed again: `generate` with `--resume last`. Then:

- it completes with the exit code of a process that was not disturbed, or refuses because the work is done already;
- its results are equal to those of a process that was not disturbed: nothing is lost, nothing is there twice;
- nothing else is left behind: no temporary file, no broken line of JSON, no damaged store.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.kills_jobs import JOBS, KillJob

ROOT = Path(__file__).parents[1]


@dataclass
class Undisturbed:
    """A process that nobody killed: how it ended, what it made, and when it wrote first and ended."""

    code: int
    result: Any
    first_write: float
    seconds: float


@dataclass
class Ending:
    """How a killed process and the one after it ended, and what about it must not be."""

    how: str
    wrong: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks kills")
    parser.add_argument("--kills", type=int, default=20, help="kills of each job")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--job", action="append", choices=sorted(JOBS))
    options = parser.parse_args()
    names = options.job or list(JOBS)
    broken = 0
    for name in names:
        started = time.monotonic()
        endings = Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            template = prepare(JOBS[name], place / "template")
            reference = undisturbed(JOBS[name], Path(shutil.copytree(template, place / "reference")))
            for number in range(options.kills):
                seed = options.seed * 100_000 + number
                project = Path(shutil.copytree(template, place / str(seed)))
                ending = endure(JOBS[name], project, reference, seed)
                endings[ending.how] += 1
                broken += bool(ending.wrong)
                for problem in ending.wrong:
                    print(f"  WRONG {name}, seed {seed}: {problem}", flush=True)
        summary = ", ".join(f"{count} {how}" for how, count in sorted(endings.items()))
        print(f"{name:<24} {summary} ({time.monotonic() - started:.0f} s)", flush=True)
    if broken:
        sys.exit(f"{broken} of {len(names) * options.kills} kills left something behind")
    print(f"{len(names) * options.kills} kills: nothing lost, nothing stored twice, nothing left behind")


def undisturbed(job: KillJob, folder: Path) -> Undisturbed:
    files = snapshot(folder)
    started = time.monotonic()
    first = 0.0
    process = start(folder, job.words)
    while process.poll() is None:
        if not first and snapshot(folder) != files:
            first = time.monotonic() - started
        time.sleep(0.01)
    _, err = process.communicate()
    assert process.returncode in (0, 1, 3), f"{job.words} ended with {process.returncode}: {err[-2000:]}"
    return Undisturbed(process.returncode, job.result(folder), first, time.monotonic() - started)


def endure(job: KillJob, folder: Path, reference: Undisturbed, seed: int) -> Ending:
    """Kill the job at a moment drawn from the seed, type it again, and compare."""
    drawn = random.Random(seed)
    files = snapshot(folder)
    number = signal.SIGTERM if seed % 3 == 2 else signal.SIGKILL
    process = start(folder, job.words)
    while process.poll() is None and snapshot(folder) == files:
        time.sleep(0.01)
    time.sleep(drawn.uniform(0, max(0.02, reference.seconds - reference.first_write)))
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    killed = process.returncode in (-number, 128 + number)  # the interpreter's own end has no handler
    ending = Ending(f"{number.name} and completed" if killed else "ended before the signal")
    if "Traceback" in err:
        ending.wrong.append(f"a traceback after {number.name}: {err[-1500:]}")
    if not killed and process.returncode != reference.code:
        ending.wrong.append(f"{number.name} ended it with {process.returncode}: {err[-500:]}")
    complete(job, folder, reference, ending)
    ending.wrong += leftovers(folder)
    return ending


def complete(job: KillJob, folder: Path, reference: Undisturbed, ending: Ending) -> None:
    """Type the command again and compare what it made. It may refuse if the first process had done everything."""
    code = 0
    err = ""
    for words in filter(None, (job.resume, job.words)):
        process = start(folder, words)
        _, err = process.communicate(timeout=300)
        code = process.returncode
        if "Traceback" in err:
            ending.wrong.append(f"a traceback of the second process: {err[-1500:]}")
        if code == reference.code:
            break
    result = job.result(folder)
    if result != reference.result:
        ending.wrong.append(f"another result: {difference(reference.result, result)}")
    if code != reference.code and "already exists" not in err:
        ending.wrong.append(f"the second process ended with {code}: {err[-500:]}")


def leftovers(folder: Path) -> list[str]:
    """What a process may not leave: temporary files, broken lines, damaged stores."""
    problems = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder)
        if path.suffix in (".tmp", ".part") or path.name.startswith(("tmp", "pull-")):
            problems.append(f"{name} is left behind")
        elif path.suffix in (".json", ".jsonl"):
            text = path.read_text("utf-8")
            for part in text.splitlines() if path.suffix == ".jsonl" else [text]:
                try:
                    json.loads(part)
                except ValueError as error:
                    problems.append(f"{name} is not JSON: {error}")
        elif path.suffix == ".db":
            with closing(sqlite3.connect(path)) as database:
                (state,) = database.execute("PRAGMA integrity_check").fetchone()
            if state != "ok":
                problems.append(f"{name}: {state}")
    return problems


def difference(expected: Any, actual: Any) -> str:
    """The first keys or lines that differ, cut."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        keys = [key for key in {**expected, **actual} if expected.get(key) != actual.get(key)]
        shown = "; ".join(
            f"{key}: {str(expected.get(key))[:200]} ≠ {str(actual.get(key))[:200]}" for key in keys[:3]
        )
        return f"{len(keys)} differ: {shown}"
    return f"{str(expected)[:300]} ≠ {str(actual)[:300]}"


def snapshot(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file with its size and time, except those that only say that a process has begun."""
    found = {}
    for path in folder.rglob("*"):
        try:
            facts = path.stat()
        except FileNotFoundError:
            continue
        if path.is_file() and "__pycache__" not in path.parts:
            found[str(path)] = (facts.st_size, facts.st_mtime_ns)
    return found


def prepare(job: KillJob, folder: Path) -> Path:
    """The folder as it is before the job."""
    folder.mkdir(parents=True)
    job.prepare(folder)
    for words in job.before:
        process = start(folder, words)
        _, err = process.communicate(timeout=300)
        assert process.returncode in (0, 1), f"{words} ended with {process.returncode}: {err[-2000:]}"
    job.change(folder)
    return folder


def start(folder: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    paths = os.pathsep.join((str(folder), str(ROOT), str(ROOT / "src")))
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.kills_agent", *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


if __name__ == "__main__":
    main()
