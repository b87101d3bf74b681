"""The types of the columns that are read one by one: SQLite keeps a value of any type in any column.

A text where a number was written is damage, and is refused where it is read; later it would end an addition somewhere
else with a traceback.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec


class RunColumns(msgspec.Struct, array_like=True, frozen=True):
    """Columns of a run."""

    id: str
    name: str
    started_at: str
    agent: str
    trials: int
    group_name: str
    finished_at: str | None
    results: int
    passed: int
    errors: int
    planned: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    updated_at: str
    verdict: str
    fingerprints: bytes
    versions: bytes
    settings: bytes
    summary: bytes | None
    unchecked: int


class ResultColumns(msgspec.Struct, array_like=True, frozen=True):
    """Columns of a result."""

    golden_id: str
    trial: int
    score: float | None
    category: str
    error: str
    latency_ms: float | None
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    first_request: str | None


def check_run(row: Any) -> None:
    """Raise `msgspec.ValidationError` unless the columns of a run have the types they were written with."""
    msgspec.convert(_values(row, RunColumns.__struct_fields__), RunColumns)


def check_result(row: Any) -> None:
    """The same for a result."""
    msgspec.convert(_values(row, ResultColumns.__struct_fields__), ResultColumns)


def _values(row: Any, names: Sequence[str]) -> list[Any]:
    return [getattr(row, name) for name in names]
