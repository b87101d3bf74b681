"""An update that may overwrite a concurrent one."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import VERSION_PARAMETER
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule

_UPDATING = frozenset(["update", "edit", "modify", "replace", "overwrite", "patch", "put"])


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if tool.effect.verb not in _UPDATING or tool.effect.kind == "read":
        return
    shared = any(name_tokens(name)[-1:] in (("id",), ("path",), ("key",)) for name in tool.parameter_names)
    if shared and not any(VERSION_PARAMETER.search(name) for name in tool.parameter_names):
        yield Finding(
            INPUT,
            "overwrites whatever changed since it was read",
            "accept expected_version and reject a stale one",
        )


RULE = Rule(
    code="TD412",
    name="no-expected-version",
    severity="info",
    summary="An update of a shared thing takes no version to compare with.",
    explanation="""Between reading and writing, somebody else may have written. With `expected_version` (or an
    etag) the second write fails and the model reads again.""",
    bad={
        "name": "update_station",
        "description": (
            "Changes the name of a station. Use it when a mast was renamed. Fails with not_found, "
            "returns the old name."
        ),
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "station_id": {
                    "type": "string",
                    "description": "Five letters as painted on the mast, given by the user.",
                },
                "new_title": {"type": "string", "description": "Name to show from now on."},
            },
            "required": ["station_id", "new_title"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": False},
    },
    good={},
    sources=("practice",),
    check=check,
)
