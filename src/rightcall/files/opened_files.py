"""Files of a project that a program opens while it runs, seen by an audit hook.

Python reports every `open` to it, whoever calls: `Path.read_text`, `json.load(open(…))`, `importlib.resources`,
`numpy.load`, a library under the program. An audit hook cannot be removed again, so there is one, added when a program
is watched for the first time, and it returns at once while nothing is watched.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Self

from rightcall.files.project_files import ABSENT, PACKAGE, ProjectFiles, content_hash

SMALL = 16 << 20
"""Bytes up to which a file is hashed before the program reads it; larger ones are hashed when the run has ended."""
AGENT_SIDE = tuple(PACKAGE + room + os.sep for room in ("executor", "adapters", "tools"))
"""The rooms that call agents and tools: what libraries open under them is opened for the agent."""
FOLDERS = ("os.listdir", "os.scandir")
PROGRAMS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system")
HEARD = frozenset(("open", "sqlite3.connect", "ctypes.dlopen", *FOLDERS, *PROGRAMS))

_watches: tuple[FileWatch, ...] = ()
_lock = threading.Lock()
_installed = False
_busy = threading.local()


class Sight(NamedTuple):
    """A file when it was first opened: its hash, or "" for a large one, with its size and time."""

    hash: str
    state: tuple[int, int] | None


class FileWatch:
    """What a program opened while the watch was on: `with watch: …`, in any number of threads and tasks at once.

    `read` are the files and folders of the project that were opened to be read, as they were then. A file that was
    created by the program is the program's own product, and not among them. `programs` are the commands it started.
    """

    def __init__(self, project: ProjectFiles) -> None:
        self.project = project
        self.read: dict[str, Sight] = {}
        self.written: set[str] = set()
        self.programs: dict[tuple[str, ...], None] = {}
        self._within = 0

    def __enter__(self) -> Self:
        global _watches, _installed  # noqa: PLW0603
        with _lock:
            if not _installed:
                sys.addaudithook(_hear)
                _installed = True
            self._within += 1
            if self._within == 1:
                _watches = (*_watches, self)
        return self

    def __exit__(self, *_: object) -> None:
        global _watches  # noqa: PLW0603
        with _lock:
            self._within -= 1
            if not self._within:
                _watches = tuple(watch for watch in _watches if watch is not self)

    def note_file(self, path: str, *, reads: bool, renews: bool) -> None:
        name = self.project.name(path)
        if name is None:
            return
        if reads and name not in self.written and name not in self.read:
            self.read[name] = _sight(path)
        if renews or not reads:
            self.written.add(name)

    def note_folder(self, path: str) -> None:
        name = self.project.name(path)
        if name is not None and f"{name}/" not in self.read:
            self.read[f"{name}/"] = Sight(self.project.hash(f"{name}/"), None)

    def hashes(self) -> dict[str, str]:
        """The hash of each file as it was when it was first opened."""
        return {name: sight.hash or self.project.hash(name) for name, sight in sorted(self.read.items())}

    def edited(self) -> list[str]:
        """Files that somebody else changed meanwhile: the program saw two versions of them."""
        return [
            name
            for name, sight in sorted(self.read.items())
            if sight.state is not None
            and name not in self.written
            and _state(self.project.path(name)) != sight.state
        ]


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if not _watches or event not in HEARD or getattr(_busy, "now", False):
        return
    _busy.now = True
    try:
        _note(event, args, sys._getframe(1))
    except Exception:  # noqa: S110  an exception here would end the call of the program that is watched
        pass
    finally:
        _busy.now = False


def _note(event: str, args: tuple[Any, ...], caller: FrameType) -> None:
    if event in FOLDERS and "importlib" in caller.f_code.co_filename:
        return  # Python looks for a module or a package's metadata
    if event in PROGRAMS:
        command = _command(event, args)
        for watch in _watches if not _own(caller, _watches) else ():
            watch.programs.setdefault(command)
        return
    path = _path(args[0])
    if path is None or _own(caller, _watches):
        return
    reads, renews = (True, False) if event != "open" else _use(args[1], args[2])
    for watch in _watches:
        if event in FOLDERS:
            watch.note_folder(path)
        else:
            watch.note_file(path, reads=reads, renews=renews)


def _path(given: Any) -> str | None:
    if given is None:
        return str(Path.cwd())
    if not isinstance(given, str | bytes | os.PathLike):
        return None  # a file descriptor
    text = os.fsdecode(given)
    if text.startswith("file:"):  # sqlite3.connect(…, uri=True)
        text = text.removeprefix("file:").partition("?")[0]
    return None if text == ":memory:" else os.path.abspath(text)  # noqa: PTH100  links are not followed


def _use(mode: str | None, flags: int) -> tuple[bool, bool]:
    """Whether an `open` reads what was there, and whether it writes."""
    if mode is not None:
        renews = "w" in mode or "x" in mode
        return ("r" in mode or "+" in mode) and not renews, renews or "+" in mode
    access = flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
    renews = bool(flags & (os.O_TRUNC | os.O_EXCL))
    return access != os.O_WRONLY and not renews, renews or access == os.O_RDWR


def _command(event: str, args: Sequence[Any]) -> tuple[str, ...]:
    if event == "os.system":
        return (os.fsdecode(args[0]),)
    words = args[1]
    given = [words] if isinstance(words, str | bytes | os.PathLike) else list(words or ())
    return tuple(os.fsdecode(word) for word in given)


def _own(frame: FrameType | None, watches: Sequence[FileWatch]) -> bool:
    """Whether RightCall opens a file for itself, such as a store or a recording, and not the program."""
    roots = tuple(str(watch.project.root) + os.sep for watch in watches)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(PACKAGE):
            return not file.startswith(AGENT_SIDE)
        if "site-packages" not in file and file.startswith(roots):
            return False
        frame = frame.f_back
    return False


def _sight(path: str) -> Sight:
    state = _state(path)
    if state is None:
        return Sight(ABSENT, None)
    return Sight(content_hash(path) if state[0] <= SMALL else "", state)


def _state(path: str | os.PathLike[str]) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
