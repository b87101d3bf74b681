"""The whole view as one JSON document, for programs: `{"format": "rightcall/report/1", "cases": […], "view": {…}}`."""

from __future__ import annotations

from itertools import chain, repeat
from typing import IO, TYPE_CHECKING

from rightcall.core.codec import encode
from rightcall.show.rows import row_of
from rightcall.show.view.run import RunReading, RunView

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

FORMAT = "rightcall/report/1"


def write_json(store: Store, run: str, out: IO[bytes]) -> RunView:
    """Write the report of a run: each case as `score --json` prints it, one per line, then every number."""
    reading = RunReading(store, run)
    out.write(b'{"format": ' + encode(FORMAT) + b', "cases": [')
    between = chain([b"\n"], repeat(b",\n"))
    for _, result in reading.cases():
        out.write(next(between) + encode(row_of(result, reading.tools)))
    view = reading.view()
    out.write(b'\n], "view": ' + encode(view) + b"}\n")
    return view
