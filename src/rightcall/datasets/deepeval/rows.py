"""Rows of DeepEval's files, each with the line where it begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rightcall.datasets.deepeval.names import Names
from rightcall.datasets.deepeval.reader import golden_of
from rightcall.datasets.formats import GOLDENS, csv, format_of
from rightcall.datasets.formats.jsonl import is_blank
from rightcall.errors import InputError
from rightcall.files import existing_file, refuse_long_line, value_of
from rightcall.model.golden import AnyGolden

Skipped = Callable[[InputError], None]
"""Called for each row that is skipped."""


def read_deepeval(
    path: str | Path,
    names: Names | None = None,
    *,
    file_type: str | None = None,
    skipped: Skipped | None = None,
) -> Iterator[tuple[int, AnyGolden]]:
    """Goldens of a JSON, JSON Lines, YAML or CSV file with their lines; `file_type` overrides the suffix.

    With `skipped`, a row that cannot be read is passed to it, and reading continues.
    """
    path = existing_file(path)
    kind = file_type or path.suffix.lower().lstrip(".")
    names = names or Names()
    items = csv.read_rows(path) if kind == "csv" else format_of(f"x.{kind}").read(path, GOLDENS)
    return goldens_of_items(path, items, names, cells=kind == "csv", skipped=skipped)


def goldens_of_items(
    path: Path,
    items: Iterator[tuple[int, Any]],
    names: Names,
    *,
    cells: bool = False,
    skipped: Skipped | None = None,
) -> Iterator[tuple[int, AnyGolden]]:
    """Goldens of rows as read by a format."""
    for line, item in items:
        if is_blank(item):
            continue
        where = f"{path}:{line}"
        try:
            if isinstance(item, InputError):
                raise item
            if isinstance(item, bytes):
                refuse_long_line(item, where)
            fields = item if cells else value_of(item, dict[str, Any], where)
            golden = golden_of(fields, where, names, cells=cells)
        except InputError as error:
            if skipped is None:
                raise
            skipped(error)
            continue
        yield line, golden
