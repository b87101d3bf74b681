"""Which tools a request can be written for, and with which parameters.

Left out are tools whose required values nobody could invent, deprecated ones, those that demand another call first, and
those whose purpose fits another tool of the set as well: a golden for one of them would be wrong or unfair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rightcall.lint.features.text import name_tokens
from rightcall.model.tool import Tool
from rightcall.wings.generate.actions import Purpose, distinct_actions, stems
from rightcall.wings.generate.needed_parameters import least_parameters, required_parameters
from rightcall.wings.generate.schema_parts import (
    json_type,
    parameter_schema,
)
from rightcall.wings.generate.tool_neighbours import twin_names
from rightcall.wings.generate.understood_values import (
    DISCRIMINATORS,
)

_DEPRECATED = re.compile(r"\bdeprecated\b|\bobsolete\b|\bdo not use\b|\bno longer\b", re.IGNORECASE)
_CALLED_FIRST = re.compile(
    r"\b(?:must|should|always|need to|required to)\b[^.\n]{0,40}\b(?:call|use|run|invoke)\b[^.\n]{0,60}"
    r"\b(?:first|before|prior)\b|\bbefore (?:calling|using) this\b|\bcall [`'\"]?\w+_\w+[`'\"]? (?:first|before)\b"
    r"|\bonly (?:call|use) (?:this )?(?:after|when|if)\b|\bdo not call this\b",
    re.IGNORECASE,
)
_UNNAMED = re.compile(
    r"\ban? (?!(?:list|listing|summary|snapshot|screenshot|overview|report|random|new)\b)\w", re.IGNORECASE
)
"""A thing that a call without arguments could not name."""
_RANGE = re.compile(
    r"\b(?:specified|given|certain|particular)\b|\b(?:date|time) (?:range|period|window|frame)s?\b",
    re.IGNORECASE,
)
"""What a call without arguments would leave open."""


def plannable(tools: Sequence[Tool]) -> list[Tool]:
    """The tools that a request can be written for."""
    actions, twins = request_actions(tools), twin_names(tools)
    return [
        tool
        for tool in tools
        if tool.name in actions and tool.name not in twins and _can_be_asked_for(tool, actions[tool.name])
    ]


def request_actions(tools: Iterable[Tool]) -> dict[str, str]:
    """What a request says that fits this tool and no other, by tool."""
    current = (tool for tool in tools if not _DEPRECATED.search(tool.description))
    return distinct_actions(tuple(Purpose(tool, required_parameters(tool)) for tool in current))


def promises_more(tool: Tool, action: str) -> bool:
    """Whether an action names what only an optional parameter that the call leaves out would give.

    “Calculate times and distances” where a choice decides between them.
    """
    asked, given = stems(action.partition(" ")[2]), least_parameters(tool) or ()
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        if name in given or name in required_parameters(tool):
            continue
        tokens = name_tokens(name)
        if json_type(schema) == "boolean" and tokens[:1] in (("include",), ("with",), ("return",)):
            controlled = stems(" ".join(tokens[1:]))
        elif json_type(schema) in ("string", "array") and name not in DISCRIMINATORS:
            items = schema.get("items") if isinstance(schema.get("items"), dict) else {}
            choices = schema.get("enum") or (items or {}).get("enum") or ()
            default = str(schema.get("default", ""))
            controlled = stems(" ".join(str(choice) for choice in choices if str(choice) != default))
        else:
            continue
        if controlled & asked:
            return True
    return False


def _can_be_asked_for(tool: Tool, action: str) -> bool:
    text = tool.description
    if _DEPRECATED.search(text) or _CALLED_FIRST.search(text):
        return False
    parameters = least_parameters(tool)
    if parameters is None or promises_more(tool, action) or _recommends(tool, parameters):
        return False
    return bool(parameters) or not (_UNNAMED.search(action) or _RANGE.search(action))


def _recommends(tool: Tool, parameters: tuple[str, ...]) -> bool:
    """Whether the text asks for a value of a parameter that a call without it would not have: “use limit=1”."""
    names = "|".join(re.escape(name) for name in tool.parameters if name not in parameters)
    pattern = rf"\b(?:use|set|pass|prefer|always)\s+[`'\"]?(?:{names})[`'\"]?\s*(?:=|:|to\b)"
    return bool(names) and re.search(pattern, tool.description, re.IGNORECASE) is not None
