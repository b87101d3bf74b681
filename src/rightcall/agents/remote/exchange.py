"""Request and reply formats of HTTP and command agents."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Literal

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.core.text import one_line
from rightcall.records.call import ToolCall
from rightcall.records.dialects import wire
from rightcall.records.dialects.parts import read_part
from rightcall.records.record import Record, Sequenced

FORMAT = "rightcall/ask/1"
ASKED = (
    "input", "messages", "system", "tools", "golden_id", "trial", "session", "idempotency_key", "traceparent",
    "as",
)  # fmt: skip
"""Fields available to requests and templates. Expectations are not among them, so they cannot be sent."""

REPLIED = (
    "output", "calls", "name", "arguments", "id", "result", "error", "messages", "input_tokens", "output_tokens",
    "events", "version",
)  # fmt: skip

SELECTED = ("where", *(name for name in REPLIED if name != "events"))
"""Fields of one selection of events."""

_HOLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Exchange(Record, frozen=True, metaclass=Sequenced):
    """The formats of one agent's requests and replies; empty means RightCall's.

    `request` is any JSON with placeholders `{{input}}`, `{{messages}}`, `{{session}}` …. `response` maps the
    fields we need to paths in the reply, or in the events of a stream: `events` is a selection of them or a list of
    selections, each with `where`: paths and the values that its events have there. `headers` may use secrets from
    the environment: `Bearer ${TOKEN}`.
    `reuse` keeps a command running for many requests, one JSON line each. `folder` is the working folder of
    commands. `preset` names the platform that an HTTP agent runs on. `spans` is the address to receive the
    agent's own spans on, from which its calls are read.
    """

    request: Any = None
    response: dict[str, Any] = {}
    headers: dict[str, str] = {}
    reuse: bool = False
    folder: str = ""
    spans: str = ""
    settle: float = 2.0
    calls: Literal["auto", "root", "all"] = "auto"
    preset: str = ""

    def problems(self) -> list[str]:
        problems = [f"agent.request: {problem}" for problem in _template_problems(self.request)]
        events = self.response.get("events", {})
        selections = events if isinstance(events, list) else [events]
        stated: list[tuple[str, Any, tuple[str, ...]]] = [("agent.response", self.response, REPLIED)]
        stated += [("agent.response.events", selection, SELECTED) for selection in selections]
        for where, fields, known in stated:
            if not isinstance(fields, dict):
                problems.append(
                    f"{where}: expected fields with paths, such as output: $.answer; got '{fields}'"
                )
                continue
            for name in (name for name in fields if name not in known):
                hint = suggestion(name, known) or f"known: {', '.join(known)}"
                problems.append(f"{where}: unknown field '{name}'; {hint}")
        for variable in sorted(
            set(chain.from_iterable(_VARIABLE.findall(text) for text in self.headers.values()))
        ):
            if variable not in os.environ:
                problems.append(f"agent.headers needs the environment variable {variable}, which is not set")
        return problems

    def sends(self, field: str) -> bool:
        """Whether requests contain a field of `ASKED`."""
        return self.request is None or any(
            hole.partition(".")[0] == field for hole in _HOLE.findall(json.dumps(self.request, default=str))
        )

    def body(self, ask: Mapping[str, Any]) -> Any:
        """The request body: RightCall's format, or the filled-in template."""
        return {"format": FORMAT, **ask} if self.request is None else fill_template(self.request, ask)

    def header_values(self) -> dict[str, str]:
        """The headers with secrets read from the environment."""
        return {
            name: _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), text)
            for name, text in self.headers.items()
        }


def fill_template(template: Any, ask: Mapping[str, Any]) -> Any:
    """The filled-in template. A string that is a single placeholder becomes the value itself, of any type.

    Inserted values are not expanded again: an input that contains `{{system}}` stays unchanged.
    """
    if isinstance(template, dict):
        return {key: fill_template(value, ask) for key, value in template.items()}
    if isinstance(template, list):
        return [fill_template(item, ask) for item in template]
    if not isinstance(template, str):
        return template
    alone = _HOLE.fullmatch(template.strip())
    if alone:
        return ask.get(alone[1])
    values = {name: ask.get(name) for name in _HOLE.findall(template)}
    texts = {
        n: v if isinstance(v, str) else "" if v is None else encode(v).decode() for n, v in values.items()
    }
    return _HOLE.sub(lambda match: texts[match[1]], template)


def _template_problems(template: Any) -> list[str]:
    if isinstance(template, dict):
        return list(chain.from_iterable(_template_problems(value) for value in template.values()))
    if isinstance(template, list):
        return list(chain.from_iterable(_template_problems(item) for item in template))
    if not isinstance(template, str):
        return []
    unknown = [name for name in _HOLE.findall(template) if name not in ASKED]
    return [
        f"'{{{{{name}}}}}' is not a known placeholder; {suggestion(name, ASKED) or ', '.join(ASKED)}"
        for name in unknown
    ]


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
