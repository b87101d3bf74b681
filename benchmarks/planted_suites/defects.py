"""Fifteen ways to spoil a suite, each with what `analyze` should say of it."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from benchmarks.planted_suites.domains import Parameter, ToolText
from benchmarks.planted_suites.reader import Meant, stemmed
from benchmarks.planted_suites.suites import PlantedSuite, with_tool
from rightcall.records import ExpectedCall, Golden, Tool


@dataclass(frozen=True)
class Truth:
    """The cause and its place; `goldens` where the goldens are at fault."""

    cause: str
    tools: frozenset[str] = frozenset()
    parameter: str = ""
    goldens: frozenset[str] = frozenset()


Plant = Callable[[PlantedSuite, random.Random], tuple[PlantedSuite, Truth]]


def _tool(suite: PlantedSuite, name: str) -> Tool:
    return next(tool for tool in suite.tools if tool.name == name)


def _described(suite: PlantedSuite, name: str, text: str) -> PlantedSuite:
    return with_tool(suite, name, msgspec.structs.replace(_tool(suite, name), description=text))


def _of_kind(suite: PlantedSuite, rng: random.Random, *kinds: str) -> tuple[ToolText, Parameter]:
    found = [(tool, p) for tool in suite.domain.tools for p in tool.parameters if p.kind in kinds]
    return rng.choice(found)


def _schema_edit(suite: PlantedSuite, tool: str, edit: Callable[[dict], None]) -> PlantedSuite:  # type: ignore[type-arg]
    found = _tool(suite, tool)
    schema = copy.deepcopy(found.input_schema)
    edit(schema)
    return with_tool(suite, tool, msgspec.structs.replace(found, input_schema=schema))


def swap(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    one, two = rng.sample([tool.name for tool in suite.domain.tools], 2)
    texts = _tool(suite, one).description, _tool(suite, two).description
    suite = _described(_described(suite, one, texts[1]), two, texts[0])
    return suite, Truth("descriptions_swapped", frozenset((one, two)))


def enum(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, parameter = _of_kind(suite, rng, "enum")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][parameter.name].pop("enum")
        schema["properties"][parameter.name]["description"] = parameter.text

    return _schema_edit(suite, tool.name, edit), Truth(
        "enum_missing", frozenset((tool.name,)), parameter.name
    )


def unit(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, parameter = _of_kind(suite, rng, "unit")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][parameter.name]["description"] = parameter.text

    return _schema_edit(suite, tool.name, edit), Truth(
        "unit_missing", frozenset((tool.name,)), parameter.name
    )


def date_format(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, parameter = _of_kind(suite, rng, "date")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][parameter.name] = {"type": "string", "description": parameter.text}

    return _schema_edit(suite, tool.name, edit), Truth(
        "date_format_missing", frozenset((tool.name,)), parameter.name
    )


def required(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, parameter = _of_kind(suite, rng, "inferred")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["required"].remove(parameter.name)

    return _schema_edit(suite, tool.name, edit), Truth(
        "required_missing", frozenset((tool.name,)), parameter.name
    )


def name(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    old = rng.choice([tool.name for tool in suite.domain.tools])
    new = rng.choice(suite.domain.generic)
    return renamed(suite, old, new), Truth("ambiguous_name", frozenset((new,)))


def renamed(suite: PlantedSuite, old: str, new: str) -> PlantedSuite:
    def text(words: str) -> str:
        return re.sub(rf"\b{old}\b", new, words)

    tools = [
        msgspec.structs.replace(
            tool, name=new if tool.name == old else tool.name, description=text(tool.description)
        )
        for tool in suite.tools
    ]
    goldens = []
    meant = {}
    for golden in suite.goldens:
        calls = tuple(
            msgspec.structs.replace(call, tool=new) if call.tool == old else call
            for call in golden.expected_calls
        )
        goldens.append(msgspec.structs.replace(golden, expected_calls=calls))
        meaning = suite.meant[golden.id]
        meant[golden.id] = replace(meaning, tool=new if meaning.tool == old else meaning.tool)
    return replace(suite, tools=tools, goldens=goldens, meant=meant)


def broad(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    chosen = rng.choice(suite.domain.tools)
    others = [g for g in suite.goldens if suite.meant[g.id].tool not in (chosen.name, chosen.pair)]
    words: list[str] = []
    for golden in rng.sample(others, len(others)):
        words += [w for w in _plain_words(golden, suite.meant[golden.id]) if w not in words]
    claims = f"any request about {', '.join(words[:24])}, whatever is asked, and everything else"
    text = f"{chosen.text} Helps with {claims}."
    suite = _described(suite, chosen.name, text)
    return suite, Truth("overbroad_description", frozenset((chosen.name,)))


def _plain_words(golden: Golden, meant: Meant) -> list[str]:
    wanted = set(meant.words)
    return [word for word in re.findall(r"[a-z]+", golden.input.lower()) if wanted & set(stemmed(word))]


def narrow(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    chosen = rng.choice(suite.domain.tools)
    text = rng.choice(
        (
            "Legacy interface, version two.",
            "Internal entry point of the backend.",
            "Wrapper of the core module.",
        )
    )
    return _described(suite, chosen.name, text), Truth("narrow_description", frozenset((chosen.name,)))


def no_contrast(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    pair = next(tool for tool in suite.domain.tools if tool.pair)
    other = next(tool for tool in suite.domain.tools if tool.name == pair.pair)
    suite = _described(_described(suite, pair.name, pair.text), other.name, other.text)
    return suite, Truth("confusable_pair", frozenset((pair.name, other.name)))


def no_abstention(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    return replace(suite, system=f"You are an assistant for {suite.domain.name}."), Truth(
        "no_abstention_guidance"
    )


def wrong_goldens(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    """Two goldens of another tool, two of another value; never two of one tool."""
    positive = [g for g in suite.goldens if g.expected_calls and not suite.meant[g.id].forms]
    tools = rng.sample(sorted({suite.meant[g.id].tool for g in positive}), 4)
    changed: dict[str, Golden] = {}
    for number, tool in enumerate(tools):
        golden = rng.choice([g for g in positive if suite.meant[g.id].tool == tool])
        args = dict(golden.expected_calls[0].args or {})
        if number < 2:
            other = rng.choice([t.name for t in suite.tools if t.name != tool])
            call = ExpectedCall(other, args)
        else:
            name, value = _other_value(suite, tool, args, rng)
            call = ExpectedCall(tool, args | {name: value})
        changed[golden.id] = msgspec.structs.replace(golden, expected_calls=(call,))
    goldens = [changed.get(g.id, g) for g in suite.goldens]
    return replace(suite, goldens=goldens), Truth("golden_looks_wrong", goldens=frozenset(changed))


def _other_value(suite: PlantedSuite, tool: str, args: dict, rng: random.Random) -> tuple[str, object]:  # type: ignore[type-arg]
    parameters = next(t for t in suite.domain.tools if t.name == tool).parameters
    parameter = rng.choice(
        [p for p in parameters if p.kind in ("free", "opaque", "enum", "date")] or list(parameters)
    )
    others = [value for value, _ in parameter.values if value != args[parameter.name]] or ["another"]
    return parameter.name, rng.choice(others)


def lacks_value(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, parameter = _of_kind(suite, rng, "free", "opaque")
    mine = [g for g in suite.goldens if suite.meant[g.id].tool == tool.name]
    chosen = {g.id for g in rng.sample(mine, min(5, max(1, len(mine) - 1)))}
    goldens = []
    meant = dict(suite.meant)
    for golden in suite.goldens:
        if golden.id in chosen:
            said = suite.meant[golden.id].values[parameter.name][1]
            shorter = " ".join(golden.input.replace(said, "").split())
            goldens.append(msgspec.structs.replace(golden, input=shorter))
            meant[golden.id] = replace(meant[golden.id], lacking=frozenset((parameter.name,)))
        else:
            goldens.append(golden)
    truth = Truth("request_lacks_information", frozenset((tool.name,)), parameter.name)
    return replace(suite, goldens=goldens, meant=meant), truth


def no_parameter_text(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, parameter = _of_kind(suite, rng, "opaque")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][parameter.name].pop("description")

    truth = Truth("parameter_description_missing", frozenset((tool.name,)), parameter.name)
    return _schema_edit(suite, tool.name, edit), truth


def swapped_parameters(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool = next(t for t in suite.domain.tools if sum(p.kind == "free" for p in t.parameters) == 2)
    one, two = (p for p in tool.parameters if p.kind == "free")

    def edit(schema: dict) -> None:  # type: ignore[type-arg]
        schema["properties"][one.name]["description"] = two.text
        schema["properties"][two.name]["description"] = one.text

    return _schema_edit(suite, tool.name, edit), Truth(
        "parameters_swapped", frozenset((tool.name,)), one.name
    )


def error_hint(suite: PlantedSuite, rng: random.Random) -> tuple[PlantedSuite, Truth]:
    tool, _ = _of_kind(suite, rng, "form")
    return replace(suite, error_hint=False), Truth("error_without_hint", frozenset((tool.name,)))


DEFECTS: dict[str, Plant] = {
    "swap": swap,
    "enum": enum,
    "unit": unit,
    "date": date_format,
    "required": required,
    "name": name,
    "broad": broad,
    "narrow": narrow,
    "contrast": no_contrast,
    "abstention": no_abstention,
    "golden": wrong_goldens,
    "lacking": lacks_value,
    "parameter": no_parameter_text,
    "parameters": swapped_parameters,
    "error": error_hint,
}
