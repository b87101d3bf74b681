"""From the items of a format to records: a decoder made once for a whole file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import msgspec

from rightcall.errors import InputError
from rightcall.files import refuse_long_line
from rightcall.model.codec import decoding_error
from rightcall.model.depth import MAX_DEPTH, too_deep

T = TypeVar("T")


def decoder_for(as_type: type[T], example: Any) -> Callable[[Any], T]:
    """A function from items like the example (JSON, or plain values) to records. Raises `DecodeErrors`."""
    if isinstance(example, (bytes, msgspec.Raw)):
        return _checking_depth(msgspec.json.Decoder(as_type).decode)
    return partial(msgspec.convert, type=as_type)


def _checking_depth(decode: Callable[[Any], T]) -> Callable[[Any], T]:
    """The decoder with the limit of depth, which costs a line too short to be deep nothing but its length."""

    def checked(item: Any) -> T:
        size = len(item) if type(item) is bytes else memoryview(item).nbytes
        if size > 2 * MAX_DEPTH and too_deep(item if type(item) is bytes else memoryview(item)):
            raise RecursionError
        return decode(item)

    return checked


def refused_item(error: Exception, as_type: Any, item: Any, where: str) -> InputError:
    """What a decoder found wrong with an item, in a user's words."""
    data = bytes(item) if isinstance(item, (bytes, msgspec.Raw)) else b""
    if isinstance(item, bytes):
        refuse_long_line(item, where)
    return decoding_error(error, as_type, data, where)
