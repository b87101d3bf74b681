"""The one walker: which keywords of a schema contain schemas, what those apply to, and what references lead to.

A new keyword is a new row of `HOLDERS`; conversion, lint, the estimate of validation cost and fixes follow it.
References are JSON pointers, anchors and the document's own `$id`. Nothing is fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

from rightcall.core.depth import values_in
from rightcall.files.documents import at_pointer

Form = Literal["one", "list", "one or list", "named"]
Place = Literal["same", "items", "property", "matching", "other", "dependent", "names", "nowhere"]

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Holder(NamedTuple):
    """How a keyword contains schemas, and which values they apply to.

    `same`: the value itself; `dependent`: the value itself if it has a property of that name; `property`: the property
    of that name; `matching`: properties whose name matches; `other`: properties without a schema;
    `names`: property names; `nowhere`: what refers to it. `described`: definitions use it, so that it is converted
    and linted; the others are only validated.
    """

    form: Form
    place: Place
    described: bool = True


HOLDERS: dict[str, Holder] = {
    "properties": Holder("named", "property"),
    "patternProperties": Holder("named", "matching"),
    "additionalProperties": Holder("one", "other"),
    "unevaluatedProperties": Holder("one", "other", described=False),
    "propertyNames": Holder("one", "names"),
    "dependentSchemas": Holder("named", "dependent"),
    "dependencies": Holder("named", "dependent", described=False),
    "items": Holder("one or list", "items"),
    "prefixItems": Holder("list", "items"),
    "contains": Holder("one", "items"),
    "additionalItems": Holder("one", "items", described=False),
    "unevaluatedItems": Holder("one", "items", described=False),
    "anyOf": Holder("list", "same"),
    "oneOf": Holder("list", "same"),
    "allOf": Holder("list", "same"),
    "not": Holder("one", "same"),
    "if": Holder("one", "same"),
    "then": Holder("one", "same"),
    "else": Holder("one", "same"),
    "$defs": Holder("named", "nowhere"),
    "definitions": Holder("named", "nowhere"),
}
DESCRIBED = {keyword: holder for keyword, holder in HOLDERS.items() if holder.described}
DEFINITIONS = frozenset(keyword for keyword, holder in HOLDERS.items() if holder.place == "nowhere")
NAMED = frozenset(keyword for keyword, holder in DESCRIBED.items() if holder.form == "named")


def subschemas(
    schema: dict[str, Any], holders: Mapping[str, Holder] = DESCRIBED
) -> list[tuple[str, Any, Any]]:
    """Each schema directly inside another, in the order of the file: its keyword, its name or index there, itself.

    `true` and `false` are schemas.
    """
    if holders.keys().isdisjoint(schema):
        return []
    parts: list[tuple[str, Any, Any]] = []
    for keyword, value in schema.items():
        if keyword not in holders:
            continue
        form = holders[keyword].form
        if isinstance(value, list):
            if "list" in form:
                parts += [(keyword, index, part) for index, part in enumerate(value)]
        elif form == "named":
            if isinstance(value, dict):
                parts += [(keyword, name, part) for name, part in value.items()]
        elif form != "list" and isinstance(value, dict | bool):
            parts.append((keyword, None, value))
    return parts


def applications(schema: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """Each schema inside another that validates the value or a part of it, with what it validates.

    Patterns are taken to match every name.
    """
    for keyword, step, part in subschemas(schema, HOLDERS):
        place = HOLDERS[keyword].place
        if place == "same":
            yield part, value
        elif isinstance(value, list) and place == "items":
            items = value if step is None else value[step : step + 1]
            yield from ((part, item) for item in items)
        elif isinstance(value, dict):
            if place == "property" and step in value:
                yield part, value[step]
            elif place == "dependent" and step in value:
                yield part, value
            elif place == "matching":
                yield from ((part, item) for item in value.values())
            elif place == "other":
                declared = properties_of(schema)
                yield from ((part, item) for name, item in value.items() if name not in declared)


def properties_of(schema: dict[str, Any]) -> dict[str, Any]:
    """The properties of a schema; none where it has something else in their place."""
    properties = schema.get("properties")
    return properties if isinstance(properties, dict) else {}


def required_of(schema: dict[str, Any]) -> list[str]:
    """The names that a schema requires; none where it has something else in their place."""
    names = schema.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


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
                    start = _part_with_id(self._root, base) if base else self._root
                    self._targets[reference] = _fragment(self._root, start, fragment)
                yield self._targets[reference]


def _fragment(root: Any, start: Any, fragment: str) -> Any:
    if not fragment:
        return start
    if fragment.startswith("/"):
        return at_pointer(start, unquote(fragment))
    return _first_part(root, lambda part: fragment in (part.get("$anchor"), part.get("$dynamicAnchor")))


def _part_with_id(root: Any, base: str) -> Any:
    """The part that a reference to a document means; its `$id` and the reference may be relative."""
    return _first_part(
        root, lambda part: any(str(part.get(key, "")).rstrip("#").endswith(base) for key in ("$id", "id"))
    )


def _first_part(root: Any, is_meant: Callable[[dict[str, Any]], bool]) -> Any:
    return next((part for part in values_in(root) if isinstance(part, dict) and is_meant(part)), None)
