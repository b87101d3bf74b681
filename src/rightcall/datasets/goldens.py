"""Reading and writing goldens, one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Raw

from rightcall.core.codec import DecodeErrors, convert
from rightcall.core.errors import InputError
from rightcall.datasets.deepeval.names import Names, is_deepeval
from rightcall.datasets.deepeval.reader import goldens_of_items, read_deepeval
from rightcall.datasets.deepeval.writer import write_deepeval
from rightcall.datasets.formats import FORMATS, GOLDENS, csv, format_of
from rightcall.datasets.formats.collection import (
    SHORT,
    Skipped,
    decoder_for,
    is_blank,
    item_error,
    read_each,
    refuse_deep,
    refuse_repeated_key,
)
from rightcall.datasets.targets import golden_of_target, is_target
from rightcall.files.atomic import atomic_write
from rightcall.files.checked_read import require_file
from rightcall.files.documents import value_of
from rightcall.records.dialects import read_tool
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, expect_no_calls, with_id

Kind: TypeAlias = type[Golden] | type[ConversationalGolden]

FIELDS = frozenset((*Golden.__struct_encode_fields__, *ConversationalGolden.__struct_encode_fields__))
"""An item with no other fields is in no other format."""

STRICT_LINES = 20_000
"""Lines searched for repeated keys, which takes a quarter of the time of scoring a recording; `dataset check` searches
all of them."""


def load_goldens(path: str | Path, *, skipped: Skipped | None = None) -> Iterator[AnyGolden]:
    """Goldens of a file, read lazily (JSON and YAML documents all at once).

    A golden without id gets one from its content. The first golden decides whether the file is
    conversational, and whether it is in DeepEval's format. Ids are not compared here: `pair` does that.
    With `skipped`, a golden that cannot be read is passed to it, and reading continues.
    """
    return (golden for _, golden in numbered_goldens(path, skipped=skipped))


def numbered_goldens(
    path: str | Path, *, skipped: Skipped | None = None, strict_lines: int = STRICT_LINES
) -> Iterator[tuple[int, AnyGolden]]:
    """The same with the first line of each. A key that occurs twice is an error in the first `strict_lines`."""
    path = require_file(path)
    file_format = format_of(path)
    if file_format is csv and is_deepeval(csv.header(path)):
        return ((line, with_id(golden)) for line, golden in read_deepeval(path, skipped=skipped))
    return _read(path, file_format.read(path, GOLDENS), skipped, strict_lines)


def golden_of_plain(plain: dict[str, Any], where: str, kind: Kind | None = None) -> AnyGolden:
    """The golden of plain values, as an author wrote them; with `scenario` it is a conversation, unless `kind` says."""
    kind = kind or (ConversationalGolden if "scenario" in plain else Golden)
    golden: AnyGolden = convert(plain, kind, where)
    return expect_no_calls(golden) if plain.get("expected_calls") == [] else golden


def save_goldens(
    goldens: Iterable[AnyGolden], path: str | Path, *, dialect: Literal["native", "deepeval"] = "native"
) -> None:
    """Write goldens of one kind, in the format of the suffix. On an error nothing is changed.

    The dialect `deepeval` writes .json, .jsonl and .csv files for DeepEval.
    """
    file_format = format_of(path, tuple(FORMATS) if dialect == "native" else (".json", ".jsonl", ".csv"))
    with atomic_write(path) as file:
        try:
            if dialect == "deepeval":
                file_type: Any = Path(path).suffix.lower().lstrip(".")
                write_deepeval(_of_one_kind(goldens, str(path)), file, file_type)
            else:
                file_format.write(_of_one_kind(goldens, str(path)), GOLDENS, file)
        except UnicodeEncodeError:
            problem = "a text contains a lone surrogate, which cannot be written to a file"
            raise InputError(str(path), problem, "remove it") from None


def _read(  # noqa: PLR0912  one loop: a generator inside another costs a tenth
    path: Path, items: Iterator[tuple[int, Any]], skipped: Skipped | None, strict_lines: int
) -> Iterator[tuple[int, AnyGolden]]:
    first, fields = _first(path, items, skipped)
    if first is None:
        return
    foreign = None if fields.keys() <= FIELDS else _foreign(path, chain([first], items), fields, skipped)
    if foreign is not None:
        for line, golden in foreign:
            yield line, with_id(golden)
        return
    kind: Kind = ConversationalGolden if "scenario" in fields else Golden
    decode: Callable[[Any], Any] = decoder_for(kind, first[1])
    is_json = isinstance(first[1], bytes | Raw)
    for line, item in chain([first], items):
        try:
            if type(item) is bytes and len(item) > SHORT:
                refuse_deep(item)
            golden = decode(item)
            if is_json and line <= strict_lines:
                refuse_repeated_key(item, f"{path}:{line}")
            if golden.tools:
                for i, tool in enumerate(golden.tools):
                    if type(tool) is dict:
                        read_tool(tool, f"{path}:{line}: tools[{i}]")
        except InputError as bad:
            if skipped is None:
                raise
            skipped(bad)
            continue
        except DecodeErrors as error:
            if is_blank(item):
                continue
            where = f"{path}:{line}"
            problem = _other_kind(item, kind, where, first[0])
            if problem is None:
                problem = item if isinstance(item, InputError) else item_error(error, kind, item, where)
            if skipped is None:
                raise problem from None
            skipped(problem)
            continue
        if not golden.expected_calls and _states_calls(item):
            golden = expect_no_calls(golden)
        if not golden.id:
            golden = with_id(golden)
        yield line, golden


def _states_calls(item: Any) -> bool:
    """Whether the author of an item wrote `expected_calls`; the record has its default either way."""
    if isinstance(item, dict):
        return "expected_calls" in item
    written = b"expected_calls" in bytes(item)
    return written and "expected_calls" in msgspec.json.decode(item, type=dict[str, Raw])


def _foreign(
    path: Path, items: Iterator[tuple[int, Any]], fields: dict[str, Any], skipped: Skipped | None
) -> Iterator[tuple[int, AnyGolden]] | None:
    """The goldens of a file in another format; None when its first item, with these fields, is in none."""
    if is_deepeval(fields):
        return goldens_of_items(path, items, Names(), skipped=skipped)
    if not is_target(fields):
        return None
    return read_each(
        path, items, lambda item, at: golden_of_target(value_of(item, dict[str, Any], at), at), skipped
    )


def _first(
    path: Path, items: Iterator[tuple[int, Any]], skipped: Skipped | None
) -> tuple[tuple[int, Any] | None, dict[str, Any]]:
    """The first item that is an object, with its fields: it decides how the others are read."""

    def read(item: Any, where: str) -> tuple[Any, dict[str, Any]]:
        return item, value_of(item, dict[str, Any], where)

    for line, (item, fields) in read_each(path, items, read, skipped):
        return (line, item), fields
    return None, {}


def _other_kind(item: Any, kind: Kind, where: str, first_line: int) -> InputError | None:
    """The error for mixed kinds, if that is the cause."""
    if isinstance(item, InputError):
        return None
    try:
        fields = value_of(item, dict[str, Any], where)
    except InputError:
        return None
    if kind is Golden and "scenario" in fields:
        here = "conversational (it has 'scenario')"
        there = "single-turn"
    elif kind is ConversationalGolden and "input" in fields and "scenario" not in fields:
        here = "single-turn (it has 'input')"
        there = "conversational"
    else:
        return None
    hint = "put the two kinds in separate files"
    return InputError(where, f"this golden is {here}, the one on line {first_line} is {there}", hint)


def _of_one_kind(goldens: Iterable[AnyGolden], path: str) -> Iterator[AnyGolden]:
    kind: type[Any] | None = None
    for place, golden in enumerate(goldens, 1):
        kind = kind or type(golden)
        if type(golden) is not kind:
            other_kind = type(golden).__name__
            first = kind.__name__
            problem = f"golden {place} ('{golden.id}') is a {other_kind}, the first is a {first}"
            raise InputError(path, problem, "put the two kinds in separate files")
        yield golden
