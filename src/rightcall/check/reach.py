"""What changed of what a suite states since a baseline, and which goldens that and its first requests can affect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import msgspec

from rightcall.check.first_requests import FirstRequests
from rightcall.decide.input_change import ChangeKind, InputChange
from rightcall.records.golden import AnyGolden, expectations_of
from rightcall.records.record import Record
from rightcall.run.baseline_file import BaselineLine
from rightcall.run.inputs import Inputs, ask_hash, golden_hash

_HASHED = {"exchange": "request and reply", "server": "command of the MCP server", "with": "values of `with`"}
_PART_NAMES = {"input_schema": "parameters", "output_schema": "result schema"}


def input_changes(before: Inputs, now: Inputs) -> tuple[InputChange, ...]:
    """Every difference, tools first."""
    changes = _tool_changes(before, now)
    changes += [InputChange("mock", name) for name in _keys_that_differ(before.mocks, now.mocks)]
    changes += [InputChange("tool_code", name) for name in _keys_that_differ(before.tool_code, now.tool_code)]
    for name in _keys_that_differ(before.worlds, now.worlds):
        acting = {*before.world_tools.get(name, ()), *now.world_tools.get(name, ())}
        changes.append(InputChange("world", name, about=tuple(sorted(acting))))
    if before.system != now.system:
        changes.append(InputChange("system"))
    for name in _keys_that_differ(before.agent, now.agent):
        kind: ChangeKind = "model" if name == "model" else "base_url" if name == "base_url" else "mode"
        values = before.agent.get(name) or "none", now.agent.get(name) or "none"
        changes.append(InputChange(kind, name, _HASHED.get(name) or " → ".join(values)))
    for which in ("settings", "limits", "faults", "user"):
        if getattr(before, which) != getattr(now, which):
            changes.append(InputChange(which))
    for name in _keys_that_differ(before.code, now.code):
        both = name in before.code and name in now.code
        changes.append(InputChange("code", name, "" if both else "new" if name in now.code else "gone"))
    changes += [InputChange("variable", name) for name in _keys_that_differ(before.variables, now.variables)]
    if before.metrics != now.metrics:
        changes.append(InputChange("metrics"))
    return tuple(changes)


def _keys_that_differ(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _tool_changes(before: Inputs, now: Inputs) -> list[InputChange]:
    gone = [name for name in before.tools if name not in now.tools]
    new = [name for name in now.tools if name not in before.tools]
    changes = []
    for name in before.tools:
        if name in now.tools and before.tools[name] != now.tools[name]:
            changes.append(InputChange("tool_changed", name, _part_changes(name, before.tools, now.tools)))
    for name in list(new):
        # The same text under another name is a renaming: what expected the old name now needs the new one.
        twin = next((old for old in gone if _same_tool(before.tools[old], now.tools[name])), None)
        if twin is not None:
            detail = _parts(before.tools[twin], now.tools[name])
            changes.append(InputChange("tool_renamed", name, detail, before=twin))
            gone.remove(twin)
            new.remove(name)
    changes += [InputChange("tool_added", name) for name in new]
    changes += [InputChange("tool_removed", name) for name in gone]
    if not changes and before.order != now.order:
        changes.append(InputChange("tool_order"))
    return changes


def _same_tool(first: dict[str, str], second: dict[str, str]) -> bool:
    return first == second or ("description" in first and first["description"] == second.get("description"))


def _part_changes(name: str, before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> str:
    """`description swapped with find_order, parameters`."""
    swapped = {
        part: other
        for other in before.keys() & now.keys() - {name}
        for part in before[name]
        if before[name][part] != now[name].get(part) == before[other].get(part)
        and now[other].get(part) == before[name][part]
    }
    words = _parts(before[name], now[name]).split(", ")
    by_word = {_PART_NAMES.get(part, part): other for part, other in swapped.items()}
    return ", ".join(f"{word} swapped with {by_word[word]}" if word in by_word else word for word in words)


def _parts(before: dict[str, str], now: dict[str, str]) -> str:
    names = [part for part in {**before, **now} if before.get(part) != now.get(part)]
    return ", ".join(_PART_NAMES.get(name, name) for name in names)


SAFETY_TAGS = frozenset(("safety", "security", "guard", "attack"))


class Reach(Record, frozen=True):
    """Ids of the goldens by stratum, each in the order of the dataset."""

    untouched: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """Goldens that the verdict is about."""
        return len(self.affected) + len(self.rest)


def reach_of(
    goldens: Iterable[AnyGolden],
    before: Mapping[str, BaselineLine],
    now: Inputs,
    changes: Sequence[InputChange],
    near: Mapping[str, Iterable[str]] | None = None,
    quarantine: frozenset[str] = frozenset(),
) -> Reach:
    """Sort the goldens. `near` are tools like each changed one, by its name."""
    changed = set(chain.from_iterable(change.tools for change in changes))
    alike = changed | set(chain.from_iterable((near or {}).get(tool, ()) for tool in changed))
    groups: dict[str, list[str]] = {name: [] for name in Reach.__struct_fields__}
    for golden in goldens:
        line = before.get(golden.id)
        if golden.id in quarantine:
            groups["quarantined"].append(golden.id)
        elif line is None or not line.scores:
            groups["new"].append(golden.id)
        elif line.golden != golden_hash(golden):
            groups["edited"].append(golden.id)
            groups["new"].append(golden.id)
        elif line.ask == ask_hash(golden, now):
            groups["untouched"].append(golden.id)
        elif changed and (about(golden) & alike or changed & line.confused.keys()):
            groups["affected"].append(golden.id)
        else:
            groups["rest"].append(golden.id)
            if guards(golden):
                groups["hard"].append(golden.id)
    return Reach(**{name: tuple(ids) for name, ids in groups.items()})


def about(golden: AnyGolden) -> set[str]:
    """Tools that a golden expects, allows or forbids by name."""
    named: set[str] = set()
    for call in expectations_of(golden):
        tool = call.tool
        named |= {tool} if isinstance(tool, str) else set(tool) if isinstance(tool, tuple) else set()
    return named | {tool for tool in golden.forbidden_calls if isinstance(tool, str)}


def guards(golden: AnyGolden) -> bool:
    """Whether a golden guards against damage: forbidden calls, a state that must be kept, a safety tag."""
    return bool(golden.forbidden_calls or golden.expected_state is not None or SAFETY_TAGS & set(golden.tags))


def reach_with_first_requests(
    reach: Reach, goldens: Iterable[AnyGolden], first_requests: FirstRequests
) -> Reach:
    """The goldens as a comparison of first requests sorts them.

    Those whose request changed are affected. Those whose request could not be compared belong to the rest, of which a
    sample is run. An equal request takes no golden out of the rest: a file or variable that changed may be used after
    the first answer.
    """
    goldens_by_id = {golden.id: golden for golden in goldens}
    changed = first_requests.changed
    unknown = first_requests.unknown
    untouched = [golden for golden in reach.untouched if golden not in changed and golden not in unknown]
    unseen = [golden for golden in reach.untouched if golden in unknown]
    rest = [golden for golden in reach.rest if golden not in changed] + unseen
    moved = [golden for golden in (*reach.untouched, *reach.rest) if golden in changed]
    hard = {*reach.hard, *(golden for golden in unseen if guards(goldens_by_id[golden]))} - {*moved}
    return msgspec.structs.replace(
        reach,
        untouched=tuple(untouched),
        affected=(*reach.affected, *moved),
        rest=tuple(rest),
        hard=tuple(golden for golden in goldens_by_id if golden in hard),
    )
