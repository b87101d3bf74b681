"""Foreign text in messages: without secrets, and on one line."""

from __future__ import annotations

from rightcall.core.redaction.clean_text import HIDDEN, scrub, scrubber

__all__ = ["HIDDEN", "one_line", "scrub", "scrubber"]


def one_line(text: str, limit: int = 300) -> str:
    """Untrusted text for an error message: printable, on one line, truncated to `limit` characters."""
    text = text[: 4 * limit]
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"
