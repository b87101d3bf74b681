"""Atomic writes: a file is replaced completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rightcall.core.errors import InputError
from rightcall.core.operating_system import name_file, open_without_name

_ANYONE_WRITES = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH  # the only check that also applies to root


MARKDOWN_MARK = b"<!-- rightcall"
PATCH_MARK = b"rightcall improve"
MARKS = {
    **dict.fromkeys((".html", ".htm"), b"rightcall</title>"),
    **dict.fromkeys((".markdown", ".md"), MARKDOWN_MARK),
    **dict.fromkeys((".json", ".sarif", ".xml"), b"rightcall"),
    ".patch": PATCH_MARK,
}
"""What the beginning of each kind of report has, by which a later one knows that it may replace it."""


def refuse_existing(path: Path, *, report: bool = False) -> None:
    """Raise `InputError` for a file that may have been edited since it was written.

    A report may replace an earlier report of ours, which its beginning shows, and an empty file.
    """
    if not (path.is_file() or path.is_dir()):  # a pipe or /dev/stdout
        return
    if not report or not _is_report(path):
        raise InputError(str(path), "already exists", "choose another file, or remove this one")


def _is_report(path: Path) -> bool:
    mark = MARKS.get(path.suffix.lower())
    if mark is None or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(4000).lower()
    return len(head) < 5 or mark in head


@contextlib.contextmanager
def atomic_write(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary file that replaces `path` when the block ends without an exception.

    The content is written to a temporary file next to it first, so an interrupted write changes nothing. A device or
    a pipe is written as it is; links are followed; a file that may not be written raises `InputError`, as does a full
    disk.
    """
    target = Path(path).resolve()
    _refuse_unwritable(path, target)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
        else:
            with _replace_file(path, target) as file:
                yield file
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise InputError(
            str(path), f"cannot be written: {reason(error)}", "free some space and try again"
        ) from None


def write_file(path: str | Path, data: bytes) -> None:
    """Replace the file by `data`, completely or not at all."""
    with atomic_write(path) as file:
        file.write(data)


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Error numbers that mean the disk is full, whatever was being written."""


def reason(error: Exception) -> str:
    """The system's message, worded as part of a sentence."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _refuse_unwritable(path: str | Path, target: Path) -> None:
    if target.is_dir():
        raise InputError(str(path), "is a folder", "name a file in it")
    if not target.parent.is_dir():
        raise InputError(str(path), f"no such folder '{target.parent}'", "create it first")
    if target.exists() and not (os.access(target, os.W_OK) and target.stat().st_mode & _ANYONE_WRITES):
        raise InputError(str(path), "is read-only", "make it writable, or choose another file")


@contextlib.contextmanager
def _replace_file(path: str | Path, target: Path) -> Iterator[IO[bytes]]:
    """The content has no name before it is complete, where the system can do that: a killed process leaves nothing."""
    complete = target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}.tmp")
    try:
        handle = open_without_name(target.parent)
        file = open(complete, "xb", opener=_for_owner) if handle is None else os.fdopen(handle, "wb")  # noqa: SIM115
    except OSError as error:
        raise InputError(
            str(path), f"cannot be written: {reason(error)}", "choose another location"
        ) from None
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if handle is not None:
                name_file(handle, complete)
        complete.chmod(_mode_of(target))
        complete.replace(target)
    except BaseException:
        complete.unlink(missing_ok=True)
        raise


def _for_owner(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, or those a new file would get."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)  # the only way to read the umask; restored at once
    os.umask(mask)
    return 0o666 & ~mask
