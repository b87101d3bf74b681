"""Which change broke goldens: suspects are undone one at a time, and the broken goldens are run again, paired."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from rightcall.improve.attribution import UndoneEffect, WhatChanged
from rightcall.improve.changes import ChangeItem
from rightcall.improve.counters import mean
from rightcall.improve.proof.arms import Arm, Arms
from rightcall.improve.proof.judgement import differences, one_sided
from rightcall.improve.run_setup import run_record
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool
from rightcall.run.plan import Plan
from rightcall.stats.paired_tests import holm
from rightcall.store.sql.store import Store

MOST_ITEMS = 3
ALPHA = 0.05


async def bisect_changes(
    plan: Plan, store: Store, changed: WhatChanged, *, trials: int = 3
) -> list[UndoneEffect]:
    """Run the broken goldens of a comparison as they are and with each of its top suspects undone, at the same time."""
    broken = {flip.golden for flip in changed.flips if flip.change == "broken"}
    goldens = _choose_goldens(list(plan.goldens()), broken, plan.seed)
    before, after = (run_record(store, store.runs.get(run)) for run in (changed.before, changed.after))
    arms = Arms(plan, store, changed.after)
    base = Arm(after.tools, after.system, goldens, trials, "bisect")
    tried: list[tuple[int, Arm]] = []
    effects: dict[int, UndoneEffect] = {}
    for suspect in changed.suspects[:MOST_ITEMS]:
        item = changed.items[suspect.item]
        back = undone(item, before.tools, after.tools, after.system)
        if back is None:
            why = f"a change of the {item.scope} cannot be undone here"
            effects[suspect.item] = UndoneEffect(suspect.item, item.place, item.what, problem=why)
        else:
            tried.append((suspect.item, Arm(*back, goldens, trials, "bisect")))
    if tried and broken:
        first, *others = await arms.run([base, *(arm for _, arm in tried)])
        measured_effects = []
        for (number, _), arm in zip(tried, others, strict=True):
            old, new = first.rates(), arm.rates()
            mine = [golden for golden in goldens if golden.id in broken]
            rest = [golden for golden in goldens if golden.id not in broken]
            _, d, clusters = differences(mine, old, new)
            item = changed.items[number]
            measured_effects.append(
                UndoneEffect(
                    number, item.place, item.what, len(d), _rate(mine, old), _rate(mine, new), _rate(rest, old),
                    _rate(rest, new), one_sided(d, clusters),
                )
            )  # fmt: skip
        for effect, p in zip(measured_effects, holm([effect.p for effect in measured_effects]), strict=True):
            effects[effect.item] = msgspec.structs.replace(effect, p=p, caused=p <= ALPHA)
    return [effects[suspect.item] for suspect in changed.suspects[:MOST_ITEMS] if suspect.item in effects]


def _choose_goldens(goldens: list[AnyGolden], broken: set[str], seed: int) -> list[AnyGolden]:
    """The broken goldens, and as many of the others."""
    rest = sorted((golden for golden in goldens if golden.id not in broken), key=lambda golden: golden.id)
    random.Random(f"{seed}/bisect").shuffle(rest)  # noqa: S311
    return [*(golden for golden in goldens if golden.id in broken), *rest[: len(broken)]]


def _rate(goldens: Sequence[AnyGolden], rates: dict[str, float]) -> float:
    return mean([rates[golden.id] for golden in goldens if golden.id in rates])


def undone(
    item: ChangeItem, before: Sequence[Tool], after: Sequence[Tool], system: str
) -> tuple[list[Tool], str] | None:
    """The later definitions and system prompt without one change; None for one that is not about words or schemas."""
    if item.scope == "system":
        return list(after), _text(item, system)
    if item.scope == "order":
        place = {tool.name: at for at, tool in enumerate(before)}
        return sorted(after, key=lambda tool: place.get(tool.name, len(place))), system
    if item.scope == "tool" and item.what == "added":
        return [tool for tool in after if tool.name != item.tool], system
    if item.scope == "tool" and item.what == "removed":
        return [*after, *(tool for tool in before if tool.name == item.tool)], system
    if item.scope not in ("description", "parameter"):
        return None
    return [_tool(item, tool) if tool.name == item.tool else tool for tool in after], system


def _tool(item: ChangeItem, tool: Tool) -> Tool:
    if item.scope == "description":
        return msgspec.structs.replace(tool, description=_text(item, tool.description))
    schema = copy.deepcopy(tool.input_schema)
    if item.path == "input_schema.required":
        required = [name for name in schema.get("required") or [] if name != item.parameter]
        schema["required"] = [*required, item.parameter] if item.before else required
        return msgspec.structs.replace(tool, input_schema=schema)
    properties = schema.setdefault("properties", {})
    if item.what in ("parameter added", "parameter removed", "schema changed"):
        _restore(properties, item.parameter, item.before)
    else:
        key = item.path.rpartition(".")[2]
        holder = properties.setdefault(item.parameter, {})
        _restore(holder, key, _text(item, str(holder.get(key, ""))) if key == "description" else item.before)
    return msgspec.structs.replace(tool, input_schema=schema)


def _restore(holder: dict[str, Any], key: str, value: Any) -> None:
    if value is None or value == "":
        holder.pop(key, None)
    else:
        holder[key] = value


def _text(item: ChangeItem, text: str) -> str:
    """A text with a sentence restored, appended, or removed."""
    if item.what == "written differently":
        return str(item.before)
    if item.after is None:
        return f"{text.rstrip()} {item.before}.".strip()
    if item.before is None:
        return re.sub(rf"\s*{re.escape(str(item.after))}[.!?]*", "", text, count=1).strip()
    return text.replace(str(item.after), str(item.before), 1)
