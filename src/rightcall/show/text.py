"""Makes text of models, tools and datasets safe to show: nothing hidden, nothing endless.

Escaping for HTML and Markdown is done by those formats, after this.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.core.text import clip_text, one_line, visible

__all__ = ["clip_text", "one_line", "visible"]

LONGEST_TEXT = 20_000
DEEPEST = 40


def display_text(text: str, limit: int = LONGEST_TEXT) -> str:
    """Text ready to be shown; cut first, so that five megabytes cost nothing."""
    return clip_text(visible(text[: limit + 1]), limit) if len(text) <= limit else _cut(text, limit)


def value_words(value: Any, limit: int = 300) -> str:
    """A value as written in a call, on one line; `nothing` for one that was not given."""
    return "nothing" if value is None else one_line(json_text(value), limit)


def edit_text(value: Any, limit: int = 2_000) -> str:
    """A value of a definition: text unchanged, anything else as JSON."""
    return display_text(value, limit) if isinstance(value, str) else one_line(json_text(value), limit)


def json_text(value: Any, limit: int = LONGEST_TEXT) -> str:
    """A value as JSON for reading: on one line when short, indented when not, cut when long or deep."""
    try:
        compact = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return display_text(repr(value), limit)
    if len(compact) <= 80 or len(compact) > limit or _depth(compact) > DEEPEST:
        return display_text(compact, limit)
    return display_text(msgspec.json.format(compact, indent=2), limit)


def json_document(value: Any) -> bytes:
    """A value as one indented JSON document, for a file or a terminal."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def xml_text(text: str) -> str:
    """Text in an element or an attribute of XML; characters that XML cannot represent are spelled out by `visible`."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&apos;")


def _cut(text: str, limit: int) -> str:
    return f"{visible(text[:limit])}… ({len(text) - limit:,} more characters)"


def _depth(compact: str) -> int:
    """At least how deep the JSON goes; brackets inside strings only make it seem deeper."""
    deepest = depth = 0
    for character in compact:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest
