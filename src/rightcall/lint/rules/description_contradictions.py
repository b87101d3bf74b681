"""Text that contradicts the definition."""

from __future__ import annotations

import json
import re
from typing import Any

from rightcall.core.errors import suggestion
from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.schemas import Node, fits
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.effects import EFFECTS
from rightcall.schema.types import json_type, without

_NAME = r"[`'\"]([A-Za-z]\w*)[`'\"]"
_PARAMETER_MENTION = re.compile(
    rf"\b(?:set(?:ting)?|pass(?:ing)?|specify(?:ing)?|provid(?:e|ing)|via|using|with|the|by) {_NAME}"
    rf" (?:parameter|argument|param|option|flag)\b|\b(?:parameter|argument|param) {_NAME}|\b(?:set|pass) {_NAME} to\b"
)

_OF_ANOTHER = re.compile(r"\s+(?:of|in|to)\s+(?:the\s+)?[`'\"]?([A-Za-z][\w.-]*\w)")


@set_rule("TD209", "warning", sources=("SM2",))
def stale_param_mention(tools: SetFeatures) -> SetFindings:
    """The description mentions a parameter that the tool does not have.

    The model passes it and the call is rejected, or, worse, the argument is silently dropped.

    Fails: {"description": "Returns the daily forecast, or an error. Use it for coming days. Set the `max_rows` parameter to get fewer."}
    Passes: {"description": "Returns the daily forecast, or an error. Use it for coming days. Set the `days` parameter to get fewer."}
    """
    for tool in tools.tools:
        if not _PARAMETER_MENTION.search(tool.description):
            continue
        names = {node.name for node in tool.properties} | set(tools.by_name)
        for match in _PARAMETER_MENTION.finditer(tool.description):
            name = next(group for group in match.groups() if group)
            if name in names or f'"{name}"' in tool.text or not tool.parameters:
                continue
            if _is_of_another(tool, match, tools):
                continue
            hint = suggestion(name, names) or "rename it in the text, or declare it"
            yield Finding(
                ("description",), f"mentions the parameter '{name}', which the tool does not have", hint
            ).of(tool)


def _is_of_another(tool: ToolFeatures, match: re.Match[str], tools: SetFeatures) -> bool:
    """“the `x` parameter of get_run”, or “including the `x` parameter when fetching the run with get_run”."""
    of = _OF_ANOTHER.match(tool.description, match.end())
    if of is not None and of[1] in tools.by_name and of[1] != tool.name:
        return True
    rest = re.split(r"[.;]\s|\n", tool.description[match.end() :], maxsplit=1)[0]
    later = _WHEN_CALLED.search(rest)
    return later is not None and any(
        word in tools.by_name and word != tool.name for word in _WORD.findall(rest, later.start())
    )


_WHEN_CALLED = re.compile(r"\b(?:when|while|by|in) (?:calling|using|fetching|getting|requesting|\w+ing)\b")
_WORD = re.compile(r"[A-Za-z][\w.-]*\w")

_TOOL_MENTION = re.compile(
    r"\b(?:call(?:ing)?|use|using|invoke|invoking|run|see|via"
    r"|prefer) (?:the )?[`'\"]?([a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)\b"
    r"(?![.=:/\w])|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)[`'\"]? (?:tool|function)\b"
)


@set_rule("TD210", "warning", sources=("SM2",))
def stale_tool_mention(tools: SetFeatures) -> SetFindings:
    """The text tells the model to use a tool that is not in the set.

    The model calls it, gets “unknown tool”, and loses a turn or gives up. Tools are renamed more often than
    the texts of their neighbours.

    Fails: [
      {"description": "Returns the daily forecast, or an error. For the present weather use get_current_weather instead."},
      {"name": "list_stations"}
    ]
    Passes: [
      {"description": "Returns the daily forecast, or an error. If you need a place to ask for, call list_stations."},
      {"name": "list_stations"}
    ]
    """
    tool_names = set(tools.by_name)
    lower = {name.lower() for name in tool_names}
    for tool in tools.tools:
        for path, text in tool.prose:
            if "_" not in text and "-" not in text:
                continue
            for match in _TOOL_MENTION.finditer(text):
                name = match[1] or match[2]
                if _is_absent_tool(name, tool, lower):
                    hint = suggestion(name, tool_names) or "name a tool in the set, or remove the sentence"
                    yield tool, Finding(path, f"mentions the tool '{name}', which is not in the set", hint)


def _is_absent_tool(name: str, tool: ToolFeatures, lower: set[str]) -> bool:
    first = name_tokens(name)[0]
    if first not in EFFECTS or "-" in name:
        return False  # words joined by a hyphen are prose
    if name.lower() in lower or any(
        other.endswith(("_" + name.lower(), "." + name.lower())) for other in lower
    ):
        return False
    if "".join(name_tokens(name)) in {"".join(name_tokens(each)) for each in tool.parameter_names}:
        return False  # `status_callback` of a text that calls the parameter StatusCallback
    return f'"{name}"' not in tool.text  # a property, an enum value, a default


