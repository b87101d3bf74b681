"""Runs against a real server on loopback: killed, stormed at, repeated."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from rightcall.store.address import open_store
from rightcall.store.sql.results import export_lines
from tests.support.loopback_model import passes
from tests.support.model_process import counts, loopback_model, write_suite
from tests.support.patience import SECONDS

pytestmark = pytest.mark.stories


def run(folder, *arguments, **options):
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", *arguments]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def stored(folder):
    """Which (golden, trial) of the last run are on disk."""
    if not (folder / ".rightcall" / "rightcall.db").exists():
        return set()
    with open_store(folder / ".rightcall" / "rightcall.db") as store:
        return set(store.runs.result_keys("last")) if store.runs.page() else set()


def wait_until(condition, process, seconds=SECONDS):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end and process.poll() is None, process.communicate()
        time.sleep(0.01)


@pytest.mark.parametrize(("goldens", "kills"), [(200, 2), pytest.param(500, 4, marks=pytest.mark.nightly)])
def test_a_run_killed_at_random_points_is_finished_without_asking_twice(tmp_path, goldens, kills):
    drawn = random.Random(5)
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, goldens, port, concurrency=8)
        seen: set[tuple[str, int]] = set()
        for attempt in range(kills):
            process = run(tmp_path, *(["--resume", "last"] if attempt else []))
            target = len(seen) + drawn.randint(20, goldens // 5)
            wait_until(lambda target=target: len(stored(tmp_path)) >= target, process)
            time.sleep(drawn.random() / 20)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            now = stored(tmp_path)
            assert seen <= now
            seen = now
        before = counts(port)["answered"]
        process = run(tmp_path, "--resume", "last")
        out, err = process.communicate(timeout=SECONDS)
        after = counts(port)["answered"]
    assert process.returncode == 1, err  # two of ten answers are wrong
    assert stored(tmp_path) == {(f"case-{i}", 0) for i in range(goldens)}
    finished = [golden.removeprefix("case-") for golden, _ in seen]
    assert {case: after[case] for case in finished} == {case: before[case] for case in finished}
    assert f"{goldens - goldens // 5} of {goldens} goldens passed" in out


def test_a_storm_of_errors_loses_nothing_and_fails_no_case(tmp_path):
    with loopback_model(rate_limited=0.3, failing=0.05, dropping=0.02) as port:
        write_suite(tmp_path, 150, port, concurrency=16)
        out, err = run(tmp_path, "--json").communicate(timeout=SECONDS)
        answered = counts(port)["answered"]
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows[-1]["verdict"] == "FAIL", err
    assert sum(row["passed"] for row in rows[:-1]) == passes(150)
    assert not any("error" in row for row in rows[:-1])
    assert len(answered) == 150


def test_interrupting_keeps_what_finished_and_says_how_to_go_on(tmp_path):
    with loopback_model(latency_ms=50) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        process = run(tmp_path)
        wait_until(lambda: len(stored(tmp_path)) >= 10, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=SECONDS)
        kept = len(stored(tmp_path))
        assert process.returncode == 130, err
        assert f"{kept} of 400 cases stored" in err and "--resume" in err and "Traceback" not in err


def test_a_process_whose_run_is_resumed_elsewhere_stops_with_an_error(tmp_path):
    with loopback_model(latency_ms=50) as port:
        write_suite(tmp_path, 300, port, concurrency=4)
        first = run(tmp_path)
        wait_until(lambda: len(stored(tmp_path)) >= 10, first)
        first.send_signal(signal.SIGSTOP)
        second = run(tmp_path, "--resume", "last")
        # it may have been stopped amid a transaction
        kept = len(stored(tmp_path))
        patience = time.monotonic() + 10
        wait_until(lambda: len(stored(tmp_path)) > kept or time.monotonic() > patience, second)
        first.send_signal(signal.SIGCONT)
        _, err = first.communicate(timeout=SECONDS)
        assert first.returncode == 4, err
        assert "was taken over by another process" in err and "--resume" not in err and "Traceback" not in err
        _, err = second.communicate(timeout=SECONDS)
        asked = sum(counts(port)["asked"].values())
    assert second.returncode == 1, err  # two of ten answers are wrong
    assert stored(tmp_path) == {(f"case-{i}", 0) for i in range(300)}
    assert asked <= 300 + 100 + 2 * 4  # at most one unsaved batch and what was under way, twice


def test_a_changed_dataset_cannot_be_resumed(tmp_path):
    with loopback_model(latency_ms=50) as port:
        write_suite(tmp_path, 300, port, concurrency=4)
        process = run(tmp_path)
        wait_until(lambda: len(stored(tmp_path)) >= 5, process)
        process.kill()
        process.communicate()
        write_suite(tmp_path, 301, port, concurrency=4)
        process = run(tmp_path, "--resume", "last")
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 2
    assert "dataset changed" in err and "Traceback" not in err


def weather(number):
    return {"name": "get_weather", "arguments": {"city": str(number), "units": "C"}}


@pytest.mark.parametrize("trials", [1, 3])
def test_equal_seeds_give_equal_results_at_any_concurrency(tmp_path, trials):
    exports = []
    for concurrency in (1, 64):
        folder = tmp_path / str(concurrency)
        folder.mkdir()
        write_suite(folder, 60, 1, concurrency=concurrency, trials=trials, seed=3,
                    agent={"model": "scripted:script.yaml"})  # fmt: skip
        replies = [
            {"golden": f"case-{i}", "trial": t, "turns": [{"calls": [weather(i % 5 + t)]}]}
            for i in range(60)
            for t in range(trials)
        ]
        script = {"replies": replies}
        (folder / "script.yaml").write_text(json.dumps(script))
        run(folder).communicate(timeout=SECONDS)
        with open_store(folder / ".rightcall" / "rightcall.db") as store:
            lines = list(export_lines(store.runs.results("last", trajectories=True)))
        assert len(lines) == 60 * trials
        exports.append(lines)
    assert exports[0] == exports[1]
