"""Arguments inside arguments inside arguments."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

DEEP = 3
TOO_DEEP = 10


def check(tool: ToolFeatures) -> Iterator[Finding]:
    deepest = max(tool.properties, key=lambda node: node.depth, default=None)
    if deepest is None or deepest.depth <= DEEP:
        return
    limits = [limit for target in tool.targets if (limit := provider(target).levels) is not None]
    refused = any(deepest.depth > limit for limit in limits)
    names = ".".join(
        str(deepest.path[i + 1]) for i, part in enumerate(deepest.path[:-1]) if part == "properties"
    )
    yield Finding(
        deepest.path,
        f"{deepest.depth} levels deep: {names}",
        "flatten it, or split the tool",
        severity="error" if refused or deepest.depth > TOO_DEEP else None,
    )


def _nested(levels: int) -> dict[str, object]:
    inner: dict[str, object] = {"type": "string", "description": "Name of the sensor as its maker gives it."}
    for name in ("sensor", "mast", "site")[:levels]:
        inner = {
            "type": "object",
            "description": f"The {name} to read from, with what belongs to it.",
            "properties": {f"{name}_part": inner},
            "additionalProperties": False,
        }
    return inner


RULE = Rule(
    code="TD310",
    name="deep-nesting",
    severity="warning",
    summary="A property is more than 3 levels deep (more than 10: error).",
    explanation="""Each level is another chance to close a brace too early or put a field in the wrong object.
    OpenAI rejects more than 10 levels in strict mode.""",
    bad={"input_schema": {"properties": {"network": _nested(3)}}},
    good={"input_schema": {"properties": {"network": _nested(2)}}},
    sources=("OAI-so",),
    check=check,
)
