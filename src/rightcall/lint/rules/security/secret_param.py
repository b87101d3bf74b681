"""A secret that the model has to pass."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_SECRET = re.compile(
    r"(?:\w+_)?(?:password|passwd|api_?key|api_?token|secret|client_?secret|private_?key|access_?token|auth_?token"
    r"|secret_?key"
    r"|bearer_?token|refresh_?token|credentials|passphrase|access_?key)",
    re.IGNORECASE,
)
_NOT_SECRET = re.compile(
    r"(?:length|count|policy|strength|reset|new_password|show|hash_type|generate|min|max)", re.I
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if (
            _SECRET.fullmatch(node.name)
            and node.is_only("string", "str", "object", "dict")
            and not _NOT_SECRET.search(node.name)
            and "identifier" not in node.text
        ):
            yield Finding(
                node.path,
                f"'{node.name}' makes the model carry a secret",
                "let the program fill it in, outside the model",
            )


RULE = Rule(
    code="TD806",
    name="secret-param",
    severity="warning",
    summary="A password, API key or access token is an argument.",
    explanation="""It appears in the prompt, in logs and in traces, and the model can be tricked into sending it
    elsewhere. The program that runs the tool can fill it in.""",
    bad={
        "input_schema": {
            "properties": {"api_key": {"type": "string", "description": "Key of the forecasting service."}}
        }
    },
    good={},
    sources=("SNYK",),
    check=check,
)
