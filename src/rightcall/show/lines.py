"""The one way to write text to a terminal, a log or a report; hostile text is made harmless, and no key is in it.

Names, descriptions, replies and reasons are written by models, servers and strangers. On a terminal they could clear
the screen, set the clipboard or hide what they say; in a CI log a line that begins with `::` is a command to the
runner. Commands use `tell` or a `Screen` (`show/screen.py`, with colours and tables); a contract test keeps `print`,
`click.echo` and rich's own `Console` out of the rest of the package.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from rightcall.core.own_output import OWN
from rightcall.core.redaction.clean_text import without_keys
from rightcall.core.text import WRITTEN_OUT, visible
from rightcall.files.atomic import write_file

_COMMAND = re.compile(
    r"^((?:[ \t]|\x1b\[[0-9;]*m)*):(?=:)", re.MULTILINE
)  # also after one of our colour codes
_OLD_COMMAND = re.compile(r"#(?=#[A-Za-z]*\[)")
_OLD_COMMAND_JSON = re.compile(_OLD_COMMAND.pattern.encode())


def tell(text: str, *, err: bool = False) -> None:
    """Write a line of plain text to stdout or stderr."""
    stream = Guarded(stderr=err)
    stream.write(f"{visible(text)}\n")
    stream.flush()


def inert(text: str) -> str:
    """The text without terminal control characters or CI commands; unchanged when harmless."""
    return without_commands(visible(text))


def without_commands(text: str) -> str:
    """The text without keys and workflow commands: `::error` that begins a line, `##[error]` and similar anywhere."""
    text = without_keys(text)
    if "::" in text:
        text = _COMMAND.sub(r"\1: ", text)
    return without_old_commands(text)


def without_old_commands(text: str) -> str:
    """The text without `##[error]`, `##vso[…]` and similar, which runners also find in the middle of a line."""
    return _OLD_COMMAND.sub("# ", text) if "##" in text else text


def json_document(value: Any) -> bytes:
    """A value as one indented JSON document, for a file or a terminal."""
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def inert_json(data: bytes | bytearray) -> bytes:
    """Equivalent JSON in which terminal control characters are escaped, without keys."""
    data = without_keys(data.decode()).encode()
    if b"#" in data and b"##" in data:  # only inside strings; one byte is found much faster than two
        data = _OLD_COMMAND_JSON.sub(rb"\\u0023", data)
    if data.isascii() and b"\x7f" not in data:  # JSON escapes control characters below U+0020 itself
        return data
    return data.decode().translate(_ESCAPED).encode()


def write_report(path: Path, data: bytes) -> None:
    """Write a report that a user named, without keys."""
    write_file(path, without_keys(data.decode()).encode())


def _is_terminal_gone(stream: TextIO, error: OSError) -> bool:
    """Whether the terminal behind a stream is gone; on a file the same error means a broken disk."""
    return error.errno == errno.EIO and stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)


_ESCAPED = {code: json.dumps(chr(code))[1:-1] for code in WRITTEN_OUT if code >= 0x7F}


class Guarded:
    """The current stdout or stderr, with CI commands made harmless.

    A reader that leaves (`| head`, a closed terminal) gets no more, and the command continues: its exit code is its
    verdict.
    """

    def __init__(self, file: TextIO | None = None, *, stderr: bool = False) -> None:
        self._file = file
        self._stderr = stderr

    def write(self, text: str) -> int:
        try:
            return self._stream.write(without_commands(text))
        except OSError as error:
            self._discard_if_left(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._discard_if_left(error)

    def _discard_if_left(self, error: OSError) -> None:
        if not isinstance(error, BrokenPipeError) and not _is_terminal_gone(self._stream, error):
            raise error
        discard(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def _stream(self) -> TextIO:
        return self._file or (OWN.stderr if self._stderr else OWN.stdout)


def discard(stream: TextIO) -> None:
    """Send what is buffered, and all that follows, to /dev/null; Python would fail to write it again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class InertOutput:
    """A binary stream for a report that goes to the terminal or a log instead of a file."""

    def __init__(self, out: BinaryIO, *, as_json: bool) -> None:
        self._out = out
        self._as_json = as_json

    def write(self, data: bytes) -> int:
        """Write whole values, so that no character is split."""
        inert_data = inert_json(data) if self._as_json else without_commands(data.decode()).encode()
        return self._out.write(inert_data)

    def flush(self) -> None:
        self._out.flush()
