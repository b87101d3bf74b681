"""What changed between a baseline's inputs and these, and which goldens that can reach."""

from __future__ import annotations

from rightcall.gate import ChangeKind, InputChange
from rightcall.suite.inputs import Inputs

_PART_NAMES = {"input_schema": "parameters", "output_schema": "result schema"}


def input_changes(before: Inputs, now: Inputs) -> tuple[InputChange, ...]:
    """Every difference, tools first."""
    found = [*_tool_changes(before, now)]
    found += [InputChange("mock", name) for name in _differing(before.mocks, now.mocks)]
    found += [InputChange("tool_code", name) for name in _differing(before.tool_code, now.tool_code)]
    for name in _differing(before.worlds, now.worlds):
        acting = {*before.world_tools.get(name, ()), *now.world_tools.get(name, ())}
        found.append(InputChange("world", name, about=tuple(sorted(acting))))
    if before.system != now.system:
        found.append(InputChange("system"))
    for name in _differing(before.agent, now.agent):
        kind: ChangeKind = "model" if name == "model" else "base_url" if name == "base_url" else "mode"
        values = before.agent.get(name) or "none", now.agent.get(name) or "none"
        found.append(InputChange(kind, name, " → ".join(values)))
    for which in ("settings", "limits", "faults", "user"):
        if getattr(before, which) != getattr(now, which):
            found.append(InputChange(which))
    for name in _differing(before.code, now.code):
        both = name in before.code and name in now.code
        found.append(InputChange("code", name, "" if both else "new" if name in now.code else "gone"))
    if before.metrics != now.metrics:
        found.append(InputChange("metrics"))
    return tuple(found)


def _differing(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _tool_changes(before: Inputs, now: Inputs) -> list[InputChange]:
    gone = [name for name in before.tools if name not in now.tools]
    new = [name for name in now.tools if name not in before.tools]
    found = []
    for name in before.tools:
        if name in now.tools and before.tools[name] != now.tools[name]:
            found.append(InputChange("tool_changed", name, _parts(before.tools[name], now.tools[name])))
    for name in list(new):
        # The same schema under another name is a renaming: what expected the old name now needs the new one.
        twin = next((old for old in gone if _same_tool(before.tools[old], now.tools[name])), None)
        if twin is not None:
            found.append(InputChange("tool_renamed", name, before=twin))
            gone.remove(twin)
            new.remove(name)
    found += [InputChange("tool_added", name) for name in new]
    found += [InputChange("tool_removed", name) for name in gone]
    if not found and before.order != now.order:
        found.append(InputChange("tool_order"))
    return found


def _same_tool(one: dict[str, str], other: dict[str, str]) -> bool:
    return one == other or (
        "input_schema" in one
        and one.get("input_schema") == other.get("input_schema")
        and one.get("description") == other.get("description")
    )


def _parts(before: dict[str, str], now: dict[str, str]) -> str:
    names = [part for part in {**before, **now} if before.get(part) != now.get(part)]
    return ", ".join(_PART_NAMES.get(name, name) for name in names)
