"""The lockfile of approved definitions: `tools.lock`.

A server may offer a harmless tool until it is approved and change it afterwards. The file holds a hash of each
definition as it was approved, and of its parts, so that a change can be named: changed, new, removed, or new under
another name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from rightcall.core.codec import decode
from rightcall.core.digest import hex_digest, json_digest
from rightcall.core.errors import InputError
from rightcall.core.groups import group_by
from rightcall.core.text import first_names
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import read_checked
from rightcall.lint.source.tools import CANONICAL, SourceTool, ToolSet, shown_examples
from rightcall.records.dialects.mcp import HINTS
from rightcall.records.record import Record

LOCK_FILE = "tools.lock"
LOCK_FORMAT = "rightcall/tools-lock/2"
EXAMPLES = "input_examples"
"""A part that only some readers of definitions see."""


class ToolLock(Record, frozen=True):
    """The file: the SHA-256 of each tool by name (and server, when it says), several when tools share a name.

    `parts` are short hashes of what the definition consists of, of tools with one definition.
    """

    tools: dict[str, str | tuple[str, ...]]
    parts: dict[str, dict[str, str]] = {}
    format: str = LOCK_FORMAT


class LockedTool(NamedTuple):
    """What was approved under a name: hashes, and parts if the file has them."""

    hashes: frozenset[str]
    parts: dict[str, str]


class LockDifference(NamedTuple):
    """One tool that is not as it was approved; `was` is the locked name of one that was probably renamed."""

    kind: Literal["changed", "new", "removed", "renamed"]
    tool: str
    text: str
    was: str = ""


def lock_of(sets: Iterable[ToolSet]) -> ToolLock:
    """The lock of the current definitions."""
    by_key = group_by(chain.from_iterable(tool_set.tools for tool_set in sets), lock_key)
    hashes = {key: tuple(sorted(set(map(lock_hash, tools)))) for key, tools in by_key.items()}
    single = {key: held[0] for key, held in hashes.items() if len(held) == 1}
    return ToolLock({**hashes, **single}, {key: part_hashes(by_key[key][-1]) for key in single})


def read_lock(path: Path) -> dict[str, LockedTool]:
    """The approved tools of a lockfile by name; raises `InputError`."""
    hint = "create it with: rightcall lint SOURCE --lock FILE --update-lock"
    lock = read_recorded(path, ToolLock, LOCK_FORMAT, hint)
    return {
        key: LockedTool(frozenset((held,) if isinstance(held, str) else held), lock.parts.get(key, {}))
        for key, held in lock.tools.items()
    }


def write_lock(path: Path, lock: ToolLock) -> None:
    """Write the lockfile, sorted, so that changes show as changed lines."""
    try:
        data = msgspec.json.encode(lock, order="sorted")
    except UnicodeEncodeError:
        problem = "a tool's name has an unpaired surrogate"
        raise InputError(str(path), problem, "rename the tool: no model can call it") from None
    write_file(path, msgspec.json.format(data, indent=2) + b"\n")


def differences(locked: Mapping[str, LockedTool], tools: Iterable[SourceTool]) -> list[LockDifference]:
    """Every tool that is not as it was approved: changed, new, removed, or new where an equal one was removed."""
    current = list(tools)
    gone = removed_names(locked, current)
    problems = [problem for tool in current if (problem := difference_of(locked, tool, gone)) is not None]
    renamed = {problem.was for problem in problems}
    text = "is in the lockfile, and is no longer offered"
    problems += [LockDifference("removed", key, text) for key in gone if key not in renamed]
    return sorted(problems, key=lambda problem: (problem.kind, problem.tool))


def removed_names(locked: Mapping[str, LockedTool], tools: Iterable[SourceTool]) -> list[str]:
    """The locked tools that are not offered."""
    offered = {key_in(locked, tool) for tool in tools}
    return [key for key in locked if key not in offered]


def difference_of(
    locked: Mapping[str, LockedTool], tool: SourceTool, gone: Sequence[str]
) -> LockDifference | None:
    """How one tool differs from what was approved; None when it does not."""
    key = key_in(locked, tool)
    if key not in locked:
        return _new_tool(key, tool, locked, gone)
    if is_locked(locked[key], tool):
        return None
    return LockDifference("changed", key, f"has changed since it was locked{_what(locked[key], tool)}")


def is_locked(locked: LockedTool, tool: SourceTool) -> bool:
    """Whether a definition is one that was approved."""
    if lock_hash(tool) not in locked.hashes:
        return False
    examples = part_hashes(tool).get(EXAMPLES)
    return examples is None or not locked.parts or locked.parts.get(EXAMPLES) == examples


def key_in(locked: Mapping[str, LockedTool], tool: SourceTool) -> str:
    """The name of a tool in a lockfile; a source that does not say its server is found by the tool's name alone."""
    key = lock_key(tool)
    if key in locked or tool.server:
        return key
    named = [other for other in locked if other.rpartition("/")[2] == tool.name]
    return named[0] if len(named) == 1 else key


