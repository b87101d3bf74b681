"""Several processes write at once and lose nothing; a killed one leaves a readable store."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from rightcall.core.errors import InputError
from rightcall.store.address import open_store

from .builders import a_result, a_run

pytestmark = pytest.mark.stories

PROCESSES = 4
BATCHES = 12
BATCH = 25
FOREVER = """
import itertools, sys
from rightcall.store.address import open_store
from tests.store.builders import a_result
writer = open_store(sys.argv[1]).runs.resume(sys.argv[2])
for number in itertools.count():
    writer.add([a_result(f"g-{number:05}-{place}") for place in range(20)])
    print(number, flush=True)
"""


def write_shared_and_own(url: str, name: int) -> None:
    """One process's work: its own run, and its part of a run that all of them write."""
    with open_store(url) as store:
        own = store.runs.begin(a_run(f"own-{name}"))
        with suppress(InputError):  # another process was faster
            store.runs.begin(a_run("together"))
        together = store.runs.join("together")
        for batch in range(BATCHES):
            own.add([a_result(f"g-{batch}-{number}") for number in range(BATCH)])
            together.add([a_result(f"g-{name}-{batch}-{number}") for number in range(BATCH)])
            together.add([a_result(f"everyone-{batch}-{number}") for number in range(BATCH)])


def test_four_processes_make_a_store_and_write_it_at_once_and_lose_nothing(stores):
    url = stores.url(empty=True)
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=write_shared_and_own, args=(url, name)) for name in range(PROCESSES)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(300)
    assert [worker.exitcode for worker in workers] == [0] * PROCESSES
    store = stores.open(url)
    own = [store.runs.get(f"own-{name}") for name in range(PROCESSES)]
    assert [run.results for run in own] == [BATCHES * BATCH] * PROCESSES
    assert len(list(store.runs.result_keys("together"))) == (PROCESSES + 1) * BATCHES * BATCH
    assert store.runs.get("together").results == (PROCESSES + 1) * BATCHES * BATCH


def test_sigkill_while_writing_loses_nothing_that_was_stored(stores):
    url = stores.url()
    stores.open(url).runs.begin(a_run("killed"))
    here = Path(__file__).parents[2]
    child = subprocess.Popen(
        [sys.executable, "-c", FOREVER, url, "killed"],
        stdout=subprocess.PIPE,
        cwd=here,
        env=os.environ | {"PYTHONPATH": str(here)},
    )
    told = [int(child.stdout.readline()) for _ in range(15)]
    os.kill(child.pid, signal.SIGKILL)
    told += [int(line) for line in child.stdout.read().split()]
    child.wait()
    child.stdout.close()
    store = stores.open(url)
    stored = set(store.runs.result_keys("killed"))
    assert {(f"g-{number:05}-{place}", 0) for number in told for place in range(20)} <= stored
    assert (
        store.runs.get("killed").results
        == len(stored)
        == len(list(store.runs.results("killed", trajectories=True)))
    )
    assert store.runs.resume("killed").add([a_result("after")]) == {("after", 0)}
    if stores.engine == "sqlite":
        with sqlite3.connect(url) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
