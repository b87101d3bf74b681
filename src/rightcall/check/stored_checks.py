"""What a store keeps of checks: runs that continue after an interruption, and verdicts. No trial is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from rightcall.core.codec import decode, encode
from rightcall.core.errors import RightCallError
from rightcall.decide.check_result import CheckResult
from rightcall.files.atomic import write_file
from rightcall.records.run import Run
from rightcall.run.run_record import CHECKED
from rightcall.store.base import RunFilter, StoredRun, changes
from rightcall.store.sql.store import Store
from rightcall.tools.idempotency.owners import process_runs, this_process

QUIET = timedelta(minutes=10)
"""How long nothing is written before a check on another machine counts as interrupted."""
LOOKED_BACK = 20
_HERE: set[str] = set()
"""Checks in progress in this process."""


def question_of(run: Run, question: str) -> Run:
    """The run of a check that begins. `question` names the inputs and what was asked about them."""
    return msgspec.structs.replace(
        run, versions={**run.versions, "check": question, "process": this_process()}
    )


def find_interrupted_check(store: Store, now: Run) -> str | None:
    """The newest unfinished check of the same question that no process is running.

    Two checks of one question may run at the same time: one whose process is still running is not touched.
    """
    which = RunFilter(name=now.name, tag=CHECKED, state="unfinished")
    for stored in store.runs.page(which, limit=LOOKED_BACK):
        same = stored.run.versions.get("check") == now.versions["check"] and not changes(stored.run, now)
        if same and not _at_work(stored):
            return stored.id
    return None


@contextmanager
def check_in_progress(store: Store) -> Iterator[Callable[[Run], None]]:
    """What is called with the run of a check once it is stored: until the end, it counts as in progress."""
    runs = set[str]()

    def begin(run: Run) -> None:
        runs.add(run.id)
        _HERE.add(run.id)
        store.runs.tag(run.id, CHECKED)

    try:
        yield begin
    finally:
        _HERE.difference_update(runs)


def _at_work(stored: StoredRun) -> bool:
    process = stored.run.versions.get("process", "")
    if process == this_process():
        return stored.id in _HERE
    runs = process_runs(process)
    if runs is None:  # on another machine
        return datetime.now(UTC) - datetime.fromisoformat(stored.updated_at) < QUIET
    return runs


@dataclass
class StoredVerdicts:
    """`checks/SEED-NUMBER-ASKED.json`: the seed names the inputs, the number counts what was decided about them."""

    store: Store

    def count(self, seed: str) -> int:
        """How often these inputs were decided about."""
        return len(self._files(seed))

    def all(self, seed: str, asked: str) -> list[CheckResult]:
        """Every verdict on the same question that can be read, the oldest first."""
        results = []
        for path in sorted(self._files(seed), key=lambda path: int(path.stem.split("-")[1])):
            with suppress(OSError, RightCallError):
                if path.stem.endswith(f"-{asked}"):
                    results.append(decode(path.read_bytes(), CheckResult, str(path)))
        return results

    def of_run(self, run: str) -> CheckResult | None:
        """The verdict that the trials of a run gave; None when it is no check's, or its file is gone."""
        newest_first = sorted(self._files(""), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in newest_first:
            with suppress(OSError, RightCallError):
                result = decode(path.read_bytes(), CheckResult, str(path))
                if result.run_id == run:
                    return result
        return None

    def add(self, seed: str, asked: str, result: CheckResult) -> None:
        if (folder := self._folder) is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / f"{seed}-{self.count(seed) + 1}-{asked}.json", encode(result))

    @property
    def _folder(self) -> Path | None:
        return Path(self.store.file).parent / "checks" if self.store.file else None

    def _files(self, seed: str) -> list[Path]:
        folder = self._folder
        return list(folder.glob(f"{seed}*-*-*.json")) if folder and folder.is_dir() else []
