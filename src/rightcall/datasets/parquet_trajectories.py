"""Trajectories in Parquet files: each row is read as a JSON line.

Columns are the fields of a line. What is not text there (`calls`, `messages`, `usage`, …) is a column of JSON text, or
nested; arguments are always JSON text, because a nested column gives every row the same arguments, absent ones as null.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.datasets.records import open_parquet, plain

TEXTS = frozenset(("golden_id", "output", "stop_reason", "error"))

_encode = msgspec.json.Encoder().encode


def parquet_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The rows as JSON lines, numbered from 1."""
    number = 0
    with open_parquet(path) as file:
        for batch in file.iter_batches(batch_size=1000):
            for row in batch.to_pylist():
                number += 1
                yield number, _line(row, f"{path}: row {number}")


def _line(row: dict[str, Any], where: str) -> bytes:
    present = {str(name): value for name, value in row.items() if value is not None}
    try:
        return _encode({name: _json(name, value, where) for name, value in present.items()})
    except msgspec.MsgspecError as error:
        raise InputError(where, f"not JSON: {error}", "columns other than text must contain JSON") from None


def _json(name: str, value: Any, where: str) -> Any:
    if isinstance(value, str):
        return value if name in TEXTS else _raw(name, value, where)
    if name == "calls":
        return [_call(call, where) for call in value]
    return _without_nulls(plain(value))


def _call(call: dict[str, Any], where: str) -> dict[str, Any]:
    fields: dict[str, Any] = _without_nulls(
        plain({name: value for name, value in call.items() if name != "arguments"})
    )
    arguments = call.get("arguments")
    if isinstance(arguments, str):
        fields["arguments"] = _raw("arguments", arguments, where)
    elif arguments is not None:
        problem = "the arguments of a call are not text"
        raise InputError(where, problem, "write them as JSON text: a struct has the same in every row")
    return fields


def _without_nulls(value: Any) -> Any:
    """A nested column writes an absent field as null."""
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value


def _raw(name: str, text: str, where: str) -> msgspec.Raw:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        problem = f"the column '{name}' is not JSON: {error}"
        raise InputError(where, problem, "columns other than text must contain JSON") from None
    return msgspec.Raw(text.encode())
