"""The variants of a root schema, for targets that allow no combinator there."""

from __future__ import annotations

from typing import Any

from rightcall.portability.join import joined
from rightcall.portability.rewrite import Losses, as_text, without

_SAID = frozenset(("type", "properties", "required", "additionalProperties", "description", "title"))


def one_object(schema: dict[str, Any], losses: Losses) -> dict[str, Any]:
    """The variants merged into one object that requires only what all of them require.

    A property that they describe differently may match any of them.
    """
    for key in ("anyOf", "oneOf"):
        listed = schema.get(key)
        if key in schema:
            schema = _merged(without(schema, [key]), key, listed if isinstance(listed, list) else [], losses)
    return schema


def _merged(schema: dict[str, Any], key: str, listed: list[Any], losses: Losses) -> dict[str, Any]:
    losses.add((), key, "merged into one object: which fields belong together is lost")
    variants = [variant for variant in listed if isinstance(variant, dict)]
    if not variants:
        return schema
    own = schema.get("properties")
    properties = dict(own) if isinstance(own, dict) else {}
    for name, forms in _forms(variants).items():
        if name not in properties:
            properties[name] = forms[0] if len(forms) == 1 else {"anyOf": forms}
        elif any(form != properties[name] for form in forms):
            losses.add(("properties", name), key, f"removed what a variant adds: {as_text(forms)}")
    lists = [variant.get("required") for variant in variants]
    common = [
        name
        for name in (lists[0] if isinstance(lists[0], list) else [])
        if all(isinstance(names, list) and name in names for names in lists)
    ]
    for index, variant in enumerate(variants):
        for left in set(variant) - _SAID:
            losses.add((key, index), left, f"removed with its variant: {as_text(variant[left])}")
    made = joined(without(schema, ["properties"]), {"required": common}, (), losses) if common else schema
    return {**made, "type": "object", "properties": properties}


def _forms(variants: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Each property with the different schemas from the variants."""
    found: dict[str, list[Any]] = {}
    for variant in variants:
        properties = variant.get("properties")
        for name, schema in properties.items() if isinstance(properties, dict) else ():
            forms = found.setdefault(name, [])
            if schema not in forms:
                forms.append(schema)
    return found
