"""What the purpose of a tool names and a call would not say: which thing, of what, by what, to where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
_SEVERAL = re.compile(r"\b(?:multiple|several)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PossibleRequest:
    """A request for a tool: what it asks for, the parameters that it states, and the tools that the agent has."""

    tool: Tool
    action: str
    parameters: tuple[str, ...]
    tools: Sequence[Tool]

    @cached_property
    def unstated(self) -> list[str]:
        return [name for name in self.tool.parameters if name not in self.parameters]

    def schema(self, name: str) -> dict[str, Any]:
        return parameter_schema(self.tool, name)

    def stems(self, name: str) -> set[str]:
        """The stems of a parameter's name and text."""
        return stems(f"{' '.join(name_tokens(name))} {text_of(self.schema(name))}")


def names_one_thing(request: PossibleRequest) -> bool:
    """Whether an action is no more than a name in the singular: “get booking”."""
    name = request.tool.name
    is_one = not name_tokens(name)[-1].endswith("s") and verb_in_name(name) in _ACTS_ON_ONE
    return request.action == name_action(name) and is_one


def parameter_in_purpose(request: PossibleRequest) -> str:
    """The parameter that a purpose names and the request would not state: “documents that match the filter”."""
    first = next(iter(sentences(request.tool.description)), "")
    specified = stems(" ".join(re.findall(r"\b(?:specified|given|provided|selected) (\w+)", first)))
    stated = stems(" ".join(" ".join(name_tokens(name)) for name in request.parameters))
    for name in request.unstated:
        if (specified - stated) & stems(" ".join(name_tokens(name))):
            return name
    for name in request.unstated if " or " not in request.action else ():
        words = re.escape(" ".join(name_tokens(name)))
        pattern = rf"\b(?:the|an?|by|with|using|matching|from|to|in|for) {words}s?\b"
        if words and re.search(pattern, request.action, re.IGNORECASE):
            return name
    return ""


def identifier_parameter(request: PossibleRequest) -> str:
    """An optional parameter that says which thing a tool acts on, where no stated one does: which cell to delete."""
    tool = request.tool
    subject = Purpose(tool, ()).subject
    is_one = effect(tool).is_write or not any(token.endswith("s") for token in name_tokens(tool.name)[-1:])
    if verb_in_name(tool.name) not in _ACTS_ON_ONE or not subject or not is_one:
        return ""

    def is_about(name: str) -> bool:
        return name in ("id", "key", "uid", "uuid", "name") or subject in request.stems(name)

    if any(is_about(name) and not choices_of(tool, name) for name in request.parameters):
        return ""
    return next((name for name in request.unstated if _IDENTIFIES.search(name) and is_about(name)), "")


def parent_parameter(request: PossibleRequest) -> str:
    """An optional parameter that names what a stated thing is part of: the model of a version to delete."""
    tool = request.tool
    named = {stem(token) for token in name_tokens(tool.name)}
    things = [name_tokens(name)[:-1] for name in request.parameters if _IDENTIFIES.search(name)]
    if verb_in_name(tool.name) not in _ACTS_ON_ONE or not things:
        named.discard(Purpose(tool, ()).subject)  # one of those that are listed
    for name in request.unstated:
        thing, last = name_tokens(name)[:-1], name_tokens(name)[-1]
        is_parent = bool(thing) and last in ("owner", "name", "id", "slug", "key") and stem(thing[0]) in named
        if is_parent and thing not in things:
            return name
    return ""


def names_its_choices(request: PossibleRequest) -> bool:
    """Whether a purpose names two values of a stated choice beside another text: “release an IPv4 or IPv6” address."""
    asked, parameters = set(words_of(request.action)), request.parameters
    if sum(json_type(request.schema(name)) == "string" for name in parameters) < 2:
        return False
    choices = ({str(choice).casefold() for choice in choices_of(request.tool, name)} for name in parameters)
    return any(len(asked & values) > 1 for values in choices)


def leaves_open_which(request: PossibleRequest) -> bool:
    """Whether a purpose has two verbs between which nothing decides: “assign an issue or unassign it”."""
    first, others = request.action.partition(" ")[0], re.findall(r"\bor (\w+)\b", request.action)
    others = [verb for verb in others if base_form(verb) == verb and verb not in ALSO_NOUNS]
    schemas = map(request.schema, request.parameters)
    if any(json_type(schema) == "boolean" or values_in_definition(schema) for schema in schemas):
        return False
    if re.search(r", \w+ing\b.* or ", request.action):
        return True  # “delete them, moving them to the trash or for good”
    return bool(others) and {first, *others} != {"create", "update"}


