"""A text that mentions a tool that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.core.errors import suggestion
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import EFFECTS
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

_MENTION = re.compile(
    r"\b(?:call(?:ing)?|use|using|invoke|invoking|run|see|via"
    r"|prefer) (?:the )?[`'\"]?([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)\b"
    r"(?![.=:/\w])|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)[`'\"]? (?:tool|function)\b"
)


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    if len(tools.tools) < 2:
        return
    tool_names = set(tools.by_name)
    lower = {name.lower() for name in tool_names}
    for tool in tools.tools:
        for path, text in tool.prose:
            if "_" not in text and "-" not in text:
                continue
            for match in _MENTION.finditer(text):
                name = match[1] or match[2]
                if _is_absent_tool(name, tool, lower):
                    hint = suggestion(name, tool_names) or "name a tool in the set, or remove the sentence"
                    yield tool, Finding(path, f"mentions the tool '{name}', which is not in the set", hint)


def _is_absent_tool(name: str, tool: ToolFeatures, lower: set[str]) -> bool:
    first = name_tokens(name)[0]
    if first not in EFFECTS or "-" in name:
        return False  # words joined by a hyphen are prose
    if name.lower() in lower or any(
        other.endswith(("_" + name.lower(), "." + name.lower())) for other in lower
    ):
        return False
    return f'"{name}"' not in tool.text  # a property, an enum value, a default


RULE = Rule(
    code="TD210",
    name="stale-tool-mention",
    severity="warning",
    summary="The text tells the model to use a tool that is not in the set.",
    explanation="""The model calls it, gets “unknown tool”, and loses a turn or gives up. Tools are renamed more
    often than the texts of their neighbours.""",
    bad=[
        {
            "description": (
                "Returns the daily forecast, or an error. For the present weather use "
                "get_current_weather instead."
            )
        },
        {"name": "list_stations"},
    ],
    good=[
        {
            "description": (
                "Returns the daily forecast, or an error. If you need a place to ask for, call list_stations."
            )
        },
        {"name": "list_stations"},
    ],
    sources=("SM2",),
    check_set=check_set,
)
