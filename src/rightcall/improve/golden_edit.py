"""A change of a golden, field by field, as it is proposed to its author."""

from __future__ import annotations

from typing import Any

from rightcall.core.codec import describe_value, encode_as
from rightcall.core.text import shorten
from rightcall.model.record import Record

LONGEST_VALUE = 4000


class GoldenEdit(Record, frozen=True):
    """One field of a golden changed: `path` as in the file, such as `expected_calls[0].args.order_id`."""

    path: str
    before: Any = None
    after: Any = None


def bounded_value(value: Any) -> Any:
    """A value for an output: one of more than 4 kB as its shortened text."""
    text = encode_as(value, describe_value).decode()
    return value if len(text) <= LONGEST_VALUE else shorten(text, LONGEST_VALUE)
