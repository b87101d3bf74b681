"""Hashes of definitions as they were approved, to notice when they change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from rightcall.errors import InputError
from rightcall.files import write_file
from rightcall.lint.source.tools import SourceTool, ToolSet
from rightcall.model.record import Record

FORMAT = "rightcall/tools-lock/1"


class Lock(Record, frozen=True):
    """The file: one SHA-256 a tool, by name (and server, when it says)."""

    tools: dict[str, str]
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
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def lock_key(tool: SourceTool) -> str:
    """`server/name`, or the bare name."""
    return f"{tool.server}/{tool.name}" if tool.server else tool.name


def lock_of(sets: Iterable[ToolSet]) -> Lock:
    """The lock of the present state."""
    return Lock({lock_key(tool): definition_hash(tool) for each in sets for tool in each.tools})


def read_lock(path: Path) -> dict[str, str]:
    """The hashes of a lockfile; raises `InputError`."""
    from rightcall.model.codec import decode

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), f"cannot be read: {error.strerror}", "make it with --update-lock"
        ) from None
    lock = decode(data, Lock, str(path))
    if lock.format != FORMAT:
        raise InputError(str(path), f"format must be '{FORMAT}', got '{lock.format}'")
    return lock.tools


def write_lock(path: Path, lock: Lock) -> None:
    """Write the lockfile, sorted, so that changes show as changed lines."""
    table = {"format": lock.format, "tools": dict(sorted(lock.tools.items()))}
    write_file(path, msgspec.json.format(msgspec.json.encode(table), indent=2) + b"\n")
