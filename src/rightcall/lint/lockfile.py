"""Hashes of definitions as they were approved, to notice when they change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from rightcall.errors import InputError
from rightcall.files import write_file
from rightcall.lint.source.tools import SourceTool, ToolSet, shown_examples
from rightcall.model.record import Record

FORMAT = "rightcall/tools-lock/1"

Locked = Mapping[str, frozenset[str]]
"""The accepted hashes of each tool, by name."""


class Lock(Record, frozen=True):
    """The file: the SHA-256 of each tool by name (and server, when it says); several when tools share a name."""

    tools: dict[str, str | tuple[str, ...]]
    format: str = FORMAT


def definition_hash(tool: SourceTool) -> str:
    """SHA-256 of what a model is shown, in canonical JSON: the order of keys does not matter."""
    parts: Any = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "input_schema": tool.input_schema,
        "output_schema": tool.output_schema,
        "annotations": tool.annotations,
    }
    examples = shown_examples(tool)
    if examples is not None:
        parts["input_examples"] = examples
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def lock_key(tool: SourceTool) -> str:
    """`server/name`, or the bare name."""
    return f"{tool.server}/{tool.name}" if tool.server else tool.name


def lock_of(sets: Iterable[ToolSet]) -> Lock:
    """The lock of the present state."""
    found: dict[str, set[str]] = {}
    for each in sets:
        for tool in each.tools:
            found.setdefault(lock_key(tool), set()).add(definition_hash(tool))
    return Lock(
        {key: min(hashes) if len(hashes) == 1 else tuple(sorted(hashes)) for key, hashes in found.items()}
    )


def read_lock(path: Path) -> dict[str, frozenset[str]]:
    """The hashes of each tool of a lockfile; raises `InputError`."""
    from rightcall.model.codec import decode

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), f"cannot be read: {error.strerror}", "create it with --update-lock"
        ) from None
    lock = decode(data, Lock, str(path))
    if lock.format != FORMAT:
        raise InputError(str(path), f"format must be '{FORMAT}', got '{lock.format}'")
    return {
        key: frozenset((hashes,) if isinstance(hashes, str) else hashes) for key, hashes in lock.tools.items()
    }


def write_lock(path: Path, lock: Lock) -> None:
    """Write the lockfile, sorted, so that changes show as changed lines."""
    table = {"format": lock.format, "tools": dict(sorted(lock.tools.items()))}
    write_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")
