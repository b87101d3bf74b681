"""The contents of a file of items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rightcall.core.codec import decode_error
from rightcall.core.depth import MAX_DEPTH, too_deep
from rightcall.core.errors import InputError
from rightcall.files.checked_read import refuse_long_line
from rightcall.files.documents import refuse_other_format
from rightcall.records.dialects.wire import repeated_key


class Collection(msgspec.Struct, frozen=True):
    """The plural word that names the format (`rightcall/goldens/1`) and the key of the list."""

    name: str
    newest: int = 1

    @property
    def format(self) -> str:
        return f"rightcall/{self.name}/{self.newest}"

    def check_header(self, header: dict[str, Any], where: str) -> None:
        """Reject the header of another kind of file, or of a newer format."""
        if "format" in header:
            refuse_other_format(header["format"], self.name, self.newest, where)


GOLDENS = Collection("goldens")
TRAJECTORIES = Collection("trajectories")


T = TypeVar("T")

Skipped = Callable[[InputError], None]
"""Called for each item that is skipped because it cannot be read."""


SHORT = 2 * MAX_DEPTH
"""A line this short cannot be nested deeper than the limit: every level takes two brackets."""


def decoder_for(as_type: type[T], example: Any) -> Callable[[Any], T]:
    """A function from items like the example (JSON, or plain values) to records. Raises `DecodeErrors`.

    Code that decodes lines calls `refuse_deep` only for those longer than `SHORT`: one more call per line
    would cost 5 % of the time to read a file.
    """
    decode = msgspec.json.Decoder(as_type).decode

    def decode_shallow(item: Any) -> T:
        refuse_deep(bytes(item))
        return decode(item)

    if isinstance(example, bytes):
        return decode
    return decode_shallow if isinstance(example, msgspec.Raw) else partial(msgspec.convert, type=as_type)


def refuse_deep(item: bytes) -> None:
    """Raise `RecursionError` for a line that is deeper than the limit."""
    if too_deep(item):
        raise RecursionError


_KEY = re.compile(rb'"([^"]*+)":')
_ODD = (b"\\", b'" ', b'"\t', b'"\n', b'"\r')
"""An escaped character, or a space between a key and its colon."""


def key_written_twice(item: bytes | msgspec.Raw) -> str:
    """A key that occurs twice in one object of a JSON text; most lines use no key twice, which is quick to see."""
    data = bytes(item)
    # As many keys as there are colons after a quote: none of those is inside a text, or begins a key.
    if len(set(_KEY.findall(data))) == data.count(b'":') and not any([odd in data for odd in _ODD]):
        return ""
    return repeated_key(data)


def refuse_repeated_key(item: Any, where: str) -> None:
    """Raise an `InputError` for a JSON text with a key twice in one object: decoders keep one of its values."""
    if isinstance(item, bytes | msgspec.Raw) and (key := key_written_twice(item)):
        raise InputError(where, f"the key '{key}' occurs twice in one object", "keep one of them")


def item_error(error: Exception, as_type: Any, item: Any, where: str) -> InputError:
    """The decoder's error for an item as a readable message."""
    data = bytes(item) if isinstance(item, (bytes, msgspec.Raw)) else b""
    if isinstance(item, bytes):
        refuse_long_line(item, where)
    return decode_error(error, as_type, data, where)


def is_blank(item: Any) -> bool:
    return isinstance(item, bytes) and item.isspace()


def read_each(
    path: Path, items: Iterable[tuple[int, Any]], read: Callable[[Any, str], T], skipped: Skipped | None
) -> Iterator[tuple[int, T]]:
    """What `read(item, where)` makes of each item, with its line; one that cannot be read is passed to `skipped`."""
    for line, item in items:
        if is_blank(item):
            continue
        try:
            if isinstance(item, InputError):
                raise item
            record = read(item, f"{path}:{line}")
        except InputError as error:
            if skipped is None:
                raise
            skipped(error)
            continue
        yield line, record
