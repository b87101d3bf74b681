"""How many steps checking a value against a schema takes, estimated before the validator starts.

References let a schema of a kilobyte ask for a billion steps (`anyOf` of two references to the next of thirty, or a
recursive one against a deep value), and the validator cannot be interrupted. Most schemas are small when every
reference is followed, and are not examined again; the others are walked together with each value, up to a limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from rightcall.files.documents import at_pointer

SMALL = 2_000
"""Parts of a schema, with references followed, above which values are examined too."""

MOST_STEPS = 50_000
"""Steps allowed for one value of a large schema, plus `STEPS_A_PART` for each part of the value: about 0.1 s."""
STEPS_A_PART = 50

MOST_ERROR_STEPS = 5_000
"""Steps up to which the validator is asked what is wrong: explaining takes thirty times as long as deciding."""

IN_PLACE_LISTS = ("anyOf", "oneOf", "allOf")
IN_PLACE = ("not", "if", "then", "else")
OF_ITEMS = ("items", "additionalItems", "contains", "unevaluatedItems")
OF_VALUES = ("additionalProperties", "unevaluatedProperties")
NAMED = ("properties", "patternProperties", "dependentSchemas", "dependencies")
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


def is_large(schema: Any) -> bool:
    """Whether the schema, with references followed, has more than `SMALL` parts; then values must be checked."""
    left, references = SMALL, References(schema)
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        left -= 1
        if left < 0:
            return True
        waiting.extend(_parts(part, references))
    return False


def steps(schema: Any, value: Any) -> int:
    """About how many steps the validator takes; counting stops beyond what is allowed for the value."""
    allowed = MOST_STEPS + STEPS_A_PART * _size(value)
    taken, references = 0, References(schema)
    # Each schema with those that led to it for the same value: the validator does not follow cycles either.
    waiting: list[tuple[Any, Any, frozenset[int]]] = [(schema, value, frozenset())]
    while waiting and taken <= allowed:
        part, here, before = waiting.pop()
        if not isinstance(part, dict) or id(part) in before:
            continue
        taken += 1
        round_here = before | {id(part)}
        waiting.extend((inner, here, round_here) for inner in _in_place(part, references))
        inside = _of_items(part, here) if isinstance(here, list) else _of_properties(part, here)
        waiting.extend((inner, item, frozenset()) for inner, item in inside)
        if isinstance(here, dict):
            waiting.extend((inner, here, round_here) for inner in _dependent(part, here))
    return taken


def too_many(taken: int, value: Any) -> bool:
    """Whether that is more than is allowed for the value."""
    return taken > MOST_STEPS + STEPS_A_PART * _size(value)


def _parts(part: dict[str, Any], references: References) -> Iterator[Any]:
    """Every schema directly inside another."""
    yield from _in_place(part, references)
    for keyword in (*OF_ITEMS, *OF_VALUES, "propertyNames"):
        inner = part.get(keyword)
        yield from inner if isinstance(inner, list) else (inner,)
    if isinstance(first := part.get("prefixItems"), list):
        yield from first
    for keyword in NAMED:
        if isinstance(named := part.get(keyword), dict):
            yield from named.values()


def _in_place(part: dict[str, Any], references: References) -> Iterator[Any]:
    """Every schema that applies to the same value."""
    for keyword in IN_PLACE_LISTS:
        if isinstance(listed := part.get(keyword), list):
            yield from listed
    for keyword in IN_PLACE:
        if keyword in part:
            yield part[keyword]
    for keyword in REFERENCES:
        if isinstance(pointer := part.get(keyword), str):
            yield references.target(pointer)


def _of_items(part: dict[str, Any], here: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Every schema of items, with the items it applies to."""
    for keyword in OF_ITEMS:
        inner = part.get(keyword)
        if isinstance(inner, list):
            yield from zip(inner, here, strict=False)
        elif isinstance(inner, dict):
            yield from ((inner, item) for item in here)
    if isinstance(first := part.get("prefixItems"), list):
        yield from zip(first, here, strict=False)


def _of_properties(part: dict[str, Any], here: Any) -> Iterator[tuple[Any, Any]]:
    """Every schema of properties, with the values it applies to. Patterns are taken to fit every name."""
    if not isinstance(here, dict):
        return
    properties = part.get("properties")
    known: dict[str, Any] = properties if isinstance(properties, dict) else {}
    yield from ((known[name], inner) for name, inner in here.items() if name in known)
    if isinstance(patterns := part.get("patternProperties"), dict):
        yield from ((schema, inner) for schema in patterns.values() for inner in here.values())
    for keyword in OF_VALUES:
        if isinstance(others := part.get(keyword), dict):
            yield from ((others, inner) for name, inner in here.items() if name not in known)


def _dependent(part: dict[str, Any], here: dict[str, Any]) -> Iterator[Any]:
    """Every schema that applies to the value because of a name in it."""
    for keyword in ("dependentSchemas", "dependencies"):
        if isinstance(dependent := part.get(keyword), dict):
            yield from (schema for name, schema in dependent.items() if name in here)


class References:
    """What the references of one schema document point to: `#/$defs/x`, an anchor, or its own `$id`."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._known: dict[str, Any] = {}

    def target(self, reference: str) -> Any:
        """The schema referred to; None for another document, which compiling has refused."""
        if reference not in self._known:
            self._known[reference] = self._found(reference)
        return self._known[reference]

    def _found(self, reference: str) -> Any:
        base, _, fragment = reference.partition("#")
        start = self._root if not base else self._with(("$id", "id"), base)
        if not fragment.startswith("/"):
            return self._with(("$anchor", "$dynamicAnchor"), fragment) if fragment else start
        return at_pointer(start, unquote(fragment))

    def _with(self, keywords: tuple[str, ...], text: str) -> Any:
        """The part of the document whose keyword is the text, or ends with it."""
        waiting = [self._root]
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                if any(str(part.get(keyword, "")).rstrip("#").endswith(text) for keyword in keywords):
                    return part
                waiting.extend(part.values())
            elif isinstance(part, list):
                waiting.extend(part)
        return None


def _size(value: Any) -> int:
    """How many values there are in a value."""
    count = 0
    waiting = [value]
    while waiting:
        part = waiting.pop()
        count += 1
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return count
