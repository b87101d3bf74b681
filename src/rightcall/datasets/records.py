"""Goldens from rows in memory: frames, Hugging Face datasets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rightcall.core.errors import ConfigError
from rightcall.datasets.deepeval.names import KNOWN, Names
from rightcall.datasets.deepeval.reader import golden_of
from rightcall.datasets.goldens import FIELDS, golden_of_plain
from rightcall.model.golden import AnyGolden

NATIVE_ONLY = FIELDS - {*KNOWN, "metadata", "custom_columns", "model", "settings"}
"""Fields that only RightCall's format has; any table may have a column `model` or `settings`."""


def golden_of_row(row: Mapping[str, Any], where: str, names: Names | None = None) -> AnyGolden:
    """A golden from a row in RightCall's format or DeepEval's; None means that a field is absent."""
    if (names is None or not names.called) and not NATIVE_ONLY.isdisjoint(row):
        present = {name: value for name, value in row.items() if value is not None}
        return golden_of_plain(present, where)
    return golden_of(row, where, names)


def rows_of(source: Any) -> Iterator[dict[str, Any]]:
    """Rows of a pandas or polars frame, an Arrow table, a Hugging Face dataset, or any iterable of mappings."""
    if hasattr(source, "iter_rows") and hasattr(source, "columns"):
        rows: Iterable[Any] = source.iter_rows(named=True)
    elif hasattr(source, "itertuples") and hasattr(source, "columns"):
        columns = [str(column) for column in source.columns]
        rows = (
            dict(zip(columns, values, strict=True)) for values in source.itertuples(index=False, name=None)
        )
    elif hasattr(source, "to_pylist"):
        rows = source.to_pylist()
    else:
        rows = source
    for place, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            kind = type(row).__name__
            raise ConfigError(f"row {place}: expected a mapping from column to value, got {kind}")
        yield {str(name): plain(value) for name, value in row.items()}


def plain(value: Any) -> Any:
    """A frame's value as JSON: arrays become lists, NaN and NaT become null, times become text."""
    if value is None or isinstance(value, str | bool | int | float):
        return None if isinstance(value, float) and math.isnan(value) else value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if hasattr(value, "isoformat"):
        return None if value != value else value.isoformat()  # noqa: PLR0124  only NaT differs from itself
    return None if type(value).__name__ == "NAType" else str(value)
