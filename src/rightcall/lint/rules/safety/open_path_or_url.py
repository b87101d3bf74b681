"""An unrestricted path or address."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_OPEN = re.compile(
    r"(?:\w+_)?(?:path|file_?path|filename|directory|dir|folder|url|uri|host|hostname|endpoint|webhook)", re.I
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if not _OPEN.fullmatch(node.name) or not node.is_only("string", "str"):
            continue
        if not any(key in node.schema for key in ("pattern", "format", "enum", "const")):
            yield Finding(
                node.path,
                f"'{node.name}' is unrestricted",
                'add "format": "uri" or a "pattern", and an allow-list in the tool',
            )


RULE = Rule(
    code="TD408",
    name="open-path-or-url",
    severity="info",
    summary="A path, URL or host is a free text without `pattern`, `format` or `enum`.",
    explanation="""The model can be led to `../../etc/passwd` or to an address inside the network. The schema is
    the first line of defense; the tool itself must be the second.""",
    bad={
        "input_schema": {
            "properties": {
                "callback_url": {"type": "string", "description": "Where to post the finished table."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "callback_url": {
                    "type": "string",
                    "format": "uri",
                    "description": "Where to post the finished table.",
                }
            }
        }
    },
    sources=("SNYK", "practice"),
    check=check,
)
