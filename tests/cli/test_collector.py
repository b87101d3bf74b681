"""The garbage collector in a command's process."""

from __future__ import annotations

import gc
import subprocess
import sys
from contextlib import suppress

import pytest

from rightcall.cli.main import main

PROGRAM = """
import sys
from rightcall.cli.collector import START, postpone

class Cycle:
    alive = 0
    def __init__(self):
        self.itself = self
        Cycle.alive += 1
    def __del__(self):
        Cycle.alive -= 1

postpone()
for _ in range(int(sys.argv[1]) * START):
    Cycle()
print(Cycle.alive / START)
"""


def garbage_left(starts: int) -> float:
    """What is left of the garbage of a command that creates `starts` × `START` objects, in units of `START`."""
    command = [sys.executable, "-c", PROGRAM, str(starts)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_the_garbage_of_a_long_command_is_collected():
    assert garbage_left(4) < 1.1


def test_a_program_that_calls_the_command_line_keeps_its_collector(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["rightcall", "--version"])
    before = gc.get_threshold(), list(gc.callbacks)
    with suppress(SystemExit):
        main()
    assert (gc.get_threshold(), list(gc.callbacks)) == before


@pytest.mark.parametrize("command", ["score", "lint"])
def test_a_command_that_collects_nothing_gives_the_collector_back(command, rightcall):
    rightcall(command, "missing.jsonl", "missing.jsonl")
    assert gc.isenabled()
