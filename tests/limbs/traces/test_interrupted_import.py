"""An import that was killed between two batches is continued: every session counts, once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.traces_import import write

from rightcall.store.address import open_store

ROOT = Path(__file__).parents[3]
IMPORT = """
import os, sys
from pathlib import Path
from rightcall.limbs.traces import trace_import
from rightcall.store.address import open_store
from rightcall.limbs.traces.reader import load_traces
store, last = open_store(sys.argv[1]), int(sys.argv[2])
trace_import.AT_ONCE = 7
def until_killed(traces):
    for number, trace in enumerate(traces):
        if number == last:
            os.kill(os.getpid(), 9)
        yield trace
trace_import.import_to_store(until_killed(load_traces(Path("traces.jsonl"))), store)
"""


def imported(folder: Path, store: str, *kills: int) -> list[object]:
    for last in (*kills, -1):
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}"}
        process = subprocess.run(
            [sys.executable, "-c", IMPORT, store, str(last)], cwd=folder, env=environment, check=False
        )
        assert process.returncode == (0 if last < 0 else -9)
    with open_store(folder / store) as opened:
        assert opened.traces.states("importing") == {}
        return [
            sorted(opened.traces.session_counts(), key=repr),
            sorted(opened.traces.check_counts(), key=repr),
        ]


@pytest.mark.stories
def test_sessions_of_a_killed_import_are_counted_once(tmp_path: Path):
    write(tmp_path / "traces.jsonl", 40)
    expected = imported(tmp_path, "whole.db")
    assert expected[0] and imported(tmp_path, "killed.db", 10, 24) == expected
