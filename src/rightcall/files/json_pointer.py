"""Locations inside a document: paths of keys and indexes, and JSON pointers."""

from __future__ import annotations

JsonPath = tuple[str | int, ...]
"""Keys and indexes from the root of a document or tool to a value."""


def pointer(path: JsonPath) -> str:
    """A path as a JSON pointer (RFC 6901)."""
    text = "/".join(["", *map(str, path)])
    if "~" not in text and text.count("/") == len(path):
        return text
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)
