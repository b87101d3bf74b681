"""The whole view as one JSON document, for programs: `{"format": "rightcall/report/1", "cases": […], "view": {…}}`."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rightcall.core.codec import encode
from rightcall.improve.run_setup import run_record
from rightcall.run.suite_history import suite_history
from rightcall.show.rows import row_of
from rightcall.show.view.run import RunTally, RunView, cases_of, with_search

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

FORMAT = "rightcall/report/1"


def write_json(store: Store, run: str, out: IO[bytes]) -> RunView:
    """Write the report of a run: each case as `score --json` prints it, one per line, then every number."""
    stored = store.runs.get(run)
    tools = store.runs.tools(stored)
    tally = RunTally(tools, run_record(store, stored).system)
    out.write(b'{"format": ' + encode(FORMAT) + b', "cases": [')
    between = b"\n"
    for golden, result in cases_of(store, stored.id):
        tally.add(golden, result)
        out.write(between + encode(row_of(result, tools)))
        between = b",\n"
    view = with_search(store, tally.view(stored, suite_history(store, stored)))
    out.write(b'\n], "view": ' + encode(view) + b"}\n")
    return view
