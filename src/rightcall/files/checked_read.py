"""Opens files and checks that their first bytes look like UTF-8 text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from itertools import count
from pathlib import Path

from rightcall.core.errors import InputError, suggestion
from rightcall.core.text import first_names
from rightcall.files.atomic import reason

BOM = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
FIRST_LOOK = 4096
KNOWN_BINARY = {
    b"PK\x03\x04": "a zip or Office file",
    b"\x1f\x8b": "a gzip file",
    b"SQLite format 3": "a SQLite database",
    b"%PDF": "a PDF",
    b"PAR1": "a Parquet file",
    b"\x89PNG": "a picture",
}


def require_file(path: str | Path) -> Path:
    """The path if it is a file; otherwise an error that names the most similar file in the folder."""
    path = Path(path)
    try:
        if path.is_file():
            return path
        if path.is_dir():
            raise InputError(str(path), "is a folder, not a file", _files_inside(path))
        if path.exists():
            raise InputError(str(path), "is not a regular file", "save it to a file first")
    except (OSError, ValueError) as error:
        raise InputError(str(path), f"cannot be opened: {reason(error)}") from None
    raise InputError(str(path), "no such file", _near_name(path))


def open_checked(path: str | Path) -> BufferedReader:
    """Open for reading bytes, after any byte order mark; reject empty files and files that are not UTF-8 text."""
    path = require_file(path)
    try:
        file = path.open("rb")
        start = file.peek(FIRST_LOOK)[:FIRST_LOOK]
    except OSError as error:
        raise InputError(str(path), f"cannot be opened: {reason(error)}") from None
    try:
        _refuse_no_text(start, path)
    except InputError:
        file.close()
        raise
    if start.startswith(BOM):
        file.read(len(BOM))
    return file


def read_checked(path: str | Path) -> bytes:
    """The whole content, without a byte order mark."""
    with open_checked(path) as file:
        data = file.read()
    if not data.strip():
        raise InputError(str(path), "the file is empty", "was it written completely?")
    return data


def _refuse_no_text(start: bytes, path: Path) -> None:
    where = str(path)
    if not start.removeprefix(BOM):
        raise InputError(where, "the file is empty", "was it written completely?")
    if start.startswith(UTF16_MARKS) or _looks_like_utf16(start):
        raise InputError(where, "the text is in UTF-16", "save the file as UTF-8")
    for magic, name in KNOWN_BINARY.items():
        if start.startswith(magic):
            raise InputError(where, f"is {name}, not a text file", "extract the text from it")
    if b"\x00" in start:
        raise InputError(where, "is a binary file, not UTF-8 text")


def _looks_like_utf16(start: bytes) -> bool:
    """ASCII text in UTF-16 has a zero in every other byte."""
    return (
        len(start) >= 4
        and start[:4].count(0) == 2
        and (start[0] == start[2] == 0 or start[1] == start[3] == 0)
    )


def _near_name(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"the folder '{path.parent}' does not exist"
    return suggestion(path.name, names)


def _files_inside(folder: Path) -> str:
    try:
        names = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    except OSError:
        return ""
    return f"the folder contains {first_names(names, 3)}" if names else "the folder is empty"


MAX_LINE_BYTES = 8 * 1024 * 1024
"""Maximum line length. A longer golden or trajectory is a mistake or an attack."""


def numbered_lines(file: BufferedReader, path: str) -> Iterator[tuple[int, bytes]]:
    """Line numbers from 1 and the bytes of each line, including its line ending."""
    for number, line in unchecked_lines(file):
        refuse_long_line(line, f"{path}:{number}")
        yield number, line


def unchecked_lines(file: BufferedReader) -> Iterator[tuple[int, bytes]]:
    """Like `numbered_lines` but faster: lines that are too long are truncated.

    Call `refuse_long_line` on a line that cannot be parsed; a truncated line never can.
    """
    return zip(count(1), iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), strict=False)


def refuse_long_line(line: bytes, where: str) -> None:
    """Raise if a line is too long."""
    if len(line) > MAX_LINE_BYTES:
        raise InputError(
            where,
            f"the line is longer than {MAX_LINE_BYTES // 2**20} MiB",
            "is the whole file one line? use the suffix .json for a JSON list",
        )
