"""What an agent might have called: right answers in several forms, and answers with one thing changed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.datasets.bfcl_official import Call, Item

Calls = list[Call]
Pick = Callable[[list[Any]], Any]
LEFT_OUT = object()


def candidates(item: Item, seed: int) -> Iterator[tuple[str, Calls]]:
    """(what was done, the calls), the same for the same seed."""
    chance = random.Random(f"{seed}:{item.id}")
    if not item.truth:
        yield from without_answers(item, chance)
        return
    right = dict(right_answers(item, chance))
    yield from right.items()
    bases = list(right.values())
    for kind, change in {**CALL_CHANGES, **NAME_CHANGES, **PARAMETER_CHANGES}.items():
        calls = change(chance.choice(bases), item, chance)
        if calls is not None:
            yield kind, calls
    for kind, accepts, change in VALUE_CHANGES:
        changed = with_value_changed(chance.choice(bases), accepts, change, chance)
        if changed is not None:
            yield kind, changed


def without_answers(item: Item, chance: random.Random) -> Iterator[tuple[str, Calls]]:
    """For items where the only question is whether anything was called."""
    names = [function["name"] for function in item.functions] or ["some_tool"]
    name = chance.choice(names)
    yield "no call", []
    yield "a call", [(name, {})]
    yield "a call with arguments", [(name, {"x": 1})]
    yield "two calls", [(name, {}), (names[0], {"y": None})]
    yield "an unknown tool", [("no_such_tool", {})]


def right_answers(item: Item, chance: random.Random) -> Iterator[tuple[str, Calls]]:
    def first(options: list[Any]) -> Any:
        return next((option for option in options if option != ""), LEFT_OUT)

    def last(options: list[Any]) -> Any:
        return first(options[::-1])

    def shortest(options: list[Any]) -> Any:
        return LEFT_OUT if "" in options or not options else options[0]

    def by_chance(options: list[Any]) -> Any:
        chosen = chance.choice(options) if options else LEFT_OUT
        return LEFT_OUT if chosen == "" else chosen

    picks: dict[str, Pick] = {"first": first, "last": last, "shortest": shortest, "chance": by_chance}
    picks["chance again"] = by_chance
    for kind, pick in picks.items():
        yield f"right: {kind}", [_call(truth, pick, item.functions) for truth in item.truth]


def _call(truth: dict[str, dict[str, list[Any]]], pick: Pick, functions: list[dict[str, Any]]) -> Call:
    ((name, parameters),) = truth.items()
    function = next(function for function in functions if function["name"] == name)
    chosen = {parameter: pick(options) for parameter, options in parameters.items()}
    for parameter in function["parameters"]["required"]:
        if chosen.get(parameter) is LEFT_OUT and "" in parameters[parameter]:
            chosen[parameter] = ""  # it must be passed, and this is the answer
    return name, {key: _spelt(value, pick) for key, value in chosen.items() if value is not LEFT_OUT}


def _spelt(answer: Any, pick: Pick) -> Any:
    """An answer's object holds options for each key: choose among them."""
    if isinstance(answer, dict):
        chosen = {key: pick(options) for key, options in answer.items()}
        return {key: value for key, value in chosen.items() if value is not LEFT_OUT}
    if isinstance(answer, list):
        return [_spelt(element, pick) if isinstance(element, dict) else element for element in answer]
    return answer


def _other_call(calls: Calls, chance: random.Random, change: Callable[[Call], Call | None]) -> Calls | None:
    at = chance.randrange(len(calls))
    changed = change(calls[at])
    return None if changed is None else [*calls[:at], changed, *calls[at + 1 :]]


def _shuffled(calls: Calls, chance: random.Random) -> Calls:
    return chance.sample(calls, len(calls))


Change = Callable[[Calls, Item, random.Random], Calls | None]

CALL_CHANGES: dict[str, Change] = {
    "no call": lambda calls, item, chance: [],
    "a call dropped": lambda calls, item, chance: calls[:-1],
    "a call repeated": lambda calls, item, chance: [*calls, chance.choice(calls)],
    "a call in place of another": lambda calls, item, chance: [*calls[:-1], calls[0]],
    "calls reversed": lambda calls, item, chance: calls[::-1],
    "calls shuffled": lambda calls, item, chance: _shuffled(calls, chance),
    "a call added": lambda calls, item, chance: [*calls, (chance.choice(item.functions)["name"], {})],
}

NAME_CHANGES: dict[str, Change] = {
    "an unknown name": lambda calls, item, chance: _other_call(calls, chance, lambda c: ("nothing", c[1])),
    "a name's case": lambda calls, item, chance: _other_call(
        calls, chance, lambda c: (c[0].swapcase(), c[1])
    ),
    "_ for .": lambda calls, item, chance: _other_call(
        calls, chance, lambda c: (c[0].replace(".", "_"), c[1])
    ),
    "another tool": lambda calls, item, chance: _other_call(
        calls, chance, lambda c: (chance.choice(item.functions)["name"], c[1])
    ),
}


def _dropped(calls: Calls, item: Item, chance: random.Random) -> Calls | None:
    def drop(call: Call) -> Call | None:
        gone = chance.choice(list(call[1])) if call[1] else None
        return (call[0], {k: v for k, v in call[1].items() if k != gone}) if gone else None

    return _other_call(calls, chance, drop)


def _renamed(calls: Calls, item: Item, chance: random.Random) -> Calls | None:
    def rename(call: Call) -> Call | None:
        old = chance.choice(list(call[1])) if call[1] else None
        return (call[0], {f"{k}s" if k == old else k: v for k, v in call[1].items()}) if old else None

    return _other_call(calls, chance, rename)


