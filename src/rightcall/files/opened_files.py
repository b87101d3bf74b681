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
from contextlib import suppress
from importlib.util import source_from_cache
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, Self
from urllib.parse import unquote

from rightcall.files.project_files import PACKAGE, ProjectFiles, content_hash

AGENT_SIDE = tuple(
    os.path.join(PACKAGE, *room, "")  # noqa: PTH118  a folder ends in a separator
    for room in (("agents",), ("limbs", "adapters"), ("tools",))
)
"""The rooms that call agents and tools: what libraries open under them is opened for the agent."""
OWN_KEYS = tuple(
    os.path.join(PACKAGE, "tools", "idempotency", name)  # noqa: PTH118
    for name in ("store.py", "claims.py", "owners.py", "key_location.py")
)
"""Keep the idempotency keys, in a file next to the results; `guard.py`, which calls tools, is not among them."""
FOLDERS = ("os.listdir", "os.scandir")
PROGRAMS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system")
FORKS = ("os.fork", "os.forkpty")
HEARD = frozenset(("open", "sqlite3.connect", "ctypes.dlopen", *FOLDERS, *PROGRAMS, *FORKS))
ABOUT_THE_MACHINE = frozenset(("uname", "lsb_release", "sw_vers"))
"""Programs that say which system this is and do nothing else: SDKs start them to describe themselves in a header."""
STANDARD_LIBRARY = f"{Path(os.__file__).parent}{os.sep}"

_State = tuple[int, int]

_watches: tuple[FileWatch, ...] = ()
_lock = threading.Lock()
_installed = False
_busy = threading.local()


class StartedProgram(NamedTuple):
    """A command, and the folder in which it was started."""

    command: tuple[str, ...]
    folder: str = ""

    @classmethod
    def of(cls, event: str, args: Sequence[Any]) -> StartedProgram:
        """What an audit event of `PROGRAMS` says."""
        if event == "os.system":
            return cls((os.fsdecode(args[0]),), str(Path.cwd()))
        words = args[2] if event == "os.spawn" else args[1]
        arguments = [words] if isinstance(words, str | bytes | os.PathLike) else list(words or ())
        folder = args[2] if event == "subprocess.Popen" and args[2] is not None else ""
        return cls(
            tuple(os.fsdecode(word) for word in arguments),
            os.path.abspath(os.fsdecode(folder)),  # noqa: PTH100
        )

    @property
    def name(self) -> str:
        words = self.command[0].split() if self.command else []
        return Path(words[0]).name if words else "a program"

    @property
    def about_the_machine(self) -> bool:
        return bool(self.command) and Path(self.command[0]).name in ABOUT_THE_MACHINE


class FileWatch:
    """What a program opened while the watch was on: `with watch: …`, in any number of threads and tasks at once.

    `read` are the files and folders of the project that were opened to be read, `sights` their hash, size and time
    then. What the program created or changed itself (a log, a database, a cache) is not among `hashes`, but in
    `products`. `programs` are the commands it started, `as_text` Python files that it opened otherwise than to import
    them, `unseen` says what else it did whose files Python does not report.
    """

    def __init__(self, project: ProjectFiles) -> None:
        self.project = project
        self.sights: dict[str, tuple[str, _State | None]] = {}
        self.read: set[str] = set()
        self.written: set[str] = set()
        self.programs: dict[StartedProgram, None] = {}
        self.unseen: dict[str, None] = {}
        self.as_text: set[str] = set()
        self._within = 0
        self._processes = _processes()

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

    def note_file(self, path: str, *, reads: bool, writes: bool) -> None:
        name = self.project.name(path)
        if name is None:
            return
        if name not in self.sights:
            self.sights[name] = content_hash(path), _state(path)
        if reads:
            self.read.add(name)
        if writes:
            self.written.add(name)

    def note_folder(self, path: str) -> None:
        name = self.project.name(path)
        if name is not None and f"{name}/" not in self.read:
            self.sights[f"{name}/"] = self.project.hash(f"{name}/"), None
            self.read.add(f"{name}/")

    def unseen_actions(self) -> list[str]:
        """What it did whose files Python does not report, in words."""
        forked = self._processes != _processes()
        started = ["the agent starts processes, whose files cannot be seen"] if forked else []
        programs = {
            f"the agent starts {program.name}, whose files cannot be seen": None for program in self.programs
        }
        return [*started, *programs, *self.unseen]

    def hashes(self) -> dict[str, str]:
        """The hash of each file as it was when it was first opened, without those that the program changed."""
        return {name: self.sights[name][0] for name in sorted(self.read - self.products())}

    def products(self) -> set[str]:
        """Files that the program read, wrote, and left with another content."""
        both = self.read & self.written
        return {name for name in both if self.sights[name][0] != self.project.hash(name)}

    def edits(self) -> list[str]:
        """Files that somebody else changed meanwhile: the program saw two versions of them."""
        states = {name: self.sights[name][1] for name in sorted(self.read - self.written)}
        return [name for name, state in states.items() if state and _state(self.project.path(name)) != state]


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if not _watches or event not in HEARD or getattr(_busy, "now", False):
        return
    _busy.now = True
    try:
        _note(event, args, sys._getframe(1))
    except Exception as error:  # raised here, it would end the call of the program that is watched
        for watch in _watches:
            watch.unseen.setdefault(f"what the agent read could not be noted ({type(error).__name__})")
    finally:
        _busy.now = False


