"""Locations inside a document: paths of keys and indexes, and JSON pointers (RFC 6901)."""

from __future__ import annotations

from typing import Any

JsonPath = tuple[str | int, ...]
"""Keys and indexes from the root of a document or tool to a value."""


def pointer(path: JsonPath) -> str:
    """A path as a JSON pointer."""
    text = "/".join(["", *map(str, path)])
    if "~" not in text and text.count("/") == len(path):
        return text
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def pointer_parts(text: str) -> list[str]:
    """The keys of a JSON pointer: `/a~1b/0` gives `a/b` and `0`."""
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def at_pointer(root: Any, text: str) -> Any:
    """The value that a JSON pointer leads to, or None."""
    here = root
    for part in pointer_parts(text):
        if isinstance(here, dict):
            here = here.get(part)
        elif isinstance(here, list) and part.isascii() and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        else:
            return None
    return here
