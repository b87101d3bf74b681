"""Goldens to DeepEval's files: the same keys in the same order, so that DeepEval reads the same values."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, Literal

from msgspec.structs import replace

from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.datasets.deepeval.names import LISTS, MULTI, MULTI_CSV, OURS, SINGLE, TURN, guard_cell
from rightcall.datasets.deepeval.reader import golden_of
from rightcall.datasets.deepeval.tools import from_expected, from_made
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, Turn, with_id

FileType = Literal["json", "jsonl", "csv"]
DELIMITER = "|"


def write_deepeval(goldens: Iterable[AnyGolden], file: IO[bytes], file_type: FileType) -> None:
    """Write goldens of one kind. Data that would be lost is an `InputError` naming the golden and the field."""
    rows = (_row(golden, place, file_type) for place, golden in enumerate(goldens, 1))
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    try:
        {"json": _write_json, "jsonl": _write_jsonl, "csv": _write_csv}[file_type](rows, text)
    finally:
        text.detach()


def _write_json(rows: Iterator[dict[str, Any]], text: IO[str]) -> None:
    text.write("[")
    between = "\n"
    for row in rows:
        shown = json.dumps(row, indent=4, ensure_ascii=False).replace("\n", "\n    ")
        text.write(f"{between}    {shown}")
        between = ",\n"
    text.write("]" if between == "\n" else "\n]")


def _write_jsonl(rows: Iterator[dict[str, Any]], text: IO[str]) -> None:
    for row in rows:
        text.write(json.dumps(row, ensure_ascii=False) + "\n")


def _write_csv(rows: Iterator[dict[str, Any]], text: IO[str]) -> None:
    writer = csv.writer(text)
    for place, row in enumerate(rows):
        if place == 0:
            writer.writerow(row)
        writer.writerow(map(guard_cell, row.values()))


def _row(golden: AnyGolden, place: int, file_type: FileType) -> dict[str, Any]:
    """The row of a golden; data that DeepEval has no field for goes into its metadata."""
    where = f"golden {place}" + (f" ('{golden.id}')" if golden.id else "")
    if OURS in golden.metadata:
        raise InputError(where, f"metadata has the key '{OURS}', which this dialect reserves", "rename it")
    _refuse_delimiters(golden, where, file_type)
    bare: Any = replace(golden, id="")
    stored_golden = bare if with_id(bare).id == golden.id else golden  # a derived id need not be stored
    row = _shape_fields(_fields(stored_golden, where), file_type)
    lost = _differences(golden_of(row, where, cells=file_type == "csv"), stored_golden)
    if lost:
        metadata = {**stored_golden.metadata, OURS: lost}
        row = _shape_fields({**_fields(stored_golden, where), "additional_metadata": metadata}, file_type)
        if left := _differences(golden_of(row, where, cells=file_type == "csv"), stored_golden):
            problem = (
                f"DeepEval's {file_type.upper()} files cannot represent {', '.join(left)} of this golden"
            )
            raise InputError(where, problem, "save in the native dialect")
    return row


def _fields(golden: AnyGolden, where: str) -> dict[str, Any]:
    expectations = golden.expectations
    fields: dict[str, Any] = {
        "context": _list(golden.context),
        "name": golden.name,
        "comments": golden.comments,
        "additional_metadata": golden.metadata or None,
        "custom_column_key_values": golden.custom_columns,
        "expectations": expectations and {
            "model": expectations.model,
            "eval_mode": expectations.eval_mode,
            "must": list(expectations.must),
            "must_not": list(expectations.must_not),
        },
    }  # fmt: skip
    if isinstance(golden, Golden):
        expected = [
            from_expected(call, f"{where}: expected_calls[{i}]")
            for i, call in enumerate(golden.expected_calls)
        ]
        fields |= {
            name: getattr(golden, name)
            for name in SINGLE
            if name in golden.__struct_fields__ and name not in fields
        }
        fields["retrieval_context"] = _list(golden.retrieval_context)
        fields["expected_tools"] = expected or None
        fields["tools_called"] = [from_made(call) for call in golden.tools_called or ()] or None
        return {name: fields[name] for name in SINGLE}
    described = golden.user_description
    fields |= {
        "scenario": golden.scenario,
        "turns": [_turn(turn) for turn in golden.turns] or None,
        "expected_outcome": golden.expected_outcome,
        "user_description": described,
        "persona": golden.persona or (None if described is None else {"characteristics": described}),
    }
    return {name: fields[name] for name in MULTI}


def _turn(turn: Turn) -> dict[str, Any]:
    fields: dict[str, Any] = {
        **dict.fromkeys(TURN),
        "role": turn.role,
        "content": turn.content,
        "user_id": turn.user_id,
        "retrieval_context": _list(turn.retrieval_context),
        "tools_called": [from_made(call) for call in turn.tools_called or ()] or None,
        "metadata": turn.metadata or None,
    }
    return fields | turn.notes


def _shape_fields(fields: dict[str, Any], file_type: FileType) -> dict[str, Any]:
    """Lists and objects as the file type stores them."""
    multi = "scenario" in fields
    if file_type == "csv":
        return {name: _cell(name, fields[name]) for name in (MULTI_CSV if multi else SINGLE)}
    if file_type == "json" or multi:
        return fields
    return fields | {name: _join_items(fields[name]) for name in LISTS}


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in LISTS:
        return _join_items(value) or ""
    if name == "expectations":
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _join_items(items: list[str] | None) -> str | None:
    return None if items is None else DELIMITER.join(items)


def _list(items: Sequence[str] | None) -> list[str] | None:
    return None if items is None else list(items)


def _refuse_delimiters(golden: AnyGolden, where: str, file_type: FileType) -> None:
    """DeepEval joins list items with `|` and splits them there again."""
    if file_type == "json" or (file_type == "jsonl" and isinstance(golden, ConversationalGolden)):
        return
    for name in LISTS:
        for i, item in enumerate(getattr(golden, name, None) or ()):
            if DELIMITER in item:
                problem = f"{name}[{i}] contains '|', at which DeepEval would split it"
                raise InputError(where, problem, "save as JSON, or in the native dialect")


def _differences(read: AnyGolden, golden: AnyGolden) -> dict[str, Any]:
    """The fields that do not round-trip, as plain values."""
    return {
        name: codec.to_plain(getattr(golden, name))
        for name in golden.__struct_fields__
        # Equal as JSON: 1 and 1.0, or true and 1, are not.
        if name != "metadata" and codec.encode(getattr(read, name)) != codec.encode(getattr(golden, name))
    }
