"""Resolution of a schema's references. Nothing is ever fetched."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote


def is_local(reference: str) -> bool:
    """Whether it points into the same schema."""
    return reference.startswith("#")


def resolved(root: dict[str, Any], reference: str) -> Any:
    """The target of a local reference, or None: JSON pointers and `$anchor`s of `$defs` are followed."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
        return _anchored(root, reference[1:]) if is_local(reference) else None
    value: Any = root
    for part in reference[2:].split("/"):
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(value, list):
            value = value[int(name)] if name.isascii() and name.isdigit() and int(name) < len(value) else None
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _anchored(root: dict[str, Any], anchor: str) -> Any:
    definitions = root.get("$defs")
    schemas = definitions.values() if isinstance(definitions, dict) else ()
    return next((each for each in schemas if isinstance(each, dict) and each.get("$anchor") == anchor), None)
