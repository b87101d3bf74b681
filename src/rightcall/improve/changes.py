"""What changed between two runs: model, system prompt, settings, tool descriptions and schemas, the order of tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import pairwise, zip_longest
from typing import Any, Literal, NamedTuple

import msgspec

from rightcall.files.file_digests import same_content
from rightcall.improve.run_setup import RunRecord
from rightcall.lint.features.text import sentences
from rightcall.recording.request_digest import CHANGING
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.run.watched_inputs import UNSET
from rightcall.store.base import StoredRun

Scope = Literal[
    "model", "setting", "system", "code", "request", "tool", "description", "parameter", "order", "dataset",
    "library", "result",
]  # fmt: skip
GLOBAL = frozenset(("model", "setting", "system", "code", "order", "library", "dataset"))
SAME_TOOL = 0.8
MOSTLY = 0.7
LONGEST = 2_000


def words_in(value: Any) -> frozenset[str]:
    """The words and numbers of a text, or of the texts in a value."""
    return frozenset(re.findall(r"[^\W\d]\w+|\d+", "" if value is None else str(value)))


class ChangeItem(Record, frozen=True):
    """One atomic change: the value before and the value now (None when missing).

    `tool` and `parameter` say where; `path` is a JSON path in a definition. An item without a tool touches
    every golden. `file` is where its author wrote it, if that is known.
    """

    scope: Scope
    what: str
    tool: str = ""
    parameter: str = ""
    path: str = ""
    before: Any = None
    after: Any = None
    file: str = ""

    @property
    def is_global(self) -> bool:
        """Whether it touches every golden."""
        return self.scope in GLOBAL and not self.tool

    def mentions(self, words: frozenset[str]) -> bool:
        """Whether what it adds or takes away has one of these words."""
        return not words.isdisjoint(words_in(self.before) ^ words_in(self.after))

    @property
    def place(self) -> str:
        """A short location."""
        if self.scope == "code" and self.path:
            return self.path
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
        if before.system_known and after.system_known:
            prompts = [CHANGING.sub("…", record.system) for record in (before, after)]
            items += _sentences("system", prompts[0], prompts[1], "", parameter="", path="system")
    if before.tools and after.tools:
        items += tool_changes(before.tools, after.tools)
    items = _without_repeats([*items, *_code_items(before, after)])
    for name in sorted(before.versions.keys() | after.versions.keys()):
        old = before.versions.get(name)
        new = after.versions.get(name)
        if not name.startswith("git_") and old and new and old != new:
            items.append(ChangeItem("library", f"different version of {name}", before=old, after=new))
    return items


def _code_items(before: RunRecord, after: RunRecord) -> Iterator[ChangeItem]:
    """Files, function by function, and environment variables. A function with the name of a tool is about that tool."""
    tools = {tool.name for tool in (*before.tools, *after.tools)}
    changed_code = list(code_changes(before, after))
    for change in changed_code:
        tool = change.function if change.function in tools else ""
        lines = change.before or None, change.after or None
        yield ChangeItem("code", change.how, tool, "", change.file, *lines)
    # The same code reads the same variables: one that is missing was not set. Other code may not have read it.
    both = before.variables.keys() & after.variables.keys()
    for name in sorted(both if changed_code else before.variables.keys() | after.variables.keys()):
        old = before.variables.get(name, UNSET)
        new = after.variables.get(name, UNSET)
        if old != new:
            how = "set" if old == UNSET else "no longer set" if new == UNSET else "changed"
            yield ChangeItem("code", f"environment variable {name} {how}")


def _without_repeats(items: Sequence[ChangeItem]) -> list[ChangeItem]:
    """The changes without lines of code that repeat a change of the prompt or of a definition.

    What requests showed has then the file in which its author wrote it.
    """
    seen = [
        at for at, item in enumerate(items) if item.scope in ("system", "description", "parameter", "tool")
    ]
    kept = dict(enumerate(items))
    files = dict[int, str]()
    for at, item in enumerate(items):
        words = words_in(item.before) ^ words_in(item.after) if item.scope == "code" else frozenset[str]()
        said = {other: words & _all_words(items[other]) for other in seen}
        if words and len(frozenset[str]().union(*said.values())) >= MOSTLY * len(words):
            del kept[at]
            files |= {other: item.path for other, common in said.items() if common}
    return [msgspec.structs.replace(item, file=files.get(at, "")) for at, item in kept.items()]


def _all_words(item: ChangeItem) -> frozenset[str]:
    return words_in(item.before) | words_in(item.after) | words_in([item.tool, item.parameter, item.path])


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
    before = old[name].description
    after = new[name].description
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
    old = before.parameters
    new = after.parameters
    renamed: dict[str, str] = {}
    for name in [name for name in old if name not in new]:
        twins = (other for other in new if other not in old and new[other] == old[name])
        if twin := next(twins, ""):
            renamed |= {name: twin, twin: name}
            path = f"input_schema.properties.{name}"
            yield ChangeItem(
                "parameter", f"renamed {twin}", after.name, name, path=path, before=name, after=twin
            )
    for name in [name for name in dict.fromkeys((*old, *new)) if name not in renamed]:
        yield from _parameter(after.name, name, old.get(name), new.get(name))
    required = [set(map(str, tool.input_schema.get("required") or ())) for tool in (before, after)]
    for name in sorted((required[0] ^ required[1]) - renamed.keys()):
        was = name in required[0]
        what = "no longer required" if was else "now required"
        yield ChangeItem(
            "parameter", what, after.name, name, path="input_schema.required", before=was, after=not was
        )
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
        yield ChangeItem("parameter", what, tool, name, path=path, before=old, after=new)
        return
    if not isinstance(old, dict) or not isinstance(new, dict):
        if old != new:
            yield ChangeItem("parameter", "schema changed", tool, name, path=path, before=old, after=new)
        return
    texts = [str(schema.get("description", "")) for schema in (old, new)]
    yield from _sentences("parameter", texts[0], texts[1], tool, parameter=name, path=f"{path}.description")
    for key in dict.fromkeys((*old, *new)):
        if key != "description" and old.get(key) != new.get(key):
            word = "removed" if key not in new else "added" if key not in old else "changed"
            yield ChangeItem(
                "parameter",
                f"{key} {word}",
                tool,
                name,
                path=f"{path}.{key}",
                before=old.get(key),
                after=new.get(key),
            )


def _sentences(
    scope: Scope, before: str, after: str, tool: str, parameter: str, path: str
) -> Iterator[ChangeItem]:
    if before == after:
        return
    old = sentences(before) or [before]
    new = sentences(after) or [after]
    gone = [s for s in old if s not in new]
    come = [s for s in new if s not in old]
    if not gone and not come:
        yield ChangeItem(
            scope,
            "written differently",
            tool,
            parameter,
            path=path,
            before=before[:LONGEST],
            after=after[:LONGEST],
        )
        return
    for pair in zip_longest(gone, come):
        lost, added = (text if text is None else text[:LONGEST] for text in pair)
        what = "added" if lost is None else "removed" if added is None else "changed"
        yield ChangeItem(scope, f"sentence {what}", tool, parameter, path=path, before=lost, after=added)


def _settings(before: RunRecord, after: RunRecord) -> Iterator[ChangeItem]:
    old = _flat(before)
    new = _flat(after)
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
        old = before.run.fingerprints.get("tools")
        new = after.run.fingerprints.get("tools")
        if old and new and old != new:
            earlier_runs[after.id] = before
    return earlier_runs


_FUNCTION = re.compile(r"(\s*)(?:async\s+)?def\s+(\w+)")
LONGEST = 2_000


class CodeChange(NamedTuple):
    """The lines of one function that only the first version has, and those that only the second has.

    `function` is empty for lines outside of any. Without texts only `how` says what happened to the file.
    """

    file: str
    how: str
    function: str = ""
    before: str = ""
    after: str = ""


def code_changes(before: RunRecord, after: RunRecord) -> Iterator[CodeChange]:
    """Files of the agent, and other files that both runs read."""
    read = before.files_read.keys() & after.files_read.keys()
    for name in sorted({*before.code, *after.code, *(name for name in read if not name.endswith("/"))}):
        old, new = ((r.files_read if name in read else r.code).get(name) for r in (before, after))
        if old is None or new is None:
            yield CodeChange(name, "added" if old is None else "removed")
        elif not same_content(old, new):
            changes = list(lines_by_function(before.texts.get(name, ""), after.texts.get(name, "")).items())
            for function, (lost, added) in changes or [("", ("", ""))]:
                yield CodeChange(name, "changed", function, lost, after=added)


def lines_by_function(before: str, after: str) -> Mapping[str, tuple[str, str]]:
    """The lines that differ, by the function that they are in."""
    old = before.splitlines()
    new = after.splitlines()
    lines: dict[str, tuple[list[str], list[str]]] = {}
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for side, text, span in ((0, old, range(start, end)), (1, new, range(begin, stop))):
            for at in span:
                if text[at].strip():
                    lines.setdefault(_function_of(text, at), ([], []))[side].append(text[at])
    return {
        name: ("\n".join(lost)[:LONGEST], "\n".join(added)[:LONGEST]) for name, (lost, added) in lines.items()
    }


def _function_of(lines: list[str], at: int) -> str:
    """The name of the outermost function around a line; a decorator belongs to the function below it."""
    name = ""
    indent = len(lines[at]) - len(lines[at].lstrip())
    below = next((match for line in lines[at : at + 12] if (match := _FUNCTION.match(line))), None)
    if below and (lines[at].lstrip().startswith("@") or below.string is lines[at]):
        return below[2]
    for line in reversed(lines[:at]):
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth < indent:
            match = _FUNCTION.match(line)
            name = match[2] if match else name
            indent = depth
    return name
