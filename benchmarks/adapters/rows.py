"""The file in which the process of a framework leaves its measurements: a line of JSON for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Row = dict[str, Any]


@contextmanager
def rows_file(path: str) -> Iterator[Callable[[Row], None]]:
    """A function that adds a row, readable at once."""
    with Path(path).open("a", encoding="utf-8") as lines:
        yield lambda row: print(json.dumps(row, default=str), file=lines, flush=True)


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
