"""Columns of one kind, several at a time, as tables declare them."""

from __future__ import annotations

from functools import partial
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary

from rightcall.store.sql.record_bytes import Words

RowNumber = BigInteger().with_variant(Integer, "sqlite")
"""SQLite assigns numbers automatically only to a column declared INTEGER."""


def columns(
    kind: Any, *names: str, key: bool = False, null: bool = False, **options: Any
) -> list[Column[Any]]:
    """Columns that are never NULL unless `null`; with `key`, they are the primary key or parts of it."""
    return [Column(name, kind, primary_key=key, nullable=null, **options) for name in names]


texts = partial(columns, Words)
numbers = partial(columns, BigInteger)
places = partial(columns, Integer)
reals = partial(columns, Double)
flags = partial(columns, Boolean)
blobs = partial(columns, LargeBinary)
row_numbers = partial(columns, RowNumber, key=True)
