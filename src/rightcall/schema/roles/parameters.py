"""What a tool's parameters are: who gets something, what is picked, what is text; words that several rooms look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ParameterClass
from rightcall.schema.subschemas import properties_of, reference_of, target_of
from rightcall.schema.types import json_type

PICK = word_set("""
    id ids uuid key code number name file filename path folder account user username user_name product hotel restaurant
    flight room car company order issue branch repository repo group channel customer ticket document event
    """)

TECHNICAL_NAMES = word_set("""
    idempotency_key request_id trace_id correlation_id client_token expected_version confirmation_token dedup_key
    """)
"""Parameters by which programs recognize a call: whoever calls makes them up."""

PRIVATE_FIELDS = word_set(
    "password passport card pin code token key ssn account secret iban credential salary cvv otp"
)
"""Words in the names of result fields whose values must not leave unless the user names them."""

FOREIGN_FIELDS = word_set("""
    body content text message subject title description note comment review summary snippet html markdown excerpt
    preview
    """)
"""Fields of a result that hold a text somebody else wrote."""
SENDER_FIELDS = word_set("sender from author owner")


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """`messages` → message, `inboxes` → inbox, `histories` → history; words in -ss, -us and -is stay."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("xes", "ches", "shes", "sses")) else word[:-1]


@lru_cache(maxsize=65536)
def nouns_of(name: str) -> frozenset[str]:
    """The tokens of a name as they are and in the singular."""
    tokens = name_tokens(name)
    return frozenset(tokens) | frozenset(map(singular, tokens))


_ALWAYS = re.compile(
    r"sql|sql_?query|shell_?command|bash|shell|javascript|python_?code|shell_?script|command_?line|raw_?sql",
    re.I,
)
_MAYBE = re.compile(r"command|cmd|code|script|expression|query|function|statement", re.I)
_RUN_VERBS = frozenset(["run", "execute", "exec", "eval", "evaluate", "invoke", "start"])
_QUERY = re.compile(r"expression|query", re.I)
_LANGUAGE = r"shell|bash|sql|python|javascript|js|powershell|terminal|program|snippet"
_PROGRAM = re.compile(rf"\b(?:{_LANGUAGE}|code to (?:run|execute|evaluate)|to execute)\b", re.I)
_PROGRAM_OF_A_QUERY = re.compile(rf"\b(?:{_LANGUAGE})\b", re.I)


def is_program(parameter: str, text: str, tool: str, description: str, first_sentence: str) -> bool:
    """Whether a free text is executed, by the names and the descriptions (`text`: the parameter's)."""
    if _ALWAYS.fullmatch(parameter):
        return True
    if not _MAYBE.fullmatch(parameter) or _RUN_VERBS.isdisjoint(name_tokens(tool)):
        return False
    if _QUERY.fullmatch(parameter):  # PromQL and the like only read; SQL may be named as what this is not
        return bool(_PROGRAM_OF_A_QUERY.search(f"{text} {tool} {first_sentence}"))
    return bool(_PROGRAM.search(f"{text} {tool} {description}"))


DESTINATION = word_set("""
    to recipient recipients email emails mail phone channel url webhook address participant participants cc bcc
    receiver receivers destination target iban payee attendee attendees invitee invitees bcc endpoint callback
    """)
"""Parameters that say who or what gets something, by their last token."""
DESTINATION_NAMES = word_set("share_with user_email send_to forward_to reply_to notify")
URL = word_set("url uri link host hostname domain website site endpoint href")
CREDENTIAL = word_set(
    "password passwd secret token pin role permission permissions credential passphrase otp access"
)
AMOUNT = word_set("amount price payment cents fee cost sum total balance money")
TITLE = word_set("title subject name headline label heading summary")
IDENTITY_NAMES = word_set("""
    user_id userid account_id owner owner_id customer_id tenant tenant_id org_id organization_id workspace_id patient_id
    employee_id member_id current_user client_id
    """)
_PAGING = frozenset(
    ["page", "next", "continuation", "confirmation", "max", "sync", "idempotency", "cursor", "limit"]
)
"""Tokens beside which `token` is no credential."""
_MOMENT = frozenset(["date", "time", "day", "month", "year", "hour", "start", "end", "since", "until", "at"])
_PROGRAM_NAME = re.compile(r"command|cmd|code|script", re.I)
_RUN = word_set("run execute exec eval evaluate")
_SENTENCE = re.compile(r"[^.!?\n]*")


def parameter_classes(tool: Tool) -> dict[str, tuple[ParameterClass, ...]]:
    """The classes of each parameter by its path; a parameter without any is left out."""
    classes: dict[str, tuple[ParameterClass, ...]] = {}
    for path, schema in leaves(tool.input_schema):
        if not path:
            continue
        of_leaf = classify(path, schema)
        if of_leaf and _runs(tool, path, schema):
            of_leaf = ("program", *of_leaf)
        classes[path] = tuple(dict.fromkeys((*classes.get(path, ()), *of_leaf)))
    return {path: of_path for path, of_path in classes.items() if of_path}


