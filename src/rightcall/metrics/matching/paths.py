"""Values inside a tool's result, whatever spelling the result came in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from rightcall.metrics.matching.base import MISSING
from rightcall.model.codec import DecodeErrors

LONGEST_TEXT = 10_000_000
"""Characters of a result beyond which it is not read as JSON."""


def values_at(output: Any, path: str) -> list[Any]:
    """What a dotted path such as `orders.0.id` leads to; one value for each way to read the result.

    A result may be the object itself, its JSON as text (OpenAI, Anthropic), or parts of text (MCP).
    """
    found = (value_at(document, path) for document in _readings(output))
    return [value for value in found if value is not MISSING]


def value_at(document: Any, path: str) -> Any:
    """Follow a path into a document, through texts that are JSON; MISSING when it leads nowhere."""
    here = document
    for step in path.replace("[", ".").replace("]", "").split(".") if path else ():
        if isinstance(here, str):
            here = _decoded(here)
        if isinstance(here, list) and step.lstrip("-").isdecimal() and -len(here) <= int(step) < len(here):
            here = here[int(step)]
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            return MISSING
    return here


def _readings(output: Any) -> Iterator[Any]:
    yield output
    if isinstance(output, dict):  # a result of MCP as its server sent it
        if isinstance(output.get("structuredContent"), dict):
            yield output["structuredContent"]
        output = output.get("content")
    if isinstance(output, list) and output and all(_is_text_part(part) for part in output):
        output = "\n".join(part["text"] for part in output)
        yield output
    if isinstance(output, str):
        decoded = _decoded(output)
        if decoded is not MISSING:
            yield decoded


def _is_text_part(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _decoded(text: str) -> Any:
    if len(text) > LONGEST_TEXT:
        return MISSING
    try:
        return msgspec.json.decode(text)
    except (*DecodeErrors, UnicodeEncodeError):
        return MISSING
