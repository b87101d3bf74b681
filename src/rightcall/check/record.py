"""The stored run of a check: started, or continued after an interruption, so that no trial is paid for twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from rightcall.core.codec import decode, encode
from rightcall.core.errors import RightCallError
from rightcall.decide.check_result import CheckResult
from rightcall.files.atomic import write_file
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run, Summary
from rightcall.run.baseline_pool import CHECKED
from rightcall.run.preparation import Prepared
from rightcall.run.sink import Sink, store_batch
from rightcall.store.address import Persistence
from rightcall.store.base import RunFilter, StoredRun, changes
from rightcall.store.sql.store import Store
from rightcall.tools.idempotency.owners import process_runs, this_process

QUIET = timedelta(minutes=10)
"""How long nothing is written before a check on another machine counts as interrupted."""
LOOKED_BACK = 20
_HERE: set[str] = set()
"""Checks in progress in this process."""


class CheckRecord:
    """What a check stores, and what an interrupted check of the same question has stored already.

    `question` names the inputs and what was asked about them. Two checks of one question may run at the same time: one
    whose process is still running is not touched.
    """

    def __init__(self, store: Store, prepared: Prepared, question: str, planned: int) -> None:
        self._store, self._persist = store, Persistence()
        self._sink: Sink
        now = prepared.new_run()
        now = msgspec.structs.replace(
            now, versions={**now.versions, "check": question, "process": this_process()}
        )
        self.answered: dict[tuple[str, int], CaseResult] = {}
        stored = self._find_interrupted(now)
        if stored is None:
            self.run = now
            self._writer = store.runs.begin(now, planned=planned, documents=prepared.documents)
            store.runs.tag(now.id, CHECKED)
        else:
            self.run = stored.run
            self._writer = store.runs.resume(stored.id)
            self._writer.drop_errors()
            self.answered = {
                (r.golden_id, r.trial): r for r in store.runs.results(stored.id, trajectories=True)
            }

    async def add_goldens(self, goldens: Sequence[AnyGolden]) -> None:
        await asyncio.to_thread(self._persist, lambda: self._writer.add_goldens(goldens))

    async def add(self, result: CaseResult) -> None:
        """Add a result; it is written soon."""
        await self._sink.put(result)

    @asynccontextmanager
    async def write_results(self) -> AsyncIterator[None]:
        """Write results as a run does, and the rest at the end, however it ends."""
        _HERE.add(self.run.id)
        try:
            async with Sink(
                lambda batch: store_batch(self._store, self._writer, batch),
                lambda batch: None,
                persist=self._persist,
            ) as self._sink:
                yield
        finally:
            _HERE.discard(self.run.id)

    async def finish(self, summary: Summary, verdict: str) -> None:
        def finish() -> None:
            self._store.runs.finish(self.run.id, summary, verdict, early=True, epoch=self._writer.epoch)

        await asyncio.to_thread(self._persist, finish)

    def _find_interrupted(self, now: Run) -> StoredRun | None:
        """The newest unfinished check of the same question that no process is running."""
        which = RunFilter(name=now.name, tag=CHECKED, state="unfinished")
        for stored in self._store.runs.page(which, limit=LOOKED_BACK):
            same = stored.run.versions.get("check") == now.versions["check"] and not changes(stored.run, now)
            if same and not _at_work(stored):
                return stored
        return None


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

    def last(self, seed: str, asked: str) -> CheckResult | None:
        """The newest verdict on the same question; None when there is none that can be read."""
        paths = [path for path in self._files(seed) if path.stem.endswith(f"-{asked}")]
        if not paths:
            return None
        path = max(paths, key=lambda path: int(path.stem.split("-")[1]))
        try:
            return decode(path.read_bytes(), CheckResult, str(path))
        except (OSError, RightCallError):  # written by another version: decide again
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
        return list(folder.glob(f"{seed}-*-*.json")) if folder and folder.is_dir() else []
