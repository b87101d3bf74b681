"""Which tools a request can be written for, and with which parameters.

Left out are tools whose required values nobody could invent, deprecated ones, those that demand another call first, and
those whose purpose fits another tool of the set as well: a golden for one of them would be wrong or unfair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.schema.effects import ALSO_NOUNS
from rightcall.wings.generate.actions import (
    Purpose,
    action_of,
    base_form,
    distinct_actions,
    name_action,
    stems,
    verb_in_name,
)
from rightcall.wings.generate.needed_parameters import effect, least_parameters, needs_of, required_parameters
from rightcall.wings.generate.parameter_roles import choices_of
from rightcall.wings.generate.places import coordinate_of
from rightcall.wings.generate.schema_parts import item_schema, json_type, parameter_schema, text_of
from rightcall.wings.generate.tool_neighbours import twin_names
from rightcall.wings.generate.understood_values import DISCRIMINATORS, values_in_definition

_DEPRECATED = re.compile(
    r"\bdeprecated\b|\bobsolete\b|\bdo not use(?: (?:this|it)(?: tool)?)?\s*[.!;]"
    r"|\bno longer (?:supported|available|maintained|works?|used|recommended)\b",
    re.IGNORECASE,
)
_CALLED_FIRST = re.compile(
    r"\b(?:must|should|always|need to|required to)\b[^.\n]{0,40}\b(?:call|use|run|invoke)\b[^.\n]{0,60}"
    r"\b(?:first|before|prior)\b|\bbefore (?:calling|using) this\b|\bcall [`'\"]?\w+_\w+[`'\"]? (?:first|before)\b"
    r"|\bonly (?:call|use) (?:this )?(?:tool )?(?:after|when|if)\b(?! explicitly| the user| users?\b| asked| requested)"
    r"|\b(?:use|call|run) (?:the )?['\"`]?\w+['\"`]?(?: tool)? first\b|\bprerequisites?\b"
    r"|\bdo not call this\b|\b(?:requires?|after) (?:a )?(?:prior|previous) (?:call|use)\b",
    re.IGNORECASE,
)
MANY_CHOICES = 6
MOST_CHOICES = 2
_FOUND_BY = re.compile(
    r"(?<!created)(?<!sorted)(?<!ordered)(?<!grouped)(?<!powered)(?<!owned)(?<!used)(?<!made)(?<!followed)(?<!assigned)"
    r"(?<!reported)(?<!posted)(?<!written)(?<!sent)(?<!shared) by ([\w ,/'-]+?)"
    r"(?= (?:in|on|from|for|to|with|using|within|at|of)\b|[.;:(]|$)"
)
_ACTS_ON_ONE = word_set("""
    delete remove get fetch retrieve read update edit clear restore cancel execute run open close move copy rename
    archive show describe insert overwrite
    """)
_IDENTIFIES = re.compile(
    r"(?:ids?|key|guid|uuid|uid|index|indices|name|names|number|path|url|uri|slug)$", re.IGNORECASE
)
_ALWAYS = re.compile(r"\balways (?:add|include|pass|set|specify|provide|use) (?!this\b)", re.IGNORECASE)
_LISTED_VALUES = re.compile(
    r"\b(?:available|supported|valid|allowed)(?: \w+)?: \w+(?:, \w+){2,}", re.IGNORECASE
)
_URGES = r"always|must|should|recommend\w*|prefer\w*|remember|make sure|be sure|need to|important"
_MOVED_TO = re.compile(
    r"^(?:move|copy|transfer|migrate|transition|assign|forward|redirect|switch|reassign|relocate)\b.* to ([\w /'-]+)$"
)
_CERTAIN_PLACES = re.compile(
    r"\b(?:marine|oceans?|sea|waves?|tides?|tidal|surf|coast\w*|offshore|avalanche|rivers?|floods?|NWS"
    r"|National Weather Service)\b"
    r"|\b(?:only|within|limited to|inside) (?:the |in )*(?:US|U\.S\.|USA|United States|UK|China|India|Japan)\b"
    r"|\b(?:only|within|limited to|inside) (?:the |in )*(?:Korea|Germany|France|Canada|Switzerland|Norway)\b"
    r"|\b(?:US|U\.S\.|USA|United States|UK) (?:locations? )?only\b",
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
    refusals = tool_refusals(tools)
    return [tool for tool in tools if tool.name not in refusals]


def tool_refusals(tools: Sequence[Tool]) -> dict[str, str]:
    """Why no request is written for a tool, by tool: a wrong golden costs more than a missing one."""
    actions, twins = request_actions(tools), twin_names(tools)
    refusals = {tool.name: _refusal(tool, actions.get(tool.name, ""), twins) for tool in tools}
    return {name: reason for name, reason in refusals.items() if reason}


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


def _refusal(tool: Tool, action: str, twins: set[str]) -> str:  # noqa: PLR0911, PLR0912  a list of reasons
    """Why a golden for this tool could be wrong or unfair; empty when nothing speaks against it."""
    text = tool.description
    if _DEPRECATED.search(text):
        return "it is deprecated"
    if _CALLED_FIRST.search(text):
        return "its text demands another call first"
    if tool.name in twins:
        return "another tool has the same name or text"
    if not action:
        can_be_said = Purpose(tool, required_parameters(tool)).candidates
        return "the same request fits another tool" if can_be_said else "its text does not read as a request"
    needs = needs_of(tool)
    if needs.refusal:
        return needs.refusal
    if promises_more(tool, action):
        return "its purpose names what only an optional parameter gives"
    if _recommends(tool, needs.parameters):
        return "its text recommends a parameter that a request would not state"
    if any(_is_recommended(tool, name) for name in tool.parameters if name not in needs.parameters):
        return "a parameter that a request would not state is recommended"
    if _selects_fields(tool, needs.parameters):
        return "what it returns is chosen by a list that a request would not state"
    if sum(len(choices_of(tool, name)) > 1 for name in needs.parameters) > MOST_CHOICES:
        return "which of its choices fit together is not said"
    if _leaves_open_which(tool, action, needs.parameters):
        return "it does one of two things, and no stated parameter says which"
    if _ALWAYS.search(text) and len(needs.parameters) < len(tool.parameters):
        return "its text wants something always, which a request would not state"
    if _LISTED_VALUES.search(text) and not all(_says_its_values(tool, name) for name in needs.parameters):
        return "its text lists values without saying of which parameter"
    if name := _identifier_parameter(tool, needs.parameters):
        return f"which one is meant may be said by {name}, which a request would not state"
    if named := _parameter_in_purpose(tool, action, needs.parameters):
        return f"its purpose names {named}, for which no value is sure to be right"
    if named := _basis_parameter(tool, needs.parameters):
        return f"its result is based on {named}, which a request would not state"
    if part := _missing_part(tool, action, needs.parameters):
        return f"its purpose names {part}, and no stated parameter gives that"
    if any(map(coordinate_of, needs.parameters)) and _CERTAIN_PLACES.search(text):
        return "its places must be of a certain kind or country"
    if any(_has_required_parts(tool, name) for name in tool.parameters if name not in needs.parameters):
        return "an optional object has required parts that a request would not state"
    is_unnamed = _UNNAMED.search(action) or (tool.parameters and _names_one_thing(tool, action))
    if not needs.parameters and (is_unnamed or _RANGE.search(action)):
        return "its purpose is about one thing, and no parameter says which"
    return ""


def _names_one_thing(tool: Tool, action: str) -> bool:
    """Whether an action is no more than a name in the singular: “get booking”."""
    is_one = not name_tokens(tool.name)[-1].endswith("s") and verb_in_name(tool.name) in _ACTS_ON_ONE
    return action == name_action(tool.name) and is_one


def _has_required_parts(tool: Tool, name: str) -> bool:
    """Whether an optional parameter is an object with required properties and stands for most of the tool."""
    schema = parameter_schema(tool, name)
    is_alone = len(tool.parameters) == 1 and json_type(schema) == "object"
    return is_alone and name not in required_parameters(tool) and bool(schema.get("required"))


def _recommends(tool: Tool, parameters: tuple[str, ...]) -> bool:
    """Whether the text urges a parameter that the request would not state: “use limit=1”, “ALWAYS use `jq`”."""
    for name in tool.parameters:
        if name in parameters:
            continue
        quoted = rf"[`'\"]?{re.escape(name)}[`'\"]?"
        set_to = rf"\b(?:use|set|pass|prefer|always|provide|specify|supply)\s+{quoted}\s*(?:=|:|to\b|for\b|when\b|if\b)"
        urged = rf"\b(?:{_URGES})\b[^.\n]{{0,60}}"
        marked = rf"(?:[`'\"]{re.escape(name)}[`'\"]|\b{re.escape(name)}\b(?= (?:param|arg|field|option)))"
        word = (
            rf"\b{re.escape(name)}\b"
            if re.search(r"_|[a-z][A-Z]", name)
            else rf"(?:use|using|with|set) {quoted}(?!\w)"
        )
        if any(
            re.search(pattern, tool.description, re.IGNORECASE)
            for pattern in (set_to, urged + marked, urged + word)
        ):
            return True
    return False


def _is_recommended(tool: Tool, name: str) -> bool:
    """Whether the text of an optional parameter urges to give it."""
    text = text_of(parameter_schema(tool, name))
    return (
        re.search(r"\brecommended\b(?! (?:for|if|when|to (?:leave|omit)))", text, re.IGNORECASE) is not None
    )


def _selects_fields(tool: Tool, parameters: tuple[str, ...]) -> bool:
    """Whether an optional list without a default chooses what a read returns: any choice would be as good as none."""
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        if name in parameters or "default" in schema or json_type(schema) != "array":
            continue
        choices = (item_schema(schema, tool.input_schema) or {}).get("enum")
        if isinstance(choices, list) and len(choices) >= MANY_CHOICES:
            return True
    return False


def _parameter_in_purpose(tool: Tool, action: str, parameters: tuple[str, ...]) -> str:
    """The parameter that a purpose names and the request would not state: “documents that match the filter”."""
    specified = stems(
        " ".join(re.findall(r"\b(?:specified|given|provided|selected) (\w+)", _first_sentence(tool)))
    )
    stated = stems(" ".join(" ".join(name_tokens(name)) for name in parameters))
    for name in tool.parameters:
        if name not in parameters and (specified - stated) & stems(" ".join(name_tokens(name))):
            return name
    if " or " in action:
        return ""
    for name in tool.parameters:
        words = re.escape(" ".join(name_tokens(name)))
        pattern = rf"\b(?:the|an?|by|with|using|matching|from|to|in|for) {words}s?\b"
        if name not in parameters and words and re.search(pattern, action, re.IGNORECASE):
            return name
    return ""


def _identifier_parameter(tool: Tool, parameters: tuple[str, ...]) -> str:
    """An optional parameter that says which thing a tool acts on, where no stated one does: which cell to delete."""
    subject = Purpose(tool, ()).subject
    is_one = effect(tool).is_write or not any(token.endswith("s") for token in name_tokens(tool.name)[-1:])
    if verb_in_name(tool.name) not in _ACTS_ON_ONE or not subject or not is_one:
        return ""

    def is_about(name: str) -> bool:
        text = text_of(parameter_schema(tool, name))
        is_bare = name in ("id", "key", "uid", "uuid", "name") and not text
        return is_bare or subject in stems(f"{' '.join(name_tokens(name))} {text}")

    if any(map(is_about, parameters)):
        return ""
    others = (name for name in tool.parameters if name not in parameters and _IDENTIFIES.search(name))
    return next(filter(is_about, others), "")


def _leaves_open_which(tool: Tool, action: str, parameters: tuple[str, ...]) -> bool:
    """Whether a purpose has two verbs between which nothing decides: “assign an issue or unassign it”."""
    verbs = [action.partition(" ")[0], *re.findall(r"\bor (\w+)\b", action)]
    others = [verb for verb in verbs[1:] if base_form(verb) == verb and verb not in ALSO_NOUNS]
    decides = any(
        json_type(parameter_schema(tool, name)) == "boolean"
        or values_in_definition(parameter_schema(tool, name))
        for name in parameters
    )
    return bool(others) and not decides and {verbs[0], *others} != {"create", "update"}


def _basis_parameter(tool: Tool, parameters: tuple[str, ...]) -> str:
    """The optional parameter that the whole sentence says a result is based on: “based on region and category”."""
    match = re.search(r"\b(?:based on|according to|given) ([\w ,'-]+)", action_of(tool, short=False))
    words = stems(match.group(1)) if match else set()
    for name in tool.parameters:
        told = stems(
            " ".join(token for token in name_tokens(name) if token not in ("id", "code", "name", "key"))
        )
        if name not in parameters and told and told <= words:
            return name
    return ""


def _first_sentence(tool: Tool) -> str:
    """The first sentence of a description as it stands."""
    return next(iter(sentences(tool.description)), "")


def _says_its_values(tool: Tool, name: str) -> bool:
    """Whether a parameter has a text or a list of values itself, or takes no text."""
    schema = parameter_schema(tool, name)
    return json_type(schema) != "string" or bool(text_of(schema) or values_in_definition(schema, name=name))


def _missing_part(tool: Tool, action: str, parameters: tuple[str, ...]) -> str:
    """What the purpose says that a thing is found by or moved to, and no stated parameter gives."""
    match = _MOVED_TO.search(action)
    if match is None:
        match = _FOUND_BY.search(action)
        if match is None or " or " in match.group(1):
            return ""
    stated = stems(
        " ".join(
            f"{' '.join(name_tokens(name))} {text_of(parameter_schema(tool, name))}" for name in parameters
        )
    )
    parts = re.split(r",| and | plus | or |/", match.group(1))
    if match.re is _MOVED_TO and any(not stems(part).isdisjoint(stated) for part in parts):
        return ""
    return next((part.strip() for part in parts if (words := stems(part)) and words.isdisjoint(stated)), "")
