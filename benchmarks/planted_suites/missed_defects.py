"""Defects of the kinds that were missed in real suites: scales, lookups, patterns, open lists, forbidden calls.

Most of them add something to a clean suite first (an amount, a tool that looks ids up), so they fit any domain.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from dataclasses import replace

import msgspec

from benchmarks.planted_suites.defects import (
    Truth,
    _described,
    _of_kind,
    _plain_words,
    _schema_edit,
    _tool,
    enum,
    narrow,
    no_contrast,
)
from benchmarks.planted_suites.domains import ToolText
from benchmarks.planted_suites.reader import Meant
from benchmarks.planted_suites.suites import PlantedSuite, with_tool
from rightcall.records import ExpectedCall, Golden, Tool
from rightcall.records.tool import Annotations

Planted = tuple[PlantedSuite, Truth]

MONEY = (
    ("fee", "What may be charged", "for"),
    ("budget", "Most that may be spent", "with"),
    ("deposit", "What is paid first", "at"),
)


def cents(suite: PlantedSuite, rng: random.Random) -> Planted:
    """A sum of money, expected in cents and said in euros, whose unit the definition does not state."""
    tool = _plain_tool(suite, rng)
    name, text, joint = rng.choice(MONEY)
    amounts = {g.id: rng.choice((450, 1250, 1999, 8000, 32050)) for g in suite.goldens}

    def golden_with(golden: Golden, meant: Meant) -> tuple[Golden, Meant]:
        said = f"{amounts[golden.id] / 100:.2f} euros"
        return _with_value(
            golden, meant, name, text, amounts[golden.id], said, "unit", f"{golden.input} {joint} {said}"
        )

    suite = _with_goldens(suite, tool.name, golden_with)
    suite = _with_parameter(suite, tool.name, name, {"type": "number", "description": text})
    return suite, Truth("unit_missing", frozenset((tool.name,)), name)


def lookup(suite: PlantedSuite, rng: random.Random) -> Planted:
    """An id that another tool returns for the name that users say; the definition does not say so."""
    return _lookup(suite, rng, expected=True)


def lookup_unexpected(suite: PlantedSuite, rng: random.Random) -> Planted:
    """The same where the goldens do not demand the call that looks it up."""
    return _lookup(suite, rng, expected=False)


def _lookup(suite: PlantedSuite, rng: random.Random, *, expected: bool) -> Planted:
    candidates = [
        (t, p) for t in suite.domain.tools for p in t.parameters if p.kind == "free" and _is_plain(t)
    ]
    tool, parameter = rng.choice(candidates)
    name = f"{parameter.name}_id"
    finder = f"find_{parameter.name}"
    text = f"Id of the {parameter.name}"
    ids = {
        value: f"{parameter.name[:2].upper()}-{rng.randrange(2000, 9999)}" for value, _ in parameter.values
    }

    def golden_with(golden: Golden, meant: Meant) -> tuple[Golden, Meant]:
        value, said, _ = meant.values[parameter.name]
        args = {key: v for key, v in (golden.expected_calls[0].args or {}).items() if key != parameter.name}
        values = {key: v for key, v in meant.values.items() if key != parameter.name}
        calls = (ExpectedCall(tool.name, args | {name: ids[value]}),)
        calls = (ExpectedCall(finder, {"name": said}), *calls) if expected else calls
        return (
            msgspec.structs.replace(golden, expected_calls=calls, extra_calls="forbid" if expected else "allow"),
            replace(meant, values=values | {name: (ids[value], said, "lookup")}, meaning=meant.meaning | {text: name},
                    lookup=(finder, name)),
        )  # fmt: skip

    suite = _with_goldens(suite, tool.name, golden_with)

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        properties = schema["properties"]
        schema["properties"] = {
            name if key == parameter.name else key: {"type": "string", "description": text}
            if key == parameter.name
            else value
            for key, value in properties.items()
        }
        schema["required"] = [name if key == parameter.name else key for key in schema["required"]]

    suite = _schema_edit(suite, tool.name, edit)
    by_name = {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Exact label"}},
        "required": ["name"],
    }
    lookup_tool = Tool(finder, "Translate an exact label.", by_name)
    return replace(suite, tools=[*suite.tools, lookup_tool]), Truth(
        "missing_lookup", frozenset((tool.name,)), name
    )


def pattern_contrast(suite: PlantedSuite, rng: random.Random) -> Planted:
    """A pair without contrast, in goldens that name tools by patterns."""
    suite, truth = no_contrast(suite, rng)
    return _with_patterns(suite), truth


def pattern_narrow(suite: PlantedSuite, rng: random.Random) -> Planted:
    """A narrow description, in goldens that name tools by patterns."""
    suite, truth = narrow(suite, rng)
    return _with_patterns(suite), truth


def _with_patterns(suite: PlantedSuite) -> PlantedSuite:
    def pattern(call: ExpectedCall) -> ExpectedCall:
        return msgspec.structs.replace(
            call, tool={"regex": f"(?:{call.tool}|{call.tool}_v2|legacy_{call.tool})"}
        )

    goldens = [
        msgspec.structs.replace(g, expected_calls=tuple(map(pattern, g.expected_calls)))
        for g in suite.goldens
    ]
    return replace(suite, goldens=goldens)


def open_enum(suite: PlantedSuite, rng: random.Random) -> Planted:
    """A closed list of which the description gives one example, in goldens of which some accept two spellings."""
    suite, truth = enum(suite, rng)
    (tool,) = truth.tools
    parameter = next(
        p for t in suite.domain.tools if t.name == tool for p in t.parameters if p.name == truth.parameter
    )
    example = str(parameter.values[0][0])

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][parameter.name]["description"] = f"{parameter.text} (such as '{example}')"

    def golden_with(golden: Golden, meant: Meant) -> tuple[Golden, Meant]:
        call = golden.expected_calls[0]
        value = (call.args or {})[parameter.name]
        if value == example:
            return golden, meant
        args = dict(call.args or {}) | {parameter.name: {"one_of": [value, f"{value}_level"]}}
        return msgspec.structs.replace(
            golden, expected_calls=(msgspec.structs.replace(call, args=args),)
        ), meant

    return _with_goldens(_schema_edit(suite, tool, edit), tool, golden_with), truth


def forbidden(suite: PlantedSuite, rng: random.Random) -> Planted:
    """Ten goldens or fewer of a pair without contrast, one of which is destructive and forbidden to the other."""
    suite, truth = no_contrast(suite, rng)
    pair = next(tool for tool in suite.domain.tools if tool.pair)
    dangerous = _tool(suite, pair.pair)
    suite = with_tool(
        suite, pair.pair, msgspec.structs.replace(dangerous, annotations=Annotations(destructive=True))
    )
    kept: list[Golden] = []
    for tool in (pair.name, pair.pair, *(t.name for t in suite.domain.tools if not t.pair)):
        mine = [g for g in suite.goldens if suite.meant[g.id].tool == tool]
        kept += mine[: 3 if tool == pair.name else 2 if tool == pair.pair else 1]
    kept += [g for g in suite.goldens if g.no_calls][:1]
    goldens = [
        msgspec.structs.replace(g, forbidden_calls=(pair.pair,)) if suite.meant[g.id].tool == pair.name else g
        for g in kept
    ]
    return replace(suite, goldens=goldens), truth


def broad_although_stated(suite: PlantedSuite, rng: random.Random) -> Planted:
    """A tool that claims what needs no tool, although the prompt says when to call none."""
    chosen = rng.choice(suite.domain.tools)
    words: list[str] = []
    for golden in suite.goldens:
        if golden.no_calls:
            words += [w for w in _plain_words(golden, suite.meant[golden.id]) if w not in words]
    text = f"{chosen.text} Answers any question about {', '.join(words)}, and everything else."
    return _described(suite, chosen.name, text), Truth("overbroad_description", frozenset((chosen.name,)))


def scaled(suite: PlantedSuite, rng: random.Random) -> Planted:
    """A number with a unit that goldens accept within a tolerance, and whose unit the definition does not state."""
    tool, parameter = _of_kind(suite, rng, "unit")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][parameter.name]["description"] = parameter.text

    def golden_with(golden: Golden, meant: Meant) -> tuple[Golden, Meant]:
        call = golden.expected_calls[0]
        args = dict(call.args or {})
        args[parameter.name] = {"number": args[parameter.name], "rel": 0.01}
        return msgspec.structs.replace(
            golden, expected_calls=(msgspec.structs.replace(call, args=args),)
        ), meant

    suite = _with_goldens(_schema_edit(suite, tool.name, edit), tool.name, golden_with)
    return suite, Truth("unit_missing", frozenset((tool.name,)), parameter.name)


def _is_plain(tool: ToolText) -> bool:
    return all(p.kind != "form" for p in tool.parameters)


def _plain_tool(suite: PlantedSuite, rng: random.Random) -> ToolText:
    return rng.choice([tool for tool in suite.domain.tools if _is_plain(tool)])


def _with_goldens(
    suite: PlantedSuite, tool: str, change: Callable[[Golden, Meant], tuple[Golden, Meant]]
) -> PlantedSuite:
    goldens = []
    meant = dict(suite.meant)
    for golden in suite.goldens:
        if suite.meant[golden.id].tool == tool and golden.expected_calls:
            golden, meant[golden.id] = change(golden, meant[golden.id])  # noqa: PLW2901
        goldens.append(golden)
    return replace(suite, goldens=goldens, meant=meant)


def _with_value(
    golden: Golden, meant: Meant, name: str, text: str, value: object, said: str, kind: str, asked: str
) -> tuple[Golden, Meant]:
    call = golden.expected_calls[0]
    args = dict(call.args or {}) | {name: value}
    return (
        msgspec.structs.replace(
            golden, input=asked, expected_calls=(msgspec.structs.replace(call, args=args),)
        ),
        replace(
            meant, values=meant.values | {name: (value, said, kind)}, meaning=meant.meaning | {text: name}
        ),
    )


def _with_parameter(suite: PlantedSuite, tool: str, name: str, schema_of_parameter: dict) -> PlantedSuite:  # type: ignore[type-arg]
    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][name] = copy.deepcopy(schema_of_parameter)
        schema["required"].append(name)

    return _schema_edit(suite, tool, edit)


def mended(suite: PlantedSuite, truth: Truth) -> PlantedSuite:
    """The suite with its definition as it should be, for the defects that add something first."""
    (tool,) = truth.tools

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema_of_parameter = schema["properties"][truth.parameter]
        stem = re.sub(r"_id$", "", truth.parameter)
        suffix = ", in cents" if truth.cause == "unit_missing" else f" (from find_{stem})"
        schema_of_parameter["description"] += suffix

    return _schema_edit(suite, tool, edit)


MISSED = {
    "cents": cents,
    "scaled": scaled,
    "lookup": lookup,
    "lookup_unexpected": lookup_unexpected,
    "pattern_contrast": pattern_contrast,
    "pattern_narrow": pattern_narrow,
    "open_enum": open_enum,
    "forbidden": forbidden,
    "stated_broad": broad_although_stated,
}
