"""The parameters that a request for a tool states: required ones, those its purpose names, optional ones in turn."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rightcall.core.words import name_tokens, stem, word_set
from rightcall.model.tool import Tool
from rightcall.schema.effects import CREATE, Effect, effect_of
from rightcall.wings.generate.actions import SEARCHES, action_of, verb_in_name
from rightcall.wings.generate.parameter_roles import is_free_text, is_identifier
from rightcall.wings.generate.schema_parts import (
    about,
    item_schema,
    json_type,
    parameter_schema,
    text_of,
    words_of,
)
from rightcall.wings.generate.tool_conditions import partner_of, restricts, spellings_of_one, unexplained
from rightcall.wings.generate.understood_values import is_discriminator, is_understood

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
_ATTACHMENTS = frozenset(map(stem, ("comment", "comments", "reply", "attachment", "reaction", "reactions")))
_OPEN_ENDED = SEARCHES | word_set("ask chat interact execute run perform invoke")
_ASKED = word_set(
    "query q search keyword keywords term prompt code script command instruction instructions question task"
)
"""Parameters that say what to look for or to do, for verbs that mean nothing without it."""

_REPLACES = word_set("replace put overwrite rewrite write import upload sync upsert")
_COMMANDS = word_set("command operation action method")
_QUALIFIERS = word_set("operator op comparator comparison")
"""Last words of parameters that say how another one is compared."""

POINTERS = word_set("id ids key slug number url name")
"""Last words of parameters that say which thing is meant."""


def required_parameters(tool: Tool) -> tuple[str, ...]:
    needed = tool.input_schema.get("required")
    return tuple(name for name in needed if name in tool.parameters) if isinstance(needed, list) else ()


def optional_parameters(tool: Tool) -> list[str]:
    """The optional parameters that a person would mention: those with a plain value that the definition explains."""
    names = []
    for name in _not_required(tool):
        schema = parameter_schema(tool, name)
        is_plain = json_type(schema) in ("string", "integer", "number", "boolean") or _holds_scalars(schema)
        is_asked_for = is_plain and name not in _ABOUT_THE_CHAT and _is_understood(tool, name)
        if is_asked_for and not restricts(text_of(schema)) and name_tokens(name)[-1] not in _QUALIFIERS:
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


@dataclass(frozen=True)
class CallNeeds:
    """The parameters without which a call makes no sense, or why they are not known."""

    parameters: tuple[str, ...] = ()
    refusal: str = ""


def least_parameters(tool: Tool) -> tuple[str, ...] | None:
    """The parameters without which a call makes no sense, with those that the texts demand; None when unknown."""
    needs = needs_of(tool)
    return None if needs.refusal else needs.parameters


def needs_of(tool: Tool) -> CallNeeds:
    """What a request for a tool has to state: by its schema, its purpose and its texts."""
    needs = _needs_by_purpose(tool)
    if needs.refusal:
        return needs
    least = with_partners(tool, needs.parameters)
    return CallNeeds(least, unexplained(tool, least))


def _needs_by_purpose(tool: Tool) -> CallNeeds:  # noqa: PLR0911, PLR0912  from sure to unsure
    """The required parameters, and an identifier of what the purpose names.

    A search without anything to look for and an update without a change get an optional parameter more.
    """
    needed, optional = required_parameters(tool), optional_parameters(tool)
    for name in needed:
        if not _is_understood(tool, name):
            return CallNeeds(refusal=f"no value of {name} is sure to be right")
    others = len(tool.parameters) - len(needed)
    most = 0 if any(name_tokens(name)[-1] in _COMMANDS for name in needed) else 1
    has_object = any(json_type(parameter_schema(tool, name)) == "object" for name in _not_required(tool))
    if any(map(is_discriminator, needed)) and (others > most or has_object):
        return CallNeeds(refusal="which parameters belong to a choice is not said")
    first_word = action_of(tool).partition(" ")[0]
    verb, purpose = effect(tool).verb or verb_in_name(tool.name) or first_word, set(words_of(action_of(tool)))
    is_search = not SEARCHES.isdisjoint((verb, first_word))
    named = [
        name
        for name in optional
        if _is_named(name, purpose)
        and not (is_search and is_identifier(tool, name))
        and not (name in POINTERS and (needed or verb == "list"))
    ]
    pointers = [name for name in named if name_tokens(name)[-1] in POINTERS]
    pointers = sorted(pointers, key=lambda name: name_tokens(name)[-1] == "url")[:1]
    named = [name for name in named if name in pointers or name_tokens(name)[-1] not in POINTERS]
    identifies = [name for name in needed if _says_which(tool, name)]
    if not _CHANGES.isdisjoint((verb, first_word)) and len(identifies) == len(needed):
        changed = [name for name in optional if name in named or is_free_text(tool, name)]
        changed = [name for name in changed if not is_identifier(tool, name)][:1]
        if not changed or not (needed or pointers):
            return CallNeeds(refusal="nothing says what to change")
        return CallNeeds((*needed, *pointers, *changed))
    if not _REPLACES.isdisjoint((verb, first_word)) and len(identifies) == len(needed) < len(tool.parameters):
        return CallNeeds(refusal="nothing says what to write")
    if verb in CREATE and not _is_attached(tool, needed):
        return CallNeeds(refusal="nothing says what it belongs to")
    told_what = any(is_free_text(tool, name) and not is_identifier(tool, name) for name in needed)
    if not _OPEN_ENDED.isdisjoint((verb, first_word)) and not told_what:
        others_to_ask = (name for name in tool.parameters if name not in needed)
        asked = [name for name in others_to_ask if not _ASKED.isdisjoint(name_tokens(name))]
        sure = [name for name in asked if name in optional and is_free_text(tool, name)]
        if asked and not sure:
            return CallNeeds(refusal=f"nothing says what to do: no value of {asked[0]} is sure to be right")
        needed = (*needed, *sure[:1])
    if needed:
        told = [name for name in named if name not in pointers and _is_told(tool, name)]
        is_bare = verb in CREATE and len(identifies) == len(needed) < 2 and _has_contents(tool)
        if is_bare and not told:
            return CallNeeds(refusal="what a new thing needs is not said")
        return CallNeeds((*needed, *pointers, *told))
    if verb in CREATE and len(tool.parameters) > MOST_OPTIONAL:
        return CallNeeds(refusal="what a new thing needs is not said")
    if named:
        return CallNeeds(tuple(named[: 1 if " or " in action_of(tool) else MOST_OPTIONAL]))
    if verb in _WITHOUT_OBJECT or (not tool.parameters and verb not in _WITH_OBJECT):
        return CallNeeds()
    searched = [name for name in optional if is_free_text(tool, name)] if not effect(tool).is_write else []
    return CallNeeds(tuple(searched[:1])) if searched else CallNeeds(refusal="nothing says what it is about")


def _says_which(tool: Tool, name: str) -> bool:
    """Whether a parameter says which thing or which kind of thing is meant, and nothing about it."""
    is_type = name_tokens(name)[-1] == "type" and "type" not in name_tokens(tool.name)
    is_pointer = is_identifier(tool, name) or _only_identifies(tool, name) or _names_the_subject(tool, name)
    return is_pointer or is_type or is_discriminator(name)


def _names_the_subject(tool: Tool, name: str) -> bool:
    """Whether a parameter is the name of what the tool is about: the `page_name` of `update_page`."""
    *thing, last = name_tokens(name)
    about_tool = {stem(token) for token in name_tokens(tool.name)}
    return last in ("name", "title") and bool(thing) and stem(thing[-1]) in about_tool and "new" not in thing


def _is_named(name: str, purpose: set[str]) -> bool:
    """Whether the words of a purpose name a parameter; an `id` alone is named by the thing that it identifies."""
    return set(name_tokens(name)) - POINTERS <= purpose


def _is_attached(tool: Tool, needed: Iterable[str]) -> bool:
    """Whether a new comment, reply or attachment has something that it belongs to, where there are several choices."""
    if _ATTACHMENTS.isdisjoint(stem(token) for token in name_tokens(tool.name)):
        return True
    owners = [name for name in _leaf_names(tool) if name_tokens(name)[-1] in POINTERS]
    return len(owners) < 2 or any(is_identifier(tool, name) for name in needed)


def _leaf_names(tool: Tool) -> list[str]:
    """The names of the parameters, and of the properties of a list of objects."""
    names = list(tool.parameters)
    for name in tool.parameters:
        inner = (item_schema(parameter_schema(tool, name), tool.input_schema) or {}).get("properties")
        names += list(inner) if isinstance(inner, dict) else []
    return names


def _has_contents(tool: Tool) -> bool:
    """Whether an optional parameter holds what a new thing consists of: an object, a list of them, a text."""
    return any(
        json_type(_part_schema(tool, name)) == "object" or is_free_text(tool, name)
        for name in _not_required(tool)
        if name_tokens(name)[-1] not in POINTERS
    )


def _is_told(tool: Tool, name: str) -> bool:
    """Whether the purpose says that an optional parameter is given: “add an asset by symbol”."""
    words = re.escape(" ".join(name_tokens(name)))
    how = (
        r"(?:by|with|using|for)" if not effect(tool).is_write else r"(?:by|with|using|for|to|from|in|at|and)"
    )
    is_value = json_type(parameter_schema(tool, name)) != "boolean"
    pattern = rf"\b{how} (?:an? |the |its |their )?(?:\w+ )?{words}s?\b"
    return is_value and re.search(pattern, action_of(tool), re.IGNORECASE) is not None


def _not_required(tool: Tool) -> list[str]:
    return [name for name in tool.parameters if name not in required_parameters(tool)]


def _part_schema(tool: Tool, name: str) -> dict[str, Any]:
    """The schema of a parameter, of a list that of its items."""
    schema = parameter_schema(tool, name)
    return (item_schema(schema, tool.input_schema) or {}) if json_type(schema) == "array" else schema


def _only_identifies(tool: Tool, name: str) -> bool:
    """Whether a parameter holds objects of which only the identifier is required."""
    required = _part_schema(tool, name).get("required")
    return isinstance(required, list) and all(
        str(word).endswith(("id", "Id", "key", "name")) for word in required
    )


def parameters_of_turn(tool: Tool, turn: int) -> tuple[str, ...]:
    """The least parameters, then with each optional one in turn, then with several, cyclically."""
    needed = least_parameters(tool) or required_parameters(tool)
    optional = [name for name in optional_parameters(tool) if name not in needed]
    if any(is_identifier(tool, name) for name in needed if name not in required_parameters(tool)):
        optional = [name for name in optional if not is_identifier(tool, name)]  # a thing is identified once
    groups = [set(group) for group in spellings_of_one(tool)]
    optional = [name for name in optional if not any(name in group and group & {*needed} for group in groups)]
    place = turn % (len(optional) + 2) if optional else 0
    chosen = optional[:MOST_OPTIONAL] if place > len(optional) else optional[max(0, place - 1) : place]
    if any(len(group.intersection(chosen)) > 1 for group in groups):
        chosen = chosen[:1]
    return with_partners(tool, (*needed, *chosen))


def effect(tool: Tool) -> Effect:
    """What a tool does to the world, by its hints and its name."""
    hints = {"readOnlyHint": tool.annotations.read_only, "destructiveHint": tool.annotations.destructive}
    return effect_of(tool.name, hints, None)


def _is_understood(tool: Tool, name: str) -> bool:
    return is_understood(name, parameter_schema(tool, name), tool.input_schema, about(tool))


def _holds_scalars(schema: dict[str, object]) -> bool:
    items = schema.get("items")
    return (
        json_type(schema) == "array" and isinstance(items, dict) and json_type(items) in ("string", "integer")
    )
