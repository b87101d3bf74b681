"""What ends a run before its time: Ctrl-C once, Ctrl-C twice, a reader who goes away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from rightcall.store import open_store
from tests.support.model_process import loopback_model, write_suite

STUBBORN = """
import threading, sys
def answer(golden):
    print("asked", file=sys.stderr, flush=True)
    threading.Event().wait(600)
"""


def run(folder, *arguments, **options):
    command = [sys.executable, "-m", "rightcall.cli.main", "run", "suite.json", "--store", "my results.db"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.Popen(
        [*command, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, **options,
    )  # fmt: skip


def stored(folder):
    with open_store(folder / "my results.db", must_exist=True) as store:
        return store.run("last")


def test_a_second_interrupt_ends_at_once_without_a_traceback(tmp_path):
    (tmp_path / "stubborn.py").write_text(textwrap.dedent(STUBBORN))
    write_suite(tmp_path, 3, 1, agent={"model": "stubborn:answer"})
    process = run(tmp_path)
    process.stderr.readline()  # an agent is at work in a thread that nothing can end
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)  # the first waits for it
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err and err.endswith("stopped\n")


def test_a_reader_who_goes_away_ends_the_run_quietly_with_what_was_stored(tmp_path):
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        process = run(tmp_path, "--json")
        assert process.stdout.readline().startswith("{")
        process.stdout.close()
        _, err = process.communicate(timeout=60)
    kept = stored(tmp_path)
    assert process.returncode == 130 and 0 < kept.results < 400 and not kept.finished
    assert "Traceback" not in err and f"stdout was closed: {kept.results} of 400 cases stored" in err


def test_the_line_to_resume_with_is_the_command_that_was_typed(tmp_path):
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        process = run(tmp_path, "--json", "--trials", "2", "--only", "case-*")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    typed = "rightcall run suite.json --trials 2 --only 'case-*' --store 'my results.db'"
    assert f"{typed} --resume {stored(tmp_path).id}\n" in err
