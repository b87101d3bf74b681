"""A name that does not say what is done."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import EFFECTS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    tokens = tool.name_tokens
    if tokens and not any(token in EFFECTS for token in tokens):
        yield Finding(
            ("name",), f"'{tool.name}' has no verb", f"say what is done: get_{'_'.join(tokens)[:40]}"
        )


RULE = Rule(
    code="TD104",
    name="no-verb",
    severity="info",
    summary="No word of the name is a verb.",
    explanation="""`weather` may read or set it; `get_weather` says which. A verb also tells readers and this
    linter what effect to expect.""",
    bad={"name": "city_weather"},
    good={"name": "get_city_weather"},
    sources=("GEM", "ANT-def"),
    check=check,
)
