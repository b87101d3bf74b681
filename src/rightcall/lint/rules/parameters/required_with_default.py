"""A required parameter with a default."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if (
            node.required
            and "default" in node.schema
            and node.parent is not None
            and "openai-strict" not in tool.targets
        ):
            names = [name for name in node.parent.schema["required"] if name != node.name]
            yield Finding(
                node.path,
                f"'{node.name}' is required and has a default",
                "drop one of the two",
                edits=(Edit((*node.parent.path, "required"), names),),
            )


RULE = Rule(
    code="TD313",
    name="required-with-default",
    severity="info",
    summary="A required property has a `default`.",
    explanation="""A default is used when the argument is left out, which `required` forbids. The model does not
    know whether it may leave it out.""",
    bad={"input_schema": {"properties": {"days": {"default": 7}}}},
    good={},
    sources=("JSON",),
    check=check,
    fix="suggested",
)
