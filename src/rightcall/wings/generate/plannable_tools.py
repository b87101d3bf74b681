"""Which tools a request can be written for, and with which parameters.

Left out are tools whose required values nobody could invent, deprecated ones, those that demand another call first, and
those whose purpose fits another tool of the set as well: a golden for one of them would be wrong or unfair.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rightcall.core.errors import InputError
from rightcall.core.words import name_tokens, stem, word_set
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.tools.definitions.validate import check_schema
from rightcall.wings.generate.actions import (
    Purpose,
    distinct_actions,
    stems,
)
from rightcall.wings.generate.needed_parameters import effect, least_parameters, needs_of, required_parameters
from rightcall.wings.generate.parameter_roles import choices_of, is_identifier
from rightcall.wings.generate.places import coordinate_of
from rightcall.wings.generate.purpose_gaps import (
    basis_parameter,
    chat_parameter,
    has_open_settings,
    identifier_parameter,
    is_label,
    leaves_open_which,
    lone_end,
    missing_part,
    names_its_choices,
    names_one_thing,
    parameter_in_purpose,
    parent_parameter,
    part_of_a_change,
    rival_of_several,
    says_several,
)
from rightcall.wings.generate.schema_parts import (
    item_schema,
    json_type,
    parameter_schema,
)
from rightcall.wings.generate.tool_conditions import open_address
from rightcall.wings.generate.tool_neighbours import twin_names
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


def _refusal(tool: Tool, action: str, twins: set[str], tools: Sequence[Tool]) -> str:  # noqa: PLR0911, PLR0912  a list of reasons
    """Why a golden for this tool could be wrong or unfair; empty when nothing speaks against it."""
    text = tool.description
    if _DEPRECATED.search(text):
        return "it is deprecated"
    if not has_usable_schema(tool):
        return "its schema is invalid"
    if tool.name in twins:
        return "another tool has the same name or text"
    if not action:
        can_be_said = Purpose(tool, required_parameters(tool)).candidates
        return "the same request fits another tool" if can_be_said else "its text does not read as a request"
    needs = needs_of(tool)
    if needs.refusal:
        return needs.refusal
    if name := _example_without(tool, needs.parameters):
        return f"its text shows an example, and nothing says that the value of {name} is one like it"
    if name := _context_of_example(tool, needs.parameters):
        return f"whether the example values fit the default of {name} is not said"
    if other := _does_the_same(tool, tools, needs.parameters):
        return f"what it would change is what {other} does"
    if promises_more(tool, action):
        return "its purpose names what only an optional parameter gives"
    if _selects_fields(tool, needs.parameters):
        return "what it returns is chosen by a list that a request would not state"
    if sum(len(choices_of(tool, name)) > 1 for name in needs.parameters) > MOST_CHOICES:
        return "which of its choices fit together is not said"
    if names_its_choices(tool, action, needs.parameters):
        return "which of its choices fits the other values is not said"
    if leaves_open_which(tool, action, needs.parameters):
        return "it does one of two things, and no stated parameter says which"
    if name := identifier_parameter(tool, needs.parameters):
        return f"which one is meant may be said by {name}, which a request would not state"
    if name := open_address(tool, needs.parameters) if effect(tool).is_write else "":
        return f"what it belongs to may be said by {name}, which a request would not state"
    if name := parent_parameter(tool, needs.parameters):
        return f"what it belongs to may be said by {name}, which a request would not state"
    if named := parameter_in_purpose(tool, action, needs.parameters):
        return f"its purpose names {named}, for which no value is sure to be right"
    if named := basis_parameter(tool, needs.parameters):
        return f"its result is based on {named}, which a request would not state"
    if part := part_of_a_change(tool, action, needs.parameters):
        return f"its purpose names {part}, and no stated parameter says which"
    if part := missing_part(tool, action, needs.parameters):
        return f"its purpose names {part}, and no stated parameter gives that"
    if any(map(coordinate_of, needs.parameters)) and _CERTAIN_PLACES.search(text):
        return "its places must be of a certain kind or country"
    if any(_has_required_parts(tool, name) for name in tool.parameters if name not in needs.parameters):
        return "an optional object has required parts that a request would not state"
    return _left_open(tool, action, tools, needs.parameters)


def _left_open(tool: Tool, action: str, tools: Sequence[Tool], parameters: tuple[str, ...]) -> str:  # noqa: PLR0911  a list of reasons
    """What a request that states these parameters would leave to the agent; empty when nothing."""
    if name := chat_parameter(tool, parameters):
        return f"an agent could fill {name} from the conversation as well"
    if has_open_settings(tool, parameters):
        return "what a new thing needs is not said"
    if name := lone_end(tool, parameters):
        return f"the counterpart of {name} is one that a request would not state"
    if says_several(tool, action, parameters):
        return "its purpose is about several things, and it is not said how to give more than one"
    if action.startswith(("filter ", "sort ")) and all(
        is_identifier(tool, name) or is_label(name) for name in parameters
    ):
        return "nothing says by what"
    if other := rival_of_several(tool, tools):
        return f"the same request fits {other}"
    is_unnamed = _UNNAMED.search(action) or (tool.parameters and names_one_thing(tool, action))
    if not parameters and (is_unnamed or _RANGE.search(action)):
        return "its purpose is about one thing, and no parameter says which"
    return ""


def has_usable_schema(tool: Tool) -> bool:
    """Whether arguments can be validated."""
    try:
        check_schema(tool)
    except InputError:
        return False
    return True


def _example_without(tool: Tool, parameters: tuple[str, ...]) -> str:
    """A stated text without documented values, where the purpose shows an example: “by registry id (e.g. 10001)”."""
    first = next(iter(sentences(tool.description)), "")
    is_shown = re.search(r"\((?:e\.? ?g\b|for example|such as|like)|->|\be\.? ?g\b", first, re.IGNORECASE)
    texts = (name for name in parameters if json_type(parameter_schema(tool, name)) == "string")
    return next((name for name in texts if is_shown and not _documented(tool, name)), "")


def _documented(tool: Tool, name: str) -> tuple[object, ...]:
    return values_in_definition(parameter_schema(tool, name), name=name)


def _context_of_example(tool: Tool, parameters: tuple[str, ...]) -> str:
    """An unstated parameter with a default that decides which values of another make sense: an exchange, a region."""
    has_example = any(_documented(tool, name) and not choices_of(tool, name) for name in parameters)
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        is_context = not _CONTEXTS.isdisjoint(name_tokens(name)) and json_type(schema) == "string"
        if has_example and is_context and name not in parameters and schema.get("default"):
            return name
    return ""


def _does_the_same(tool: Tool, tools: Sequence[Tool], parameters: tuple[str, ...]) -> str:
    """The tool that is there for the optional part of a change: `add_comment` beside an update with a comment."""
    own = {stem(token) for token in name_tokens(tool.name)}
    parts = {
        stem(name_tokens(name)[-1]) for name in parameters if name not in required_parameters(tool)
    } - own
    for other in tools if effect(tool).is_write else ():
        if effect(other).is_write and parts & {stem(token) for token in name_tokens(other.name)}:
            return other.name
    return ""


def _has_required_parts(tool: Tool, name: str) -> bool:
    """Whether an optional parameter is an object with required properties and stands for most of the tool."""
    schema = parameter_schema(tool, name)
    is_alone = len(tool.parameters) == 1 and json_type(schema) == "object"
    return is_alone and name not in required_parameters(tool) and bool(schema.get("required"))


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