def basis_parameter(request: PossibleRequest) -> str:
    """The optional parameter that the whole sentence says a result is based on: “based on region and category”."""
    sentence = action_of(request.tool, short=False)
    match = re.search(r"\b(?:based on|according to|given) ([\w ,'-]+)", sentence)
    words = stems(match.group(1)) if match else set()
    for name in request.unstated:
        told = stems(" ".join(t for t in name_tokens(name) if t not in ("id", "code", "name", "key")))
        if told and told <= words:
            return name
    return ""


def part_of_a_change(request: PossibleRequest) -> str:
    """What is added to or removed from a thing, where only an unstated parameter says what: “remove rules from” one."""
    match = _MOVED_PART.search(request.action)
    words = stems(match.group(1)) if match else set()

    def is_said(names: Iterable[str]) -> bool:
        return any(not words.isdisjoint(request.stems(name)) for name in names)

    return match.group(1) if match and is_said(request.unstated) and not is_said(request.parameters) else ""


def missing_part(request: PossibleRequest) -> str:
    """What the purpose says that a thing is found by or moved to, and no stated parameter gives."""
    match = _MOVED_TO.search(request.action) or _FOUND_BY.search(request.action)
    if match is None or (match.re is _FOUND_BY and " or " in match.group(1)):
        return ""
    stated = set().union(*map(request.stems, request.parameters))
    parts = re.split(r",| and | plus | or |/", match.group(1))
    if match.re is _MOVED_TO and any(not stems(part).isdisjoint(stated) for part in parts):
        return ""
    return next((part.strip() for part in parts if (words := stems(part)) and words.isdisjoint(stated)), "")


def chat_parameter(request: PossibleRequest) -> str:
    """An unstated text that any agent could fill from the conversation: the user's prompt, a reason for the call."""
    for name in request.unstated:
        schema = request.schema(name)
        is_about_it = _CHAT_NAMES.search(name) or _ABOUT_THE_CHAT.search(text_of(schema))
        if json_type(schema) == "string" and not choices_of(request.tool, name) and is_about_it:
            return name
    return ""


def has_open_settings(request: PossibleRequest) -> bool:
    """Whether a new cluster, server or database would be no more than a name, where its schema has many settings."""
    tool, parameters = request.tool, request.parameters
    verbs = (verb_in_name(tool.name), action_of(tool).partition(" ")[0])
    if _LAUNCHES.isdisjoint(verbs) or _MACHINERY.isdisjoint(map(singular, name_tokens(tool.name))):
        return False
    stated, others = [], 0
    for name in tool.parameters:
        schema = request.schema(name)
        inner, needed = schema.get("properties"), schema.get("required") or ()
        if json_type(schema) == "object" and isinstance(inner, dict):
            stated += [key for key in inner if key in needed and name in parameters]
            others += sum(key not in needed for key in inner)
        elif name in parameters:
            stated.append(name)
        else:
            others += 1
    return sum(not is_label(name) for name in stated) < 2 and others >= MANY_SETTINGS


def is_label(name: str) -> bool:
    """Whether a parameter only says what a thing is called or which one it is, by its name."""
    return name_tokens(name)[-1] in _LABELS


def lone_end(request: PossibleRequest) -> str:
    """A stated end, side or coordinate whose counterpart a request would not state: rows without columns."""
    return next(
        (name for name in request.parameters if partner_of(request.tool, name) in request.unstated), ""
    )


def says_several(request: PossibleRequest) -> bool:
    """Whether a purpose is about several things, and no stated parameter takes more than one."""
    if not _SEVERAL.search(request.action) or not request.parameters:
        return False
    for name in request.parameters:
        schema = request.schema(name)
        documented = [str(value) for value in values_in_definition(schema, name=name)]
        if json_type(schema) in ("array", "object") or any("," in value for value in documented):
            return False
    return True


def rival_of_several(request: PossibleRequest) -> str:
    """A tool that does the same to “multiple” things with the same parameters."""
    own, needed = Purpose(request.tool, ()), set(required_parameters(request.tool))
    for other in request.tools:
        rival = Purpose(other, ())
        if (
            other.name == request.tool.name
            or rival.subject != own.subject
            or own.verbs.isdisjoint(rival.verbs)
        ):
            continue
        if _SEVERAL.search(action_of(other)) and needed == set(required_parameters(other)):
            return other.name
    return ""
