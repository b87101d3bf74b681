"""Operators that change the value of an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any

from rightcall.core.words import name_tokens, words
from rightcall.limbs.audit.scene import Argument, Change, Scene
from rightcall.metrics.value_sources import bare_text
from rightcall.records.golden import Golden
from rightcall.records.trajectory import Trajectory
from rightcall.run.rehearsal.stage import with_arguments, without_argument
from rightcall.run.rehearsal.values import is_identifier, names_object, numbers_in, stands_in


def drop_stated(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """An optional argument left out, when the request says its value and the default is another."""
    for argument in scene.arguments(good):
        if argument.required or not argument.schema:
            continue
        has_default, default = scene.toolset.default(argument.tool, argument.name)
        differs = has_default and bare_text(str(default)) != bare_text(str(argument.value))
        if differs and stands_in(argument.value, scene.words):
            changed = without_argument(good, argument.at, argument.name)
            harm = scene.value_harm(argument.tool)
            yield Change(changed, harm, argument.at, argument.name, before=argument.value)


def enum_neighbour(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The next value of the enum."""
    for argument in scene.arguments(good):
        choices = argument.schema.get("enum")
        if not isinstance(choices, list) or argument.value not in choices or len(choices) < 2:
            continue
        other = choices[(choices.index(argument.value) + 1) % len(choices)]
        if not argument.is_open:
            yield scene.change_argument(good, argument, other)


