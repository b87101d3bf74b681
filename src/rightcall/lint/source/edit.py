"""Fixes as edits of a document's text, keeping everything else.

A value that is put into YAML is written in the style around it, or as JSON, which is YAML too. All changes are
checked at the end by reading the new text and comparing it with the value that was wanted; if they differ, nothing is
changed.
"""

from __future__ import annotations

import copy
import json
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rightcall.core.errors import InputError
from rightcall.files.places import Document, JsonPlace
from rightcall.lint.rule import REMOVED, Edit

_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_BARE_MEANS_MORE = frozenset(("true", "false", "null", "yes", "no", "on", "off", "y", "n"))
_BLOCK = re.compile(r"(?P<head>[|>][+-]?)[ \t]*\r?\n(?:[ \t]*\r?\n)*(?P<indent> +)")


@dataclass(frozen=True)
class Splice:
    """Text that replaces what is between two offsets."""

    start: int
    end: int
    text: str

    @property
    def indent(self) -> int:
        """The indentation of an inserted line: of two at one place, the inner one comes first."""
        return len(self.text) - len(self.text.lstrip())

    def meets(self, other: Splice) -> bool:
        """Whether the two overlap. Two insertions at one place do not: they follow each other."""
        if self.start == self.end and other.start == other.end:
            return False
        return self.start <= other.end and other.start <= self.end


def edit_document(document: Document, edits: Sequence[Edit]) -> Document | None:
    """The document with all edits made, or None when its text does not allow them."""
    splices = [change for edit in edits if (change := splice(document, edit)) is not None]
    try:
        expected = edit_value(document.value, edits)
    except (LookupError, TypeError):
        return None
    return _splice_document(document, splices, expected) if len(splices) == len(edits) else None


def edit_value(value: Any, edits: Iterable[Edit]) -> Any:
    """A copy of a plain value with the edits made; raises `LookupError` when a place does not exist."""
    changed = copy.deepcopy(value)
    for edit in edits:
        if not edit.path:
            changed = copy.deepcopy(edit.value)
            continue
        holder = changed
        for part in edit.path[:-1]:
            holder = holder[part]
        if edit.value is REMOVED:
            del holder[edit.path[-1]]
        else:
            holder[edit.path[-1]] = copy.deepcopy(edit.value)
    return changed


def splice(document: Document, edit: Edit) -> Splice | None:
    """The text change of an edit, or None when it is not possible."""
    place = document.place(edit.path)
    if edit.value is REMOVED:
        return _removal(document, edit, place) if place else None
    if place is not None:
        return _replacement(document, place, edit.value)
    holder = document.place(edit.path[:-1])
    return _addition(document, holder, edit) if holder and edit.path else None


def _splice_document(document: Document, splices: list[Splice], expected: Any) -> Document | None:
    text = document.text
    once = dict.fromkeys(splices)  # an anchor's value is one text, wherever it is used
    for splice in sorted(once, key=lambda s: (s.start, s.end, -s.indent), reverse=True):
        text = text[: splice.start] + splice.text + text[splice.end :]
    try:
        changed = Document(document.name, text, kind=document.kind, first_line=document.first_line)
    except InputError:
        return None
    return changed if changed.value == expected else None


def _replacement(document: Document, place: JsonPlace, value: Any) -> Splice:
    text = document.text
    if document.kind == "yaml" and isinstance(value, str):
        alike = in_style_of(text[place.start : place.end], value, _newline(text))
        if alike is not None:
            return Splice(place.start, place.end, alike)
    written = _json_lines(document, value, _indent_of_line(text, place.key))
    if document.kind == "yaml" and text[place.start] in "|>" and text[place.end - 1 : place.end] == "\n":
        written += _newline(text)
    return Splice(place.start, place.end, written)


