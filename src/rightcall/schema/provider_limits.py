"""What each provider accepts, from one dated file."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from rightcall.core.errors import ConfigError, suggestion


class Refusal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why keywords are refused: those in `keywords`, or without them all `besides` these and `x-…`.

    `{}` in the message stands for the keyword.
    """

    message: str
    hint: str
    severity: Literal["error", "warning"] | None = None
    keywords: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()

    def holds_for(self, keyword: Any) -> bool:
        """Whether the keyword is refused for this reason."""
        if self.keywords:
            return keyword in self.keywords
        return keyword not in self.besides and not str(keyword).startswith("x-")


class ProviderLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one target accepts: numbers by what they count, and the only values that a keyword may have.

    What is in none of the tables has no known limit. `name` is a pattern without the limit of length.
    """

    source: str
    name: str
    parameter_name: str = ""
    most: dict[str, int] = {}
    lacks: tuple[Literal["root combinators", "siblings of $ref", "recursion"], ...] = ()
    values: dict[str, tuple[Any, ...]] = {}
    refusals: tuple[Refusal, ...] = ()

    def refusal(self, keyword: Any) -> Refusal | None:
        """Why a keyword is refused; None for one that is not."""
        return next((refusal for refusal in self.refusals if refusal.holds_for(keyword)), None)

    def takes(self, keyword: str, value: Any) -> bool:
        """Whether a keyword may have the value."""
        return value in self.values.get(keyword, (value,))


TARGETS = ("anthropic", "anthropic-strict", "openai", "openai-strict", "gemini", "bedrock", "mcp")
"""Targets that differ in what they accept; the file has an entry for each."""

_LIMITED_AS = {"openai-responses": "openai", "openai-responses-strict": "openai-strict"}
"""Request formats that accept the same schemas as another target."""

FORMATS = (*TARGETS, *_LIMITED_AS)
"""Names a user may give to `--target`."""


@cache
def _limits() -> dict[str, ProviderLimits]:
    data = files("rightcall.schema").joinpath("providers.json").read_bytes()
    return msgspec.convert(msgspec.json.decode(data)["targets"], dict[str, ProviderLimits])


def provider(target: str) -> ProviderLimits:
    """The facts about one target; the file is read at first use."""
    return _limits()[target]


def targets_without(targets: Iterable[str], feature: str) -> list[str]:
    """The targets that do not have a feature, in alphabetical order."""
    return sorted(target for target in targets if feature in provider(target).lacks)


def lower_limits(targets: Iterable[str], what: str, count: int) -> dict[str, int]:
    """The targets that accept fewer, with how many they accept, in alphabetical order."""
    limits = {target: provider(target).most.get(what, count) for target in sorted(targets)}
    return {target: limit for target, limit in limits.items() if count > limit}


def check_target(target: str) -> str:
    """The target whose limits apply to this one, or a `ConfigError` with the nearest name."""
    if target not in FORMATS:
        raise ConfigError(
            f"unknown target '{target}'; {suggestion(target, FORMATS) or 'known: ' + ', '.join(FORMATS)}"
        )
    return _LIMITED_AS.get(target, target)
