"""Names of one set in several styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.text import case_style
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    styles = Counter(style for tool in tools.tools if (style := case_style(tool.name)))
    if len(styles) < 2:
        return
    usual = max(styles, key=lambda style: (styles[style], style == "snake", style))
    for tool in tools.tools:
        style = case_style(tool.name)
        if style and style != usual:
            better = _in_style(tool, usual)
            edits = (Edit(("name",), better),) if better not in tools.by_name else ()
            yield (
                tool,
                Finding(
                    ("name",),
                    f"'{tool.name}' is {style} case, the set is mostly {usual}",
                    f"rename it {better}",
                    edits=edits,
                ),
            )


def _in_style(tool: ToolFeatures, style: str) -> str:
    if style == "camel":
        first, *rest = tool.name_tokens
        return first + "".join(token.capitalize() for token in rest)
    return ("_" if style == "snake" else "-").join(tool.name_tokens)


RULE = Rule(
    code="TD105",
    name="mixed-case-style",
    severity="info",
    summary="The set mixes snake_case, camelCase and kebab-case names.",
    explanation="""Models write names letter by letter; in a mixed set they write `get_user` for `getUser`. The
    style of the minority is reported.""",
    bad=[{"name": "get_forecast"}, {"name": "listStations"}, {"name": "find_storms"}],
    good=[{"name": "get_forecast"}, {"name": "list_stations"}, {"name": "find_storms"}],
    sources=("SM2",),
    check_set=check_set,
    fix="suggested",
)
