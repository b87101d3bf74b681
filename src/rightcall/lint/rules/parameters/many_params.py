"""More parameters than a model fills reliably."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule

MANY = 10
TOO_MANY = 20


def check(tool: ToolFeatures) -> Iterator[Finding]:
    count = len(tool.parameters)
    if count > MANY:
        yield Finding(
            (*INPUT, "properties"),
            f"{count} parameters",
            "split the tool by purpose, or remove what the program already knows",
            severity="error" if count > TOO_MANY else None,
        )


RULE = Rule(
    code="TD311",
    name="many-params",
    severity="warning",
    summary="More than 10 parameters (more than 20: error).",
    explanation="""With many parameters a model leaves out the one that mattered or fills in ones that should stay
    empty.""",
    bad={
        "input_schema": {
            "properties": {
                f"with_{name}": {"type": "boolean", "description": f"Whether {name} belongs into the answer."}
                for name in ["wind", "rain", "snow", "fog", "hail", "frost", "pollen", "tides", "sunrise"]
            }
        }
    },
    good={},
    sources=("SM1",),
    check=check,
)
