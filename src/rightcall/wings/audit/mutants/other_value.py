"""A text replaced by another golden's value of this parameter that shares no word with it."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.words import words
from rightcall.metrics.value_sources import bare_text
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.grounds import is_identifier
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.mutants.next_day import later_date
from rightcall.wings.audit.scene import Scene


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        value = argument.value
        if not isinstance(value, str) or not argument.stands or argument.is_open or "enum" in argument.schema:
            continue
        if is_identifier(argument.name, argument.schema, value) or later_date(value) is not None:
            continue
        others = scene.values.others(argument.tool, argument.name, value)
        other = next((text for text in others if have_nothing_in_common(value, text)), None)
        if other is not None:
            yield scene.change_argument(good, argument, other, sure=True)


def have_nothing_in_common(first: str, second: str) -> bool:
    """Whether two texts share no word, and neither shortens the other: "Los Angeles" and "LA", "Euros" and "EUR"."""
    if not set(words(first)).isdisjoint(words(second)):
        return False
    short, long = sorted((bare_text(first), bare_text(second)), key=len)
    initials = {"".join(word[0] for word in words(text)) for text in (first, second)}
    return bool(short) and short not in initials and short not in long and short[:3] != long[:3]
