"""A result as the rows of its tables, and back; and bulk inserts of rows, directly through the driver.

SQLAlchemy's own `execute` with a list of dicts costs several times as much as the rows themselves
(`benchmarks/store_throughput.py` prints both).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import BigInteger, Connection, Double, LargeBinary, Table

from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.model import CaseResult, Failure, Trajectory, Usage
from rightcall.model.run import CaseOutcome
from rightcall.store.sql.packed_scores import ScorePacker, ScoreReader
from rightcall.store.sql.record_bytes import (
    Words,
    compress_record,
    decode_record,
    decompress_record,
    encode_record,
    escape_text,
)
from rightcall.store.sql.tables import ERROR, FAILED, PASSED, UNCHECKED, results

LONGEST_ID = 1000
"""Bytes of a golden's id: PostgreSQL refuses to index much longer ones."""

OUTCOMES: dict[CaseOutcome, int] = {
    "failed": FAILED,
    "passed": PASSED,
    "error": ERROR,
    "unchecked": UNCHECKED,
}

LARGEST = 2**63 - 1


class PackedResult(CaseResult, frozen=True):
    """A result whose trajectory was already packed elsewhere; `trajectory` itself is not stored."""

    packed_trajectory: bytes | None = None


class ResultRows(NamedTuple):
    """The rows of one result, without its number and its run; `usage` is what it adds to the run's, with its judges."""

    golden_id: str
    trial: int
    outcome: int
    rest: Row
    failed: list[int]
    codes: list[Row]
    trajectory: bytes | None
    usage: Usage


def to_rows(result: CaseResult, pack: ScorePacker) -> ResultRows:
    """Everything about a result as columns; the trajectory compressed."""
    check_golden_id(result.golden_id)
    scores, failed = pack(result.metrics)
    spent = result.usage
    usage = Usage(limit_count(spent.input_tokens), limit_count(spent.output_tokens), spent.cost_usd)
    return ResultRows(
        escape_text(result.golden_id),
        result.trial,
        OUTCOMES[result.outcome],
        (
            result.passed,
            _number(result.score),
            result.category,
            escape_text(result.error),
            _number(result.latency_ms),
            usage.input_tokens,
            usage.output_tokens,
            _number(usage.cost_usd),
            scores,
            escape_text(result.first_request) or None,
        ),
        failed,
        [
            (
                position,
                failure.code,
                escape_text(failure.tool),
                escape_text(failure.parameter),
                encode_record(failure),
            )
            for position, failure in enumerate(result.codes)
        ],
        _trajectory(result),
        usage.plus(result.judge_usage) if result.metrics else usage,
    )


def _trajectory(result: CaseResult) -> bytes | None:
    if isinstance(result, PackedResult):
        return result.packed_trajectory
    return None if result.trajectory is None else compress_record(result.trajectory)


def to_result(
    row: Any, read_scores: ScoreReader, codes: Iterable[bytes], trajectory: bytes | None
) -> CaseResult:
    """The result, from a row of `results` and its related rows, each in order."""
    check_row(results, row)
    return CaseResult(
        golden_id=row.golden_id,
        trial=row.trial,
        passed=bool(row.passed),
        score=math.nan if row.score is None else row.score,
        metrics=read_scores(row.scores),
        codes=tuple(decode_record(evidence, Failure) for evidence in codes),
        category=row.category,
        error=row.error,
        latency_ms=row.latency_ms,
        usage=Usage(row.input_tokens, row.output_tokens, row.cost_usd),
        trajectory=None if trajectory is None else decompress_record(trajectory, Trajectory),
        first_request=row.first_request or "",
        checked=row.outcome != UNCHECKED,
    )


def check_golden_id(golden_id: str) -> None:
    """An id that one engine could not store is rejected by all of them."""
    if len(golden_id) * 4 > LONGEST_ID and len(golden_id.encode(errors="replace")) > LONGEST_ID:
        raise InputError(
            f"golden {shorten(golden_id, 41)!r}",
            f"the id is longer than {LONGEST_ID} bytes",
            "use a shorter id",
        )


def limit_count(tokens: int | None) -> int:
    """The count, limited to the largest value of the column; an unknown one adds nothing to the run's."""
    return min(tokens or 0, LARGEST)


def _number(value: float | None) -> float | None:
    """SQLite stores NaN as NULL, so NULL represents it on every engine."""
    return None if value is None or math.isnan(value) else float(value)


Row = tuple[Any, ...]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows known to be new; each row has the table's columns in order."""
    if not rows:
        return
    with closing(connection.connection.cursor()) as cursor:
        if connection.dialect.name == "postgresql":
            with cursor.copy(f"COPY {table.name} ({_columns(table)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(_insert_statement(table, "?"), rows)


def insert_missing(connection: Connection, table: Table, rows: Sequence[Row]) -> int:
    """Insert rows whose key does not exist yet; returns how many."""
    if not rows:
        return 0
    mark = "%s" if connection.dialect.name == "postgresql" else "?"
    with closing(connection.connection.cursor()) as cursor:
        cursor.executemany(_insert_statement(table, mark) + " ON CONFLICT DO NOTHING", rows)
        return int(cursor.rowcount)


@cache
def _insert_statement(table: Table, mark: str) -> str:
    marks = ", ".join([mark] * len(table.columns))
    return f"INSERT INTO {table.name} ({_columns(table)}) VALUES ({marks})"  # noqa: S608 (names are ours)


@cache
def _columns(table: Table) -> str:
    return ", ".join(column.name for column in table.columns)


TYPES: dict[type, Any] = {Words: str, BigInteger: int, Double: float, LargeBinary: bytes}


def check_row(table: Table, row: Any) -> None:
    """Raise `msgspec.ValidationError` unless the columns of a row have the types they were written with.

    SQLite keeps a value of any type in any column. A text where a number was written is damage, and is refused where
    it is read; later it would end an addition somewhere else with a traceback.
    """
    names, types = _types(table)
    msgspec.convert([getattr(row, name) for name in names], types)


@cache
def _types(table: Table) -> tuple[list[str], Any]:
    columns = [column for column in table.columns if type(column.type) in TYPES]
    kinds = [(TYPES[type(column.type)], column.nullable) for column in columns]
    types = tuple(kind | None if nullable else kind for kind, nullable in kinds)
    return [column.name for column in columns], tuple[types]  # type: ignore[valid-type]
