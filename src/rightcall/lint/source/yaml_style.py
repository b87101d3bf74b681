"""A text put into YAML in the style of the one it replaces: bare, in quotes, or as a block of lines."""

from __future__ import annotations

import re
import textwrap

import yaml

_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_BARE_MEANS_MORE = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
_BLOCK = re.compile(r"(?P<head>[|>][+-]?)[ \t]*\r?\n(?:[ \t]*\r?\n)*(?P<indent> +)")


def can_be_bare(text: str) -> bool:
    """Is it a word that YAML reads as itself without quotes?"""
    return bool(_BARE.fullmatch(text)) and text.lower() not in _BARE_MEANS_MORE


def in_style_of(old: str, text: str, newline: str) -> str | None:
    """The text as `old` was written, or None when that style cannot carry it."""
    if old[:1] not in "\"'|>[{&*!" and can_be_bare(text):
        return text
    block = _BLOCK.match(old)
    if block is None or not all(line.isprintable() for line in text.split("\n")):
        return None
    head, indent = block["head"], block["indent"]
    lines = text.rstrip("\n").split("\n")
    if head[0] == ">":
        width = max(40, *(len(line.strip()) for line in old.splitlines()))
        wrapped = (
            textwrap.wrap(each, width, break_long_words=False, break_on_hyphens=False) for each in lines
        )
        lines = [line for part in wrapped for line in (*part, "")][:-1]
    body = newline.join(indent + line if line else "" for line in lines)
    written = f"{head}{newline}{body}{old[len(old.rstrip()) :] or newline}"
    return written if _reads_as(written, text) else None


def _reads_as(written: str, text: str) -> bool:
    try:
        return bool(yaml.safe_load(f"text: {written}") == {"text": text})
    except yaml.YAMLError:
        return False
