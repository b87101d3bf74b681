"""What ends a command before its time: signals, a second signal, a closed terminal, a reader who goes away."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import textwrap

import pytest

from rightcall.store.address import open_store
from tests.support.model_process import loopback_model, write_suite

pytestmark = pytest.mark.stories

STUBBORN = """
import asyncio, sys
async def answer(golden):
    print("asked", file=sys.stderr, flush=True)
    while True:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            pass
"""


COMMAND = ["-m", "rightcall.cli.main", "run", "suite.json", "--store", "my results.db"]
INITIALIZE = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26", '
    '"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}\n'
)


@pytest.fixture(autouse=True)
def hangup_as_in_a_terminal():
    """The tests may run under nohup, and a process that they start inherits what is ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def run(folder, *arguments, **options):
    command = [sys.executable, *COMMAND]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.Popen(
        [*command, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, **options,
    )  # fmt: skip


def stored(folder):
    with open_store(folder / "my results.db", must_exist=True) as store:
        return store.runs.get("last")


def test_a_second_interrupt_ends_at_once_without_a_traceback(tmp_path):
    (tmp_path / "stubborn.py").write_text(textwrap.dedent(STUBBORN))
    write_suite(tmp_path, 3, 1, agent={"model": "stubborn:answer"})
    process = run(tmp_path)
    process.stderr.readline()  # an agent is at work that refuses to be cancelled
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)  # the first waits for it
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "Traceback" not in err and err.endswith("stopped\n")


@pytest.mark.parametrize(
    ("number", "code", "reason"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "terminated"),
        (signal.SIGHUP, 129, "terminal"),
    ],
)
def test_a_signal_keeps_finished_results_and_names_the_line_to_resume_with(tmp_path, number, code, reason):
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        process = run(tmp_path, "--json")
        process.stdout.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
    kept = stored(tmp_path)
    assert process.returncode == code and 0 < kept.results < 400 and not kept.finished
    assert "Traceback" not in err and reason in err and f"--resume {kept.id}" in err


def test_a_terminal_that_is_closed_ends_the_run_as_its_signal_does(tmp_path):
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(tmp_path)
            os.execv(sys.executable, [sys.executable, *COMMAND])
        while b"/400" not in os.read(terminal, 4096):
            pass
        os.close(terminal)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    kept = stored(tmp_path)
    assert code == 129 and 0 < kept.results < 400 and not kept.finished


def test_nohup_is_respected(tmp_path):
    with loopback_model(latency_ms=5) as port:
        write_suite(tmp_path, 40, port, concurrency=4)
        ignore = "import signal, runpy; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        rest = f"import sys; sys.argv[1:] = {COMMAND[2:]!r}; runpy.run_module('rightcall.cli.main', run_name='__main__')"
        process = subprocess.Popen(
            [sys.executable, "-c", ignore + rest, "--json"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        )
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=300)
    assert process.returncode != 129 and stored(tmp_path).finished


def test_a_server_on_stdin_ends_at_the_first_signal(tmp_path):
    (tmp_path / "tools.json").write_text('[{"name": "wait"}]')
    for command in (["mcp", "serve"], ["mcp", "serve", "tools.json"]):
        process = subprocess.Popen(
            [sys.executable, "-m", "rightcall.cli.main", *command],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        process.stdin.write(INITIALIZE)
        process.stdin.flush()
        assert "serverInfo" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=300) == 143
        process.communicate()


def test_a_reader_who_goes_away_ends_the_run_quietly_with_what_was_stored(tmp_path):
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        process = run(tmp_path, "--json")
        assert process.stdout.readline().startswith("{")
        process.stdout.close()
        _, err = process.communicate(timeout=300)
    kept = stored(tmp_path)
    assert process.returncode == 130 and 0 < kept.results < 400 and not kept.finished
    assert "Traceback" not in err and f"stdout was closed: {kept.results} of 400 cases stored" in err


def test_the_line_to_resume_with_is_the_command_that_was_typed(tmp_path):
    with loopback_model(latency_ms=20) as port:
        write_suite(tmp_path, 400, port, concurrency=4)
        process = run(tmp_path, "--json", "--trials", "2", "--only", "case-*")
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    typed = "rightcall run suite.json --trials 2 --only 'case-*' --store 'my results.db'"
    assert f"{typed} --resume {stored(tmp_path).id}\n" in err
