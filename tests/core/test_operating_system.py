"""Both ways of what systems do differently: the one of this system for real, that of Windows at its system calls."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.core import operating_system as system
from tests.support.patience import wait_until

TWO_PROCESSES = (
    "import subprocess, sys, time; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
    "print(child.pid, flush=True); time.sleep(60)"
)


@pytest.fixture
def windows(monkeypatch):
    """This process takes itself for one on Windows; what it asks the system for is listed instead."""
    asked = []
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(system, "PROC", Path("no-such-folder"))
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(signal, "CTRL_BREAK_EVENT", 1, raising=False)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(tuple(command)))
    monkeypatch.setattr(os, "kill", lambda process, number: asked.append((process, number)))
    return asked


@pytest.mark.parametrize("end", [system.terminate_process_tree, system.kill_process_tree])
def test_a_program_ends_with_what_it_started(end):
    program = subprocess.Popen(
        [sys.executable, "-c", TWO_PROCESSES], stdout=subprocess.PIPE, **system.new_process_tree()
    )
    with program:
        child = int(program.stdout.readline())
        assert system.process_start(child)
        end(program.pid)
    wait_until(lambda: not system.process_start(child))


def test_ending_a_program_that_is_gone_is_no_error():
    program = subprocess.Popen([sys.executable, "-c", ""], **system.new_process_tree())
    program.wait()
    system.terminate_process_tree(program.pid)
    system.kill_process_tree(program.pid)
    system.kill_process(program.pid)


def test_on_windows_a_program_ends_by_ctrl_break_then_with_its_tree(windows):
    assert system.new_process_tree() == {"creationflags": 0x200}
    system.terminate_process_tree(41)
    system.kill_process_tree(41)
    system.kill_process(42)
    assert windows == [(41, 1), ("taskkill", "/F", "/T", "/PID", "41"), (42, signal.SIGTERM)]


def test_on_windows_a_program_without_a_console_is_left_to_the_kill(windows, monkeypatch):
    monkeypatch.setattr(os, "kill", lambda *_: (_ for _ in ()).throw(OSError(6, "The handle is invalid")))
    system.terminate_process_tree(41)


def test_processes_are_found_by_a_variable_of_their_environment():
    environment = {**os.environ, "RIGHTCALL_TEST_MARK": "a-b"}
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=environment
    ) as program:
        wait_until(lambda: system.processes_with_variable("RIGHTCALL_TEST_MARK", "a-b") == [program.pid])
        assert system.processes_with_variable("RIGHTCALL_TEST_MARK", "a") == []
        system.kill_process(program.pid)


def test_without_proc_nothing_is_claimed_about_processes(windows):
    assert system.processes_with_variable("PATH", os.environ["PATH"]) == []
    assert system.process_space() == system.process_start(os.getpid()) == ""


@pytest.mark.parametrize("number", system.stop_signals(), ids=lambda number: number.name)
def test_a_loop_hears_each_signal_that_ends_a_program(number):
    async def heard() -> bool:
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        system.on_ending_signals(loop, event.set)
        os.kill(os.getpid(), number)
        async with asyncio.timeout(5):
            return await event.wait()

    handlers = {each: signal.getsignal(each) for each in system.stop_signals()}
    try:
        assert asyncio.run(heard())
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)


def test_on_windows_a_loop_hears_ctrl_c_without_handlers_of_its_own(monkeypatch):
    async def heard() -> bool:
        event = asyncio.Event()
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "add_signal_handler", None)
        monkeypatch.setattr(sys, "platform", "win32")
        system.on_ending_signals(loop, event.set)
        signal.raise_signal(signal.SIGINT)
        async with asyncio.timeout(5):
            return await event.wait()

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert asyncio.run(heard())
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def test_on_windows_a_closed_terminal_sends_no_signal(windows):
    assert [number.name for number in system.stop_signals()] == ["SIGINT", "SIGTERM"]


def test_what_only_linux_can_do_is_refused_elsewhere(windows):
    assert not system.can_watch_fork()
    for refused in (
        system.fork_watched,
        lambda: system.exit_code_of(1),
        lambda: system.read_available(0),
    ):
        with pytest.raises(NotImplementedError, match="only Linux"):
            refused()


def test_settings_are_kept_where_each_system_keeps_them(monkeypatch):
    monkeypatch.setenv("APPDATA", "roaming")
    monkeypatch.setenv("XDG_CONFIG_HOME", "config")
    assert system.settings_folder() == Path("config")
    monkeypatch.setattr(sys, "platform", "win32")
    assert system.settings_folder() == Path("roaming")


def test_memory_goes_back_only_where_there_is_glibc(windows, monkeypatch):
    system.return_large_blocks()
    system.return_freed_memory()
    monkeypatch.setattr(sys, "platform", "linux")
    system.return_freed_memory()
