"""What a description says, and what of it contradicts the definition."""

from __future__ import annotations

import json
import re
from typing import Any

from rightcall.core.errors import suggestion
from rightcall.core.words import name_tokens, word_set
from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.features.mentions import PLACEHOLDERS
from rightcall.lint.features.schemas import Node, fits
from rightcall.lint.features.text import excerpt, outside_sections, parameters_in_docstring
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit, Finding, Findings, SetFindings, set_rule, tool_rule
from rightcall.schema.effects import EFFECTS
from rightcall.schema.provider_limits import lower_limits
from rightcall.schema.types import json_type, without

FEWEST_WORDS = 5
LONGEST = 4000


@tool_rule("TD201", "error", sources=("ANT-def", "BED"))
def missing_description(tool: ToolFeatures) -> Findings:
    """The tool has no description.

    The description is by far the most important thing a model has to choose by. Without one it guesses from
    the name; Bedrock refuses an empty text.

    Fails: {"description": ""}
    """
    if not tool.description.strip():
        yield Finding(
            ("description",),
            "the tool has no description",
            "say what it does, when to use it, what it returns",
        )


@tool_rule("TD202", "warning", sources=("ANT-def", "SM1"))
def too_short(tool: ToolFeatures) -> Findings:
    """The description has fewer than five words, or none outside sections such as `Args:` and `Returns:`.

    Providers advise three or four sentences. A few words leave open what is covered, and the model uses the
    tool for requests it cannot handle. Sections describe the parameters and the result, not when to use the tool. An
    info for a tool without parameters.

    Fails: {"description": "Shows coming rain."}
    """
    if not tool.words or not tool.informative_stems or tool.description.strip().lower() in PLACEHOLDERS:
        return  # missing-description, restates-name and placeholder say it better
    has_prose = bool(outside_sections(tool.description).strip())
    if len(tool.words) < FEWEST_WORDS or not has_prose:
        short = f"{len(tool.words)} {'word is' if len(tool.words) == 1 else 'words are'} too few to choose by"
        yield Finding(
            ("description",),
            short if has_prose else "it has no sentence outside its sections, such as Args and Returns",
            "say what it does, when to use it and when not, what it returns",
            severity=None if tool.parameters else "info",
        )


@tool_rule("TD203", "warning", sources=("SM2",))
def restates_name(tool: ToolFeatures) -> Findings:
    """The description contains only the words of the name (one word more: info).

    `list_records`: “List the records” gives the model nothing the name did not. Nearly three quarters of
    public MCP servers have such a tool; in competition with a described one it is rarely chosen.

    Fails: {"description": "Gets the forecast for the given value."}
    """
    if not tool.words or tool.description.strip().lower() in PLACEHOLDERS:
        return
    if len(tool.informative_stems) <= 1 and tool.description.isascii():
        added = "".join(tool.informative_stems)
        more = f"only '{added}' more than" if added else "no more than"
        yield Finding(
            ("description",),
            f"“{excerpt(tool.description)}” says {more} the name",
            "say what exactly it does, its limits, and when to use it",
            severity="info" if tool.informative_stems else None,
        )


@tool_rule(
    "TD208",
    "warning",
    bad={
        "description": "Returns the forecast, or an error. Use it for coming days. "
        + "It covers one city a call. " * 40
    },
    targets=("openai",),
    sources=("OAI-1024", "SM1"),
)
def too_long(tool: ToolFeatures) -> Findings:
    """The description is longer than 4,000 characters, or than 1,024 for OpenAI.

    OpenAI has rejected texts over 1,024 characters; longer texts also cost tokens in every request and were
    seen to make agents take more steps.
    """
    length = len(tool.description)
    if length <= 1000:
        return
    limit = min([LONGEST, *lower_limits(tool.targets, "characters of a description", length).values()])
    if length > limit:
        why = "the most OpenAI accepts" if limit < LONGEST else "the most that helps a model"
        yield Finding(
            ("description",),
            f"{length:,} characters, more than {limit:,}, {why}",
            "move details into the descriptions of parameters, examples into the system prompt",
        )