def flip_flag(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A required boolean inverted."""
    for argument in scene.arguments(good):
        if isinstance(argument.value, bool) and argument.required and not argument.is_open:
            yield scene.change_argument(good, argument, not argument.value)


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?)(.*)")


def next_day(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A date that is stated one day later, a date and time one hour later."""
    for argument in scene.arguments(good):
        later = later_date(argument.value)
        if later is not None and "enum" not in argument.schema and argument.is_stated:
            yield scene.change_argument(good, argument, later)


def later_date(value: object) -> str | None:
    """The next day or hour; None when the value is no date."""
    if not isinstance(value, str):
        return None
    try:
        if _DATE.fullmatch(value):
            return (datetime.fromisoformat(value) + timedelta(days=1)).date().isoformat()
        if moment := _MOMENT.fullmatch(value):
            later = datetime.fromisoformat(moment[1]) + timedelta(hours=1)
            separator = value[10]
            return (
                later.isoformat(separator, "seconds" if moment[1].count(":") == 2 else "minutes") + moment[2]
            )
    except (ValueError, OverflowError):
        return None
    return None


def off_by_one(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A number one higher, when the request or a result says the number."""
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, int | float) or "enum" in argument.schema:
            continue
        if is_identifier(argument.name, argument.schema, value) or abs(value) >= 1e15:
            continue
        if argument.stands or _is_asked_for(scene, argument):
            yield scene.change_argument(good, argument, value + 1)


def _is_asked_for(scene: Scene, argument: Argument) -> bool:
    """Whether the request has a number that an open parameter may be: both values pass, one at most is right."""
    golden = scene.golden
    return argument.is_open and bool(numbers_in(golden.input if isinstance(golden, Golden) else scene.words))


def other_id(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """Another identifier of the same shape: digits changed, or one seen in a result or in another golden."""
    for argument in scene.arguments(good):
        if "enum" in argument.schema:
            continue
        if argument.is_open and isinstance(argument.value, str | int):
            if names_object(argument.name, argument.schema):  # both pass, and one of them at most is right
                other = _next_value(argument.value)
                yield scene.change_argument(good, argument, other, is_object=True)
            continue
        if not is_identifier(argument.name, argument.schema, argument.value):
            continue
        for other in _others(scene, argument):
            yield scene.change_argument(good, argument, other, is_object=True)


def _others(scene: Scene, argument: Argument) -> Iterator[Any]:
    value = argument.value
    seen = [
        v
        for v in scene.values.others(argument.tool, argument.name, value)
        if is_identifier(argument.name, argument.schema, v)
    ]
    yield from seen[:1]
    yield _next_value(value)


def _next_value(value: str | int) -> str | int:
    if isinstance(value, int):
        return value + 1
    return next_digit(value) if any(letter.isdigit() for letter in value) else f"{value}-2"


def next_digit(text: str) -> str:
    """The text with its last digit raised by one: the same shape."""
    at = max(place for place, letter in enumerate(text) if letter.isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


UNITS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"\b(?:seconds?|secs?|minutes?|mins?|hours?)\b", re.I), 60),
    (
        re.compile(
            r"\b(?:milliseconds?|ms|grams?|kilograms?|kg|met(?:er|re)s?|km|bytes?|kb|mb|lit(?:er|re)s?)\b",
            re.I,
        ),
        1000,
    ),
)
_DEGREES = re.compile(r"\b(?:celsius|fahrenheit|degrees)\b|°", re.I)


def other_unit(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The same quantity in another unit, by the unit that the description names; times 100 where it names none."""
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not value:
            continue
        if "enum" in argument.schema or is_identifier(argument.name, argument.schema, value):
            continue
        if abs(value) < 1e12 and argument.is_stated:
            yield scene.change_argument(good, argument, value_in_other_unit(argument))


def value_in_other_unit(argument: Argument) -> Any:
    """The number as if it had been given in another unit."""
    value = argument.value
    text = f"{argument.name.replace('_', ' ')} {argument.schema.get('description', '')}"
    if _DEGREES.search(text):
        converted = value * 9 / 5 + 32
        return round(converted) if isinstance(value, int) else converted
    factor = next((factor for pattern, factor in UNITS if pattern.search(text)), 100)
    return int(value * factor) if isinstance(value, int) else value * factor


def other_value(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """A text replaced by another golden's value of this parameter that shares no word with it."""
    for argument in scene.arguments(good):
        value = argument.value
        if not isinstance(value, str) or not argument.stands or argument.is_open or "enum" in argument.schema:
            continue
        if is_identifier(argument.name, argument.schema, value) or later_date(value) is not None:
            continue
        others = scene.values.others(argument.tool, argument.name, value)
        other = next((text for text in others if have_nothing_in_common(value, text)), None)
        if other is not None:
            yield scene.change_argument(good, argument, other)


def have_nothing_in_common(first: str, second: str) -> bool:
    """Whether two texts share no word, and neither shortens the other: "Los Angeles" and "LA", "Euros" and "EUR"."""
    if not set(words(first)).isdisjoint(words(second)):
        return False
    short, long = sorted((bare_text(first), bare_text(second)), key=len)
    initials = {"".join(word[0] for word in words(text)) for text in (first, second)}
    return bool(short) and short not in initials and short not in long and short[:3] != long[:3]


DIRECTED = (
    ("from", "to"), ("start", "end"), ("source", "target"), ("source", "destination"), ("origin", "destination"),
    ("min", "max"), ("minimum", "maximum"), ("sender", "receiver"), ("sender", "recipient"), ("old", "new"),
    ("departure", "arrival"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"), ("latitude", "longitude"),
    ("before", "after"), ("first", "last"), ("begin", "end"), ("lower", "upper"), ("src", "dst"), ("src", "dest"),
    ("buyer", "seller"), ("parent", "child"), ("numerator", "denominator"), ("base", "exponent"),
)  # fmt: skip


def swap_args(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The values of two parameters exchanged whose names form a directed pair."""
    for at, call in enumerate(good.calls):
        arguments = call.arguments or {}
        if call.status == "error":
            continue
        for (first, first_value), (second, second_value) in combinations(arguments.items(), 2):
            if (
                type(first_value) is not type(second_value)
                or first_value == second_value
                or isinstance(first_value, bool | dict | list)
            ):
                continue
            if not is_directed(first, second) or "enum" in scene.toolset.parameter(call.name, first):
                continue
            if any(scene.is_open(call.name, name) for name in (first, second)):
                continue
            yield Change(
                with_arguments(good, at, {**arguments, first: second_value, second: first_value}),
                scene.value_harm(call.name),
                at,
                f"{first}, {second}",
                before=[first_value, second_value],
                after=[second_value, first_value],
            )


def is_directed(first: str, second: str) -> bool:
    """Whether two names differ only in the two ends of a direction: `from_account`, `to_account`."""
    tokens = name_tokens(first)
    others = name_tokens(second)
    own = [token for token in tokens if token not in others]
    own_of_other = [token for token in others if token not in tokens]
    if len(own) != 1 or len(own_of_other) != 1:
        return False
    pair = (own[0], own_of_other[0])
    return pair in DIRECTED or pair[::-1] in DIRECTED


def truncate_list(scene: Scene, good: Trajectory) -> Iterator[Change]:
    """The last element of a list dropped, when the request says every element."""
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, list) and len(value) > 1 and argument.is_stated:
            yield scene.change_argument(good, argument, value[:-1])


OPERATORS = (
    drop_stated, enum_neighbour, flip_flag, next_day, off_by_one, other_id, other_unit, other_value,
    swap_args, truncate_list,
)  # fmt: skip
