"""One JSON object per line: streamed, and the fastest to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from rightcall.core.codec import DecodeErrors, encode
from rightcall.core.errors import InputError
from rightcall.datasets.formats.collection import Collection
from rightcall.files.checked_read import open_checked, refuse_long_line, unchecked_lines

SUFFIXES = (".jsonl",)


def read(path: Path, collection: Collection) -> Iterator[tuple[int, Any]]:
    """Lines as bytes, each expected to be an object. A header line `{"format": …}` may come first.

    Blank lines are passed through and overlong lines truncated: the decoder reports them as errors, and testing every
    line first would slow down valid files. `is_blank` and `refuse_long_line` identify them.
    """
    with open_checked(path) as file:
        lines = unchecked_lines(file)
        header_seen = False
        for number, line in lines:
            if line.isspace():
                continue
            refuse_long_line(line, f"{path}:{number}")
            if header_seen or not _is_header(line, collection, f"{path}:{number}"):
                yield number, line
                break
            header_seen = True
        else:
            if not header_seen:
                raise InputError(str(path), "the file is empty", "was it written completely?")
        yield from lines


def write(items: Iterable[Any], collection: Collection, file: IO[bytes]) -> None:
    """One record per line. A file without records gets the header, to distinguish it from a truncated one."""
    empty = True
    for item in items:
        empty = False
        file.write(encode(item))
        file.write(b"\n")
    if empty:
        file.write(encode({"format": collection.format}) + b"\n")


def _is_header(line: bytes, collection: Collection, where: str) -> bool:
    if line.lstrip().startswith(b"["):
        raise InputError(where, "expected one object per line, got a JSON list", "rename the file to .json")
    if line.rstrip() == b"{":
        problem = "expected one object per line, got an object over several lines"
        raise InputError(where, problem, "rename the file to .json")
    if b'"format"' not in line:
        return False
    try:
        header = msgspec.json.decode(line, type=dict[str, Any])
    except DecodeErrors:
        return False
    if header.keys() != {"format"}:
        return False
    collection.check_header(header, where)
    return True