def _addition(document: Document, holder: JsonPlace, edit: Edit) -> Splice | None:
    """A new member at the end of an object."""
    text = document.text
    named = document.places.members(holder).values()
    # Not those merged by `<<`.
    members = [member for member in named if holder.start <= member.key < holder.end]
    if not isinstance(edit.path[-1], str):
        return None
    name = _key(document, members, edit.path[-1]) + ": "
    if not holder.flow:
        return _line_added(text, members, name + _json_lines(document, edit.value, "")) if members else None
    if not members:
        if text[holder.start + 1 : holder.end - 1].strip():
            return None
        return Splice(holder.start + 1, holder.end - 1, name + _json_lines(document, edit.value, ""))
    last = members[-1]
    indent = _indent_of_line(text, members[0].key)
    broken = "\n" in text[holder.start : members[0].key]
    between = text[members[0].end : members[1].key] if len(members) > 1 else ", "
    comma = f",\n{indent}" if broken else between
    return Splice(
        last.end, last.end, comma + name + _json_lines(document, edit.value, indent if broken else "")
    )


def _line_added(text: str, members: list[JsonPlace], line: str) -> Splice:
    """One more line in YAML's block style."""
    at = members[0].key
    newline = _newline(text)
    indent = " " * (at - text.rfind("\n", 0, at) - 1)
    if text[members[-1].start] in "|>":  # what follows a block of text may be part of it
        return Splice(at, at, f"{line}{newline}{indent}")
    end = _end_of_line(text, members[-1].end)
    return Splice(end, end, f"{newline}{indent}{line}")


def _key(document: Document, members: list[JsonPlace], name: str) -> str:
    """The name with quotes, or without when it needs none and its neighbours have none."""
    quoted = any(document.text[member.key] in "\"'" for member in members)
    if document.kind == "yaml" and not quoted and can_be_bare(name):
        return name
    return json.dumps(name, ensure_ascii=False)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _end_of_line(text: str, offset: int) -> int:
    """The end of the line, after an optional comment."""
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    return end - 1 if text[end - 1 : end] == "\r" else end


def _removal(document: Document, edit: Edit, place: JsonPlace) -> Splice | None:
    holder = document.place(edit.path[:-1])
    if holder is None:
        return None
    members = list(document.places.members(holder).values())
    index = next((i for i, member in enumerate(members) if member.key == place.key), None)
    if index is None:
        return None
    if len(members) == 1:
        return Splice(place.key, place.end, "") if holder.flow else None
    if index + 1 < len(members):
        return Splice(place.key, members[index + 1].key, "")
    return Splice(members[index - 1].end, place.end, "")


def _json_lines(document: Document, value: Any, indent: str) -> str:
    """The value as JSON, broken into lines like the text around it."""
    ascii_only = document.text.isascii() and "\\u" in document.text
    if document.kind == "json" and indent and isinstance(value, dict | list) and len(str(value)) > 60:
        lines = json.dumps(value, ensure_ascii=ascii_only, indent=2 if len(indent) > 1 else 1).split("\n")
        return f"\n{indent}".join(lines)
    return json.dumps(value, ensure_ascii=ascii_only)


def _indent_of_line(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def can_be_bare(text: str) -> bool:
    """Whether YAML reads the word as itself without quotes."""
    return bool(_BARE.fullmatch(text)) and text.lower() not in _BARE_MEANS_MORE


def in_style_of(old: str, text: str, newline: str) -> str | None:
    """The text as `old` was written, or None when that style cannot express it."""
    if old[:1] not in "\"'|>[{&*!" and can_be_bare(text):
        return text
    block = _BLOCK.match(old)
    if block is None or not all(line.isprintable() for line in text.split("\n")):
        return None
    head = block["head"]
    indent = block["indent"]
    lines = text.rstrip("\n").split("\n")
    if head[0] == ">":
        width = max(40, *(len(line.strip()) for line in old.splitlines()))
        wrapped = (
            textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) for line in lines
        )
        lines = list(chain.from_iterable((*part, "") for part in wrapped))[:-1]
    body = newline.join(indent + line if line else "" for line in lines)
    written = f"{head}{newline}{body}{old[len(old.rstrip()) :] or newline}"
    return written if _reads_as(written, text) else None


def _reads_as(written: str, text: str) -> bool:
    import yaml  # 20 ms, which JSON files need not pay

    try:
        return bool(yaml.safe_load(f"text: {written}") == {"text": text})
    except yaml.YAMLError:
        return False