def _note(event: str, args: tuple[Any, ...], caller: FrameType) -> None:
    if event in FOLDERS and "importlib" in caller.f_code.co_filename:
        return  # Python looks for a module or a package's metadata
    if _own(caller, _watches):
        return
    if event in PROGRAMS:
        program = StartedProgram.of(event, args)
        for watch in _watches if not program.about_the_machine else ():
            watch.programs.setdefault(program)
        return
    if event in FORKS or (event == "ctypes.dlopen" and _by_project(caller, _watches)):
        library = Path(_path(args[0]) or "C").name if args and args[0] else "C"
        what = "forks" if event in FORKS else f"calls the library {library}"
        for watch in _watches:
            watch.unseen.setdefault(f"the agent {what}, and the files that are read there cannot be seen")
    path = _path(args[0]) if args and (args[0] is not None or event in FOLDERS) else None
    if path is None:
        return
    reads, writes = (True, event == "sqlite3.connect") if event != "open" else _use(args[1], args[2])
    for watch in _watches:
        if event in FOLDERS or Path(path).is_dir():
            watch.note_folder(path)
        else:
            watch.note_file(path, reads=reads, writes=writes)
            name = watch.project.name(path) if path.endswith(".py") else None
            if name is not None and "importlib" not in caller.f_code.co_filename:
                watch.as_text.add(name)


def _path(name: Any) -> str | None:
    if name is None:
        return str(Path.cwd())
    if not isinstance(name, str | bytes | os.PathLike):
        return None  # a file descriptor
    text = os.fsdecode(name)
    if text.startswith("file:"):  # sqlite3.connect(…, uri=True)
        text = unquote(text.removeprefix("file:").partition("?")[0])
    if text == ":memory:":
        return None
    path = os.path.abspath(text)  # noqa: PTH100  links are not followed
    if path.endswith(".pyc"):
        with suppress(
            ValueError
        ):  # a compiled module elsewhere than in `__pycache__`, where Python reads it instead
            return source_from_cache(path)
    return path


def _use(mode: str | None, flags: int) -> tuple[bool, bool]:
    """Whether an `open` reads what was there, and whether it writes."""
    if mode is not None:
        reads = ("r" in mode or "+" in mode) and not {*"wx"} & {*mode}
        return reads, "+" in mode or "r" not in mode
    access = flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
    renews = bool(flags & (os.O_TRUNC | os.O_EXCL))
    return access != os.O_WRONLY and not renews, renews or access != os.O_RDONLY


def _processes() -> str:
    """Changes whenever `multiprocessing` starts a process: of one that is spawned Python reports nothing."""
    module = sys.modules.get("multiprocessing.process")
    return str(getattr(module, "_process_counter", "count(1)"))


def _by_project(frame: FrameType | None, watches: Sequence[FileWatch]) -> bool:
    """Whether code of the project asks for something, and not a package that it uses."""
    while frame is not None and frame.f_code.co_filename.startswith(("<", STANDARD_LIBRARY)):
        if "site-packages" in frame.f_code.co_filename:
            return False
        frame = frame.f_back
    return frame is not None and any(watch.project.name(frame.f_code.co_filename) for watch in watches)


def _own(frame: FrameType | None, watches: Sequence[FileWatch]) -> bool:
    """Whether RightCall opens a file for itself, such as a store or a recording, and not the program."""
    roots = tuple(str(watch.project.root) + os.sep for watch in watches)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(PACKAGE):
            return file.startswith(OWN_KEYS) or not file.startswith(AGENT_SIDE)
        if "site-packages" not in file and file.startswith(roots):
            return False
        frame = frame.f_back
    return False


def _state(path: str | os.PathLike[str]) -> _State | None:
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_size, stat.st_mtime_ns
