"""A tool that another one can replace."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    by_start: dict[tuple[str, ...], list[ToolFeatures]] = {}
    for tool in tools.by_name.values():
        by_start.setdefault(tool.name_tokens[:2], []).append(tool)
    for start, alike in by_start.items():
        if len(start) < 2:
            continue
        for small in alike:
            large = next((other for other in alike if _contains(other, small)), None)
            if large is not None:
                yield (
                    small,
                    Finding(
                        ("name",),
                        f"{large.name} does the same with more options",
                        "offer one tool with an option",
                        others=(large.name,),
                    ),
                )


def _contains(large: ToolFeatures, small: ToolFeatures) -> bool:
    longer = len(large.name_tokens) > len(small.name_tokens) and set(small.name_tokens) < set(
        large.name_tokens
    )
    return (
        longer
        and bool(small.parameter_names)
        and small.parameter_names <= large.parameter_names
        and (small.effect.kind == large.effect.kind)
    )


RULE = Rule(
    code="TD506",
    name="subset-tool",
    severity="info",
    summary="A tool's name and parameters are part of another's: `list_directory`, `list_directory_with_sizes`.",
    explanation="""The larger one can replace the smaller. One tool with an option leaves no choice to get
    wrong.""",
    bad=[
        {"name": "get_forecast"},
        {
            "name": "get_forecast_with_wind",
            "input_schema": {
                "properties": {
                    "latitude": None,
                    "longitude": None,
                    "limit": None,
                    "city": {"type": "string", "description": "Where sailors ask for it."},
                    "days": {"type": "integer", "description": "Length of the journey planned."},
                    "height_m": {"type": "integer", "description": "Metres above the ground."},
                },
                "required": ["city", "days", "height_m"],
            },
        },
    ],
    good=[{}, {}],
    sources=("ANT-eng",),
    check_set=check_set,
)
