"""A description that is too long."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

LONGEST = 4000


def check(tool: ToolFeatures) -> Iterator[Finding]:
    length = len(tool.description)
    if length <= 1000:
        return
    limits = [limit for target in tool.targets if (limit := provider(target).description_length) is not None]
    limit = min([LONGEST, *limits])
    if length > limit:
        why = "the most OpenAI accepts" if limit < LONGEST else "the most that helps a model"
        yield Finding(
            ("description",),
            f"{length:,} characters, more than {limit:,}, {why}",
            "move details into the descriptions of parameters, examples into the system prompt",
        )


RULE = Rule(
    code="TD208",
    name="too-long",
    severity="warning",
    summary="The description is longer than 4,000 characters, or than 1,024 for OpenAI.",
    explanation="""OpenAI has rejected texts over 1,024 characters; longer texts also cost tokens in every request
    and were seen to make agents take more steps.""",
    bad={
        "description": "Returns the forecast, or an error. Use it for coming days. "
        + "It covers one city a call. " * 40
    },
    good={},
    sources=("OAI-1024", "SM1"),
    check=check,
    targets=("openai",),
)
