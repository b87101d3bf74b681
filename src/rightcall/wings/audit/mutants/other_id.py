"""Another identifier of the same shape: digits changed, or one seen in a result or in another golden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import is_identifier, names_object
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Argument, Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        if "enum" in argument.schema:
            continue
        if argument.is_open and isinstance(argument.value, str | int):
            if names_object(argument.name, argument.schema):  # both pass, and one of them at most is right
                other = _raised(argument.value)
                yield scene.change_argument(good, argument, other, sure=True, is_object=True)
            continue
        if not is_identifier(argument.name, argument.schema, argument.value):
            continue
        for other in _others(scene, argument):
            yield scene.change_argument(good, argument, other, sure=True, is_object=True)


def _others(scene: Scene, argument: Argument) -> Iterator[Any]:
    value = argument.value
    seen = [
        v
        for v in scene.values.others(argument.tool, argument.name, value)
        if is_identifier(argument.name, argument.schema, v)
    ]
    yield from seen[:1]
    yield _raised(value)


def _raised(value: str | int) -> str | int:
    if isinstance(value, int):
        return value + 1
    return next_digit(value) if any(letter.isdigit() for letter in value) else f"{value}-2"


def next_digit(text: str) -> str:
    """The text with its last digit raised by one: the same shape."""
    at = max(place for place, letter in enumerate(text) if letter.isdigit())
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
