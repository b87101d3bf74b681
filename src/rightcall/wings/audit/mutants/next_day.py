"""A date one day later, a date and time one hour later."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from rightcall.model.trajectory import Trajectory
from rightcall.wings.audit.mutant import Change
from rightcall.wings.audit.scene import Scene

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?)(.*)")


def mutate(scene: Scene, good: Trajectory) -> Iterator[Change]:
    for argument in scene.arguments(good):
        later = later_date(argument.value)
        if later is None or "enum" in argument.schema:
            continue
        yield scene.change_argument(good, argument, later, sure=argument.stands and not argument.is_open)


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
