"""One tool for one provider: the schema to send and what was lost on the way."""

from __future__ import annotations

import copy
import re
from typing import Any

from rightcall.lint.facts.providers import check_target, provider
from rightcall.lint.portability import anthropic_strict, gemini, openai_strict
from rightcall.lint.portability.rewrite import Loss, Losses, rewritten
from rightcall.model.record import Record
from rightcall.model.tool import Tool


class Converted(Record, frozen=True):
    """The name and schema to send, and everything the target cannot say."""

    name: str
    description: str
    input_schema: dict[str, Any]
    losses: tuple[Loss, ...] = ()


def convert(tool: Tool, target: str) -> Converted:
    """The tool for one of the targets; raises `ConfigError` for an unknown one.

    Only what the target needs is changed: a schema it takes already comes back as it is.
    """
    facts = provider(check_target(target))
    losses = Losses()
    schema = _without_extension(copy.deepcopy(tool.input_schema))
    schema.setdefault("type", "object")
    if not facts.root_combinators:
        schema = _flat_root(schema, losses)
    changes = {
        "openai-strict": openai_strict.strict_schema,
        "anthropic-strict": anthropic_strict.strict_schema,
        "gemini": gemini.gemini_schema,
    }
    if target in changes:
        schema = rewritten(schema, changes[target], losses)
    name = tool.name
    if not re.fullmatch(facts.name.removesuffix("$"), name):
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", name)[: facts.name_length] or "tool"
        if target == "gemini" and not re.match(r"[A-Za-z_]", name):
            name = f"_{name}"[: facts.name_length]
        losses.add((), "name", f"'{tool.name}' written as '{name}'")
    return Converted(name, tool.description, schema, tuple(losses.found))


def _without_extension(schema: Any) -> Any:
    """What was written for RightCall is not sent to a provider."""
    if isinstance(schema, dict):
        return {key: _without_extension(value) for key, value in schema.items() if key != "x-rightcall"}
    return [_without_extension(value) for value in schema] if isinstance(schema, list) else schema


def _flat_root(schema: dict[str, Any], losses: Losses) -> dict[str, Any]:
    """Variants of the root merged into one object in which only what all of them require is required."""
    for key in ("anyOf", "oneOf", "allOf"):
        variants = [each for each in schema.get(key) or () if isinstance(each, dict)]
        if not variants:
            continue
        merged = dict(schema.get("properties") or {})
        for variant in variants:
            for name, inner in (variant.get("properties") or {}).items():
                merged.setdefault(name, inner)
        lists = [set(variant.get("required") or ()) for variant in variants]
        common = set.union(*lists) if key == "allOf" else set.intersection(*lists)
        required = list(dict.fromkeys([*(schema.get("required") or ()), *sorted(common)]))
        schema = {**{k: v for k, v in schema.items() if k != key}, "type": "object", "properties": merged}
        if required:
            schema["required"] = required
        if key != "allOf":
            losses.add((), key, "merged into one object: which fields go together is no longer said")
    return schema
