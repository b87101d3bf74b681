"""Rows of DeepEval's files, each with the line where it begins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rightcall.datasets.deepeval.names import Names
from rightcall.datasets.deepeval.reading import golden_of
from rightcall.datasets.formats import GOLDENS, csv, format_of
from rightcall.datasets.formats.jsonl import is_blank
from rightcall.files import existing_file, value_of
from rightcall.model.golden import AnyGolden


def read_deepeval(
    path: str | Path, names: Names | None = None, *, file_type: str | None = None
) -> Iterator[tuple[int, AnyGolden]]:
    """Goldens of a JSON, JSON Lines, YAML or CSV file with their lines; `file_type` overrules the suffix."""
    path = existing_file(path)
    kind = file_type or path.suffix.lower().lstrip(".")
    names = names or Names()
    if kind == "csv":
        for line, row in csv.read_rows(path):
            yield line, golden_of(row, f"{path}:{line}", names, cells=True)
        return
    for line, item in format_of(f"x.{kind}").read(path, GOLDENS):
        if not is_blank(item):
            fields = value_of(item, dict[str, Any], f"{path}:{line}")
            yield line, golden_of(fields, f"{path}:{line}", names)
