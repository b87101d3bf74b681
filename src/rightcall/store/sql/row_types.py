"""The types of columns, checked where a row is read: SQLite keeps a value of any type in any column.

A text where a number was written is damage, and is refused where it is read; later it would end an addition somewhere
else with a traceback.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from sqlalchemy import BigInteger, Double, LargeBinary, Row, Table

from rightcall.store.sql.record_bytes import Words

TYPES: dict[type, Any] = {Words: str, BigInteger: int, Double: float, LargeBinary: bytes}


def check_row(table: Table, row: Row[Any]) -> None:
    """Raise `msgspec.ValidationError` unless the columns of a row have the types they were written with."""
    names, types = _types(table)
    msgspec.convert([getattr(row, name) for name in names], types)


@cache
def _types(table: Table) -> tuple[list[str], Any]:
    columns = [column for column in table.columns if type(column.type) in TYPES]
    kinds = [(TYPES[type(column.type)], column.nullable) for column in columns]
    types = tuple(kind | None if nullable else kind for kind, nullable in kinds)
    return [column.name for column in columns], tuple[types]  # type: ignore[valid-type]
