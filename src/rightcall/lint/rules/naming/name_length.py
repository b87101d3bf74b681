"""A name that is too long."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

PORTABLE = 64
LONGEST = 128


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    for tool in tools.tools:
        length = len(tools.prefix) + len(tool.name)
        if length <= PORTABLE:
            continue
        refusing = sorted(target for target in tool.targets if length > provider(target).name_length)
        with_prefix = f" with the prefix {tools.prefix}" if tools.prefix else ""
        limit = provider(refusing[0]).name_length if refusing else PORTABLE
        who = ", ".join(refusing) if refusing else "some providers"
        error = bool(refusing) or length > LONGEST
        yield (
            tool,
            Finding(
                ("name",),
                f"{length} characters{with_prefix}, {who} accept {limit}",
                "shorten it; details belong in the description",
                severity="error" if error else "warning",
            ),
        )


RULE = Rule(
    code="TD102",
    name="name-length",
    severity="warning",
    summary="The name is longer than 64 characters (128: error), counted with the client's prefix.",
    explanation="""OpenAI and Bedrock accept 64 characters, Anthropic, Gemini and MCP 128. Clients that aggregate
    MCP servers put a prefix such as `mcp__github__` before every name: configure it as `prefix` and
    it is counted.""",
    bad={"name": "get_forecast_for_one_city_of_the_world_for_the_coming_days_with_wind_and_rain"},
    good={"name": "get_forecast"},
    sources=("OAI-sdk", "BED", "ANT-def", "GEM", "MCP"),
    check_set=check_set,
    targets=("anthropic",),
)
