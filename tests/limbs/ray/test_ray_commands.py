"""`rightcall run` of a suite with `workers` as a user types it: driver and head killed, and what is printed."""

import json
import signal
import subprocess
import sys
import time

import pytest

from rightcall.store.address import open_store
from tests.limbs.ray.ray_process import descendants, head_of, kill, output, start, wait_until, workers_of
from tests.support.loopback_model import passes
from tests.support.model_process import counts, loopback_model, write_suite

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
STORE = ".rightcall/rightcall.db"


def results(folder):
    """How many results the last run has, as counted and as rows."""
    if not (folder / STORE).exists():
        return 0
    with open_store(folder / STORE) as store:
        return len(list(store.runs.result_keys("last"))) if store.runs.page() else 0


def test_a_killed_driver_ends_its_workers_and_resuming_finishes_the_run(tmp_path):
    with loopback_model(latency_ms=30) as port:
        write_suite(tmp_path, 600, port, concurrency=8, workers={"count": 2})
        first = start(tmp_path, "--json")
        wait_until(lambda: results(tmp_path) >= 40, first)
        kill(workers_of(first.pid)[0])
        wait_until(lambda: results(tmp_path) >= 120, first)
        before = results(tmp_path)
        first.send_signal(signal.SIGKILL)
        out, _ = output(first, tmp_path)
        for line in out.splitlines():
            json.loads(line)  # nothing else is on stdout, not even when a worker dies
        again, err = output(start(tmp_path, "--json", "--resume", "last"), tmp_path)
        asked = counts(port)["asked"]
    last = json.loads(again.splitlines()[-1])
    assert last["verdict"] == "FAIL", err
    with open_store(tmp_path / STORE) as store:
        assert len(store.runs.page()) == 1
        found = store.runs.get("last")
        assert found.finished and found.results == 600 == len(list(store.runs.result_keys("last")))
        assert found.passed == passes(600)
    assert sum(asked.values()) - 600 <= 2 * (8 + 200) and before >= 120


def test_workers_print_the_lines_of_one_process(tmp_path):
    printed = []
    with loopback_model() as port:
        for more in ({}, {"workers": {"count": 2}}):
            write_suite(tmp_path, 60, port, trials=2, **more)
            out, err = output(start(tmp_path, "--json"), tmp_path)
            *rows, last = [json.loads(line) for line in out.splitlines()]
            printed.append((sorted(map(json.dumps, rows)), last["verdict"], last["summary"]))
    assert len(printed[0][0]) == 120 and printed[0] == printed[1], err


def test_a_lost_head_is_an_infrastructure_error_with_a_way_to_go_on(tmp_path):
    with loopback_model(latency_ms=200) as port:
        write_suite(tmp_path, 2000, port, concurrency=4, workers={"count": 1})
        run = start(tmp_path)
        wait_until(lambda: results(tmp_path) >= 8, run)
        kill(head_of(run.pid))
        killed = time.monotonic()
        _, err = output(run, tmp_path)
    assert run.returncode == 4, err
    assert "has not answered for 20 s" in err and "--resume" in err and "Traceback" not in err
    assert time.monotonic() - killed < 55  # 20 s of silence, then at once; Ray would end the process after 60


def test_a_cluster_that_cannot_start_is_an_infrastructure_error_and_no_run(tmp_path):
    with loopback_model() as port:
        write_suite(tmp_path, 20, port, workers={"count": 1})
        run = start(tmp_path, RAY_TMPDIR="/proc/nowhere")
        _, err = output(run, tmp_path)
    assert run.returncode == 4 and "cannot start a Ray cluster" in err and "Traceback" not in err
    assert results(tmp_path) == 0


def test_a_run_without_workers_loads_nothing_of_it(tmp_path):
    program = """
import sys
sys.argv = ["rightcall", "run", "suite.json", "--json"]
from rightcall.cli.main import main
try:
    main()
finally:
    print(sorted(name for name in sys.modules if name.split(".")[0] == "ray" or "distributed" in name), file=sys.stderr)
"""
    with loopback_model() as port:
        write_suite(tmp_path, 5, port)
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
        )
    assert done.stderr.splitlines()[-1] == "[]", done.stderr


def test_a_driver_that_ray_ends_exits_as_infrastructure_and_says_how_to_resume(tmp_path):
    with loopback_model(latency_ms=500) as port:
        write_suite(tmp_path, 600, port, concurrency=8, workers={"count": 1})
        process = start(tmp_path, "--store", "r.db", "--json")
        wait_until(lambda: (tmp_path / "stdout").stat().st_size > 0, process)
        kill(next(pid for pid, name in descendants(process.pid) if "raylet/raylet" in name))
        _, err = output(process, tmp_path)
    with open_store(tmp_path / "r.db", must_exist=True) as store:
        run = store.runs.get("last")
    assert process.returncode == 4 and "lost its connection to Ray" in err
    assert f"rightcall run suite.json --store r.db --resume {run.id}" in err and run.results > 0
