"""Writes results to the store in batches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Select,
    Update,
    bindparam,
    case,
    delete,
    func,
    select,
    text,
    update,
)

from rightcall.core.errors import InputError, RunTakenOver
from rightcall.records import AnyGolden, CaseResult
from rightcall.store.base import Key
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core, insert_missing, insert_rows, portions
from rightcall.store.sql.golden_sets import add_goldens
from rightcall.store.sql.record_bytes import escape_text
from rightcall.store.sql.rows import LARGEST, ResultRows, ScorePacker, limit_count, to_rows


class RunWriter:
    """Writes one run's results. May be shared by threads, and other processes may write the same run.

    Holds no connection and needs no closing: what `add` returned from is stored. `epoch` counts the processes that
    took the run over, one after the other: a writer of an earlier one stores nothing more and raises `RunTakenOver`.
    """

    def __init__(self, store: Core, run_key: int, run_id: str, epoch: int) -> None:
        self._store = store
        self._run_key = run_key
        self.run_id = run_id
        self.epoch = epoch

    def add_goldens(self, goldens: Iterable[AnyGolden], fingerprint: str = "") -> None:
        """Store the goldens of the run, so that a case can be shown with its expectations.

        Reads them as a stream; a golden with the same content is stored once for all runs. `fingerprint` names all
        of them: a later run of the same ones shares what is stored, and its goldens are not read.
        """
        add_goldens(self._store, self._run_key, goldens, fingerprint)

    def add(self, results: Sequence[CaseResult]) -> set[Key]:
        """Store a batch and say which keys were new; all of it is on disk when this returns.

        A result whose golden and trial already exist is left unchanged: a resumed run cannot duplicate one, and
        `Store.results_of` reads what is stored for it.
        """
        if not results:
            return set()
        names = set(chain.from_iterable(result.metrics for result in results))
        keys = self._store.metric_keys(names)
        pack = ScorePacker(keys)
        # The expensive part runs before the transaction, which keeps locks short.
        rows = [to_rows(result, pack) for result in results]
        with self._store.write_transaction() as connection:
            now = self._store.now()
            new = insert_results(connection, self._run_key, self.run_id, rows, now=now, epoch=self.epoch)
        if len(new) == len(results):
            return {(result.golden_id, result.trial) for result in results}
        return {(r.golden_id, r.trial) for r in results if (escape_text(r.golden_id), r.trial) in new}

    def drop_errors(self, goldens: Collection[str] | None = None) -> int:
        """Delete errors, of these goldens or of all, so that they can be tried again."""
        with self._store.write_transaction() as connection:
            return _drop_errors(connection, self._run_key, self.run_id, self.epoch, goldens=goldens)


def insert_results(
    connection: Connection, run_key: int, run_id: str, rows: Sequence[ResultRows], now: str, epoch: int | None
) -> set[Key]:
    """Insert those of these rows that are new, with their related rows, and update the counters in the run's row.

    Returns the keys that were new. With an `epoch`, raises `RunTakenOver` if the run has a later one by now.
    """
    # Two writers of the same results take their locks in the same order, or PostgreSQL finds a deadlock.
    ordered = sorted(rows, key=lambda row: (row.golden_id, row.trial))
    numbered = list(zip(_numbers(connection, len(ordered)), ordered, strict=True))
    rows_of_results = [(n, run_key, r.golden_id, r.trial, r.outcome, *r.rest) for n, r in numbered]
    inserted = insert_missing(connection, tables.results, rows_of_results)
    if inserted < len(numbered):
        id_ = tables.results.c.id
        parts = portions([number for number, _ in numbered])
        stored = set(
            chain.from_iterable(
                connection.execute(select(id_).where(id_.in_(some))).scalars() for some in parts
            )
        )
        numbered = [(number, r) for number, r in numbered if number in stored]
    insert_rows(connection, tables.failed_metrics, [(n, key) for n, r in numbered for key in r.failed])
    codes = [(n, place, run_key, *code) for n, r in numbered for place, *code in r.codes]
    insert_rows(connection, tables.codes, codes)
    contents = [(n, r.trajectory) for n, r in numbered if r.trajectory is not None]
    insert_rows(connection, tables.trajectories, contents)
    _count(connection, run_key, run_id, [r for _, r in numbered], now=now, epoch=epoch)
    return {(r.golden_id, r.trial) for _, r in numbered}


def _numbers(connection: Connection, count: int) -> list[int]:
    """Free numbers for results. SQLite has one writer, which is this one; PostgreSQL uses a sequence."""
    if connection.dialect.name == "postgresql":
        statement = text(
            "SELECT nextval(pg_get_serial_sequence('results', 'id')) FROM generate_series(1, :count)"
        )
        return list(connection.execute(statement, {"count": count}).scalars())
    first = (connection.execute(_last_number()).scalar() or 0) + 1
    return list(range(first, first + count))


@cache
def _last_number() -> Select[Any]:
    return select(func.max(tables.results.c.id))


def require_epoch(connection: Connection, run_id: str, epoch: int) -> None:
    """Raise `RunTakenOver` if another process has resumed the run since; in a transaction that holds the run's row."""
    now = connection.execute(select(tables.runs.c.epoch).where(tables.runs.c.id == run_id)).scalar()
    if now is not None and now != epoch:
        raise RunTakenOver(run_id)


def _count(
    connection: Connection, run_key: int, run_id: str, stored: list[ResultRows], now: str, epoch: int | None
) -> None:
    """Add the batch to its run's counters; last, because other writers of the run wait from here."""
    costs = [row.usage.cost_usd for row in stored if row.usage.cost_usd is not None]
    more = {
        "results": len(stored),
        "passed": sum(row.outcome == tables.PASSED for row in stored),
        "errors": sum(row.outcome == tables.ERROR for row in stored),
        "unchecked": sum(row.outcome == tables.UNCHECKED for row in stored),
        "input_tokens": limit_count(sum(row.usage.input_tokens or 0 for row in stored)),
        "output_tokens": limit_count(sum(row.usage.output_tokens or 0 for row in stored)),
    }
    parameters = {"of_key": run_key, "of_id": run_id, "now": now}
    parameters |= {"of_epoch": epoch} if epoch is not None else {}
    parameters |= {"more_cost": sum(costs)} if costs else {}
    changed = connection.execute(
        _count_update(epoch is not None, bool(costs)),
        parameters | {f"more_{name}": count for name, count in more.items()},
    )
    if changed.rowcount == 0:
        if epoch is not None:
            require_epoch(connection, run_id, epoch)
        raise InputError(f"run {run_id}", "was finished or deleted while being written")


@cache
def _count_update(of_epoch: bool, with_cost: bool) -> Update:
    """The statement that adds a batch to a run. Made once: making it takes longer than it takes to run."""
    runs = tables.runs.c
    added: dict[str, ColumnElement[Any]] = {
        name: runs[name] + bindparam(f"more_{name}") for name in ("results", "passed", "errors", "unchecked")
    }
    for name in (
        "input_tokens",
        "output_tokens",
    ):  # reported by replies: sums are capped at the column's range
        more = bindparam(f"more_{name}", type_=BigInteger)
        added[name] = case((runs[name] > LARGEST - more, LARGEST), else_=runs[name] + more)
    if with_cost:
        added["cost_usd"] = func.coalesce(runs.cost_usd, 0.0) + bindparam("more_cost")
    statement = update(tables.runs).where(
        runs.key == bindparam("of_key"), runs.id == bindparam("of_id"), runs.finished_at.is_(None)
    )
    if of_epoch:
        statement = statement.where(runs.epoch == bindparam("of_epoch"))
    return statement.values(**added, updated_at=bindparam("now"))


def _lock_run(connection: Connection, run_key: int, run_id: str, epoch: int) -> None:
    """Hold the run's row: a process that takes the run over waits for it, and its results are not dropped."""
    runs = tables.runs.c
    mine = update(tables.runs).where(runs.key == run_key, runs.epoch == epoch).values(errors=runs.errors)
    if connection.execute(mine).rowcount == 0:
        raise RunTakenOver(run_id)


def _delete_results(connection: Connection, criteria: Sequence[ColumnElement[bool]]) -> int:
    """Delete results with their related rows; how many they were."""
    numbers = select(tables.results.c.id).where(*criteria)
    for table in (tables.failed_metrics, tables.codes, tables.trajectories):
        connection.execute(delete(table).where(table.c.result_id.in_(numbers)))
    return int(connection.execute(delete(tables.results).where(*criteria)).rowcount)


def _drop_errors(
    connection: Connection, run_key: int, run_id: str, epoch: int, goldens: Collection[str] | None
) -> int:
    runs = tables.runs.c
    results = tables.results.c
    _lock_run(connection, run_key, run_id, epoch)
    unanswered = [results.run_key == run_key, tables.without_answer()]
    if goldens is not None:
        unanswered.append(results.golden_id.in_(list(goldens)))
    unchecked = select(func.count()).where(*unanswered, results.outcome == tables.UNCHECKED)
    fewer = connection.execute(unchecked).scalar_one()
    dropped = _delete_results(connection, unanswered)
    left = {
        "results": runs.results - dropped,
        "errors": runs.errors - (dropped - fewer),
        "unchecked": runs.unchecked - fewer,
    }
    connection.execute(update(tables.runs).where(runs.key == run_key).values(left))
    return dropped
