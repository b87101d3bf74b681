"""Disguises of a planted text: where a filter, or a reader, would not look for an instruction."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping

from rightcall.core.codec import encode
from rightcall.model.safety import Wrap

ZERO_WIDTH = "\u200b"
FIRST_TAG = 0xE0000


def _zero_width(text: str) -> str:
    """The text with an invisible character within each word."""
    return " ".join(
        f"{word[:1]}{ZERO_WIDTH}{word[1:]}" if len(word) > 3 else word for word in text.split(" ")
    )


def _tags(text: str) -> str:
    """The text in tag characters, which no screen shows and some models read."""
    return "".join(chr(FIRST_TAG + ord(c)) if " " <= c <= "~" else c for c in text)


def _json_field(text: str) -> str:
    return f'{{"note": {encode(text).decode()}}}'


WRAPPERS: Mapping[Wrap, Callable[[str], str]] = {
    "plain": lambda text: text,
    "html_comment": lambda text: f"<!-- {text.replace('-->', '--')} -->",
    "markdown_link": lambda text: f"[see also]({text.replace(')', ']')})",
    "code_block": lambda text: f"```\n{text}\n```",
    "json_field": _json_field,
    "zero_width": _zero_width,
    "tags": _tags,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "other_language": lambda text: text,  # such a text was written in its language when the attempt was made
}


def wrap_text(text: str, wrap: Wrap) -> str:
    """The text in its disguise."""
    return WRAPPERS[wrap](text)
