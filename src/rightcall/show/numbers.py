"""Number formatting, the same in every report format."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rightcall.core.text import percent
from rightcall.show.text import edit_text, value_words


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
