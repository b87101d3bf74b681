"""A tool that destroys at the first call."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import is_part_of_a_file
from rightcall.lint.features.mentions import CONFIRMING_PARAMETER, REVERSIBLE
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

_TWO_STEP = frozenset(["preview", "confirm", "prepare", "stage", "simulate"])


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    previews = [other for other in tools.tools if not _TWO_STEP.isdisjoint(other.name_tokens)]
    for tool in tools.tools:
        if not tool.effect.is_destructive or any(
            CONFIRMING_PARAMETER.search(name) for name in tool.parameter_names
        ):
            continue
        if tool.effect.kind == "take_away" and REVERSIBLE.search(tool.lower):
            continue
        if any(tool.name_stems & other.name_stems for other in previews):
            continue
        yield (
            tool,
            Finding(
                INPUT,
                f"'{tool.effect.verb}' takes effect on the first call, without confirmation",
                "require a confirmation_token returned by a preview, or accept dry_run or expected_version",
                severity="warning"
                if tool.effect.kind == "destroy" and not is_part_of_a_file(tool)
                else "info",
            ),
        )


RULE = Rule(
    code="TD402",
    name="destructive-no-guard",
    severity="warning",
    summary="A destructive tool has no confirmation, dry run or expected version, and no preview tool.",
    explanation="""A required `confirmation_token` that only a preview, or the user, can give makes it impossible
    to destroy by a wrong guess. Verbs that merely take something away give an info, and so
    do parts of a file that is being edited.""",
    bad={
        "name": "delete_station",
        "description": "Permanently deletes one station with all its readings; this cannot be undone. Use it when "
        "a mast was taken "
        "down. Fails with not_found, returns its name.",
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "station": {"type": "string", "description": "Name of the station as painted on its mast."},
            },
            "required": ["station"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
    good={},
    sources=("GEM", "MCP"),
    check_set=check_set,
)
