"""A text that mentions a parameter the tool does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.core.errors import suggestion
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

_NAME = r"[`'\"]([A-Za-z]\w*)[`'\"]"
_MENTION = re.compile(
    rf"\b(?:set(?:ting)?|pass(?:ing)?|specify(?:ing)?|provid(?:e|ing)|via|using|with|the|by) {_NAME}"
    rf" (?:parameter|argument|param|option|flag)\b|\b(?:parameter|argument|param) {_NAME}|\b(?:set|pass) {_NAME} to\b"
)

_OF_ANOTHER = re.compile(r"\s+(?:of|in|to)\s+(?:the\s+)?[`'\"]?([A-Za-z][\w.-]*\w)")


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    for tool in tools.tools:
        if not _MENTION.search(tool.description):
            continue
        names = {node.name for node in tool.properties} | set(tools.by_name)
        for match in _MENTION.finditer(tool.description):
            name = next(group for group in match.groups() if group)
            if name in names or f'"{name}"' in tool.text or not tool.parameters:
                continue
            of = _OF_ANOTHER.match(tool.description, match.end())
            if of is not None and of[1] in tools.by_name and of[1] != tool.name:
                continue
            hint = suggestion(name, names) or "rename it in the text, or declare it"
            yield (
                tool,
                Finding(
                    ("description",), f"mentions the parameter '{name}', which the tool does not have", hint
                ),
            )


RULE = Rule(
    code="TD209",
    name="stale-param-mention",
    severity="warning",
    summary="The description mentions a parameter that the tool does not have.",
    explanation="""The model passes it and the call is rejected, or, worse, the argument is silently dropped.""",
    bad={
        "description": (
            "Returns the daily forecast, or an error. Use it for coming days. Set the `max_rows` "
            "parameter to get fewer."
        )
    },
    good={
        "description": (
            "Returns the daily forecast, or an error. Use it for coming days. Set the `days` parameter "
            "to get fewer."
        )
    },
    sources=("SM2",),
    check_set=check_set,
)
