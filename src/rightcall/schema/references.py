"""What the references of a schema lead to: JSON pointers, anchors and the document's own `$id`. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from urllib.parse import unquote

from rightcall.files.documents import at_pointer

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def reference_of(schema: Any) -> str | None:
    """The text of its `$ref`, or None."""
    reference = schema.get("$ref") if isinstance(schema, dict) else None
    return reference if isinstance(reference, str) else None


def is_local(reference: str) -> bool:
    """Whether it points into the same schema."""
    return reference.startswith("#")


def target_of(root: Any, reference: str) -> Any:
    """The schema that a local reference leads to, or None; one to another document leads nowhere."""
    if not is_local(reference):
        return None
    return _fragment(root, root, reference[1:])


class References:
    """The same for one document that is asked often, and for references by the document's own `$id`."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._targets: dict[str, Any] = {}

    def targets(self, schema: dict[str, Any]) -> Iterator[Any]:
        """What the references of one schema lead to; None for another document."""
        for keyword in REFERENCES:
            if isinstance(reference := schema.get(keyword), str):
                if reference not in self._targets:
                    base, _, fragment = reference.partition("#")
                    start = _first_part(self._root, partial(_has_id, base=base)) if base else self._root
                    self._targets[reference] = _fragment(self._root, start, fragment)
                yield self._targets[reference]


def _fragment(root: Any, start: Any, fragment: str) -> Any:
    if not fragment:
        return start
    if fragment.startswith("/"):
        return at_pointer(start, unquote(fragment))
    return _first_part(root, lambda part: fragment in (part.get("$anchor"), part.get("$dynamicAnchor")))


def _has_id(part: dict[str, Any], base: str) -> bool:
    """Whether a reference may mean it: one of the two may be relative."""
    return any(str(part.get(keyword, "")).rstrip("#").endswith(base) for keyword in ("$id", "id"))


def _first_part(root: Any, is_meant: Callable[[dict[str, Any]], bool]) -> Any:
    waiting = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if is_meant(part):
                return part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return None