def _added_from_schema(calls: Calls, item: Item, chance: random.Random) -> Calls | None:
    """A parameter the function has and the call does not, with its default or some value."""

    def add(call: Call) -> Call | None:
        properties = next(f for f in item.functions if f["name"] == call[0])["parameters"]["properties"]
        absent = [name for name in properties if name not in call[1]]
        if not absent:
            return None
        name = chance.choice(absent)
        value = properties[name].get("default", chance.choice(["", "x", 1, 0.5, True, [], {}, None]))
        return call[0], {**call[1], name: value}

    return _other_call(calls, chance, add)


PARAMETER_CHANGES: dict[str, Change] = {
    "a parameter dropped": _dropped,
    "a parameter renamed": _renamed,
    "a parameter of the schema added": _added_from_schema,
    "an unknown parameter added": lambda calls, item, chance: _other_call(
        calls, chance, lambda c: (c[0], {**c[1], "zz": 1})
    ),
    "no parameters": lambda calls, item, chance: _other_call(calls, chance, lambda c: (c[0], {})),
}


def with_value_changed(
    calls: Calls, accepts: type, change: Callable[[Any, random.Random], Any], chance: random.Random
) -> Calls | None:
    """One value of the wanted type changed, if there is one."""
    places = [
        (at, name)
        for at, (_, arguments) in enumerate(calls)
        for name, value in arguments.items()
        if accepts is object or type(value) is accepts
    ]
    if not places:
        return None
    at, name = chance.choice(places)
    tool, arguments = calls[at]
    value = change(arguments[name], chance)
    return [*calls[:at], (tool, {**arguments, name: value}), *calls[at + 1 :]]


def _with(text: str, piece: str, chance: random.Random) -> str:
    at = chance.randrange(len(text) + 1)
    return text[:at] + piece + text[at:]


def _one_element(change: Callable[[Any], Any]) -> Callable[[list[Any], random.Random], list[Any]]:
    def changed(value: list[Any], chance: random.Random) -> list[Any]:
        if not value:
            return [change("x")]
        at = chance.randrange(len(value))
        return [*value[:at], change(value[at]), *value[at + 1 :]]

    return changed


def _loud(value: Any) -> Any:
    """Every text in capitals, at any depth: cleaned up by BFCL only at the first."""
    if isinstance(value, dict):
        return {key: _loud(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_loud(inner) for inner in value]
    return value.upper() if isinstance(value, str) else value


def _other_number(value: Any) -> Any:
    """The same number in another type, one level down."""
    if isinstance(value, dict):
        return {key: _other_number(inner) for key, inner in value.items()}
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return float(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _key_dropped(value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    gone = chance.choice(list(value)) if value else ""
    return {key: inner for key, inner in value.items() if key != gone}


VALUE_CHANGES: list[tuple[str, type, Callable[[Any, random.Random], Any]]] = [
    ("null", object, lambda v, r: None),
    ("an empty text", object, lambda v, r: ""),
    ("as a text", object, lambda v, r: str(v)),
    ("in a list", object, lambda v, r: [v]),
    ("an empty list", object, lambda v, r: []),
    ("an empty object", object, lambda v, r: {}),
    ("true", object, lambda v, r: True),
    ("zero", object, lambda v, r: 0),
    ("a wrong whole number", int, lambda v, r: v + 1),
    ("a negative number", int, lambda v, r: -v),
    ("a float for a whole number", int, lambda v, r: float(v)),
    ("a truth value for a number", int, lambda v, r: bool(v)),
    ("a wrong float", float, lambda v, r: v + 0.5),
    ("a float a little off", float, lambda v, r: v * (1 + 1e-12)),
    ("a whole number for a float", float, lambda v, r: int(v)),
    ("the other truth value", bool, lambda v, r: not v),
    ("a number for a truth value", bool, lambda v, r: int(v)),
    ("another text", str, lambda v, r: f"{v}x"),
    ("capitals", str, lambda v, r: v.upper()),
    ("swapped case", str, lambda v, r: v.swapcase()),
    ("no spaces", str, lambda v, r: v.replace(" ", "")),
    ("harmless punctuation", str, lambda v, r: _with(v, r.choice(" ,./-_*^"), r)),
    ("harmful punctuation", str, lambda v, r: _with(v, r.choice("!?:;\t\n'\"()é\u0301\u00a0"), r)),
    ("other quotes", str, lambda v, r: v.replace("'", "\0").replace('"', "'").replace("\0", '"')),
    ("only punctuation", str, lambda v, r: " -_"),
    ("without accents and the rest", str, lambda v, r: v.encode("ascii", "ignore").decode()),
    ("a list reversed", list, lambda v, r: v[::-1]),
    ("a list cut", list, lambda v, r: v[:-1]),
    ("a list with its end twice", list, lambda v, r: [*v, *v[-1:]]),
    ("a list in capitals", list, lambda v, r: _loud(v)),
    ("an element as text", list, _one_element(str)),
    ("an element in a list", list, _one_element(lambda element: [element])),
    ("an element null", list, _one_element(lambda element: None)),
    ("an element of another number type", list, _one_element(_other_number)),
    ("all elements of another number type", list, lambda v, r: [_other_number(e) for e in v]),
    ("a key dropped", dict, _key_dropped),
    ("a key added", dict, lambda v, r: {**v, "zz": 1}),
    ("an object in capitals", dict, lambda v, r: _loud(v)),
    ("an object with other number types", dict, lambda v, r: _other_number(v)),
    ("an object with a null", dict, lambda v, r: {**v, **dict.fromkeys(list(v)[:1])}),
]
