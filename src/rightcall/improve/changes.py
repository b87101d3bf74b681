"""What changed between two runs: model, system prompt, settings, tool descriptions and schemas, the order of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from typing import Any, Literal

from rightcall.files.file_digests import same_content
from rightcall.improve.run_setup import RunRecord
from rightcall.lint.features.text import sentences
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.run.watched_inputs import UNSET
from rightcall.store.base import StoredRun

Scope = Literal[
    "model", "setting", "system", "code", "request", "tool", "description", "parameter", "order", "dataset",
    "library",
]  # fmt: skip
SAME_TOOL = 0.8
LONGEST = 2_000


class ChangeItem(Record, frozen=True):
    """One atomic change: the value before and the value now (None when missing).

    `tool` and `parameter` say where; `path` is a JSON path in a definition. An item without a tool touches
    every golden.
    """

    scope: Scope
    what: str
    tool: str = ""
    parameter: str = ""
    path: str = ""
    before: Any = None
    after: Any = None

    @property
    def place(self) -> str:
        """A short location."""
        return ".".join(part for part in (self.tool, self.parameter) if part) or self.scope


def run_changes(before: RunRecord, after: RunRecord) -> list[ChangeItem]:
    """Every change from one run to the other, dataset changes first, as they may explain the rest."""
    items: list[ChangeItem] = []
    if before.fingerprints.get("dataset") != after.fingerprints.get("dataset"):
        items.append(ChangeItem("dataset", "the goldens differ"))
    if before.agent != after.agent:
        items.append(ChangeItem("model", "another model", before=before.agent, after=after.agent))
    if before.known and after.known:
        items += _settings(before, after)
        items += _sentences("system", before.system, after.system, "", "", "system")
    items += _code_changes(before, after)
    items += tool_changes(before.tools, after.tools)
    for name in sorted(before.versions.keys() | after.versions.keys()):
        old, new = before.versions.get(name), after.versions.get(name)
        if name in ("rightcall", "python") and old != new:
            items.append(ChangeItem("library", f"different version of {name}", before=old, after=new))
    return items


def _code_changes(before: RunRecord, after: RunRecord) -> Iterator[ChangeItem]:
    """Files of an agent that is code, other files that both runs read, and environment variables."""
    for name in sorted(before.code.keys() | after.code.keys()):
        old, new = before.code.get(name), after.code.get(name)
        if old != new:
            yield ChangeItem(
                "code", f"{name} {'added' if old is None else 'removed' if new is None else 'changed'}"
            )
    for name in sorted(before.files_read.keys() & after.files_read.keys()):
        is_code = name in before.code or name in after.code
        if not same_content(before.files_read[name], after.files_read[name]) and not is_code:
            yield ChangeItem("code", f"{name}, which the agent reads, changed")
    for name in sorted(before.variables.keys() & after.variables.keys()):
        old, new = before.variables[name], after.variables[name]
        if old != new:
            how = "set" if old == UNSET else "no longer set" if new == UNSET else "changed"
            yield ChangeItem("code", f"environment variable {name} {how}")


def tool_changes(before: tuple[Tool, ...], after: tuple[Tool, ...]) -> list[ChangeItem]:
    """Changes of the definitions; a tool with a new name but the same schema and similar words was renamed."""
    old, new = ({tool.name: tool for tool in tools} for tools in (before, after))
    removed = [name for name in old if name not in new]
    added = [name for name in new if name not in old]
    items: list[ChangeItem] = []
    for name in removed:
        twin = next((other for other in added if _is_renamed(old[name], new[other])), None)
        if twin is None:
            items.append(ChangeItem("tool", "removed", name, before=old[name].description[:LONGEST]))
        else:
            added.remove(twin)
            items.append(ChangeItem("tool", "renamed", twin, before=name, after=twin))
            items += one_tool(old[name], new[twin])
    items += [ChangeItem("tool", "added", name, after=new[name].description[:LONGEST]) for name in added]
    for name in old:
        if name in new:
            items += one_tool(old[name], new[name], _swap_partner(name, old, new))
    common = [name for name in old if name in new]
    if [name for name in new if name in old] != common:
        items.append(ChangeItem("order", "tools in a different order", before=list(old), after=list(new)))
    return items


def _swap_partner(name: str, old: Mapping[str, Tool], new: Mapping[str, Tool]) -> str:
    """The tool that got this one's description and gave it its own; "" when none did."""
    before, after = old[name].description, new[name].description
    if before == after or max(len(before), len(after)) > LONGEST:
        return ""
    swapped = (
        other
        for other in old.keys() & new.keys()
        if (old[other].description, new[other].description) == (after, before)
    )
    return next(swapped, "")


