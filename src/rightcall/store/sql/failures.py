"""Failed trials of a run as analysis reads them: codes and calls, without scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, case, func, select

from rightcall.records import Failure, Tool, ToolCall, Trajectory
from rightcall.records.failure import FATAL, MISTAKES, danger_of
from rightcall.store.base import ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core, stream_rows
from rightcall.store.sql.record_bytes import decode_record, decompress_json, decompress_record
from rightcall.store.sql.results import evidence_of, select_results, trajectories_of
from rightcall.store.sql.run_lookup import find

AT_ONCE = 500
FAILED = ResultFilter(outcome="failed")
MOST_DANGEROUS = 1_000
"""Goldens that a list shows first because of danger; queries name each of them."""

results = tables.results.c


class TrialCount(NamedTuple):
    """A golden of a run: its number of scored trials, and how many passed."""

    golden_id: str
    judged: int
    passed: int


class StoredFailure(NamedTuple):
    """A failed trial: its codes, its calls, and how its worlds were left."""

    golden_id: str
    trial: int
    codes: tuple[Failure, ...]
    calls: Sequence[ToolCall]
    state: Mapping[str, Any] | None = None


class RunFailures:
    """What failed in a run; read when asked."""

    def __init__(self, store: Core, run: str) -> None:
        self._store = store
        self._run = run
        self._run_key: int | None = None

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

    def goldens(self) -> int:
        """The number of goldens with a trial that failed or has no answer."""
        counted = select(func.count(results.golden_id.distinct()))
        with self._store.read_transaction() as connection:
            here = results.run_key == self._key(connection)
            failed = results.outcome.in_((tables.FAILED, tables.ERROR))
            return int(connection.execute(counted.where(here, failed)).scalar() or 0)

    def dangerous_goldens(self, tools: Mapping[str, Tool]) -> list[str]:
        """The goldens with a dangerous failure, by id; of very many, some. `tools` are those of the run, by name."""
        c = tables.codes.c
        query = (
            select(results.golden_id, c.evidence)
            .join(tables.codes, results.id == c.result_id)
            .where(results.outcome.in_((tables.FAILED, tables.ERROR)))
            .execution_options(yield_per=AT_ONCE)
        )
        hinted = any(tool.annotations.destructive for tool in tools.values())
        goldens: set[str] = set()
        with self._store.read_transaction() as connection:
            here = c.run_key == self._key(connection)
            for codes in (FATAL, MISTAKES) if hinted else (FATAL,):
                for golden_id, evidence in connection.execute(query.where(here, c.code.in_(sorted(codes)))):
                    if golden_id not in goldens and danger_of(decode_record(evidence, Failure), tools):
                        goldens.add(golden_id)
                    if len(goldens) == MOST_DANGEROUS:
                        break
        return sorted(goldens)

    def trial_counts(self) -> Iterator[TrialCount]:
        """Every golden that was checked, by id, streamed."""
        return stream_rows(self._store, self._counts, AT_ONCE * 4)

    def _counts(self, connection: Connection, after: TrialCount | None) -> list[TrialCount]:
        judged = func.sum(case((results.outcome.in_((tables.PASSED, tables.FAILED)), 1), else_=0))
        passed = func.sum(case((results.outcome == tables.PASSED, 1), else_=0))
        query = (
            select(results.golden_id, judged, passed)
            .where(results.run_key == self._key(connection), results.outcome != tables.UNCHECKED)
            .group_by(results.golden_id)
            .order_by(results.golden_id)
            .limit(AT_ONCE * 4)
        )
        rows = connection.execute(query.where(results.golden_id > after.golden_id) if after else query)
        return [TrialCount(golden_id, int(of), int(good)) for golden_id, of, good in rows]

    def failed_trials(self) -> Iterator[StoredFailure]:
        """Every failed trial, by golden and trial, streamed."""
        return stream_rows(self._store, self._failures, AT_ONCE)

    def _failures(self, connection: Connection, after: StoredFailure | None) -> list[StoredFailure]:
        beyond = None if after is None else (after.golden_id, after.trial)
        rows = select_results(connection, self._key(connection), FAILED, AT_ONCE, after=beyond)
        numbers = [row.id for row in rows]
        codes = evidence_of(connection, numbers)
        behaviour = _behaviour(connection, numbers)
        return [
            StoredFailure(
                row.golden_id,
                row.trial,
                tuple(decode_record(evidence, Failure) for evidence in codes.get(row.id, ())),
                *behaviour.get(row.id, ((), None)),
            )
            for row in rows
        ]

    def _key(self, connection: Connection) -> int:
        """The run's number, looked up once: `last` may change before the next page."""
        if self._run_key is None:
            self._run_key = int(find(connection, self._run).key)
        return self._run_key


def _behaviour(
    connection: Connection, numbers: Sequence[int]
) -> dict[int, tuple[Sequence[ToolCall], Mapping[str, Any] | None]]:
    """The calls and the final state of each trial; decoded only if there is a call, which the bytes reveal."""
    behaviour_by_result: dict[int, tuple[Sequence[ToolCall], Mapping[str, Any] | None]] = {}
    for number, content in trajectories_of(connection, numbers).items():
        plain = decompress_json(content)
        if b'"calls"' in plain:
            trajectory = decompress_record(plain, Trajectory)
            behaviour_by_result[number] = trajectory.calls, trajectory.state
    return behaviour_by_result
