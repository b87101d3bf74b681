"""More tools than a model chooses from reliably."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

FAR_TOO_MANY = 50


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    count, most = len(tools.tools), tools.limits["tools"]
    if count <= most:
        return
    refusing = sorted(
        target
        for target in tools.targets
        if (limit := provider(target).most_tools) is not None and count > limit
    )
    far = ", far more" if count > FAR_TOO_MANY else ", more"
    message = f"{count} tools{far} than the {most} a model chooses from reliably"
    if refusing:
        message = f"{count} tools, more than {', '.join(refusing)} accepts"
    yield (
        tools.tools[0],
        Finding(
            (),
            message,
            "offer a few at a time: load them by topic, or let the model search for tools",
            severity="error" if refusing else None,
        ),
    )


RULE = Rule(
    code="TD601",
    name="too-many-tools",
    severity="warning",
    summary="More than 20 tools are offered together (`max-tools`).",
    explanation="""OpenAI advises fewer than 20, Gemini 10 to 20; beyond 30 to 50 selection degrades with every
    model. An error if a provider rejects the number.""",
    bad=[{}, {}, {}],
    good=[{}, {}],
    sources=("OAI-fc", "GEM", "ANT-def"),
    check_set=check_set,
    settings={"max_tools": 2},
)