def one_tool(before: Tool, after: Tool, swapped_with: str = "") -> Iterator[ChangeItem]:
    """Sentence by sentence, then parameter by parameter."""
    texts = before.description, after.description
    if swapped_with:
        what = f"description swapped with that of {swapped_with}"
        yield ChangeItem("description", what, after.name, "", "description", *texts)
    else:
        yield from _sentences("description", *texts, after.name, "", "description")
    old, new = before.parameters, after.parameters
    for name in dict.fromkeys((*old, *new)):
        yield from _parameter(after.name, name, old.get(name), new.get(name))
    required = [set(map(str, tool.input_schema.get("required") or ())) for tool in (before, after)]
    for name in sorted(required[0] ^ required[1]):
        was = name in required[0]
        what = "no longer required" if was else "now required"
        yield ChangeItem("parameter", what, after.name, name, "input_schema.required", was, not was)
    left = [_rest(tool.input_schema) for tool in (before, after)]
    if left[0] != left[1]:
        yield ChangeItem(
            "tool", "schema changed", after.name, path="input_schema", before=left[0], after=left[1]
        )
    if before.annotations != after.annotations:
        yield ChangeItem("tool", "annotations changed", after.name, path="annotations")


def _parameter(tool: str, name: str, old: Any, new: Any) -> Iterator[ChangeItem]:
    path = f"input_schema.properties.{name}"
    if old is None or new is None:
        what = "parameter added" if old is None else "parameter removed"
        yield ChangeItem("parameter", what, tool, name, path, old, new)
        return
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield ChangeItem("parameter", "schema changed", tool, name, path, old, new)
        return
    texts = [str(schema.get("description", "")) for schema in (old, new)]
    yield from _sentences("parameter", texts[0], texts[1], tool, name, f"{path}.description")
    for key in dict.fromkeys((*old, *new)):
        if key != "description" and old.get(key) != new.get(key):
            word = "removed" if key not in new else "added" if key not in old else "changed"
            yield ChangeItem(
                "parameter", f"{key} {word}", tool, name, f"{path}.{key}", old.get(key), new.get(key)
            )


def _sentences(
    scope: Scope, before: str, after: str, tool: str, parameter: str, path: str
) -> Iterator[ChangeItem]:
    if before == after:
        return
    old, new = sentences(before) or [before], sentences(after) or [after]
    gone, come = [s for s in old if s not in new], [s for s in new if s not in old]
    if not gone and not come:
        yield ChangeItem(
            scope, "written differently", tool, parameter, path, before[:LONGEST], after[:LONGEST]
        )
        return
    for pair in zip_longest(gone, come):
        lost, added = (text if text is None else text[:LONGEST] for text in pair)
        what = "added" if lost is None else "removed" if added is None else "changed"
        yield ChangeItem(scope, f"sentence {what}", tool, parameter, path, lost, added)


def _settings(before: RunRecord, after: RunRecord) -> Iterator[ChangeItem]:
    old, new = _flat(before), _flat(after)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield ChangeItem("setting", name, path=name, before=old.get(name), after=new.get(name))


def _flat(record: RunRecord) -> dict[str, Any]:
    setup = record.setup
    told: dict[str, Any] = {"mode": setup.mode, "execute": setup.execute, "base_url": setup.base_url}
    told |= {"strict": setup.strict, "mcp_server": setup.mcp_server or None}
    for group, values in (("settings", setup.settings), ("limits", setup.limits)):
        told |= {f"{group}.{name}": value for name, value in values.items()}
    return told


def _is_renamed(old: Tool, new: Tool) -> bool:
    if old.description and old.description == new.description:
        return True
    if old.input_schema != new.input_schema:
        return False
    return SequenceMatcher(None, old.description[:LONGEST], new.description[:LONGEST]).ratio() >= SAME_TOOL


def _rest(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in ("properties", "required")}


class ToolChange(Record, frozen=True):
    """Names of the tools that were added, removed or changed; all empty when the definitions were not stored."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def tool_change(before: Mapping[str, Tool], after: Mapping[str, Tool]) -> ToolChange:
    """Compare two sets of definitions by name."""
    return ToolChange(
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(sorted(name for name in before.keys() & after.keys() if before[name] != after[name])),
    )


def runs_with_changes(oldest_first: Sequence[StoredRun]) -> dict[str, StoredRun]:
    """Ids of the runs whose tools differ from the previous run's, each with that run."""
    earlier_runs = {}
    for before, after in pairwise(oldest_first):
        old, new = before.run.fingerprints.get("tools"), after.run.fingerprints.get("tools")
        if old and new and old != new:
            earlier_runs[after.id] = before
    return earlier_runs
