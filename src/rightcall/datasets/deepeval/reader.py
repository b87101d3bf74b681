"""From a row of a DeepEval file to a golden."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.datasets.deepeval.names import (
    JSON,
    LISTS,
    OURS,
    TOOLS,
    Names,
    fields_of,
    split_list,
    value_of_cell,
    without_guard,
)
from rightcall.datasets.deepeval.tools import call_of, call_to_expect, object_or_none
from rightcall.datasets.formats import GOLDENS, csv, format_of
from rightcall.datasets.formats.collection import Skipped, read_each
from rightcall.files.checked_read import refuse_long_line, require_file
from rightcall.files.documents import value_of
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden

AS_THEY_ARE = ("name", "comments", "context", "expectations", "expected_labels")
SINGLE_AS_THEY_ARE = (
    "input", "actual_output", "expected_output", "retrieval_context", "source_file", "token_cost",
    "input_token_count", "output_token_count",
)  # fmt: skip
TURN_FIELDS = ("role", "content", "user_id", "retrieval_context", "tools_called", "metadata")


def golden_of(
    row: Mapping[str, Any], where: str, names: Names | None = None, *, cells: bool = False
) -> AnyGolden:
    """The golden of a row; with `cells`, its values are the text of table cells.

    A row with `scenario` is a conversation. Columns unknown to DeepEval are kept as custom columns.
    """
    names = names or Names()
    if cells:
        row = {name: without_guard(cell) for name, cell in row.items()}
    fields, rest = fields_of(row, names, where)
    if cells:
        fields = {name: value_of_cell(name, cell, names, where) for name, cell in fields.items()}
        rest = {name: cell for name, cell in rest.items() if cell != ""}
    for name in (*TOOLS, *JSON):
        if isinstance(fields.get(name), str):  # JSON inside JSON, or inside a column of a frame
            fields[name] = value_of_cell(name, fields[name], names, where)
    for name in LISTS:
        if isinstance(fields.get(name), str):  # JSON Lines files have the items in one string
            text = fields[name]
            fields[name] = split_list(text, names.delimiter(name), f"{where}: {name}") if text else []
    multi = fields.get("scenario") is not None
    if not multi and fields.get("input") is None:
        column = names.called.get("input") or "input"
        hint = f"the file should have '{column}'" if column != "input" else ""
        raise InputError(where, "missing required field 'input' (or 'scenario')", hint)
    native = _present(fields, AS_THEY_ARE)
    native |= _conversation(fields, where) if multi else _single(fields, where)
    native |= _metadata_of(fields, rest, where)
    kind: type[AnyGolden] = ConversationalGolden if multi else Golden
    return codec.convert(native, kind, where)


def _present(fields: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: fields[name] for name in names if fields.get(name) is not None}


def _single(fields: dict[str, Any], where: str) -> dict[str, Any]:
    native = _present(fields, SINGLE_AS_THEY_ARE)
    expected = _tools(fields, "expected_tools", where)
    if expected is None:
        native["extra_calls"] = "allow"  # no tools were specified, so none is wrong
    else:
        native["expected_calls"] = _plain_calls(expected, call_to_expect, f"{where}: expected_tools")
    tools_called = _tools(fields, "tools_called", where)
    if tools_called is not None:
        native["tools_called"] = _plain_calls(tools_called, call_of, f"{where}: tools_called")
    return native


def _plain_calls(raws: Sequence[Any], read: Callable[[Any, str], Any], where: str) -> list[Any]:
    return [codec.to_plain(read(raw, f"{where}[{i}]")) for i, raw in enumerate(raws)]


def _conversation(fields: dict[str, Any], where: str) -> dict[str, Any]:
    native = _present(fields, ("scenario", "expected_outcome", "user_description"))
    native["extra_calls"] = "allow"
    persona = fields.get("persona")
    if isinstance(persona, dict):
        native["persona"] = persona
        native.setdefault("user_description", persona.get("characteristics"))
        if persona == {"characteristics": native["user_description"]}:
            del native["persona"]  # adds nothing to the description
    turns = fields.get("turns")
    if turns is not None and not isinstance(turns, list):
        raise InputError(f"{where}: turns", f"must be a list, got {type(turns).__name__}")
    native["turns"] = [_turn(turn, f"{where}: turns[{i}]") for i, turn in enumerate(turns or ())]
    return native


def _turn(raw: Any, where: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise InputError(where, f"a turn must be an object, got {type(raw).__name__}")
    native = _present(raw, TURN_FIELDS)
    if "tools_called" in native:
        native["tools_called"] = _plain_calls(native["tools_called"], call_of, f"{where}.tools_called")
    notes = {name: value for name, value in raw.items() if name not in TURN_FIELDS and value is not None}
    return {**native, "notes": notes} if notes else native


def _metadata_of(fields: dict[str, Any], rest: dict[str, Any], where: str) -> dict[str, Any]:
    """Metadata, custom columns, and what RightCall stored in the metadata."""
    metadata, columns = (
        object_or_none(fields.get(name), f"{where}: {name}")
        for name in ("additional_metadata", "custom_column_key_values")
    )
    texts = {name: value for name, value in rest.items() if isinstance(value, str)}
    others = {name: value for name, value in rest.items() if not isinstance(value, str) and value is not None}
    native: dict[str, Any] = {}
    if columns is not None or texts:
        native["custom_columns"] = {**(columns or {}), **texts}
    ours = dict(metadata or {}).get(OURS)
    kept = {key: value for key, value in {**(metadata or {}), **others}.items() if key != OURS}
    if kept:
        native["metadata"] = kept
    if isinstance(ours, dict):
        native |= ours
    elif ours is not None:
        native["metadata"] = {**kept, OURS: ours}
    return native


def _tools(fields: dict[str, Any], name: str, where: str) -> list[Any] | None:
    tools = fields.get(name)
    if isinstance(tools, dict):
        return [tools]
    if tools is not None and not isinstance(tools, list):
        raise InputError(f"{where}: {name}", f"must be a list of tool calls, got {type(tools).__name__}")
    return tools


def read_deepeval(
    path: str | Path,
    names: Names | None = None,
    *,
    file_type: str | None = None,
    skipped: Skipped | None = None,
) -> Iterator[tuple[int, AnyGolden]]:
    """Goldens of a JSON, JSON Lines, YAML or CSV file with their lines; `file_type` overrides the suffix.

    With `skipped`, a row that cannot be read is passed to it, and reading continues.
    """
    path = require_file(path)
    kind = file_type or path.suffix.lower().lstrip(".")
    names = names or Names()
    items = csv.read_rows(path) if kind == "csv" else format_of(f"x.{kind}").read(path, GOLDENS)
    return goldens_of_items(path, items, names, cells=kind == "csv", skipped=skipped)


def goldens_of_items(
    path: Path,
    items: Iterator[tuple[int, Any]],
    names: Names,
    *,
    cells: bool = False,
    skipped: Skipped | None = None,
) -> Iterator[tuple[int, AnyGolden]]:
    """Goldens of rows as read by a format."""

    def read(item: Any, where: str) -> AnyGolden:
        if isinstance(item, bytes):
            refuse_long_line(item, where)
        fields = item if cells else value_of(item, dict[str, Any], where)
        return golden_of(fields, where, names, cells=cells)

    return read_each(path, items, read, skipped)
