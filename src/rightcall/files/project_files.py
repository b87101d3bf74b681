"""The project that a suite belongs to: its folder, and which files in it are its own.

Generated, installed and downloaded files are not: they follow from others, or differ between machines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path

import msgspec

from rightcall.core.digest import file_digest, hex_digest

MARKERS = ("pyproject.toml", "setup.cfg", "setup.py", "package.json", "requirements.txt")
REPOSITORIES = (".git", ".hg", ".jj")
GENERATED = frozenset(
    (
        *("__pycache__", ".rightcall", ".venv", "venv", "site-packages", "node_modules"),
        *(".git", ".hg", ".jj", ".svn", ".tox", ".nox", ".eggs", ".ipynb_checkpoints"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache"),
    )
)
GENERATED_SUFFIXES = (".egg-info", ".dist-info")
PACKAGE = f"{Path(__file__).absolute().parents[1]}{os.sep}"
"""RightCall itself, which may be part of the project that it tests."""
ABSENT = "absent"
"""The hash of a file that does not exist: a program may ask for a file that somebody adds later."""


class ProjectFiles(msgspec.Struct, frozen=True, dict=True):
    """A folder whose files are named by their path in it, with `/` on every system."""

    root: Path

    @classmethod
    def of(cls, folder: Path) -> ProjectFiles:
        """The project of a folder: its repository, else the nearest folder above it with a project's file.

        A repository comes first, because a pull request can change all of it. Without either it is the working folder
        if that is above, else the folder itself.
        """
        folder = Path(os.path.abspath(folder))  # noqa: PTH100  links are not followed
        above = (folder, *folder.parents)
        for names in (REPOSITORIES, MARKERS):
            for place in above:
                if any((place / name).exists() for name in names):
                    return cls(place)
        here = Path.cwd()
        return cls(here if here in above else folder)

    def name(self, path: str | Path) -> str | None:
        """The name of a file of the project; None for any other file, and for a generated one."""
        whole = os.path.abspath(path)  # noqa: PTH100
        inside = self._inside(whole) or self._inside(os.path.realpath(whole))
        if not inside or whole.startswith(PACKAGE):
            return None
        folder, _, last = inside.rpartition(os.sep)
        if _is_generated(last) or (folder and _is_left_out(str(self.root), folder)):
            return None
        return inside.replace(os.sep, "/")

    def path(self, name: str) -> Path:
        return self.root.joinpath(*name.rstrip("/").split("/"))

    def hash(self, name: str) -> str:
        """The hash of a file's content, or of the names in a folder (`prompts/`); `ABSENT` if there is none."""
        path = self.path(name)
        return self._folder_hash(path) if name.endswith("/") else content_hash(path)

    def _folder_hash(self, folder: Path) -> str:
        try:
            inside = sorted(entry.name for entry in folder.iterdir() if self.name(entry) is not None)
        except OSError:
            return ABSENT
        return hex_digest("\0".join(inside).encode("utf-8", "surrogateescape"), 24)

    def _inside(self, whole: str) -> str:
        for root in self.roots:
            if whole + os.sep == root:
                return os.curdir
            if whole.startswith(root):
                return whole[len(root) :]
        return ""

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The folder as it was named, and without symbolic links."""
        named = str(self.root)
        real = os.path.realpath(self.root)
        return tuple(dict.fromkeys(root.rstrip(os.sep) + os.sep for root in (named, real)))


def content_hash(path: str | Path) -> str:
    """SHA-256 of a file of any size, shortened; `ABSENT` when it cannot be read as a file."""
    try:
        return file_digest(path, 24)
    except OSError:
        return ABSENT


def _is_generated(name: str) -> bool:
    return name in GENERATED or name.endswith(GENERATED_SUFFIXES)


@lru_cache(4096)
def _is_left_out(root: str, folder: str) -> bool:
    """Whether a folder of a project is generated or an environment, or in one that is."""
    above, _, name = folder.rpartition(os.sep)
    if _is_generated(name) or (above and _is_left_out(root, above)):
        return True
    return Path(root, folder, "pyvenv.cfg").is_file()


@contextmanager
def enter_folder(folder: Path | None = None) -> Iterator[None]:
    """Work in `folder`, if there is one, and in the same folder as before afterwards, whoever changed it since."""
    before = Path.cwd()
    if folder is not None:
        os.chdir(folder)
    try:
        yield
    finally:
        with suppress(OSError):  # it may have been removed
            os.chdir(before)
