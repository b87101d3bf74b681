"""A parameter that the program knows better than the model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_KNOWN = re.compile(
    r"(?:tenant|session|conversation|thread_run|trace|request|org|organization|workspace|current_user)_?id"
    r"|current_?(?:date|time|user|timestamp)|today|now|auth_?token|access_?token|session_?token|task_id",
    re.I,
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.parameters:
        if _KNOWN.fullmatch(node.name) and node.name.lower() not in ("request_id", "task_id"):
            thing = name_tokens(node.name)[0]
            if thing not in tool.name_tokens:  # close_session(session_id) is about that very thing
                yield Finding(
                    node.path, f"'{node.name}' is already known to the program", "let the program fill it in"
                )


RULE = Rule(
    code="TD319",
    name="model-fills-known",
    severity="info",
    summary="The model is asked for a tenant, a session, a token or today's date.",
    explanation="""The program should fill in what it already knows: the model can copy it wrongly, or be tricked
    into another tenant's id.""",
    bad={
        "input_schema": {
            "properties": {"tenant_id": {"type": "string", "description": "Whose account is billed for it."}}
        }
    },
    good={},
    sources=("OAI-fc",),
    check=check,
)
