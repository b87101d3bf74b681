"""A destructive tool without a limit on the number of items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_WHOLESALE = re.compile(r"all|delete_all|filter|filters|where|everything|recursive", re.I)
MOST = 50


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if tool.effect.kind != "destroy":
        return
    for node in tool.parameters:
        if node.is_only("array") and "maxItems" not in node.schema:
            edit = Edit((*node.path, "maxItems"), MOST)
            yield Finding(
                node.path,
                f"'{node.name}' may contain any number of things to {tool.effect.verb}",
                f'add "maxItems": {MOST}',
                edits=(edit,),
            )
        elif _WHOLESALE.fullmatch(node.name):
            yield Finding(
                node.path,
                f"'{node.name}' lets one call {tool.effect.verb} without a limit",
                "limit how many one call may touch",
            )


RULE = Rule(
    code="TD409",
    name="bulk-destructive",
    severity="warning",
    summary="A destructive tool takes a list without `maxItems`, a filter, or “all”.",
    explanation="""One wrong call then destroys everything. A limit turns it into an error.""",
    bad={
        "name": "delete_stations",
        "description": "Permanently deletes stations with their readings; this cannot be undone. Use it when masts "
        "were taken down. "
        "Fails with not_found, returns their names.",
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "stations": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Names as painted on the masts.",
                },
                "dry_run": {"type": "boolean", "description": "Only report what would happen."},
            },
            "required": ["stations", "dry_run"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
    good={},
    sources=("CISCO",),
    check=check,
    fix="suggested",
)
