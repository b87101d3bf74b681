"""A command in a child process: however that ends, the exit code and the last sentence are this command's own."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.patience import wait_until

PROGRAM = """
import os, signal, sys, time
from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.interrupt import INTERRUPTS
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
INTERRUPTS.install()
SUPERVISION.allowed = True
SUPERVISION.start()
SUPERVISION.note("resume with: rightcall run --resume 7")
try:
    print(os.getpid(), flush=True)
    {ending}
except KeyboardInterrupt:
    time.sleep(0.5)  # a second signal would end it at once
    print("interrupts:", INTERRUPTS.count, flush=True)
    sys.exit(INTERRUPTS.exit_code)
"""
WAITING = "[time.sleep(0.05) for _ in range(12_000)]"
"""In short steps: a signal just before a sleep is handled after it."""


def command(ending):
    return [sys.executable, "-c", PROGRAM.format(ending=ending)]


def start(ending):
    process = subprocess.Popen(command(ending), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return process, int(process.stdout.readline())


@pytest.mark.parametrize(
    ("ending", "code", "sentence"),
    [
        ("os._exit(1)", 4, "lost its connection to Ray; resume with: rightcall run --resume 7"),
        ("os._exit(0)", 4, "lost its connection to Ray; resume with: rightcall run --resume 7"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            4,
            "ended by SIGKILL; resume with: rightcall run --resume 7",
        ),
        ("os._exit(4)", 4, ""),
        ("sys.exit(0)", 0, ""),
        ("sys.exit(1)", 1, ""),
        ("sys.exit(3)", 3, ""),
    ],
)
def test_an_end_without_a_farewell_is_a_lost_connection(ending, code, sentence):
    process, _ = start(ending)
    _, err = process.communicate(timeout=300)
    assert process.returncode == code and sentence in err and bool(sentence) == bool(err)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_command_reaches_the_child_once(number):
    process, child = start(WAITING)
    assert child != process.pid
    process.send_signal(number)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 128 + number and "interrupts: 1" in out


def test_an_interrupt_from_the_terminal_reaches_the_child_once():
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, command(WAITING))
    shown = os.read(terminal, 100)
    os.write(terminal, b"\x03")
    while b"\n" not in shown.partition(b"interrupts:")[2]:
        shown += os.read(terminal, 100)
    assert b"interrupts: 1" in shown
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    os.close(terminal)


def test_a_killed_command_leaves_no_child():
    process, child = start(WAITING)
    process.kill()
    process.communicate(timeout=300)
    wait_until(lambda: not Path(f"/proc/{child}").exists())
