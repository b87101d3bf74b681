"""What the purpose of a tool names and a call would not say: which thing, of what, by what, to where."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rightcall.core.words import name_tokens, stem, word_set
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.schema.effects import ALSO_NOUNS
from rightcall.wings.generate.actions import Purpose, action_of, base_form, name_action, stems, verb_in_name
from rightcall.wings.generate.needed_parameters import effect, required_parameters
from rightcall.wings.generate.parameter_roles import choices_of
from rightcall.wings.generate.schema_parts import json_type, parameter_schema, singular, text_of, words_of
from rightcall.wings.generate.tool_conditions import partner_of
from rightcall.wings.generate.understood_values import values_in_definition

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
_MOVED_TO = re.compile(
    r"^(?:move|copy|transfer|migrate|transition|assign|forward|redirect|switch|reassign|relocate)\b.* to ([\w /'-]+)$"
)
_MOVED_PART = re.compile(
    r"^(?:remove|add|delete|assign|attach|detach|insert|append|unassign) "
    r"(?:one or more |multiple |an? |the |new |all )*([\w -]+?) (?:from|to|into) "
)

_ABOUT_THE_CHAT = re.compile(
    r"\b(?:original|user'?s?|initial|full) (?:user )?(?:prompt|request|query|message|question|intent)\b"
    r"|\b(?:that|which) led to (?:this|the) (?:tool )?call\b|\btelemetry\b|\b(?:audit|analytics|logging) purposes\b"
    r"|\bwhy (?:you|the (?:agent|model|assistant|LLM|AI)|this tool)\b|\byour (?:reasoning|intent|thought)",
    re.IGNORECASE,
)
"""Texts of parameters that any agent could fill from the conversation."""
_CHAT_NAMES = re.compile(
    r"^(?:(?:original_?|raw_?)?user_?(?:prompt|query|request|message|intent|goal)|reason|reasoning|rationale|intent"
    r"|explanation|thoughts?|justification|context|(?:tool|call)_?(?:reason|context|intent))$",
    re.IGNORECASE,
)
_MACHINERY = word_set("""
    cluster instance database db group host server vm machine node nodepool pool droplet volume network vpc subnet
    loadbalancer balancer container deployment service environment warehouse gateway firewall replica workspace
    """)
"""Things that a service runs: what they are made of is seldom left to it."""
_LAUNCHES = word_set("create launch provision deploy spawn add make new run register start")
_LABELS = word_set("id ids identifier name title description label slug key")
MANY_SETTINGS = 6


def names_one_thing(tool: Tool, action: str) -> bool:
    """Whether an action is no more than a name in the singular: “get booking”."""
    is_one = not name_tokens(tool.name)[-1].endswith("s") and verb_in_name(tool.name) in _ACTS_ON_ONE
    return action == name_action(tool.name) and is_one


def parameter_in_purpose(tool: Tool, action: str, parameters: tuple[str, ...]) -> str:
    """The parameter that a purpose names and the request would not state: “documents that match the filter”."""
    first = next(iter(sentences(tool.description)), "")
    specified = stems(" ".join(re.findall(r"\b(?:specified|given|provided|selected) (\w+)", first)))
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


def identifier_parameter(tool: Tool, parameters: tuple[str, ...]) -> str:
    """An optional parameter that says which thing a tool acts on, where no stated one does: which cell to delete."""
    subject = Purpose(tool, ()).subject
    is_one = effect(tool).is_write or not any(token.endswith("s") for token in name_tokens(tool.name)[-1:])
    if verb_in_name(tool.name) not in _ACTS_ON_ONE or not subject or not is_one:
        return ""

    def is_about(name: str) -> bool:
        text = text_of(parameter_schema(tool, name))
        is_bare = name in ("id", "key", "uid", "uuid", "name")
        return is_bare or subject in stems(f"{' '.join(name_tokens(name))} {text}")

    if any(is_about(name) and not choices_of(tool, name) for name in parameters):
        return ""
    others = (name for name in tool.parameters if name not in parameters and _IDENTIFIES.search(name))
    return next(filter(is_about, others), "")


def parent_parameter(tool: Tool, parameters: tuple[str, ...]) -> str:
    """An optional parameter that names what a stated thing is part of: the model of a version to delete."""
    named = {stem(token) for token in name_tokens(tool.name)}
    things = [name_tokens(name)[:-1] for name in parameters if _IDENTIFIES.search(name)]
    if verb_in_name(tool.name) not in _ACTS_ON_ONE or not things:
        named.discard(Purpose(tool, ()).subject)  # one of those that are listed
    for name in tool.parameters:
        thing, last = name_tokens(name)[:-1], name_tokens(name)[-1]
        is_parent = bool(thing) and last in ("owner", "name", "id", "slug", "key") and stem(thing[0]) in named
        if is_parent and name not in parameters and thing not in things:
            return name
    return ""


def names_its_choices(tool: Tool, action: str, parameters: tuple[str, ...]) -> bool:
    """Whether a purpose names two values of a stated choice beside another text: “release an IPv4 or IPv6” address."""
    asked = set(words_of(action))
    if sum(json_type(parameter_schema(tool, name)) == "string" for name in parameters) < 2:
        return False
    return any(
        len(asked.intersection(str(choice).casefold() for choice in choices_of(tool, name))) > 1
        for name in parameters
    )


def leaves_open_which(tool: Tool, action: str, parameters: tuple[str, ...]) -> bool:
    """Whether a purpose has two verbs between which nothing decides: “assign an issue or unassign it”."""
    verbs = [action.partition(" ")[0], *re.findall(r"\bor (\w+)\b", action)]
    others = [verb for verb in verbs[1:] if base_form(verb) == verb and verb not in ALSO_NOUNS]
    decides = any(
        json_type(parameter_schema(tool, name)) == "boolean"
        or values_in_definition(parameter_schema(tool, name))
        for name in parameters
    )
    if not decides and re.search(r", \w+ing\b.* or ", action):
        return True  # “delete them, moving them to the trash or for good”
    return bool(others) and not decides and {verbs[0], *others} != {"create", "update"}


def basis_parameter(tool: Tool, parameters: tuple[str, ...]) -> str:
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


def part_of_a_change(tool: Tool, action: str, parameters: tuple[str, ...]) -> str:
    """What is added to or removed from a thing, where only an unstated parameter says what: “remove rules from” one."""
    match = _MOVED_PART.search(action)
    words = stems(match.group(1)) if match else set()
    if not words or any(not words.isdisjoint(_stems_of(tool, name)) for name in parameters):
        return ""
    is_optional = any(
        not words.isdisjoint(_stems_of(tool, name)) for name in tool.parameters if name not in parameters
    )
    return match.group(1) if match and is_optional else ""


def _stems_of(tool: Tool, name: str) -> set[str]:
    """The stems of a parameter's name and text."""
    return stems(f"{' '.join(name_tokens(name))} {text_of(parameter_schema(tool, name))}")


