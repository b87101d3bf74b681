"""A list of prompts, one per line: goldens with only an input, to begin with before anything is expected.

Blank lines, and lines that start with `#`, are skipped. A line that ends with a backslash continues on the next one,
with the line break in the prompt. Everything else is the prompt as it stands: `\\#` at the start of a prompt is `#`
(`\\\\#` is `\\#`, and so on), and two backslashes at the end of a line are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.datasets.formats.collection import Collection
from rightcall.files.checked_read import numbered_lines, open_checked
from rightcall.model.golden import Golden, with_id

SUFFIXES = (".txt",)

ESCAPED_COMMENT, COMMENT = re.compile(r"\\+#"), re.compile(r"\\*#")
LAST_BACKSLASHES = re.compile(r"\\*\Z")


def read(path: Path, collection: Collection) -> Iterator[tuple[int, Any]]:
    """Prompts as plain values, each with its first line."""
    with open_checked(path) as file:
        lines = (
            (number, _decode_line(line, f"{path}:{number}"))
            for number, line in numbered_lines(file, str(path))
        )
        empty = True
        for number, prompt in prompts(lines, str(path)):
            empty = False
            yield number, {"input": prompt}
    if empty:
        hint = "write one per line; `#` starts a comment"
        raise InputError(str(path), "the file contains no prompts", hint)


def prompts(lines: Iterable[tuple[int, str]], path: str) -> Iterator[tuple[int, str]]:
    """The prompts in numbered lines, without their line ends."""
    numbered = iter(lines)
    for number, line in numbered:
        if not line.strip() or line.startswith("#"):
            continue
        text, continues = _end_of_line(line[1:] if ESCAPED_COMMENT.match(line) else line)
        parts = [text]
        while continues:
            following = next(numbered, None)
            if following is None:
                problem = "the last line ends with a backslash"
                raise InputError(f"{path}:{number}", problem, "end it with two for one backslash")
            text, continues = _end_of_line(following[1])
            parts.append(text)
        yield number, "\n".join(parts)


def write(items: Iterable[Any], collection: Collection, file: IO[bytes]) -> None:
    """One prompt per line. Goldens that say more than their input cannot be written."""
    for item in items:
        file.write(_line_of(item).encode() + b"\n")


def _line_of(golden: Any) -> str:
    bare = golden if isinstance(golden, Golden) else None
    if bare is None or bare not in (Golden(bare.input), with_id(Golden(bare.input))):
        fields = msgspec.to_builtins(golden, enc_hook=repr)
        others = ", ".join(name for name in fields if name != "input")
        problem = f".txt files contain prompts alone, and this golden has {others}"
        raise InputError(f"golden '{golden.id}'", problem, "use .jsonl")
    start = "\\" if COMMENT.match(bare.input) else ""
    text = start + "\\\n".join(LAST_BACKSLASHES.sub(r"\g<0>\g<0>", line) for line in bare.input.split("\n"))
    read_back = [prompt for _, prompt in prompts(enumerate(map(_line, text.split("\n"))), "")]
    binary = text.startswith("\ufeff") or "\0" in text  # or a byte order mark
    if binary or read_back != [bare.input]:
        problem = "its input cannot be written as a line of text"
        raise InputError(f"golden '{golden.id}'", problem, "use .jsonl")
    return text


def _decode_line(line: bytes, where: str) -> str:
    try:
        text = line.decode("utf-8-sig" if where.endswith(":1") else "utf-8")
    except UnicodeDecodeError:
        raise InputError(where, "not valid UTF-8", "save the file as UTF-8") from None
    return _line(text.removesuffix("\n"))


def _line(text: str) -> str:
    return text.removesuffix("\r")


def _end_of_line(line: str) -> tuple[str, bool]:
    """A line with the backslashes at its end resolved, and whether it continues on the next one."""
    match = LAST_BACKSLASHES.search(line)
    count = len(match.group()) if match else 0
    return line[: len(line) - count] + "\\" * (count // 2), count % 2 == 1