def classify(path: str, schema: dict[str, Any]) -> tuple[ParameterClass, ...]:
    """The classes of one leaf; none for a number or a flag by which programs recognize a call."""
    types = types_of(schema)
    name = path.rpartition(".")[2]
    named = classes_of_name(name)
    if "_".join(name_tokens(name)) in TECHNICAL_NAMES and not is_free_text(schema):
        return ()
    if types and types <= {"boolean"}:
        return ("choice",)
    if types and types <= {"integer", "number"}:
        numeric: tuple[ParameterClass, ...] = ("amount", "pick", "identity")
        return tuple(name for name in numeric if name in named) or ("quantity",)
    if not is_free_text(schema):
        is_id = schema.get("format") == "uuid"
        return tuple(name for name in named if is_id and name in ("pick", "identity")) or ("choice",)
    free = [name for name in named if name != "amount" or types]
    return tuple(free) if free and free != ["title"] else (*free, "text")


@lru_cache(maxsize=8192)
def classes_of_name(name: str) -> tuple[ParameterClass, ...]:
    """What a parameter's name says of it."""
    tokens = name_tokens(name)
    if not tokens:
        return ()
    last = tokens[-1]
    folded = "_".join(tokens)
    if folded in TECHNICAL_NAMES:
        return ()
    forms = {last, singular(last)}
    is_credential = not CREDENTIAL.isdisjoint(tokens) and _PAGING.isdisjoint(tokens) and last != "tokens"
    named: dict[ParameterClass, bool] = {
        "destination": not forms.isdisjoint(DESTINATION) or folded in DESTINATION_NAMES,
        "url": not forms.isdisjoint(URL),
        "credential": is_credential,
        "identity": folded in IDENTITY_NAMES,
        "amount": last in AMOUNT,
        "pick": not forms.isdisjoint(PICK) and _MOMENT.isdisjoint(tokens),
        "title": last in TITLE,
    }
    return tuple(name for name, holds in named.items() if holds)


def _runs(tool: Tool, path: str, schema: dict[str, Any]) -> bool:
    if types_of(schema) - {"string"} or "pattern" in schema or not is_free_text(schema):
        return False
    text = schema.get("description")
    description = tool.description
    first = _SENTENCE.match(description)
    name = path.rpartition(".")[2]
    if _PROGRAM_NAME.fullmatch(name) and not _RUN.isdisjoint(name_tokens(tool.name)):
        return True  # too careful for a linter, right for a guard: nobody says what else it may be
    return is_program(
        name,
        text if isinstance(text, str) else "",
        tool.name,
        description,
        first_sentence=first.group() if first else "",
    )


DEEPEST = 8
MOST = 2000

_VARIANTS = ("anyOf", "oneOf", "allOf")


def leaves(root: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each schema without properties or items, with its path; elements of a list share the path of the list.

    A schema that says nothing of its value is a leaf: it may be anything. At most `MOST` are given.
    """
    waiting: list[tuple[Any, str, int, tuple[str, ...]]] = [(root, "", 0, ())]
    seen = 0
    while waiting and seen < MOST:
        schema, path, depth, within = waiting.pop()
        seen += 1
        if not isinstance(schema, dict) or depth > DEEPEST:
            yield path, {}
            continue
        reference = reference_of(schema)
        if reference is not None:
            target = target_of(root, reference)
            if target is not None and reference not in within:
                waiting.append((target, path, depth, (*within, reference)))
            else:
                yield path, {}
            continue
        inner = list(_inner(schema, path))
        waiting.extend((part, at, depth + 1, within) for part, at in reversed(inner))
        if not inner:
            yield path, schema


def _inner(schema: dict[str, Any], path: str) -> Iterator[tuple[Any, str]]:
    for keyword in _VARIANTS:
        variants = schema.get(keyword)
        if isinstance(variants, list):
            yield from (
                (part, path)
                for part in variants
                if not (isinstance(part, dict) and part.get("type") == "null")
            )
    for name, part in properties_of(schema).items():
        yield part, f"{path}.{name}" if path else str(name)
    for keyword in ("items", "additionalProperties"):
        if isinstance(part := schema.get(keyword), dict):
            yield part, path


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    """Its JSON types without null; empty when it may be anything."""
    stated = schema.get("type")
    names = stated if isinstance(stated, list) else [stated]
    types = {json_type(name) for name in names if isinstance(name, str)}
    return frozenset(name for name in types if name) - {"null"}


_RESTRICTED = word_set("""
    date date-time time duration uuid ipv4 ipv6 int32 int64 float double decimal integer number boolean
    """)


def is_free_text(schema: dict[str, Any]) -> bool:
    """Whether it can hold a text somebody chose: no enum, const, date or number-like format."""
    types = types_of(schema)
    if types and "string" not in types:
        return bool(types & {"object", "array"})  # one that says nothing of its contents
    shape = schema.get("format")
    restricted = isinstance(shape, str) and shape in _RESTRICTED  # a file may say anything there
    return "enum" not in schema and "const" not in schema and not restricted
