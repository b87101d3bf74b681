"""What a store keeps of checks: runs that continue after an interruption, verdicts, and the ledger of a suite's checks.

No trial is paid for twice. The ledger, out of the store and of a baseline file, is printed and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import msgspec

from rightcall.core.codec import decode, encode
from rightcall.core.errors import InputError, RightCallError
from rightcall.core.text import pluralize, utc_text
from rightcall.decide.check_ledger import (
    KEPT,
    CheckEntry,
    budget_of,
    ledger_key,
    merge_ledgers,
    over_budget_words,
    require_time,
    time_of,
)
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_settings import CheckSettings
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import require_file
from rightcall.model.run import Run
from rightcall.run.baseline_file import BaselinePool, is_baseline, load_baseline, merge_baselines
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


ALARM, CONFIRMED = "alarm", "alarm-confirmed"
"""Tags of the run of a check that raised an alarm, and of one whose alarm was confirmed."""
PAGE = 200


def ledger_of_store(store: Store, suite: str, state: Literal["any", "finished"] = "any") -> list[CheckEntry]:
    """The checks of a suite in a store, of the last 366 days."""
    which = RunFilter(name=suite, tag=CHECKED, state=state, since=utc_text(datetime.now(UTC) - KEPT))
    entries, after = list[CheckEntry](), None
    while page := store.runs.page(which, limit=PAGE, after=after):
        entries += map(entry_of, page)
        after = page[-1].id
    return entries


def entry_of(run: StoredRun) -> CheckEntry:
    """The line of a check. Checks of earlier versions have no name but that of their run."""
    versions = run.run.versions
    return CheckEntry(
        versions.get("check_name", run.id),
        run.run.started_at,
        int(versions.get("check_draw", "1")),
        ALARM in run.tags,
        CONFIRMED in run.tags,
    )


def ledger_words(entries: Sequence[CheckEntry]) -> str:
    """What a ledger holds, on one line; "" when it is empty."""
    if not entries:
        return ""
    alarms, confirmed = sum(entry.alarm for entry in entries), sum(entry.confirmed for entry in entries)
    since = min(map(time_of, entries)).date().isoformat()
    told = f"{pluralize(alarms, 'first alarm')}, {confirmed} confirmed"
    return f"{pluralize(len(entries), 'check')} since {since}: {told}"


def with_ledger(pool: BaselinePool, store: Store) -> BaselinePool:
    """A baseline with the checks of its suite in a store."""
    checks = merge_ledgers(pool.checks, ledger_of_store(store, pool.header.suite))
    return BaselinePool(pool.header, pool.lines, checks)


def merge_files(files: Sequence[Path]) -> BaselinePool:
    """One baseline of baseline files and results of checks (`check.json`), in any order."""
    pools, results = list[BaselinePool](), list[tuple[Path, CheckResult]]()
    for file in files:
        if file.suffix == ".json" and not is_baseline(file):
            results += [(file, result) for result in _results(file)]
        else:
            pools.append(load_baseline(file))
    if not pools:
        raise InputError("baseline", "nothing to merge the checks into", "name a baseline file too")
    pool = merge_baselines(pools)
    entries = []
    for file, result in results:
        if result.suite != pool.header.suite:
            raise InputError(
                str(file), f"is a check of '{result.suite}', the baseline is of '{pool.header.suite}'"
            )
        entries += [result.entry] if result.entry is not None else []
    return BaselinePool(pool.header, pool.lines, merge_ledgers(pool.checks, entries))


def _results(file: Path) -> list[CheckResult]:
    """The results in the file: one, or a list of several suites."""
    try:
        data = require_file(file).read_bytes()
    except OSError as error:
        raise InputError(str(file), f"cannot be read: {error.strerror}") from None
    several = data.lstrip().startswith(b"[")
    results = (
        decode(data, list[CheckResult], str(file)) if several else [decode(data, CheckResult, str(file))]
    )
    for result in results:
        if result.entry is not None:
            require_time(result.entry, str(file))
    return results


class CheckLedger:
    """The ledger in which a check is entered."""

    def __init__(self, store: Store, baseline: BaselinePool, suite: str, inputs: str) -> None:
        self._store, self._suite, self._saved = store, suite, baseline.checks
        self._name = ledger_key(suite, inputs, baseline.header.id)

    def name_of(self, run: Run, draws: int) -> Run:
        """The run with its name in the ledger. `draws` are those that are known here; a file may know of more."""
        before = [*self._saved, *ledger_of_store(self._store, self._suite, "finished")]
        drawn = max([draws, *(entry.draw for entry in before if entry.check == self._name)])
        names = {"check_name": self._name, "check_draw": str(drawn + 1)}
        return msgspec.structs.replace(run, versions={**run.versions, **names})

    def enter(self, result: CheckResult, settings: CheckSettings) -> CheckResult:
        """The result with its line of the ledger, and what all checks used of the allowed false alarms."""
        confirm = result.confirm
        tags = [ALARM] if confirm is not None and confirm.alarm else []
        tags += [CONFIRMED] if confirm is not None and confirm.confirmed else []
        if tags:
            self._store.runs.tag(result.run_id, *tags)
        entry = entry_of(self._store.runs.get(result.run_id))
        result = msgspec.structs.replace(result, entry=entry)
        if confirm is None or confirm.mode != "base":
            return result
        entries = merge_ledgers(self._saved, ledger_of_store(self._store, self._suite), [entry])
        budget = budget_of(entries, settings.false_alarms, settings.checks)
        if budget is None:
            return result
        first, *others = result.notes
        over = over_budget_words(budget, settings.checks)
        notes = (f"{first} {budget.words}.", *filter(None, [over]), *others)
        return msgspec.structs.replace(result, budget=budget, notes=notes)
