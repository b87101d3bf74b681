"""Changes worth trying: from findings and lint fixes, without a model; and reasons not to try a change."""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from rightcall.analysis.evidence import Class, expected_calls
from rightcall.analysis.findings import Analysis, RunFinding
from rightcall.analysis.hypothesis import ProposedChange
from rightcall.lint import estimate_tokens, fix, lint, read_text
from rightcall.model.dialects import read_tool
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.record import Record
from rightcall.model.tool import Tool

COPIED_WORDS = 6
SHORTEST_VALUE = 4
LONGER_SHARE, LONGER_TOKENS = 0.2, 60
SET_ASIDE = frozenset(("golden_looks_wrong", "request_lacks_information"))
"""Findings about goldens: definitions must not be tuned to them."""


class Proposal(Record, frozen=True):
    """Edits that belong together, why, and their target goldens (None: all)."""

    name: str
    why: str
    changes: tuple[ProposedChange, ...]
    source: str = "finding"
    tools: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()


def proposals_of(found: Analysis, tools: Sequence[Tool]) -> list[Proposal]:
    """One for each stated finding with a change, one for safe lint fixes."""
    made = [
        _proposal(one) for one in found.findings if one.stated and one.change and one.cause not in SET_ASIDE
    ]
    kept = [one for one in made if not any(change.path == ("name",) for change in one.changes)]
    return [*kept, *_lint_fixes(tools)]


def _proposal(one: RunFinding) -> Proposal:
    return Proposal(
        f"{one.cause} {one.place}".strip(), one.what, one.change, "finding", one.tools, one.parameters
    )


def _lint_fixes(tools: Sequence[Tool]) -> Iterator[Proposal]:
    text = json.dumps([msgspec.to_builtins(tool) for tool in tools], indent=2, ensure_ascii=False)
    fixed = fix(read_text(text, name="tools.json"))
    if not fixed:
        return
    after = {tool.name: tool for tool in (read_tool(raw, "tools") for raw in json.loads(fixed[0].after.text))}
    changes = tuple(
        change for tool in tools if tool.name in after for change in _difference(tool, after[tool.name])
    )
    if changes:
        codes = ", ".join(sorted(set(fixed[0].codes)))
        yield Proposal(
            f"lint fixes {codes}", "what the linter corrects without changing a meaning", changes, "lint"
        )


def _difference(before: Tool, after: Tool) -> Iterator[ProposedChange]:
    if before.description != after.description:
        yield ProposedChange(before.name, ("description",), before.description, after.description)
    if before.input_schema != after.input_schema:
        yield ProposedChange(before.name, ("input_schema",), before.input_schema, after.input_schema)


def applied(changes: Iterable[ProposedChange], tools: Sequence[Tool], system: str) -> tuple[list[Tool], str]:
    """Definitions and system prompt with the changes applied; the originals are not modified."""
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


def refusal(proposal: Proposal, tools: Sequence[Tool], system: str, tune: Iterable[AnyGolden]) -> str:
    """Why a proposal must not be tried; empty when it may."""
    after, _ = applied(proposal.changes, tools, system)
    old_text = " ".join(_texts(proposal.changes, "before")).lower()
    new_text = " ".join(_texts(proposal.changes, "after")).lower()
    if copied := _copied(old_text, new_text, tune):
        return f"it copies '{copied[:60]}' from a golden: that is overfitting"
    gained = _diagnostics(after) - _diagnostics(tools)
    if gained:
        code, tool = min(gained)
        return f"the linter finds {code} on {tool or 'the set'} that was not there before"
    return ""


def _texts(changes: Iterable[ProposedChange], side: str) -> list[str]:
    found = [
        getattr(change, side) for change in changes if change.path[-1:] in (("description",), ("system",))
    ]
    return [text for text in found if isinstance(text, str)]


def _copied(old: str, new: str, tune: Iterable[AnyGolden]) -> str:
    for golden in tune:
        words = (golden.input if isinstance(golden, Golden) else golden.scenario).lower().split()
        for at in range(len(words) - COPIED_WORDS + 1):
            run = " ".join(words[at : at + COPIED_WORDS])
            if run in new and run not in old:
                return run
        for _, args in expected_calls(golden):
            for value in args.values():
                text = value.lower() if isinstance(value, str) else ""
                if len(text) >= SHORTEST_VALUE and text in new and text not in old and " " in text:
                    return text
    return ""


def _diagnostics(tools: Sequence[Tool]) -> set[tuple[str, str]]:
    return {(one.code, one.tool) for one in lint(tools).diagnostics if one.severity in ("error", "warning")}


def exposed_classes(proposal: Proposal) -> frozenset[Class] | None:
    """The target goldens of a proposal: those of its tools and parameters; None for all."""
    if proposal.parameters:
        return frozenset((tool, name) for tool in proposal.tools for name in proposal.parameters)
    return frozenset(proposal.tools) if proposal.tools else None


def is_exposed(golden: AnyGolden, classes: frozenset[Class] | None) -> bool:
    """Whether a golden is a target of a proposal."""
    if classes is None:
        return True
    return any(
        tool in classes or any((tool, name) in classes for name in args)
        for tool, args in expected_calls(golden)
    )


def tokens_of(tools: Sequence[Tool], system: str) -> int:
    """Estimated tokens of definitions and system prompt in every request."""
    text = msgspec.json.encode([[t.name, t.description, t.input_schema] for t in tools]).decode()
    return estimate_tokens(text) + estimate_tokens(system)


def is_longer(before: int, after: int) -> bool:
    """Whether a change adds so much text that its length alone might help."""
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