def missing_part(tool: Tool, action: str, parameters: tuple[str, ...]) -> str:
    """What the purpose says that a thing is found by or moved to, and no stated parameter gives."""
    match = _MOVED_TO.search(action)
    if match is None:
        match = _FOUND_BY.search(action)
        if match is None or " or " in match.group(1):
            return ""
    stated = set().union(*(_stems_of(tool, name) for name in parameters))
    parts = re.split(r",| and | plus | or |/", match.group(1))
    if match.re is _MOVED_TO and any(not stems(part).isdisjoint(stated) for part in parts):
        return ""
    return next((part.strip() for part in parts if (words := stems(part)) and words.isdisjoint(stated)), "")


def chat_parameter(tool: Tool, parameters: tuple[str, ...]) -> str:
    """An unstated text that any agent could fill from the conversation: the user's prompt, a reason for the call."""
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        if name in parameters or json_type(schema) != "string" or choices_of(tool, name):
            continue
        if _CHAT_NAMES.search(name) or _ABOUT_THE_CHAT.search(text_of(schema)):
            return name
    return ""


def has_open_settings(tool: Tool, parameters: tuple[str, ...]) -> bool:
    """Whether a new cluster, server or database would be no more than a name, where its schema has many settings."""
    tokens = {singular(token) for token in name_tokens(tool.name)}
    if (
        _LAUNCHES.isdisjoint((verb_in_name(tool.name), action_of(tool).partition(" ")[0]))
        or not tokens & _MACHINERY
    ):
        return False
    stated, others = [], 0
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        inner, needed = schema.get("properties"), schema.get("required") or ()
        if json_type(schema) == "object" and isinstance(inner, dict):
            stated += [key for key in inner if key in needed and name in parameters]
            others += sum(key not in needed for key in inner)
        elif name in parameters:
            stated.append(name)
        else:
            others += 1
    settings = [name for name in stated if not is_label(name)]
    return len(settings) < 2 and others >= MANY_SETTINGS


def is_label(name: str) -> bool:
    """Whether a parameter only says what a thing is called or which one it is, by its name."""
    return name_tokens(name)[-1] in _LABELS


def lone_end(tool: Tool, parameters: tuple[str, ...]) -> str:
    """A stated end, side or coordinate whose counterpart a request would not state: rows without columns."""
    partners = ((name, partner_of(tool, name)) for name in parameters)
    return next((name for name, partner in partners if partner and partner not in parameters), "")


def says_several(tool: Tool, action: str, parameters: tuple[str, ...]) -> bool:
    """Whether a purpose is about several things, and no stated parameter takes more than one."""
    if not re.search(r"\b(?:multiple|several)\b", action, re.IGNORECASE) or not parameters:
        return False
    for name in parameters:
        schema = parameter_schema(tool, name)
        documented = [str(value) for value in values_in_definition(schema, name=name)]
        if json_type(schema) in ("array", "object") or any("," in value for value in documented):
            return False
    return True


def rival_of_several(tool: Tool, tools: Iterable[Tool]) -> str:
    """A tool that does the same to “multiple” things with the same parameters."""
    own, needed = Purpose(tool, ()), set(required_parameters(tool))
    for other in tools:
        rival = Purpose(other, ())
        if other.name == tool.name or rival.subject != own.subject or own.verbs.isdisjoint(rival.verbs):
            continue
        is_plural = re.search(r"\b(?:multiple|several)\b", action_of(other), re.IGNORECASE)
        if is_plural and needed == set(required_parameters(other)):
            return other.name
    return ""
