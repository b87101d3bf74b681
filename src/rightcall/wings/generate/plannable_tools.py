"""Which tools a request can be written for, and with which parameters.

Left out are tools whose required values nobody could invent, deprecated ones, those that demand another call first, and
those whose purpose fits another tool of the set as well: a golden for one of them would be wrong or unfair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from rightcall.core.errors import InputError
from rightcall.core.words import name_tokens, stem, word_set, words as text_words
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.tools.definitions.validate import check_schema
from rightcall.wings.generate import purpose_gaps as gaps
from rightcall.wings.generate.actions import Purpose, action_of, distinct_actions, name_action, stems
from rightcall.wings.generate.needed_parameters import effect, needs_of, required_parameters
from rightcall.wings.generate.parameter_roles import choices_of, is_identifier
from rightcall.wings.generate.pools import coordinate_of
from rightcall.wings.generate.purpose_gaps import PossibleRequest
from rightcall.wings.generate.schema_parts import item_schema, json_type
from rightcall.wings.generate.tool_conditions import open_address
from rightcall.wings.generate.understood_values import DISCRIMINATORS, values_in_definition

_DEPRECATED = re.compile(
    r"\bdeprecated\b|\bobsolete\b|\bdo not use(?: (?:this|it)(?: tool)?)?\s*[.!;]"
    r"|\bno longer (?:supported|available|maintained|works?|used|recommended)\b",
    re.IGNORECASE,
)
MANY_CHOICES = 6
MOST_CHOICES = 2
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
_CONTEXTS = word_set("""
    exchange market region model country provider platform source network chain locale engine database site index
    """)
"""Words for parameters on whose value it depends which values of others exist."""
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
    refusals = {tool.name: _refusal(tool, actions.get(tool.name, ""), twins, tools) for tool in tools}
    return {name: reason for name, reason in refusals.items() if reason}


def request_actions(tools: Iterable[Tool]) -> dict[str, str]:
    """What a request says that fits this tool and no other, by tool."""
    current = (tool for tool in tools if not _DEPRECATED.search(tool.description))
    return distinct_actions(tuple(Purpose(tool, required_parameters(tool)) for tool in current))


def _refusal(tool: Tool, action: str, twins: set[str], tools: Sequence[Tool]) -> str:
    """Why a golden for this tool could be wrong or unfair; empty when nothing speaks against it."""
    if _DEPRECATED.search(tool.description):
        return "it is deprecated"
    if not has_usable_schema(tool):
        return "its schema is invalid"
    if tool.name in twins:
        return "another tool has the same name or text"
    if not action:
        can_be_said = Purpose(tool, required_parameters(tool)).candidates
        return "the same request fits another tool" if can_be_said else "its text does not read as a request"
    needs = needs_of(tool)
    request = PossibleRequest(tool, action, needs.parameters, tools)
    return needs.refusal or next((text.format(gap) for check, text in _GAPS if (gap := check(request))), "")


def has_usable_schema(tool: Tool) -> bool:
    """Whether arguments can be validated."""
    try:
        check_schema(tool)
    except InputError:
        return False
    return True


def _example_without(request: PossibleRequest) -> str:
    """A stated text without documented values, where the purpose shows an example: “by registry id (e.g. 10001)”."""
    first = next(iter(sentences(request.tool.description)), "")
    is_shown = re.search(r"\((?:e\.? ?g\b|for example|such as|like)|->|\be\.? ?g\b", first, re.IGNORECASE)
    texts = (name for name in request.parameters if json_type(request.schema(name)) == "string")
    return next((name for name in texts if is_shown and not _values_in_text(request, name)), "")


def _values_in_text(request: PossibleRequest, name: str) -> tuple[object, ...]:
    return values_in_definition(request.schema(name), name=name)


def _context_of_example(request: PossibleRequest) -> str:
    """An unstated parameter with a default that decides which values of another make sense: an exchange, a region."""
    stated = (name for name in request.parameters if not choices_of(request.tool, name))
    has_example = any(_values_in_text(request, name) for name in stated)
    for name in request.unstated if has_example else ():
        schema = request.schema(name)
        is_context = not _CONTEXTS.isdisjoint(name_tokens(name)) and json_type(schema) == "string"
        if is_context and schema.get("default"):
            return name
    return ""


def _does_the_same(request: PossibleRequest) -> str:
    """The tool that is there for the optional part of a change: `add_comment` beside an update with a comment."""
    tool = request.tool
    optional = (name for name in request.parameters if name not in required_parameters(tool))
    parts = {stem(name_tokens(name)[-1]) for name in optional} - set(map(stem, name_tokens(tool.name)))
    for other in request.tools if effect(tool).is_write else ():
        if effect(other).is_write and not parts.isdisjoint(map(stem, name_tokens(other.name))):
            return other.name
    return ""


def _promises_more(request: PossibleRequest) -> bool:
    """Whether an action names what only an optional parameter that the call leaves out would give.

    “Calculate times and distances” where a choice decides between them.
    """
    asked = stems(request.action.partition(" ")[2])
    for name in request.unstated:
        schema, tokens = request.schema(name), name_tokens(name)
        controlled: set[str] = set()
        if json_type(schema) == "boolean" and tokens[:1] in (("include",), ("with",), ("return",)):
            controlled = stems(" ".join(tokens[1:]))
        elif json_type(schema) in ("string", "array") and name not in DISCRIMINATORS:
            items = schema.get("items") if isinstance(schema.get("items"), dict) else {}
            choices = schema.get("enum") or (items or {}).get("enum") or ()
            default = str(schema.get("default", ""))
            controlled = stems(" ".join(str(choice) for choice in choices if str(choice) != default))
        if controlled & asked:
            return True
    return False


def _selects_fields(request: PossibleRequest) -> bool:
    """Whether an optional list without a default chooses what a read returns: any choice would be as good as none."""
    for schema in map(request.schema, request.unstated):
        if "default" not in schema and json_type(schema) == "array":
            choices = (item_schema(schema, request.tool.input_schema) or {}).get("enum")
            if isinstance(choices, list) and len(choices) >= MANY_CHOICES:
                return True
    return False


def _has_many_choices(request: PossibleRequest) -> bool:
    return sum(len(choices_of(request.tool, name)) > 1 for name in request.parameters) > MOST_CHOICES


def _owner_parameter(request: PossibleRequest) -> str:
    tool = request.tool
    address = open_address(tool, request.parameters) if effect(tool).is_write else ""
    return address or gaps.parent_parameter(request)


def _needs_certain_places(request: PossibleRequest) -> bool:
    is_place = any(map(coordinate_of, request.parameters))
    return is_place and _CERTAIN_PLACES.search(request.tool.description) is not None


def _has_required_parts(request: PossibleRequest) -> bool:
    """Whether an optional parameter is an object with required properties and stands for most of the tool."""
    tool = request.tool
    for name in request.unstated if len(tool.parameters) == 1 else ():
        schema = request.schema(name)
        if json_type(schema) == "object" and name not in required_parameters(tool):
            return bool(schema.get("required"))
    return False


def _sorts_by_nothing(request: PossibleRequest) -> bool:
    return request.action.startswith(("filter ", "sort ")) and all(
        is_identifier(request.tool, name) or gaps.is_label(name) for name in request.parameters
    )


def _leaves_open_what(request: PossibleRequest) -> bool:
    is_unnamed = _UNNAMED.search(request.action) or (
        request.tool.parameters and gaps.names_one_thing(request)
    )
    return not request.parameters and bool(is_unnamed or _RANGE.search(request.action))


_GAPS: tuple[tuple[Callable[[PossibleRequest], str | bool], str], ...] = (
    (_example_without, "its text shows an example, and nothing says that the value of {} is one like it"),
    (_context_of_example, "whether the example values fit the default of {} is not said"),
    (_does_the_same, "what it would change is what {} does"),
    (_promises_more, "its purpose names what only an optional parameter gives"),
    (_selects_fields, "what it returns is chosen by a list that a request would not state"),
    (_has_many_choices, "which of its choices fit together is not said"),
    (gaps.names_its_choices, "which of its choices fits the other values is not said"),
    (gaps.leaves_open_which, "it does one of two things, and no stated parameter says which"),
    (gaps.identifier_parameter, "which one is meant may be said by {}, which a request would not state"),
    (_owner_parameter, "what it belongs to may be said by {}, which a request would not state"),
    (gaps.parameter_in_purpose, "its purpose names {}, for which no value is sure to be right"),
    (gaps.basis_parameter, "its result is based on {}, which a request would not state"),
    (gaps.part_of_a_change, "its purpose names {}, and no stated parameter says which"),
    (gaps.missing_part, "its purpose names {}, and no stated parameter gives that"),
    (_needs_certain_places, "its places must be of a certain kind or country"),
    (_has_required_parts, "an optional object has required parts that a request would not state"),
    (gaps.chat_parameter, "an agent could fill {} from the conversation as well"),
    (gaps.has_open_settings, "what a new thing needs is not said"),
    (gaps.lone_end, "the counterpart of {} is one that a request would not state"),
    (gaps.says_several, "its purpose is about several things, and it is not said how to give more than one"),
    (_sorts_by_nothing, "nothing says by what"),
    (gaps.rival_of_several, "the same request fits {}"),
    (_leaves_open_what, "its purpose is about one thing, and no parameter says which"),
)
"""What a request would leave open, from the first to be told; `{}` is the parameter, the part or the other tool."""


_MOST_SHARED = 0.5
_EMPTY = word_set(
    "a an the this that these those it its their your our my is are be was will can of given specific specified"
)
"""Words that make no difference between two tools."""


def twin_names(tools: Iterable[Tool]) -> set[str]:
    """Tools whose texts differ at most in articles, endings and order from another's, or names with the same needs."""
    by_text: dict[tuple[object, ...], set[str]] = {}
    for tool in tools:
        told = tuple(stem(word) for word in text_words(tool.description) if word not in _EMPTY)
        named = frozenset(stem(token) for token in name_tokens(tool.name))
        by_name = (
            "name",
            named,
            frozenset(required_parameters(tool)),
        )  # `get_run` needs more than `get_runs`
        for key in (("text", *told), by_name) if len(told) > 1 else (by_name,):
            by_text.setdefault(key, set()).add(tool.name)
    return {name for names in by_text.values() if len(names) > 1 for name in names}


def dangerous_neighbour(tool: Tool, tools: Sequence[Tool]) -> Tool | None:
    """The tool with an effect that shares the most words with this one, unless it could serve the same request."""
    own = _word_set(tool)

    def overlap(other: Tool) -> float:
        return len(own & _word_set(other)) / max(1, len(own | _word_set(other)))

    others = [other for other in tools if other.name != tool.name and effect(other).is_write]
    best = max(others, key=overlap, default=None)
    return best if best is not None and 0 < overlap(best) <= _MOST_SHARED else None


def _word_set(tool: Tool) -> set[str]:
    return stems(f"{name_action(tool.name)} {action_of(tool)}")
