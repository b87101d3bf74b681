"""A change of a golden, field by field, as it is proposed to its author."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rightcall.core.codec import convert, describe_value, encode_as
from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import literal
from rightcall.records.golden import AnyGolden, G, Golden
from rightcall.records.record import Record

LONGEST_VALUE = 4000


class GoldenEdit(Record, frozen=True):
    """One field of a golden changed: `path` as in the file, such as `expected_calls[0].args.order_id`."""

    path: str
    before: Any = None
    after: Any = None


def value_text(value: Any, longest: int = 80) -> str:
    """A value for a sentence."""
    return shorten(encode_as(value, describe_value).decode(), longest)


def limit_value(value: Any) -> Any:
    """A value for an output: one of more than 4 kB as its shortened text."""
    text = encode_as(value, describe_value).decode()
    return value if len(text) <= LONGEST_VALUE else shorten(text, LONGEST_VALUE)


def accept_too(path: str, spec: Any, value: Any) -> GoldenEdit:
    """Accept one more value."""
    choices = spec.get("one_of") if isinstance(spec, dict) and spec.keys() == {"one_of"} else None
    if isinstance(choices, list):
        return GoldenEdit(path, spec, {"one_of": [*choices, literal(value)]})
    key = "any_of" if isinstance(spec, dict) else "one_of"
    return GoldenEdit(path, spec, {key: [spec, literal(value)]})


def accept_absence(path: str, spec: Any) -> GoldenEdit:
    """Accept a call without the argument."""
    return GoldenEdit(path, spec, {"optional": spec})


def accept_alternative(golden: AnyGolden, calls: Sequence[ToolCall]) -> tuple[GoldenEdit, ...]:
    """Accept other calls too; nothing where a golden cannot say so."""
    if not isinstance(golden, Golden) or golden.expected_state is not None or not golden.expected_calls:
        return ()
    alternative = [
        {"tool": call.name, "args": {name: literal(value) for name, value in (call.arguments or {}).items()}}
        for call in calls
    ]
    try:
        before = to_plain(golden).get("any_of", [])
    except InputError:
        return ()
    return (GoldenEdit("any_of", before or None, [*before, alternative]),)


def apply_edits(golden: G, edits: Iterable[GoldenEdit]) -> G:
    """The golden with these fields changed; an `InputError` where it would be no golden any more."""
    plain = to_plain(golden)
    for edit in edits:
        _set(plain, edit.path, edit.after)
    return convert(plain, type(golden), f"golden '{golden.id}'")


def to_plain(golden: AnyGolden) -> dict[str, Any]:
    """The golden as its file has it; an `InputError` when it is checked by a function."""
    try:
        plain: dict[str, Any] = msgspec.to_builtins(golden)
    except TypeError:
        raise InputError(f"golden '{golden.id}'", "is checked by a function", "edit it in its file") from None
    return plain


def _set(plain: dict[str, Any], path: str, value: Any) -> None:
    place, has_argument, argument = path.partition(".args.")
    keys: list[str | int] = [int(number) if number else name for name, number in _STEP.findall(place)]
    if has_argument:
        keys += ["args", argument]  # an argument's name may hold dots
    inner: Any = plain
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value


_STEP = re.compile(r"([A-Za-z_]+)|\[(\d+)\]")
