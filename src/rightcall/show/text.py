"""Texts and numbers as every report format shows them.

Text of models, tools and datasets is made safe: nothing hidden, nothing endless. Escaping for HTML and Markdown is done
by those formats, after this.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from rightcall.core.text import clip_text, one_line, percent, visible

__all__ = ["clip_text", "one_line", "visible"]

LONGEST_TEXT = 20_000
DEEPEST = 40


def display_text(text: str, limit: int = LONGEST_TEXT) -> str:
    """Text ready to be shown; cut first, so that five megabytes cost nothing."""
    if len(text) <= limit:
        return clip_text(visible(text), limit)
    return f"{visible(text[:limit])}… ({len(text) - limit:,} more characters)"


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


def xml_text(text: str) -> str:
    """Text in an element or an attribute of XML; characters that XML cannot represent are spelled out by `visible`."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&quot;").replace("'", "&apos;")


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


def whole(goldens: float) -> str:
    """An estimated number of goldens: whole ones, never rounded down to none."""
    return "<1" if 0 < goldens < 0.5 else f"{goldens:,.0f}"


def decimal(value: float | None, digits: int = 3) -> str:
    """A score or a mean."""
    return "–" if value is None else f"{value:.{digits}f}"


def count(value: int) -> str:
    return f"{value:,}"


def duration(milliseconds: float | None) -> str:
    """Milliseconds up to a second, then seconds, then minutes."""
    if milliseconds is None:
        return "–"
    if milliseconds < 1000:
        return f"{milliseconds:.3g} ms" if milliseconds < 100 else f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.2f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60):02} s"


def dollars(value: float | None) -> str:
    """An amount; small ones keep their digits."""
    if value is None:
        return "–"
    return "$0" if value == 0 else f"${value:,.2f}" if value >= 1 else f"${value:.4f}"


FILTERS: dict[str, Callable[..., Any]] = {
    "whole": whole,
    "percent": partial(percent, digits=1),
    "decimal": decimal,
    "count": count,
    "duration": duration,
    "dollars": dollars,
    "value_words": value_words,
    "edit_text": edit_text,
}
