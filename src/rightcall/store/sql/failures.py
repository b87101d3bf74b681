"""Failed trials of a run as analysis reads them: codes and calls, without scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from sqlalchemy import Connection, case, func, select, tuple_

from rightcall.model import Failure, ToolCall, Trajectory
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core
from rightcall.store.sql.record_bytes import decode_record, decompress_json, decompress_record, escape_text
from rightcall.store.sql.run_lookup import find

AT_ONCE = 500

results = tables.results.c


class TrialCount(NamedTuple):
    """A golden of a run: its number of scored trials, and how many passed."""

    golden_id: str
    judged: int
    passed: int


class StoredFailure(NamedTuple):
    """A failed trial: its codes, and its calls where a tool was run."""

    golden_id: str
    trial: int
    codes: tuple[Failure, ...]
    calls: Sequence[ToolCall]


class ExtremeTrial(NamedTuple):
    """A trial that took long or cost much."""

    golden_id: str
    trial: int
    value: float


class RunFailures:
    """What failed in a run; read when asked."""

    def __init__(self, store: Core, run: str) -> None:
        self._store, self._run = store, run

    def code_counts(self) -> dict[str, int]:
        """The number of failures by code, also for a run in progress. Unchecked cases did not fail."""
        c = tables.codes.c
        with self._store.read_transaction() as connection:
            row = find(connection, self._run)
            counted = select(c.code, func.count().label("failures")).where(c.run_key == row.key)
            if row.unchecked:
                counted = counted.join(tables.results, results.id == c.result_id)
                counted = counted.where(results.outcome != tables.UNCHECKED)
            rows = connection.execute(counted.group_by(c.code).order_by(c.code))
            return {row.code: row.failures for row in rows}

    def trial_counts(self) -> Iterator[TrialCount]:
        """Every golden that was checked, by id, streamed."""
        with self._store.read_transaction() as connection:
            key = find(connection, self._run).key
        last = ""
        while True:
            with self._store.read_transaction() as connection:
                rows = _counts(connection, key, last)
            yield from rows
            if len(rows) < AT_ONCE * 4:
                return
            last = rows[-1].golden_id

    def failed_trials(self) -> Iterator[StoredFailure]:
        """Every failed trial, by golden and trial, streamed. Calls of tools that were never run are omitted."""
        with self._store.read_transaction() as connection:
            key = find(connection, self._run).key
        last: tuple[str, int] | None = None
        while True:
            with self._store.read_transaction() as connection:
                page = _failure_page(connection, key, last)
            yield from page
            if len(page) < AT_ONCE:
                return
            last = page[-1].golden_id, page[-1].trial

    def extreme_trials(self, which: Literal["latency_ms", "cost_usd"], limit: int = 5) -> list[ExtremeTrial]:
        """The slowest or costliest trials."""
        column = results[which]
        query = select(results.golden_id, results.trial, column).where(column.is_not(None))
        order = column.desc(), results.golden_id, results.trial
        with self._store.read_transaction() as connection:
            here = results.run_key == find(connection, self._run).key
            return [
                ExtremeTrial(*row)
                for row in connection.execute(query.where(here).order_by(*order).limit(limit))
            ]


def _counts(connection: Connection, key: int, after: str) -> list[TrialCount]:
    judged = func.sum(case((results.outcome.in_((tables.PASSED, tables.FAILED)), 1), else_=0))
    passed = func.sum(case((results.outcome == tables.PASSED, 1), else_=0))
    query = (
        select(results.golden_id, judged, passed)
        .where(results.run_key == key, results.outcome != tables.UNCHECKED)
        .group_by(results.golden_id)
        .order_by(results.golden_id)
        .limit(AT_ONCE * 4)
    )
    rows = connection.execute(query.where(results.golden_id > escape_text(after)) if after else query)
    return [TrialCount(golden_id, int(of), int(good)) for golden_id, of, good in rows]


def _failure_page(connection: Connection, key: int, after: tuple[str, int] | None) -> list[StoredFailure]:
    query = select(results.id, results.golden_id, results.trial).where(
        results.run_key == key, results.outcome == tables.FAILED
    )
    if after is not None:
        query = query.where(
            tuple_(results.golden_id, results.trial) > tuple_(escape_text(after[0]), after[1])
        )
    rows = connection.execute(query.order_by(results.golden_id, results.trial).limit(AT_ONCE)).all()
    numbers = [row.id for row in rows]
    codes, calls = _codes(connection, numbers), _calls(connection, numbers)
    return [
        StoredFailure(row.golden_id, row.trial, tuple(codes[row.id]), calls.get(row.id, ())) for row in rows
    ]


def _codes(connection: Connection, numbers: Sequence[int]) -> dict[int, list[Failure]]:
    c = tables.codes.c
    failures: dict[int, list[Failure]] = defaultdict(list)
    query = select(c.result_id, c.evidence).where(c.result_id.in_(numbers)).order_by(c.result_id, c.position)
    for number, evidence in connection.execute(query):
        failures[number].append(decode_record(evidence, Failure))
    return failures


def _calls(connection: Connection, numbers: Sequence[int]) -> dict[int, Sequence[ToolCall]]:
    """The calls of each trial; decoded only if a tool was run, which the bytes reveal."""
    t = tables.trajectories.c
    query = select(t.result_id, t.content).where(t.result_id.in_(numbers))
    calls_by_result = {}
    for number, content in connection.execute(query):
        plain = decompress_json(content)
        if b'"calls"' in plain:
            calls_by_result[number] = decompress_record(plain, Trajectory).calls
    return calls_by_result
