"""What operating systems do differently: process trees, signals, memory, settings.

The only module that uses what Windows lacks or asks which system this is; `tests/contracts/test_operating_system.py`
refuses both elsewhere. Each function has a way for Windows, or says what it does there instead.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

PROC = Path("/proc")
"""Linux describes its processes here; other systems have no such folder."""

SENT_BY_TERMINAL = 0x80
"""`si_code` of a signal from the kernel: Ctrl-C reaches a child as well, so it is not passed on a second time."""

ONLY_LINUX = "only Linux can do this: ask `can_watch_fork`"

_M_MMAP_THRESHOLD = -3


def system_name() -> str:
    """`linux`, `darwin`, `win32` or another, as Python names it."""
    return sys.platform


# Processes


def new_process_tree() -> dict[str, Any]:
    """Arguments of `subprocess` for a program that can be ended with all that it starts."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def terminate_process_tree(process: int) -> None:
    """Ask a program and what it started to end; on Windows with Ctrl-Break, which only consoles receive."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            with suppress(OSError):  # no console: `kill_process_tree` follows
                os.kill(process, signal.CTRL_BREAK_EVENT)
        else:
            os.killpg(process, signal.SIGTERM)


def kill_process_tree(process: int) -> None:
    """End a program and what it started at once."""
    if sys.platform == "win32":
        import subprocess

        command = ["taskkill", "/F", "/T", "/PID", str(process)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603  a number
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def kill_process(process: int) -> None:
    """End one process at once, unless it is gone or belongs to another user."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            os.kill(process, signal.SIGTERM)  # any signal but Ctrl-C and Ctrl-Break ends a process there
        else:
            os.kill(process, signal.SIGKILL)


def processes_with_variable(variable: str, value: str) -> list[int]:
    """Other processes whose environment has the variable; none where there is no /proc."""
    entry = f"{variable}={value}".encode()
    own = str(os.getpid())
    folders = PROC.iterdir() if PROC.is_dir() else ()
    return [
        int(folder.name)
        for folder in folders
        if folder.name.isdigit() and folder.name != own and entry in _environment(folder)
    ]


def _environment(process: Path) -> list[bytes]:
    try:
        return (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def process_space() -> str:
    """This boot of this machine, and within it the space in which process numbers are given; "" without /proc."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot}.{(PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return ""


def process_start(number: int) -> str:
    """When a process started, in ticks since the machine did; "" for none, for a zombie, and without /proc."""
    try:
        stat = (PROC / str(number) / "stat").read_text("utf-8", "replace")
        state, *fields = stat.rpartition(")")[2].split()
    except (OSError, ValueError):
        return ""
    return "" if state in "ZXx" else fields[18]


# Forks


def can_watch_fork() -> bool:
    """Whether `fork_watched` works: Windows has no forks, and macOS cannot wait for signals."""
    return sys.platform == "linux"


def fork_watched() -> int:
    """Fork. Returns 0 in the child; in its parent signals wait from here on, for `exit_code_of`."""
    if sys.platform != "linux":
        raise NotImplementedError(ONLY_LINUX)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*stop_signals(), signal.SIGCHLD})
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return child


def exit_code_of(child: int) -> int:
    """The exit code of a watched child, negative for a signal. Signals to this process alone are passed on."""
    if sys.platform != "linux":
        raise NotImplementedError(ONLY_LINUX)
    while True:
        received = signal.sigwaitinfo({*stop_signals(), signal.SIGCHLD})
        if received.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
        elif received.si_code != SENT_BY_TERMINAL:
            with suppress(ProcessLookupError):
                os.kill(child, received.si_signo)


def read_available(pipe: int) -> bytes:
    """What is in a pipe; never waits, because another process may still hold its end."""
    if sys.platform != "linux":
        raise NotImplementedError(ONLY_LINUX)
    os.set_blocking(pipe, False)
    content = b""
    with suppress(BlockingIOError):
        while chunk := os.read(pipe, 65_536):
            content += chunk
    return content


# Signals


def stop_signals() -> tuple[signal.Signals, ...]:
    """Signals that ask a program to end: Ctrl-C, termination and, except on Windows, a closed terminal."""
    if sys.platform == "win32":
        return (signal.SIGINT, signal.SIGTERM)
    return (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def on_ending_signals(loop: asyncio.AbstractEventLoop, function: Callable[[], object]) -> None:
    """Call a function in the running loop when this process is asked to end."""
    for number in stop_signals():
        if sys.platform == "win32":  # its loops have no handlers of signals
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(function))
        else:
            loop.add_signal_handler(number, function)


# Files and folders


class TerminalKeys:
    """Keys of the terminal, one by one and not shown; Ctrl-C interrupts as always. Used in a `with` block."""

    def __enter__(self) -> TerminalKeys:
        if sys.platform != "win32":
            import termios
            import tty

            self._handle = sys.stdin.fileno()
            self._before = termios.tcgetattr(self._handle)
            tty.setcbreak(self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        if sys.platform != "win32":
            import termios

            with suppress(termios.error):  # the terminal is gone
                termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        """The next key; "" when the terminal is gone."""
        if sys.platform == "win32":
            import msvcrt

            return msvcrt.getwch()
        try:
            return os.read(self._handle, 16).decode("utf-8", "replace")[:1]
        except OSError:
            return ""

    def drop(self) -> None:
        """Forget keys that were pressed until now."""
        if sys.platform == "win32":
            import msvcrt

            while msvcrt.kbhit():
                msvcrt.getwch()
            return
        import termios

        with suppress(termios.error):
            termios.tcflush(self._handle, termios.TCIFLUSH)

    @contextmanager
    def whole_lines(self) -> Iterator[None]:
        """Read lines as usual, to ask for text."""
        self.__exit__()
        try:
            yield
        finally:
            self.__enter__()


def open_without_name(folder: Path) -> int | None:
    """A new file for writing that has no name yet, so that nothing is left of it if the process is killed.

    None where there is no such thing: outside Linux, and in some file systems.
    """
    if sys.platform == "linux" and (PROC / "self/fd").is_dir():
        with suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    return None


def name_file(handle: int, path: Path) -> None:
    """Give such a file a name."""
    os.link(PROC / "self/fd" / str(handle), path, src_dir_fd=handle)  # with it, Python follows the link


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let one process at a time change the files of a folder; on Windows, where folders have no lock, nothing waits."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def settings_folder() -> Path:
    """Where programs keep a user's settings."""
    variable = "APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME"
    return Path(os.environ.get(variable) or Path.home() / ".config")


# Memory


def return_large_blocks() -> None:
    """Have glibc give large blocks back as soon as they are freed. By default it keeps more and more of them in one
    heap, where the bodies of slow senders leave holes. Other systems do so themselves.
    """
    _call_glibc("mallopt", _M_MMAP_THRESHOLD, 32 * 1024)


def return_freed_memory() -> None:
    """Have glibc give freed memory back: it keeps what requests of all sizes leave behind, and seems to grow."""
    _call_glibc("malloc_trim", 0)


def _call_glibc(name: str, *numbers: int) -> None:
    if sys.platform == "linux":
        import ctypes

        if (function := getattr(ctypes.CDLL(None), name, None)) is not None:
            function(*numbers)
