"""Where the fields of a reply are: paths in it, or in those events of a stream for which conditions hold.

Paths such as `$.answer`, `$.steps[*].tool` and `$['odd name'][-1]` are a small subset of JSONPath.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.text import one_line
from rightcall.records.call import ToolCall
from rightcall.records.dialects import wire
from rightcall.records.dialects.parts import read_part

OF_CALL = ("name", "arguments", "id", "result", "error")
"""Fields whose paths start at a call."""


class ReplyPaths:
    """The paths for one kind of values. `has_led` says which of them have led somewhere."""

    def __init__(self, stated: Mapping[str, Any]) -> None:
        where = stated.get("where") or {}
        if not isinstance(where, dict):
            raise ConfigError(
                "agent.response.events.where: expected paths with values, such as $.type: tool-call"
            )
        self._conditions = [
            (
                JsonPath(str(path), "agent.response.events.where"),
                value if isinstance(value, list) else [value],
            )
            for path, value in where.items()
        ]
        paths = {name: text for name, text in stated.items() if name != "where"}
        self.paths = {name: JsonPath(str(text), f"agent.response.{name}") for name, text in paths.items()}
        self.fields = [name for name in self.paths if name not in (*OF_CALL, "calls")]
        self.has_led = dict.fromkeys(self.paths, False)

    def takes(self, value: Any) -> bool:
        """Whether the paths are for this value."""
        return all(
            any(match in allowed for match in path.find_matches(value)[0])
            for path, allowed in self._conditions
        )

    def matches(self, name: str, value: Any) -> list[Any]:
        if name not in self.paths:
            return []
        matches, has_led = self.paths[name].find_matches(value)
        self.has_led[name] = self.has_led[name] or has_led
        return matches

    def call(self, raw: Any, earlier: Mapping[str, ToolCall]) -> ToolCall:
        """A call: by the paths relative to it, or in any spelling; its result may be sent after it, under its id."""
        name = self._of_call("name", raw)
        arguments = self._of_call("arguments", raw)
        if isinstance(raw, str):
            name = raw
        call_id = as_text(self._of_call("id", raw) or "")
        has_arguments = isinstance(raw, dict) and arguments is not None
        if call_id in earlier and not has_arguments:
            call = earlier[call_id]
        elif (spelled := self._path_text(raw)) is not None:
            return spelled
        elif not isinstance(name, str) or not name:
            raise InputError("the reply", f"a call in the reply has no name: {one_line(as_text(raw), 200)}")
        else:
            call = (
                wire.parse_call(name, arguments, call_id) if has_arguments else ToolCall(name, None, call_id)
            )
        if error := self._of_call("error", raw):
            return msgspec.structs.replace(call, status="error", output=error)
        result = self._of_call("result", raw)
        return call if result is None else msgspec.structs.replace(call, status="ok", output=result)

    def _path_text(self, raw: Any) -> ToolCall | None:
        """A call in the spelling of a provider or a framework."""
        if not isinstance(raw, dict) or "name" in self.paths or isinstance(raw.get("name"), str):
            return None
        part_call = read_part(raw).call
        return None if part_call is None else wire.call_of(part_call, "the reply", "a call")

    def _of_call(self, name: str, raw: Any) -> Any:
        if name not in self.paths:
            return raw.get(name) if isinstance(raw, dict) else None
        return next(iter(self.matches(name, raw)), None)


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else encode(value).decode()


Step = str | int | None
"""A key, an index, or None for every item."""

_STEP = re.compile(
    r"""\.(?P<name>[A-Za-z_][\w-]*)  |  \[(?P<index>-?\d+)\]  |  (?P<all>\[\*\]|\.\*)
      | \['(?P<single>[^']+)'\]      |  \["(?P<double>[^"]+)"\]""",
    re.VERBOSE,
)


class JsonPath:
    """A parsed path. `find_matches(value)` returns every match, and whether the path exists."""

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        self._steps = _steps(text, where)

    def __repr__(self) -> str:
        return f"JsonPath({self.text!r})"

    def find_matches(self, value: Any) -> tuple[list[Any], bool]:
        """All matches in order. An empty list under `[*]` counts as existing."""
        matches = [value]
        empty = False
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