def lock_key(tool: SourceTool) -> str:
    """`server/name`, or the bare name."""
    return f"{tool.server}/{tool.name}" if tool.server else tool.name


def lock_hash(tool: SourceTool) -> str:
    """SHA-256 of what a model is shown, the same whether a tool is read from a file, a server or Python."""
    return json_digest(_parts_to_show(tool), enc_hook=str)


def part_hashes(tool: SourceTool) -> dict[str, str]:
    """A short hash of each part of a definition."""
    parts = {
        name: json_digest(value, 16, enc_hook=str)
        for name, value in _parts_to_show(tool).items()
        if name != "name"
    }
    examples = shown_examples(tool)
    return parts if examples is None else {**parts, EXAMPLES: json_digest(examples, 16, enc_hook=str)}


def definition_hash(tool: SourceTool) -> str:
    """SHA-256 of a definition as it is written, in canonical JSON: the order of keys does not matter."""
    parts = {key: getattr(tool, key) for key in CANONICAL}
    examples = shown_examples(tool)
    if examples is not None:
        parts[EXAMPLES] = examples
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hex_digest(text)


def _parts_to_show(tool: SourceTool) -> dict[str, Any]:
    annotations = tool.annotations if isinstance(tool.annotations, dict) else {}
    return {
        "name": tool.name,
        "title": tool.title or annotations.get("title") or "",
        "description": tool.description or "",
        "input_schema": tool.input_schema or {},
        "output_schema": tool.output_schema,
        "annotations": {
            theirs: value
            for theirs, ours in HINTS.items()
            if (value := annotations.get(theirs, annotations.get(ours))) is not None
        },
    }


def _new_tool(
    key: str, tool: SourceTool, locked: Mapping[str, LockedTool], gone: Sequence[str]
) -> LockDifference:
    """A tool that was never approved; a removed one with the same schemas was probably renamed."""
    schemas = {name: part_hashes(tool)[name] for name in ("input_schema", "output_schema")}
    twins = [old for old in gone if schemas.items() <= locked[old].parts.items()]
    if len(twins) == 1:
        text = f"new tool, one removed: {twins[0]} had the same schemas"
        return LockDifference("renamed", key, text, twins[0])
    removed = f"; removed: {first_names(gone, 3)}" if gone else ""
    return LockDifference("new", key, f"new tool, not in the lockfile{removed}")


def _what(locked: LockedTool, tool: SourceTool) -> str:
    current = part_hashes(tool)
    names = [name for name in {**locked.parts, **current} if locked.parts.get(name) != current.get(name)]
    words = [name.replace("_", " ") for name in names if name != EXAMPLES or EXAMPLES in current]
    return f" ({', '.join(words)})" if locked.parts and words else ""


R = TypeVar("R", bound=msgspec.Struct)


def read_recorded(path: Path, as_type: type[R], form: str, hint: str) -> R:
    """A file that the linter wrote; `InputError` when it is missing or of another format."""
    try:
        data = read_checked(path)
    except InputError as error:
        raise InputError(error.where, error.problem, error.hint or hint) from None
    recorded = decode(data, as_type, str(path))
    stated = getattr(recorded, "format", "")
    if stated != form:
        raise InputError(str(path), f"format must be '{form}', got '{stated}'")
    return recorded
