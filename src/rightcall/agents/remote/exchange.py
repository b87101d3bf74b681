"""Request and reply formats of HTTP and command agents."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Literal

from rightcall.core.codec import encode
from rightcall.core.errors import suggestion
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
