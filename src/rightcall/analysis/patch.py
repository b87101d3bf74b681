"""Definitions with changes made: what they become, what they cost, and the difference as a patch."""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rightcall.analysis.hypothesis import ProposedChange
from rightcall.lint import estimate_tokens
from rightcall.model.tool import Tool

LONGER_SHARE, LONGER_TOKENS = 0.2, 60


def applied(changes: Iterable[ProposedChange], tools: Sequence[Tool], system: str) -> tuple[list[Tool], str]:
    """Definitions and system prompt with the changes made; the given ones stay as they are."""
    raw = [copy.deepcopy(msgspec.to_builtins(tool)) for tool in tools]
    for change in changes:
        if not change.tool:
            system = str(change.after)
            continue
        target = next((one for one in raw if one["name"] == change.tool), None)
        if target is not None:
            _put(target, change.path, change.after)
    return [msgspec.convert(one, Tool) for one in raw], system


def _put(target: Any, path: Sequence[str | int], value: Any) -> None:
    *inner, last = path
    for key in inner:
        target = target.setdefault(key, {}) if isinstance(target, dict) else target[key]
    target[last] = value


def tokens_of(tools: Sequence[Tool], system: str) -> int:
    """What definitions and system prompt cost in every request, estimated."""
    text = msgspec.json.encode([[t.name, t.description, t.input_schema] for t in tools]).decode()
    return estimate_tokens(text) + estimate_tokens(system)


def is_longer(before: int, after: int) -> bool:
    """Whether a change adds so much text that text alone might be what helps."""
    return after - before > min(LONGER_TOKENS, LONGER_SHARE * before)


def patch_of(tools: Sequence[Tool], system: str, after: Sequence[Tool], new_system: str) -> str:
    """A unified diff of the definitions, as `tools.json`, and of the system prompt."""
    parts = [("tools.json", _pretty(tools), _pretty(after)), ("system.txt", system + "\n", new_system + "\n")]
    lines = [
        line
        for name, old, new in parts
        for line in difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}")
    ]
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def _pretty(tools: Sequence[Tool]) -> str:
    return json.dumps([msgspec.to_builtins(tool) for tool in tools], indent=2, ensure_ascii=False) + "\n"
