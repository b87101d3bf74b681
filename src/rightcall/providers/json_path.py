"""Paths into JSON: `$.answer`, `$.steps[*].tool`, `$['odd name'][-1]`. A small subset of JSONPath."""

from __future__ import annotations

import re
from typing import Any

from rightcall.errors import ConfigError

Step = str | int | None
"""A key, an index, or None for every item."""

_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_][\w-]*)  |  \[(?P<index>-?\d+)\]  |  (?P<all>\[\*\]|\.\*)
      | \['(?P<single>[^']+)'\]      |  \["(?P<double>[^"]+)"\]""",
    re.VERBOSE,
)


class JsonPath:
    """A parsed path. `found(value)` returns every match, and whether the path exists at all."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self._steps = text, _steps(text, where)

    def __repr__(self) -> str:
        return f"JsonPath({self.text!r})"

    def found(self, value: Any) -> tuple[list[Any], bool]:
        """All matches in order. An empty list under `[*]` counts as existing."""
        matches, empty = [value], False
        for step in self._steps:
            following: list[Any] = []
            for match in matches:
                if step is None:
                    items = list(match.values()) if isinstance(match, dict) else match
                    if isinstance(items, list):
                        following += items
                        empty = empty or not items
                elif isinstance(step, str):
                    if isinstance(match, dict) and step in match:
                        following.append(match[step])
                elif isinstance(match, list) and -len(match) <= step < len(match):
                    following.append(match[step])
            matches = following
        return matches, bool(matches) or empty

    def first(self, value: Any) -> Any:
        """The first match, or None."""
        matches, _ = self.found(value)
        return matches[0] if matches else None


def _steps(text: str, where: str) -> list[Step]:
    if not text.startswith("$"):
        raise ConfigError(f"{where}: a path must start with $, such as $.answer; got '{text}'")
    steps: list[Step] = []
    at = 1
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise ConfigError(
                f"{where}: '{text}' is not a valid path at character {at + 1}; use .name, ['name'], [0] or [*]"
            )
        name = match["name"] or match["single"] or match["double"]
        steps.append(name if name else None if match["all"] else int(match["index"]))
        at = match.end()
    return steps
