"""How an agent behind an address or a command is asked and understood: its own request and reply shapes."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from rightcall.errors import ConfigError, suggestion
from rightcall.model.record import Record

FORMAT = "rightcall/ask/1"
ASKED = ("input", "messages", "system", "tools", "golden_id", "trial", "session")
"""What a request may say, and a template may take. No expectation is among them, so none can leave."""

REPLIED = (
    "output", "calls", "name", "arguments", "id", "result", "error", "messages", "input_tokens", "output_tokens",
    "events",
)  # fmt: skip

_HOLE = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Exchange(Record, frozen=True):
    """The shapes of one agent's requests and replies; empty means RightCall's own.

    `request` is any JSON with `{{input}}`, `{{messages}}`, `{{session}}` … where those go. `response` maps what we need
    to paths in the reply. `headers` may take secrets from the environment: `Bearer ${TOKEN}`. `reuse` keeps a command
    running for many asks, one JSON line each. `folder` is where commands start.
    """

    request: Any = None
    response: dict[str, Any] = {}
    headers: dict[str, str] = {}
    reuse: bool = False
    folder: str = ""

    def problems(self) -> list[str]:
        """What is wrong with it as it is written down."""
        found = [f"agent.request: {problem}" for problem in _template_problems(self.request)]
        for name in self.response:
            if name not in REPLIED:
                hint = suggestion(name, REPLIED) or f"known: {', '.join(REPLIED)}"
                found.append(f"agent.response: unknown field '{name}'; {hint}")
        for variable in sorted({v for text in self.headers.values() for v in _VARIABLE.findall(text)}):
            if variable not in os.environ:
                found.append(f"agent.headers needs the environment variable {variable}, which is not set")
        return found

    def body(self, ask: Mapping[str, Any]) -> Any:
        """What is sent: our own form, or the template with its holes filled."""
        return {"format": FORMAT, **ask} if self.request is None else filled(self.request, ask)

    def header_values(self) -> dict[str, str]:
        """The headers with secrets taken from the environment now."""
        return {
            name: _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), text)
            for name, text in self.headers.items()
        }


def filled(template: Any, ask: Mapping[str, Any]) -> Any:
    """A template with its holes filled. A text that is one hole becomes the value itself, whatever its type.

    What is filled in is never looked at again: a question that holds `{{system}}` stays as it is.
    """
    if isinstance(template, dict):
        return {key: filled(value, ask) for key, value in template.items()}
    if isinstance(template, list):
        return [filled(item, ask) for item in template]
    if not isinstance(template, str):
        return template
    alone = _HOLE.fullmatch(template.strip())
    if alone:
        return ask.get(alone[1])
    return _HOLE.sub(lambda match: _text(ask.get(match[1])), template)


def _template_problems(template: Any) -> list[str]:
    if isinstance(template, dict):
        return [problem for value in template.values() for problem in _template_problems(value)]
    if isinstance(template, list):
        return [problem for item in template for problem in _template_problems(item)]
    if not isinstance(template, str):
        return []
    unknown = [name for name in _HOLE.findall(template) if name not in ASKED]
    return [
        f"'{{{{{name}}}}}' is not something an agent is told; {suggestion(name, ASKED) or ', '.join(ASKED)}"
        for name in unknown
    ]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    from rightcall.model.codec import encode

    return "" if value is None else encode(value).decode()


def refuse(problems: list[str]) -> None:
    """Raise what is wrong, all at once."""
    if problems:
        raise ConfigError(*problems)
