"""A list of prompts, one per line: goldens with only an input, to begin with before anything is expected.

Blank lines, and lines that start with `#`, are skipped. Everything else is a prompt as it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from rightcall.core.errors import InputError
from rightcall.datasets.formats.collection import Collection
from rightcall.files.checked_read import numbered_lines, open_checked

SUFFIXES = (".txt",)


def read(path: Path, collection: Collection) -> Iterator[tuple[int, Any]]:
    """Prompts as plain values, each with its line."""
    empty = True
    with open_checked(path) as file:
        for number, line in numbered_lines(file, str(path)):
            prompt = _decode_line(line, f"{path}:{number}")
            if prompt.strip() and not prompt.startswith("#"):
                empty = False
                yield number, {"input": prompt}
    if empty:
        hint = "write one per line; `#` starts a comment"
        raise InputError(str(path), "the file contains no prompts", hint)


def write(items: Iterable[Any], collection: Collection, file: IO[bytes]) -> None:
    """Goldens say more than a line of text can."""
    raise InputError("", ".txt files of prompts are read, not written", "use .jsonl")


def _decode_line(line: bytes, where: str) -> str:
    try:
        text = line.decode("utf-8-sig" if where.endswith(":1") else "utf-8")
    except UnicodeDecodeError:
        raise InputError(where, "not valid UTF-8", "save the file as UTF-8") from None
    return text.removesuffix("\n").removesuffix("\r")