_SAID = re.compile(
    r"\bdefault(?:s|ed)?(?: value)?(?: is|:| to|=| =)+\s*(?:"
    r"[`'\"“](?P<quoted>[^`'\"”]{1,40})[`'\"”]|(?P<bare>-?\d{1,3}(?:,\d{3})+(?!\d)|-?[\w.%-]*[\w%]))(?P<after>[^\w]|$)",
    re.IGNORECASE,
)
_SAID_BRIEFLY = re.compile(
    r"\bdefault\s+(?P<quoted>(?!))?(?P<bare>true|false|-?\d{1,3}(?:,\d{3})+(?!\d)|-?\d[\d.]*(?<!\.))(?P<after>[^\w]|$)",
    re.IGNORECASE,
)
"""“Default false.”: without a verb, only what can be nothing but a value."""
_ONLY_SOMETIMES = re.compile(r"\s*\((?!max|min|range|limit|up to)[\w ]{1,30}:\s*-?[\d.]+", re.IGNORECASE)
"""“7.4 (timeline: 3.8)”: another default in another case, so that the schema can name neither."""
_IN_ONE_CASE = re.compile(
    r"[`'\"”)]?\s+(?:on \w+|for (?:\w+ ){0,2}\w+s\b|(?:when|if|unless)\s+(?![^.;]*\b(?:no|not|un\w+|omitted|missing|empty|absent|blank"
    r"|null|none|left out)\b))",
    re.IGNORECASE,
)
"""“`now` for active contracts”: the schema cannot say which case it is; “if omitted” is every case."""
_PATTERN = re.compile(r"[<{\[]\w[\w .:-]*[>}\]]")
"""“copy-<timestamp>”: filled in by the program."""
_SETTING = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9]")
"""The name of a setting of the program, whose value is the default."""
_VAGUE = word_set("""
    the a an all any none null no not current today now empty auto automatic user your whatever its this that in
    """)


@tool_rule("TD211", "warning", fix="suggested", sources=("SM2",))
def default_in_prose(tool: ToolFeatures) -> Findings:
    """The text names a default that the schema lacks or contradicts.

    Only `default` is read by validators, clients and generators; a text that disagrees with it misleads
    readers. The fix copies the value from the text to the schema.

    Fails: {"input_schema": {"properties": {"max_entries": {
      "type": "integer", "description": "Most entries to return, default is 10."
    }}}}
    Passes: {"input_schema": {"properties": {"max_entries": {
      "type": "integer", "description": "Most entries to return, 10 if left out.", "default": 10
    }}}}
    """
    for node in tool.properties:
        if "efault" not in node.text:
            continue
        default = _default_in_text(node)
        if default is None:
            continue
        message = f"the text says the default of '{node.name}' is {default!r}, the schema"
        edits = (Edit((*node.path, "default"), default),)
        if "default" not in node.schema:
            hint = f'add "default": {json.dumps(default, ensure_ascii=False)}'
            yield Finding(node.path, f"{message} does not", hint, edits=edits)
        elif node.schema["default"] != default:
            message += f" says {node.schema['default']!r}"
            yield Finding(node.path, message, "make the two agree", edits=edits)


def _default_in_text(node: Node) -> Any:
    """The default the text names as a value of the parameter's type, or None when it is not that clear."""
    match = _SAID.search(node.text) or _SAID_BRIEFLY.search(node.text)
    if not match or _ONLY_SOMETIMES.match(node.text, match.start("after")):
        return None
    if _IN_ONE_CASE.match(node.text, match.start("after")) or _PATTERN.search(match["quoted"] or ""):
        return None
    word = match["quoted"] or match["bare"]
    kind = node.schema.get("type")
    if _SETTING.fullmatch(word) or not isinstance(kind, str):
        return None
    value = _value(word, json_type(kind) or "", match)
    return value if value is not None and fits(value, without(node.schema, ["default"])) else None


def _value(word: str, kind: str, match: re.Match[str]) -> Any:
    number = word.replace(",", "")
    try:
        if kind == "integer":
            return int(number)
        if kind == "number":
            return float(number) if "." in number else int(number)
    except ValueError:
        return None
    if kind == "boolean":
        return {"true": True, "false": False}.get(word.lower())
    if kind == "string" and word.lower() not in _VAGUE:
        ends = (match["after"].strip() == "" and match.end() >= len(match.string)) or match["after"] in ".,;)"
        return word if match["quoted"] is not None or ends else None
    return None
