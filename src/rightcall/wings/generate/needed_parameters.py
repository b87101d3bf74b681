"""The parameters that a request for a tool states: required ones, those its purpose names, optional ones in turn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from rightcall.lint.features.effects import CREATE, Effect, effect_of
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.text import name_tokens
from rightcall.model.tool import Tool
from rightcall.wings.generate.actions import action_of
from rightcall.wings.generate.parameter_roles import is_free_text, is_identifier
from rightcall.wings.generate.schema_parts import (
    about,
    item_schema,
    json_type,
    parameter_schema,
    singular,
    words_of,
)
from rightcall.wings.generate.tool_conditions import (
    alternatives,
    asks_first,
    depends_on_others,
    has_open_condition,
    partner_of,
)
from rightcall.wings.generate.understood_values import (
    is_discriminator,
    is_understood,
    values_in_definition,
)
from rightcall.wings.generate.value_kinds import kind_of

MOST_OPTIONAL = 2
_WITHOUT_OBJECT = word_set("list get show read check describe fetch retrieve view status count whoami ping")
_ABOUT_THE_CHAT = word_set("""
    user_prompt userPrompt reasoning thought thoughts rationale explanation user_message by
    """)
_WITH_OBJECT = CREATE | word_set(
    "search find query lookup run execute update edit delete remove fork merge open"
)
_CHANGES = word_set("""
    update edit modify patch set change configure adjust customize format style emulate
    """)
POINTERS = word_set("id ids key slug number url name")
"""Last words of parameters that say which thing is meant."""


def required_parameters(tool: Tool) -> tuple[str, ...]:
    """The required parameters."""
    needed = tool.input_schema.get("required")
    return tuple(name for name in needed if name in tool.parameters) if isinstance(needed, list) else ()


def optional_parameters(tool: Tool) -> list[str]:
    """The optional parameters that a person would mention: those with a plain value that the definition explains."""
    names = []
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        is_plain = json_type(schema) in ("string", "integer", "number", "boolean") or _holds_scalars(schema)
        is_asked_for = is_plain and name not in _ABOUT_THE_CHAT and _is_understood(tool, name)
        is_sure = not _is_guessed(tool, name, schema) and not depends_on_others(tool, name)
        if name not in required_parameters(tool) and is_asked_for and is_sure:
            names.append(name)
    stated = (*names, *required_parameters(tool))
    return [name for name in names if partner_of(tool, name) in ("", *stated)]


def with_partners(tool: Tool, names: Iterable[str]) -> tuple[str, ...]:
    """The parameters, and the other end or coordinate of each: a check-in without a check-out is no stay."""
    names = tuple(names)
    stated = {*optional_parameters(tool), *required_parameters(tool)}
    partners = (partner_of(tool, name) for name in names)
    return tuple(dict.fromkeys((*names, *(name for name in partners if name in stated))))


def mentionable_parameters(tool: Tool) -> list[str]:
    """The parameters that a request may state, in the order of the schema."""
    optional = optional_parameters(tool)
    return [name for name in tool.parameters if name in optional or name in required_parameters(tool)]


def least_parameters(tool: Tool) -> tuple[str, ...] | None:
    """The parameters without which a call makes no sense, with those that the texts demand; None when unknown."""
    least = _least_by_purpose(tool)
    if least is None or asks_first(tool):
        return None
    optional = optional_parameters(tool)
    for group in alternatives(tool):
        if not group and any(name not in required_parameters(tool) for name in least):
            continue
        if not set(group).intersection(least):
            usable = [
                name for name in optional if (name in group or not group) and not is_identifier(tool, name)
            ]
            usable = usable or [name for name in optional if name in group]
            if not usable:
                return None
            least = (*least, usable[0])
    least = with_partners(tool, least)
    return None if has_open_condition(tool, least) else least


def _least_by_purpose(tool: Tool) -> tuple[str, ...] | None:  # noqa: PLR0911  from sure to unsure
    """The parameters without which a call makes no sense; None when a request cannot state them.

    Those are the required ones, and an identifier of what the tool's purpose names. A search without anything to look
    for and an update without a change get an optional parameter more.
    """
    needed, optional = required_parameters(tool), optional_parameters(tool)
    if not all(_is_understood(tool, name) for name in needed):
        return None
    if any(map(is_discriminator, needed)) and (len(optional) > 1 or _has_optional_object(tool)):
        return None  # which of the others belong to a choice is not said
    verb, purpose = effect(tool).verb, set(words_of(action_of(tool)))
    named = [name for name in optional if set(name_tokens(name)) - POINTERS <= purpose]
    pointers = sorted((name for name in named if name_tokens(name)[-1] in POINTERS), key=_is_link)[:1]
    named = [name for name in named if name in pointers or name_tokens(name)[-1] not in POINTERS]
    is_change = not _CHANGES.isdisjoint((verb, action_of(tool).partition(" ")[0]))
    if is_change and all(is_identifier(tool, name) or _only_identifies(tool, name) for name in needed):
        changed = [name for name in optional if name in named or is_free_text(tool, name)]
        changed = [name for name in changed if not is_identifier(tool, name)][:1]
        return (*needed, *pointers, *changed) if changed and (needed or pointers) else None
    if needed:
        told = [name for name in named if name not in pointers and _is_told(tool, name)]
        return (*needed, *pointers, *told)
    if verb in CREATE and len(tool.parameters) > MOST_OPTIONAL:
        return None  # what a new thing needs is not said
    if named:
        return tuple(named[:MOST_OPTIONAL])
    if verb in _WITHOUT_OBJECT or (not tool.parameters and verb not in _WITH_OBJECT):
        return ()
    searched = [name for name in optional if is_free_text(tool, name)] if not effect(tool).is_write else []
    return tuple(searched[:1]) or None


def _is_told(tool: Tool, name: str) -> bool:
    """Whether the purpose says that an optional parameter is given: “add an asset by symbol”."""
    words = re.escape(" ".join(name_tokens(name)))
    how = (
        r"(?:by|with|using|for)" if not effect(tool).is_write else r"(?:by|with|using|for|to|from|in|at|and)"
    )
    is_value = json_type(parameter_schema(tool, name)) != "boolean"
    pattern = rf"\b{how} (?:an? |the |its |their )?(?:\w+ )?{words}s?\b"
    return is_value and re.search(pattern, action_of(tool), re.IGNORECASE) is not None


def _has_optional_object(tool: Tool) -> bool:
    return any(
        json_type(parameter_schema(tool, name)) == "object"
        for name in tool.parameters
        if name not in required_parameters(tool)
    )


def _only_identifies(tool: Tool, name: str) -> bool:
    """Whether a parameter holds objects of which only the identifier is required."""
    schema = parameter_schema(tool, name)
    inner = (item_schema(schema, tool.input_schema) or {}) if json_type(schema) == "array" else schema
    required = inner.get("required")
    return isinstance(required, list) and all(
        str(word).endswith(("id", "Id", "key", "name")) for word in required
    )


def _is_link(name: str) -> bool:
    return name_tokens(name)[-1] == "url"


def parameters_of_turn(tool: Tool, turn: int) -> tuple[str, ...]:
    """The least parameters, then with each optional one in turn, then with several, cyclically."""
    needed = least_parameters(tool) or required_parameters(tool)
    optional = [name for name in optional_parameters(tool) if name not in needed]
    place = turn % (len(optional) + 2) if optional else 0
    chosen = optional[:MOST_OPTIONAL] if place > len(optional) else optional[max(0, place - 1) : place]
    return with_partners(tool, (*needed, *chosen))


def effect(tool: Tool) -> Effect:
    """What a tool does to the world, by its hints and its name."""
    hints = {"readOnlyHint": tool.annotations.read_only, "destructiveHint": tool.annotations.destructive}
    return effect_of(tool.name, hints, None)


def _is_understood(tool: Tool, name: str) -> bool:
    return is_understood(name, tool.parameters[name], tool.input_schema, about(tool))


def _is_guessed(tool: Tool, name: str, schema: dict[str, Any]) -> bool:
    """Whether any text would do for all that the definition says."""
    is_text = json_type(schema) in ("string", "array") and not values_in_definition(schema)
    return is_text and kind_of(singular(name), schema, about(tool)) == "phrase"


def _holds_scalars(schema: dict[str, object]) -> bool:
    items = schema.get("items")
    return (
        json_type(schema) == "array" and isinstance(items, dict) and json_type(items) in ("string", "integer")
    )
