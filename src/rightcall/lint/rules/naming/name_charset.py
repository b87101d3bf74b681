"""A name with characters that providers reject."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

_PORTABLE = re.compile(r"[A-Za-z0-9_-]+")
_ASCII = re.compile(r"[\x20-\x7e]*")


def check(tool: ToolFeatures) -> Iterator[Finding]:
    name = tool.name
    if _PORTABLE.fullmatch(name) and (name[0] not in "-0123456789" or "gemini" not in tool.targets):
        return
    if not _ASCII.fullmatch(name):
        return  # homoglyph and hidden-unicode say it better
    if not name:
        yield Finding(
            ("name",), "the tool has no name", "name it for what it does: get_weather", severity="error"
        )
        return
    portable = re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_-") or "tool"
    refusing = sorted(target for target in tool.targets if not _charset(target).fullmatch(name))
    strange = "".join(sorted(set(re.sub(r"[A-Za-z0-9_-]", "", name))))
    where = f"rejected by {', '.join(refusing)}" if refusing else "rejected by some providers"
    yield Finding(
        ("name",),
        f"'{name}' has {strange!r}, {where}" if strange else f"'{name}' starts with {name[0]!r}, {where}",
        f"use letters, digits, _ and -: {portable}",
        severity="error" if refusing else "warning",
        edits=(Edit(("name",), portable),) if portable != name else (),
    )


def _charset(target: str) -> re.Pattern[str]:
    """The name rule of a target without its limit of length, which is another rule's."""
    return re.compile(re.sub(r"\{\d,\d+\}\$$", "*$", provider(target).name))


RULE = Rule(
    code="TD101",
    name="name-charset",
    severity="warning",
    summary="The name has characters outside `A-Z a-z 0-9 _ -`.",
    explanation="""Letters, digits, underscore and hyphen are what every provider accepts; a dot or a space makes
    the request fail with some of them. An error when a target provider rejects the
    name.""",
    bad={"name": "weather.get forecast"},
    good={"name": "get_forecast"},
    sources=("ANT-def", "OAI-sdk", "BED", "GEM", "MCP"),
    check=check,
    fix="suggested",
    targets=("mcp",),
)
