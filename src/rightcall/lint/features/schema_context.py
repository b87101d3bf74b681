"""Relations between schemas: which validate the same value, which are counted or negated.

Closing an object that shares its value with another schema refuses what the other one declares. Loosening a schema that
is counted (`oneOf`, `contains`) or negated (`not`, `if`) can refuse what was accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rightcall.core.groups import group_by, reachable
from rightcall.core.words import word_set
from rightcall.files.documents import JsonPath
from rightcall.lint.features.nodes import Node
from rightcall.schema.subschemas import DEFINITIONS, reference_of

Resolve = Callable[[str], Any]

_SHAPING = word_set("""
    properties patternProperties additionalProperties unevaluatedProperties required dependentRequired
    dependentSchemas dependencies allOf anyOf oneOf if then else $ref $dynamicRef items prefixItems contains
    """)
"""Keywords that say what is inside an object or a list."""

_OPEN_ON_PURPOSE = _SHAPING - {"properties", "required", "dependentRequired"}
_SPEAKING_OF_THE_SAME = _SHAPING - {
    "properties", "required", "dependentRequired", "additionalProperties", "items", "prefixItems"
}  # fmt: skip
"""Keywords whose schemas may validate the same values as sibling `properties` and `items`."""

_COUNTED = ("oneOf", "not", "if", "contains")
_UNKNOWN_TARGET = frozenset(("$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"))


def schemas_with_shared_value(nodes: list[Node], resolve: Resolve) -> frozenset[JsonPath]:
    """The schemas whose value another schema validates too, with everything inside them."""
    starts = [node for node in nodes if node.parent is not None and _shares(node.part, node.parent.schema)]
    return _paths_from(nodes, starts, resolve, through=lambda node: len(_SHAPING & node.schema.keys()) > 1)


def schemas_that_must_not_loosen(nodes: list[Node], resolve: Resolve) -> frozenset[JsonPath]:
    """The schemas that must not become more permissive, with everything inside them."""
    starts = [node for node in nodes if node.part in _COUNTED]
    return _paths_from(nodes, starts, resolve, through=lambda node: False)


def can_be_closed(node: Node) -> bool:
    """Whether every value of declared properties would still be valid if the schema were closed.

    An inner object without properties takes whatever is sent: closed, it would take nothing.
    """
    schema = node.schema
    properties = schema.get("properties", {})
    if not isinstance(properties, dict) or not _OPEN_ON_PURPOSE.isdisjoint(schema):
        return False
    if not properties and node.parent is not None:
        return False
    least = schema.get("minProperties", 0)
    return (
        _names_asked_for(schema) <= properties.keys() and isinstance(least, int) and least <= len(properties)
    )


def _names_asked_for(schema: dict[str, Any]) -> set[str]:
    """The names that `required` and `dependentRequired` can ask for."""
    dependent = schema.get("dependentRequired")
    lists = [schema.get("required"), *(dependent.values() if isinstance(dependent, dict) else ())]
    return {name for names in lists if isinstance(names, list) for name in names if isinstance(name, str)}


def _shares(part: str, holder: dict[str, Any]) -> bool:
    if part in ("properties", "items", "prefixItems", "additionalProperties"):
        return not _SPEAKING_OF_THE_SAME.isdisjoint(holder)
    if part in ("anyOf", "oneOf"):
        return len(_SHAPING & holder.keys()) > 1
    if part == "allOf":
        return len(holder["allOf"]) > 1 or len(_SHAPING & holder.keys()) > 1
    return part not in DEFINITIONS


def _paths_from(
    nodes: list[Node], starts: Iterable[Node], resolve: Resolve, *, through: Callable[[Node], bool]
) -> frozenset[JsonPath]:
    """The starts, what is inside them, what they refer to, and what the nodes that `through` names refer to."""
    referring = [node for node in nodes if reference_of(node.schema) is not None]
    waiting = [*starts]
    if not waiting and not any(map(through, referring)):
        return frozenset()
    by_schema = {id(node.schema): node for node in nodes}
    targets = {id(node): by_schema.get(id(resolve(node.schema["$ref"]))) for node in referring}
    waiting += [target for node in referring if through(node) and (target := targets[id(node)])]
    # References that are not pointers may lead anywhere.
    named = any(not _UNKNOWN_TARGET.isdisjoint(node.schema) for node in nodes) or any(
        node.parent is not None and isinstance(node.schema.get("$id"), str) for node in nodes
    )
    if named or None in targets.values():
        waiting += [node for node in nodes if node.part in DEFINITIONS]  # anything may lead there
    inside = group_by((node for node in nodes if node.part not in DEFINITIONS), lambda node: id(node.parent))

    def led_to(node: Node) -> Iterator[Node]:
        yield from inside.get(id(node), ())
        if (target := targets.get(id(node))) is not None:
            yield target

    return frozenset(node.path for node in reachable(waiting, led_to))
