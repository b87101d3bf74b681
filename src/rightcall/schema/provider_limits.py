"""Limits and keywords of each provider, from one dated file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from rightcall.core.errors import ConfigError, suggestion


class ProviderLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one target accepts. None and () mean that no limit is known."""

    name: str
    name_length: int
    source: str
    root_combinators: bool = True
    ref_siblings: bool = True
    recursive: bool = True
    description_length: int | None = None
    parameter_name: str | None = None
    formats: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    forbidden_keywords: tuple[str, ...] = ()
    doubtful_keywords: tuple[str, ...] = ()
    most_tools: int | None = None
    properties: int | None = None
    levels: int | None = None
    enum_values: int | None = None
    name_characters: int | None = None
    strict_tools: int | None = None
    optional_parameters: int | None = None
    union_parameters: int | None = None


class ProviderFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: when the facts were checked, and one entry per target."""

    checked: str
    note: str
    portable_name: str
    json_schema_formats: tuple[str, ...]
    targets: dict[str, ProviderLimits]


TARGETS = ("anthropic", "anthropic-strict", "openai", "openai-strict", "gemini", "bedrock", "mcp")
"""Targets that differ in what they accept; the file has an entry for each."""

_LIMITED_AS = {"openai-responses": "openai", "openai-responses-strict": "openai-strict"}
"""Request formats that accept the same schemas as another target."""

FORMATS = (*TARGETS, *_LIMITED_AS)
"""Names a user may give to `--target` and `--to`."""


@cache
def provider_facts() -> ProviderFacts:
    """The facts, read at first use."""
    data = files("rightcall.schema").joinpath("providers.json").read_bytes()
    return msgspec.json.decode(data, type=ProviderFacts)


def provider(target: str) -> ProviderLimits:
    """The facts about one target."""
    return provider_facts().targets[target]


def check_target(target: str) -> str:
    """The target whose limits apply to this one, or a `ConfigError` with the nearest name."""
    if target not in FORMATS:
        raise ConfigError(
            f"unknown target '{target}'; {suggestion(target, FORMATS) or 'known: ' + ', '.join(FORMATS)}"
        )
    return _LIMITED_AS.get(target, target)
