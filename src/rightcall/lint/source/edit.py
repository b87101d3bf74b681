"""Corrections as changes of a document's text, keeping everything else as it was.

A value that is put into YAML is written as JSON, which is YAML too. Every change is checked by reading the
new text and comparing it with the value that was wanted; a change that does not survive is not made.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from rightcall.errors import InputError
from rightcall.lint.diagnostic import REMOVED, Edit
from rightcall.lint.source.document import Document
from rightcall.lint.source.json_places import Place


def edited(document: Document, edits: Sequence[Edit]) -> Document | None:
    """The document with the edits made, one after another, or None when its text cannot take them."""
    for edit in edits:
        wanted = edited_value(document.value, edit)
        text = _spliced(document, edit)
        if text is None:
            return None
        try:
            document = Document(document.name, text, kind=document.kind, first_line=document.first_line)
        except InputError:
            return None
        if document.value != wanted:
            return None
    return document


def edited_value(value: Any, edit: Edit) -> Any:
    """A copy of a plain value with one edit made; raises `LookupError` when the place does not exist."""
    if not edit.path:
        return copy.deepcopy(edit.value)
    changed = copy.deepcopy(value)
    holder = changed
    for part in edit.path[:-1]:
        holder = holder[part]
    last = edit.path[-1]
    if edit.value is REMOVED:
        del holder[last]
    elif isinstance(holder, list) and last == len(holder):
        holder.append(copy.deepcopy(edit.value))
    else:
        holder[last] = copy.deepcopy(edit.value)
    return changed


def _spliced(document: Document, edit: Edit) -> str | None:
    place = document.place(edit.path)
    if edit.value is REMOVED:
        return _without(document, edit, place) if place else None
    if place is not None:
        return _with_value(document, place, edit.value)
    holder = document.place(edit.path[:-1])
    return _with_member(document, holder, edit) if holder else None


def _with_value(document: Document, place: Place, value: Any) -> str:
    text = document.text
    written = _written(document, value, _indent_of_line(text, place.key))
    if document.kind == "yaml" and text[place.start] in "|>" and text[place.end - 1 : place.end] == "\n":
        written += "\n"
    return text[: place.start] + written + text[place.end :]


def _with_member(document: Document, holder: Place, edit: Edit) -> str | None:
    """A new member at the end of an object or list (YAML in block style: at its beginning)."""
    text, members = document.text, list(document.places.members(holder).values())
    is_object = isinstance(edit.path[-1], str)
    if not holder.flow:
        if not is_object or not members:
            return None
        indent = " " * (members[0].key - text.rfind("\n", 0, members[0].key) - 1)
        line = f"{json.dumps(edit.path[-1], ensure_ascii=False)}: {_written(document, edit.value, '')}"
        return text[: members[0].key] + line + "\n" + indent + text[members[0].key :]
    name = f"{json.dumps(edit.path[-1], ensure_ascii=False)}: " if is_object else ""
    if not members:
        inside = text[holder.start + 1 : holder.end - 1]
        if inside.strip():
            return None
        return text[: holder.start + 1] + name + _written(document, edit.value, "") + text[holder.end - 1 :]
    last, broken = members[-1], "\n" in text[holder.start : members[0].key]
    indent = _indent_of_line(text, members[0].key)
    separator = f",\n{indent}" if broken else ", " if document.kind == "yaml" else _comma(text, members)
    return text[: last.end] + separator + name + _written(document, edit.value, indent) + text[last.end :]


def _comma(text: str, members: list[Place]) -> str:
    """The comma as it is written between the members that are there."""
    return text[members[0].end : members[1].key] if len(members) > 1 else ", "


def _without(document: Document, edit: Edit, place: Place) -> str | None:
    text = document.text
    holder = document.place(edit.path[:-1])
    if holder is None:
        return None
    members = list(document.places.members(holder).values())
    index = next((i for i, member in enumerate(members) if member.key == place.key), None)
    if index is None:
        return None
    if len(members) == 1:
        return text[: place.key] + text[place.end :] if holder.flow else None
    if index + 1 < len(members):
        return text[: place.key] + text[members[index + 1].key :]
    before = members[index - 1].end
    return text[:before] + text[place.end :]


def _written(document: Document, value: Any, indent: str) -> str:
    """The value as JSON, broken into lines like the text around it."""
    ascii_only = document.text.isascii() and "\\u" in document.text
    if document.kind == "json" and indent and isinstance(value, dict | list) and len(str(value)) > 60:
        step = len(indent) if len(indent) <= 4 else 2
        lines = json.dumps(value, ensure_ascii=ascii_only, indent=step).split("\n")
        return f"\n{indent}".join(lines)
    return json.dumps(value, ensure_ascii=ascii_only)


def _indent_of_line(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    line = text[start:offset]
    return line[: len(line) - len(line.lstrip(" \t"))]
