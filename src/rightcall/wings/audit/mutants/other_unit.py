"""The same quantity in another unit, by the unit that the description names; times 100 where it names none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import is_identifier
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Argument, Scene

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


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        value = argument.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not value:
            continue
        if "enum" in argument.schema or is_identifier(argument.name, argument.schema, value):
            continue
        if abs(value) >= 1e12:
            continue
        other = value_in_other_unit(argument)
        yield scene.change_argument(good, argument, other, sure=argument.stands and not argument.is_open)


def value_in_other_unit(argument: Argument) -> Any:
    """The number as if it had been given in another unit."""
    value = argument.value
    text = f"{argument.name.replace('_', ' ')} {argument.schema.get('description', '')}"
    if _DEGREES.search(text):
        converted = value * 9 / 5 + 32
        return round(converted) if isinstance(value, int) else converted
    factor = next((factor for pattern, factor in UNITS if pattern.search(text)), 100)
    return int(value * factor) if isinstance(value, int) else value * factor
