"""A tool that destroys and does not say so."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import is_part_of_a_file
from rightcall.lint.features.mentions import CONSEQUENCE, IRREVERSIBLE
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    effect = tool.effect
    if (
        not effect.is_destructive
        or effect.verb not in tool.name_tokens
        or IRREVERSIBLE.search(tool.all_prose)
        or CONSEQUENCE.search(tool.lower)
    ):
        return
    yield Finding(
        ("description",),
        f"'{effect.verb}' {'is destructive' if effect.kind == 'destroy' else 'takes something away'}, and the "
        "description does not say whether it can be undone",
        "say what is lost and whether it can be recovered: “Permanently deletes …; cannot be undone.”",
        severity="error" if effect.kind == "destroy" and not is_part_of_a_file(tool) else "info",
    )


RULE = Rule(
    code="TD401",
    name="destructive-no-warning",
    severity="error",
    summary="A tool that deletes, drops, wipes … does not say whether this is final or can be undone.",
    explanation="""Two tools that delete look alike to a model until one says “permanently, with all data” and the
    other “only the session; the account stays”. It is enough to say what goes with it, what stays
    or what breaks. Verbs that merely take something away (cancel, remove) give an info, and so do
    parts of a file that is being edited.""",
    bad={
        "name": "delete_station",
        "description": (
            "Deletes one station of the network. Use it when a mast was taken down. Fails with "
            "not_found, returns its name."
        ),
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "station": {"type": "string", "description": "Name of the station as painted on its mast."},
                "dry_run": {"type": "boolean", "description": "Only report what would happen."},
            },
            "required": ["station", "dry_run"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
    good={
        "name": "delete_station",
        "description": "Permanently deletes one station with all its readings; this cannot be undone. Use it when "
        "a mast was taken "
        "down. Fails with not_found, returns its name.",
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "station": {"type": "string", "description": "Name of the station as painted on its mast."},
                "dry_run": {"type": "boolean", "description": "Only report what would happen."},
            },
            "required": ["station", "dry_run"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": True},
    },
    sources=("SNYK", "CISCO"),
    check=check,
)
