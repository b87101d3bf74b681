"""Reads the files that the linter wrote: baselines and lockfiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from rightcall.core.codec import decode
from rightcall.core.errors import InputError
from rightcall.files.checked_read import read_checked

R = TypeVar("R", bound=msgspec.Struct)


def read_recorded(path: Path, as_type: type[R], forms: Sequence[str], hint: str) -> R:
    """A file that the linter wrote; `InputError` when it is missing or of another format."""
    try:
        data = read_checked(path)
    except InputError as error:
        raise InputError(error.where, error.problem, error.hint or hint) from None
    recorded = decode(data, as_type, str(path))
    stated = getattr(recorded, "format", "")
    if stated not in forms:
        raise InputError(str(path), f"format must be '{forms[0]}', got '{stated}'")
    return recorded
