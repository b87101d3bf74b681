"""A file appears whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rightcall.errors import InputError


@contextlib.contextmanager
def atomic_write(path: str | Path) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of `path` when the block ends without an exception.

    The new content lies beside the old one until then, so an interrupted write changes nothing.
    """
    import tempfile  # slow to import, and most processes only read

    target = Path(path).resolve()
    if target.is_dir():
        raise InputError(str(path), "is a folder", "give the name of a file in it")
    if not target.parent.is_dir():
        raise InputError(str(path), f"there is no folder '{target.parent}'", "make it first")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", suffix=".tmp", dir=target.parent)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {(error.strerror or str(error)).lower()}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(_mode_of(target))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode_of(target: Path) -> int:
    """The permissions of the file that is replaced, or those a new file would get."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)  # the only way to ask; put back at once
    os.umask(mask)
    return 0o666 & ~mask