_UNWRITTEN = re.compile(
    r"^(?:TODO|TBD|FIXME|XXX)\b(?!\s+(?:items?|lists?|tasks?))|\b(?:TODO|FIXME):|\bTBD[.)]?$|(?i:lorem ipsum)"
)


@tool_rule("TD207", "error", sources=("practice",))
def placeholder(tool: ToolFeatures) -> Findings:
    """A description is TODO, TBD, N/A, “…” or the like.

    The model reads it as the description. A note to the author was not meant to be sent.

    Fails: {"input_schema": {"properties": {"city": {"description": "TODO: describe"}}}}
    """
    for path, text in tool.prose:
        if path[-1] == "description" and (
            text.strip().lower().rstrip(".") in _WHOLE or _UNWRITTEN.search(text)
        ):
            yield Finding(path, f"“{excerpt(text, 40)}” is a placeholder", "write the description")


_WHOLE = PLACEHOLDERS | {""}


@tool_rule("TD213", "warning", fix="suggested", sources=("OAI-fc",))
def docstring_leak(tool: ToolFeatures) -> Findings:
    r"""An `Args:` block in the text documents parameters whose schemas have no description.

    A docstring was pasted whole. Models and clients look for the meaning of a parameter in its schema, and
    long texts blur what the tool is for. The fix moves each line to its property.

    Fails: {
      "description": "Returns the daily forecast, or an error. Use it for coming days.\n\nArgs:\n    city: City and country, such as Hue, Vietnam.",
      "input_schema": {"properties": {"city": {"description": null}}}
    }
    """
    documented, rest = parameters_in_docstring(tool.description)
    bare = [node for node in tool.parameters if not node.text and documented.get(node.name)]
    if not bare:
        return
    edits = [Edit((*node.path, "description"), documented[node.name]) for node in bare]
    if {node.name for node in bare} == set(documented) and rest.strip():
        edits.insert(0, Edit(("description",), rest.strip()))
    names = ", ".join(node.name for node in bare)
    yield Finding(
        ("description",),
        f"documents {names} in its text while the schema says nothing",
        "move each text to the description of its property",
        edits=tuple(edits),
    )


_USAGE_CUE = re.compile(
    r"\b(?:use (?:this|it|the|when|if|for|only|in|to)|used (?:to|for|when|by)|us(?:e|ing) \S+ (?:tool )?(?:instead"
    r"|when|if|for)"
    r"|instead of|rather than|do(?:es)? not use|don't use|not for|only (?:when|if|for|use|call|works?|available|after)"
    r"|if you|when (?:you|the user|users?|a user|asked|needed|an?)|call this|prefer|useful (?:for|when|to|in)"
    r"|best for|intended for|suitable for|ideal for|should be used|must be (?:called|used)|before calling|after calling"
    r"|useful|requires?|for (?:\w+ ){1,4}use)\b"
)


@set_rule("TD205", "info", worst="warning", sources=("ANT-def", "OAI-fc"))
def no_usage_cue(tools: SetFeatures) -> SetFindings:
    """Nothing says when to use the tool, or when not.

    Phrases like “use when”, “instead of”, “only for” distinguish similar tools. A warning when the set has a
    very similar tool.

    Fails: {"description": "Returns the daily forecast of one city, one entry a day. Fails with not_found for unknown places."}
    """
    rivals: dict[int, str] = {}
    for pair in tools.pairs:
        if pair.score >= LIKELY:
            rivals.setdefault(id(pair.first), pair.second.name)
            rivals.setdefault(id(pair.second), pair.first.name)
    for tool in tools.tools:
        if len(tool.words) < 5 or len(tool.informative_stems) < 2 or _USAGE_CUE.search(tool.lower):
            continue
        rival = rivals.get(id(tool))
        if rival is not None:
            message = f"does not say when to use it rather than {rival}, which is very similar"
            hint = f"“Use for …; for … use {rival}.”"
            yield tool, Finding(("description",), message, hint, severity="warning", others=(rival,))
        else:
            yield Finding(
                ("description",), "does not say when to use it", "“Use when …”, “Do not use for …”"
            ).of(tool)


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
