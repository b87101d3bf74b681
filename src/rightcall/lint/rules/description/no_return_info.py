"""Nothing says what the tool returns."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import RETURN_WORDING
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if len(tool.words) < 5 or len(tool.telling_stems) < 2 or tool.source.output_schema is not None:
        return
    if not RETURN_WORDING.search(tool.lower):
        yield Finding(
            ("description",), "does not say what it returns", "“Returns …”, with the fields that matter"
        )


RULE = Rule(
    code="TD206",
    name="no-return-info",
    severity="info",
    summary="No output schema and no word on what the tool returns.",
    explanation="""A model plans the next call from what this one will give it: an id, a list, a status.""",
    bad={
        "description": (
            "Looks up the daily forecast of one city. Use it for coming days. Fails with not_found for "
            "unknown places."
        ),
        "output_schema": None,
    },
    good={},
    sources=("SM2", "SM1"),
    check=check,
)
