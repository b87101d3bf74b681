"""A table: a column is a field, a row is an item. Streamed; nothing is guessed.

Text fields are raw text; all others (lists, objects, numbers, true and false) are JSON. An empty cell means
the field is absent. A text cell that is a JSON string literal is read as that string: so the empty string is
written `""`, and text that looks like a literal, or contains a NUL, is written as a literal itself.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from rightcall.core import codec
from rightcall.core.errors import InputError, suggestion
from rightcall.datasets.formats.collection import Collection
from rightcall.files.checked_read import MAX_LINE_BYTES, numbered_lines, open_checked
from rightcall.records.golden import ConversationalGolden, Golden

SUFFIXES = (".csv",)

KINDS = (Golden, ConversationalGolden)
SPOOL_BYTES = 16 * 2**20


def read(path: Path, collection: Collection) -> Iterator[tuple[int, Any]]:
    """Rows as plain values with their first line; a row that cannot be read is its `InputError`."""
    rows = _table(path)
    first, columns = next(rows)
    text_fields = _check_columns(columns, f"{path}:{first}")
    for line, cells in rows:
        yield line, _row(cells, columns, text_fields, f"{path}:{line}")


def read_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Rows as text by column, with any column names; a row that cannot be read is its `InputError`."""
    rows = _table(path)
    first, columns = next(rows)
    for place, name in enumerate(columns):
        if name in columns[:place]:
            raise InputError(f"{path}:{first}", f"duplicate column '{name}'")
    for line, cells in rows:
        yield line, _row(cells, columns, None, f"{path}:{line}")


def header(path: Path) -> list[str]:
    """The column names; empty when the first row cannot be read."""
    with open_checked(path) as file:
        try:
            return next(csv.reader(_decode_lines(file, str(path))), [])
        except (csv.Error, InputError):
            return []


def write(items: Iterable[Any], collection: Collection, file: IO[bytes]) -> None:
    """A header row of the fields in use, then one row per item; items are buffered on disk until then."""
    import tempfile  # slow to import, and not needed for reading

    with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as spool:
        used: set[str] = set()
        kind: type[msgspec.Struct] = Golden
        for item in items:
            kind = type(item)
            used |= msgspec.json.decode(codec.encode(item)).keys()
            spool.write(codec.encode(item) + b"\n")
        fields = kind.__struct_encode_fields__
        columns = [name for name in fields if name in used] or [fields[0]]
        text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\r\n")  # with both, cells containing either are quoted
        writer.writerow(columns)
        spool.seek(0)
        text_fields = _text_fields(kind)
        for line in spool:
            values = msgspec.json.decode(line)
            writer.writerow([_cell(values[c], c in text_fields) if c in values else "" for c in columns])
        text.detach()


FORMULA = "=+-@\t\r"
"""Leading characters that make a spreadsheet run a cell as a formula. Such text is written as quoted JSON."""


def _cell(value: Any, is_text: bool) -> str:
    if is_text and value and "\0" not in value and _literal(value) is None and value[0] not in FORMULA:
        return str(value)
    return codec.encode(value).decode()


def _row(
    cells: list[str], columns: list[str], text_fields: frozenset[str] | None, where: str
) -> dict[str, Any] | InputError:
    """The values of a row by column, as text without `text_fields`; or why not: the caller may read on."""
    if len(cells) != len(columns):
        problem = f"the row has {len(cells)} cells, the header has {len(columns)} columns"
        return InputError(where, problem, 'put cells that contain a comma or a newline in "quotes"')
    row = dict(zip(columns, cells, strict=True))
    if text_fields is None:
        return row
    values: dict[str, Any] = {}
    for column, cell in row.items():
        if cell == "":
            continue
        if column in text_fields:
            literal = _literal(cell)
            values[column] = cell if literal is None else literal
            continue
        try:
            values[column] = codec.decode(cell.encode(), object, f"{where}: column {column}")
        except InputError as error:
            hint = error.hint or 'this column contains JSON, such as ["a", "b"] or {"a": 1} or 5 or true'
            return InputError(error.where, f"{error.problem}, found '{cell[:40]}'", hint)
    return values


def _literal(cell: str) -> str | None:
    """The text of a cell that is a JSON string literal."""
    if not cell.startswith('"'):
        return None
    try:
        return msgspec.json.decode(cell, type=str)
    except codec.DecodeErrors:
        return None


def _check_columns(columns: list[str], where: str) -> frozenset[str]:
    """Reject columns that are not fields; return those that contain raw text."""
    kind = ConversationalGolden if "scenario" in columns else Golden
    fields = kind.__struct_encode_fields__
    for place, name in enumerate(columns, 1):
        if name == "":
            raise InputError(where, f"column {place} has no name")
        if name not in fields:
            wrong_delimiter = len(columns) == 1 and any(mark in name for mark in ";\t|")
            hint = "separate the columns by commas" if wrong_delimiter else suggestion(name, fields)
            problem = f"unknown column '{name[:80]}'"
            raise InputError(where, problem, hint or f"known columns: {', '.join(fields)}")
        if name in columns[: place - 1]:
            raise InputError(where, f"duplicate column '{name}'")
    return _text_fields(kind)


def _text_fields(kind: type[msgspec.Struct]) -> frozenset[str]:
    info = msgspec.inspect
    shape = info.type_info(kind)
    assert isinstance(shape, info.StructType)
    return frozenset(field.encode_name for field in shape.fields if _is_text(field.type))


def _is_text(shape: msgspec.inspect.Type) -> bool:
    info = msgspec.inspect
    if isinstance(shape, info.UnionType):
        return all(isinstance(part, info.NoneType) or _is_text(part) for part in shape.types)
    return isinstance(shape, (info.StrType, info.LiteralType))


def _decode_lines(file: io.BufferedReader, path: str) -> Iterator[str]:
    for number, line in numbered_lines(file, path):
        try:
            yield line.decode()
        except UnicodeDecodeError:
            hint = "save the file as UTF-8 (in a spreadsheet: CSV UTF-8)"
            raise InputError(f"{path}:{number}", "not valid UTF-8", hint) from None


def _table(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows with their first line, the names of the columns first; blank lines are skipped."""
    if csv.field_size_limit() < MAX_LINE_BYTES:
        csv.field_size_limit(MAX_LINE_BYTES)  # process-wide; the module has no other setting
    empty = True
    with open_checked(path) as file:
        reader = csv.reader(_decode_lines(file, str(path)), strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader, None)
            except csv.Error as error:
                raise _csv_error(str(error), f"{path}:{line}") from None
            if cells is None:
                break
            if cells:
                empty = False
                yield line, cells
    if empty:
        raise InputError(str(path), "the file is empty", "the first row must name the columns")


def _csv_error(text: str, where: str) -> InputError:
    if "unexpected end of data" in text:
        return InputError(where, "a quoted cell starts in this row and is never closed", 'is a " missing?')
    if "field limit" in text:
        return InputError(where, f"a cell is longer than {MAX_LINE_BYTES // 2**20} MiB", 'is a " missing?')
    if "new-line character" in text:
        return InputError(
            where, "a lone carriage return outside quotes", "save it with LF or CRLF line endings"
        )
    return InputError(where, f"not valid CSV: {text}", 'inside quotes, write a quote as ""')
