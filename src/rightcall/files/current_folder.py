"""The working folder, which code under test may change."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
