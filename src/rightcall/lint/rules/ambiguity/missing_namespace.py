"""A generic name in a set from several servers."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.effects import EFFECTS
from rightcall.lint.features.mentions import GENERIC_NAME_TOKENS
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    if len(tools.servers) < 2:
        return
    for tool in tools.tools:
        server = name_tokens(tool.source.server)
        if not server or set(server) & set(tool.name_tokens) or not tool.name_tokens:
            continue
        first, *rest = tool.name_tokens
        if first in EFFECTS and all(token in GENERIC_NAME_TOKENS for token in rest):
            better = f"{server[0]}_{tool.name}"
            yield (
                tool,
                Finding(
                    ("name",),
                    f"'{tool.name}' could belong to any of {len(tools.servers)} servers",
                    f"add a prefix: {better}",
                    edits=(Edit(("name",), better),),
                ),
            )


RULE = Rule(
    code="TD507",
    name="missing-namespace",
    severity="warning",
    summary="Tools of several servers, and a bare name such as `search`.",
    explanation="""`search` of which server? A prefix by service (`jira_search`) tells the model and readers, and avoids
    name clashes when servers are combined.""",
    bad=[{"server": "weather"}, {"server": "network", "name": "find"}],
    good=[{"server": "weather"}, {"server": "network", "name": "find_stations"}],
    sources=("ANT-def", "MCP"),
    check_set=check_set,
    fix="suggested",
)
