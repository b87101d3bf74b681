"""What kind of value a parameter takes, by its schema, its text and its name.

A kind is the name of a pool, or a format that is computed. A parameter without a kind has values that nobody could
invent from its definition (a cursor, a query language, an undocumented list of choices): no request can state one.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import Any

from rightcall.lint.features.effects import EFFECTS, verb_of
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.text import name_tokens
from rightcall.model.tool import Tool
from rightcall.schema.sample_values import resolve_schema
from rightcall.wings.generate.documented_values import (
    choices_in,
    examples_in,
    format_in,
    has_unclear_numbers,
    numbers_in,
)
from rightcall.wings.generate.patterns import text_fitting
from rightcall.wings.generate.pools import CHOICES, FREE_TEXT, HINTS, OPAQUE
from rightcall.wings.generate.search_topics import searched_kind

DEEPEST = 3
MOST_OPEN = 2
"""Properties of an object of which none is required, up to which any of them may be given."""

_COMPUTED = frozenset(("date", "date-time", "time", "uuid", "unix_time", "code"))
DISCRIMINATORS = word_set("operation action mode command method type kind op")
"""Names of parameters whose value decides which others belong to a call."""

_IDENTIFIER = re.compile(
    r"^\W*(?:the |a |an |your |target |parent )?(?:[\w-]+ ){0,2}(?:ids?|identifiers?|gids?|uids?)\b(?P<other> or\b)?"
    r"|\bunique (?:ids?|identifiers?)\b|\bgids?\b",
    re.IGNORECASE,
)
"""Texts of parameters that take an identifier, whatever their name."""

_FORMED_IDENTIFIER = re.compile(r"\bGIDs?\b|\bgid://|\burn:|\bglobal id\b|\bnode id\b")
_URL_WORDS = word_set("""
    url uri link href website webpage web page site target base full public valid http https the a an of to this its
    callback webhook redirect source image photo picture logo avatar icon thumbnail cover banner file pdf document
    attachment download
    """)
_OF_A_SERVICE = re.compile(
    r"(?i:\bdomain\b|\bhosted\b|\bmust (?:be|start|point)\b|\bdocumentation\b)"
    r"|(?<=[a-z] )(?!URL|URI|HTTP|HTML|PDF|PNG|JPE?G|ID\b|API\b|GIF|SVG|CSV)[A-Z]\w+"
)
"""What a link has to belong to, which no made-up one does."""

_IMAGE_WORDS = word_set("image photo picture logo avatar icon thumbnail cover banner")
_FILE_WORDS = word_set("file pdf document attachment download")
_SCHEMA_FORMATS = {"uri": "url", "url": "url", "ipv4": "ip", "hostname": "domain"}
_SURE = word_set("email phone url timezone sentence prompt title")
_HOLDERS = word_set("""
    repo repository project workspace root dir directory directories folder folders tree output working
    """)
_FILES = ("image", "audio", "video", "workbook", "document", "presentation")
_SUFFIXES = ("csv", "pdf", "json")
_OFFICE = {
    kind: re.compile(pattern, re.IGNORECASE)
    for kind, pattern in (
        ("workbook", r"workbook|worksheet|spreadsheet|\bexcel\b|xlsx|\bsheet\b|sparkline"),
        ("presentation", r"presentation|\bslides?\b|powerpoint|pptx"),
        ("document", r"\bword document|docx|paragraph|footnote|endnote"),
        ("audio", r"\baudio\b"),
        ("image", r"\bimage\b|\bphoto\b"),
    )
}
"""Words of a tool's purpose that tell what its files are."""

_ENTITIES = word_set("""
    branch repository table database column collection bucket queue cluster namespace pod container channel
    label sheet domain
    """)
_RESTRICTED = re.compile(
    r"\b(?:path|url|uri|id|ids|identifier|reference|valid|must|format|template|types?|supported|allowed|syntax)\b",
    re.IGNORECASE,
)
"""Words for values that a text restricts without saying to what."""

_ON_PLACES = re.compile(
    r"\b(?:cit(?:y|ies)|towns?|travel|rout(?:e|es|ing)|directions|weather|forecast|countr(?:y|ies)|geocod\w*|flights?|maps?"
    r"|hotels?|listings?|trips?|distances?|restaurants?|airports?|street|postal|geographic\w*|nearby|places|coordinates)\b",
    re.IGNORECASE,
)
"""Words of definitions that are about places on a map."""

_ANY_TEXT = word_set("value values member element answer caption alias nickname tagline word words entry")
"""Names of parameters that take whatever the user says; of others, the definition has to tell."""

_STRUCTURED = re.compile(r"\bjson\b|\bdict(?:ionary)?\b|\bxml\b|\bobjects?\b", re.IGNORECASE)
"""Texts whose examples are parts of a value rather than values."""

_PLACES = word_set("id index idx row col column number page line")
_NO_SUBJECT = word_set("description list number name text time optional new")
_STATED = 12
"""Words of a description among which its subject stands."""


def choices_of(tool: Tool, name: str) -> tuple[Any, ...]:
    """The values an enumerated parameter may take; empty when its schema does not enumerate any."""
    choices = parameter_schema(tool, name).get("enum")
    return tuple(choices) if isinstance(choices, list) else ()


def is_free_text(tool: Tool, name: str) -> bool:
    """Whether a parameter takes free text, in which case and spacing do not matter."""
    schema = parameter_schema(tool, name)
    closed = any(key in schema for key in ("enum", "const", "pattern", "format"))
    is_text = not closed and json_type(schema) == "string" and not choices_in(text_of(schema))
    return is_text and kind_of(name, schema, about(tool)) in FREE_TEXT


def other_forms(tool: Tool, name: str, value: Any) -> list[Any]:
    """The same value in the other forms that a union allows: a list as a text with commas, a number as digits."""
    schema = parameter_schema(tool, name)
    branches = [
        branch for key in ("anyOf", "oneOf") for branch in schema.get(key) or () if isinstance(branch, dict)
    ]
    types = {json_type(resolve_schema(branch, tool.input_schema)) for branch in branches}
    if isinstance(schema.get("type"), list):
        types.update(schema["type"])
    types.discard("null")
    if len(types) < 2 or isinstance(value, bool | dict):
        return []
    if isinstance(value, list):
        if "string" not in types or any(isinstance(item, dict | list) for item in value):
            return []
        return list(dict.fromkeys(between.join(map(str, value)) for between in (",", ", ")))
    forms: list[Any] = [[value]] if "array" in types else []
    if isinstance(value, int | float) and "string" in types:
        forms.append(str(value))
    return forms


def takes_any_script(tool: Tool, name: str) -> bool:
    """Whether people write a parameter's values in any script; names of things are slugs too often."""
    kind = kind_of(name, parameter_schema(tool, name), about(tool))
    return is_free_text(tool, name) and kind in ("city", "person", "title", "sentence", "query")


def is_identifier(tool: Tool, name: str) -> bool:
    """Whether a parameter says which thing is meant, rather than something about it."""
    if json_type(parameter_schema(tool, name)) in ("integer", "number"):
        return not _PLACES.isdisjoint(name_tokens(name))
    kind = kind_of(name, parameter_schema(tool, name), about(tool))
    return name_tokens(name)[-1:] in (("id",), ("ids",), ("uuid",)) or kind in (
        "code",
        "uuid",
        "gid",
        "path",
        "folder",
        "owner",
        "slug",
        "project",
        "url",
        *_FILES,
        *_ENTITIES,
    )


def about(tool: Tool) -> str:
    """The context of a parameter: the tool's name, and its description in the lines after it."""
    return f"{tool.name}\n{tool.description}\n{' '.join(tool.parameters)}"


def parameter_schema(tool: Tool, name: str) -> dict[str, Any]:
    """The schema of a parameter with its references followed and a null alternative left out."""
    schema = tool.parameters.get(name)
    return without_null(schema, tool.input_schema) if isinstance(schema, dict) else {}


def without_null(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The schema resolved; the one alternative of a union with null stands for the union."""
    schema = resolve_schema(schema, root)
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            others = [
                branch for branch in branches if isinstance(branch, dict) and branch.get("type") != "null"
            ]
            if len(others) == 1:
                rest = {word: value for word, value in schema.items() if word != key}
                return resolve_schema({**rest, **others[0]}, root)
    return schema


def json_type(schema: dict[str, Any]) -> str:
    """The type of a schema, the first that is not null; a string when it has none."""
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return next((word for word in kind if word != "null"), "null") if isinstance(kind, list) else str(kind)


def text_of(schema: dict[str, Any]) -> str:
    """The description of a schema; empty when it has none."""
    text = schema.get("description")
    return text if isinstance(text, str) else ""


def item_schema(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of an array's items, with the array's text where they have none; None when it says nothing."""
    items = schema.get("items")
    if not isinstance(items, dict) or not items:
        return None
    text = {"description": schema["description"]} if isinstance(schema.get("description"), str) else {}
    return {**text, **without_null(items, root)}


def values_in_definition(schema: dict[str, Any], siblings: Container[str] = ()) -> tuple[Any, ...]:
    """The values that a schema or its text lists: an enum, choices in the text, examples.

    A text that lists `siblings` speaks of parameters: “either text or regex”.
    """
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return tuple(schema[key])
    if isinstance(schema.get("example"), str | int | float) and not isinstance(schema["example"], bool):
        return (schema["example"],)
    if json_type(schema) == "integer":
        return numbers_in(text_of(schema))
    if json_type(schema) != "string":
        return ()
    text = text_of(schema)
    if _STRUCTURED.search(text) or re.search(r"\bbase ?-?64\b|\bdata ur[il]\b", text, re.IGNORECASE):
        return ()
    values = choices_in(text) or examples_in(text)
    return () if any(value in siblings for value in values) else values


def is_understood(  # noqa: PLR0911, PLR0912  a table of types
    name: str, schema: Any, root: dict[str, Any], tool: str, depth: int = 0
) -> bool:
    """Whether the definition is enough to choose a plausible value."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return False
    schema = without_null(schema, root)
    if "const" in schema or values_in_definition(schema, root.get("properties") or ()):
        return True
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            branches = [branch for branch in schema[key] if branch != {"type": "null"}]
            if len(branches) > 1 and any(_is_object(branch, root) for branch in branches):
                return False  # what a branch needs depends on which one is meant
            return bool(branches) and is_understood(
                name, {**_described(schema), **branches[0]}, root, tool, depth + 1
            )
    if "type" not in schema and "properties" not in schema:
        return False
    match json_type(schema):
        case "integer" | "number":
            return not has_unclear_numbers(text_of(schema))
        case "boolean":
            return True
        case "array":
            inner = item_schema(schema, root)
            is_flat = inner is not None and json_type(inner) != "array"
            if inner is not None and json_type(inner) == "number":
                return False  # a pair of coordinates, a vector: their order and length are not said
            return is_flat and is_understood(singular(name), inner, root, tool, depth + 1)
        case "object":
            return bool(fillable_properties(schema, root, tool, depth))
        case "string":
            return bool(kind_of(name, schema, tool))
        case _:
            return False


def fillable_properties(schema: dict[str, Any], root: dict[str, Any], tool: str, depth: int) -> list[str]:
    """The properties of an object that can be filled in; none when a required one cannot."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return []
    names = [name for name, inner in properties.items() if is_understood(name, inner, root, tool, depth + 1)]
    needed = required if isinstance(required, list) else []
    if not needed and len(properties) > MOST_OPEN:
        return []  # which of them belong together is not said
    optional = [inner for name, inner in properties.items() if name not in needed]
    if any(map(is_discriminator, properties)) and (
        len(optional) > 1 or any(_is_object(inner, root) for inner in optional)
    ):
        return []  # which of them a choice needs is not said
    return names if all(name in names for name in needed) else []


def is_discriminator(name: str) -> bool:
    """Whether a parameter's value decides which others belong to a call, by its name."""
    return name.casefold() in DISCRIMINATORS or name_tokens(name)[-1:] in (
        ("operation",), ("action",), ("command",), ("method",)
    )  # fmt: skip


def _is_object(schema: Any, root: dict[str, Any]) -> bool:
    return isinstance(schema, dict) and json_type(without_null(schema, root)) == "object"


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": schema["description"]} if isinstance(schema.get("description"), str) else {}


def kind_of(name: str, schema: dict[str, Any], tool: str = "") -> str:
    """The kind of a text parameter; empty when its definition does not say what its values are.

    An origin or an address is a city only where the definition speaks of places.
    """
    kind = _kind_by_definition(name, schema, tool)
    is_place = {"city", "town"}.intersection(name_tokens(name)) or _ON_PLACES.search(
        f"{text_of(schema)} {tool}"
    )
    return "" if kind == "city" and not is_place else kind


def _kind_by_definition(name: str, schema: dict[str, Any], tool: str) -> str:  # noqa: PLR0911, PLR0912  sure to unsure
    text = text_of(schema)
    if OPAQUE.intersection(name_tokens(name)):
        return ""
    if isinstance(schema.get("pattern"), str):
        is_open = re.search(r"[+*]|,\}", schema["pattern"]) is not None  # any text of these characters
        told = not is_open or _kind_by_definition(name, {"description": text}, tool)
        return "pattern" if told and text_fitting(schema["pattern"], _FIRST) is not None else ""
    stated = schema.get("format")
    if isinstance(stated, str):
        is_known = stated in (*_COMPUTED, *_SCHEMA_FORMATS, "email")
        if stated in ("uri", "url"):
            return _kind_of_url((*name_tokens(name),), text)
        return _SCHEMA_FORMATS.get(stated, stated) if is_known else ""
    tokens = name_tokens(name)
    if CHOICES.intersection(tokens[-2:] if tokens[-1:] in (("name",), ("slug",)) else tokens[-1:]):
        return ""
    if tokens[-2:] == ("version", "slug"):
        return ""
    if tokens[-1:] == ("time",) and {"start", "end", "from", "to", "begin", "until"}.intersection(tokens):
        return format_in(text) or "date-time"
    tool_name, _, purpose = tool.partition("\n")
    by_name = _by_words(tokens, tool_name)
    if by_name in ("url", "gid"):
        return by_name if by_name == "gid" else _kind_of_url(tokens, text)
    identifier = _IDENTIFIER.search(text)
    if identifier and (format_in(text) in ("", "uuid") or identifier.group("other")):
        return "" if _FORMED_IDENTIFIER.search(text) else "uuid" if format_in(text) == "uuid" else "code"
    if by_name == "title" and {"product", "item"}.intersection(name_tokens(tool_name)):
        return "product"
    if by_name == "query" and format_in(purpose) in ("sql", "opaque"):
        return "sql" if format_in(purpose) == "sql" and _only_reads(tool_name, purpose) else ""
    if by_name == "query" and not format_in(text):
        return "" if "question" in tokens else searched_kind(tool_name, purpose, text)
    if by_name in _SURE:
        return by_name
    documented = format_in(text)
    if documented == "opaque" or (documented == "sql" and not _only_reads(tool_name, purpose)):
        return ""
    if documented in ("date", "date-time") and by_name == "code":
        return by_name
    if documented:
        return documented
    if by_name in ("path", "folder"):
        return _kind_of_file(tokens, text, tool_name, purpose)
    if by_name:
        return by_name
    is_any_text = not _RESTRICTED.search(text) and not _ANY_TEXT.isdisjoint(tokens[-1:])
    return "phrase" if is_any_text else _by_subject(text)


def _kind_of_url(tokens: tuple[str, ...], text: str) -> str:
    """The kind of a link: to an image, a file, a page; none when it must be one of a certain service."""
    before = re.search(r"([\w-]+) (?:URL|URI|link)s?\b", text, re.IGNORECASE)
    named = {*tokens, *words_of(before.group(1) if before else "")}
    is_restricted = _OF_A_SERVICE.search(text) or format_in(text) == "opaque"
    if not {singular(word) for word in named} <= _URL_WORDS or is_restricted:
        return ""
    subject = {*named, *words_of(text)[:8]}
    if subject & _IMAGE_WORDS:
        return "image_url"
    return "file_url" if subject & _FILE_WORDS else "url"


def _only_reads(tool_name: str, purpose: str) -> bool:
    """Whether a query that reads fits; what to write depends on tables that nobody knows."""
    if re.search(
        r"\b(?:insert|update|delete|create|alter|write)\b", purpose.partition("\n")[0], re.IGNORECASE
    ):
        return False
    return EFFECTS.get(verb_of(tool_name), "unknown") in ("read", "unknown")


class _First:
    """Takes the first of everything: whether a pattern can be inverted does not depend on chance."""

    def choice(self, options: Any) -> Any:
        return options[0]

    def randint(self, low: int, high: int) -> int:
        return low


_FIRST: Any = _First()


def _by_words(tokens: tuple[str, ...], tool: str) -> str:
    """The kind by the last word of a name that has one; `branch_name` is a branch, a plain `name` that of the tool."""
    kinds = [kind for token in tokens if (kind := _hint((token, singular(token))))]
    if not kinds:
        return ""
    if kinds[-1] != "name":
        return kinds[-1]
    if len(kinds) > 1:
        return kinds[-2] if kinds[-2] not in ("code", "title") else "name"
    if len(tokens) > 1:
        return "name"
    things = [kind for token in name_tokens(tool) if (kind := _hint((token, singular(token)))) in _ENTITIES]
    return things[-1] if things else "name"


def _kind_of_file(tokens: tuple[str, ...], text: str, tool_name: str, purpose: str) -> str:
    subject = words_of(text)[:_STATED]
    if {"dir", "directory", "folder", "dirpath"}.intersection(tokens):
        return "folder"
    for kind in (*_FILES, *_SUFFIXES):
        if _hint((*tokens, *subject), only=(kind,)) or (kind in _SUFFIXES and kind in (*tokens, *subject)):
            return kind
    named = (*tokens, *name_tokens(tool_name), *subject[:5])
    if _HOLDERS.intersection(named) and not {"file", "filename", "filepath"}.intersection(tokens):
        return "folder"
    context = f"{' '.join(name_tokens(tool_name))} {purpose}"
    return next((kind for kind, pattern in _OFFICE.items() if pattern.search(context)), "path")


def _by_subject(text: str) -> str:
    """The kind by the first words of a description: “City name”, “ID of the task”."""
    subject = words_of(text)[:5]
    if "or" in subject:
        return ""
    subject = [word for word in subject if word not in _NO_SUBJECT]
    return next((kind for word in subject if (kind := _hint((word,))) and kind != "name"), "")


def _hint(tokens: Iterable[str], only: tuple[str, ...] = ()) -> str:
    hints = (hint for hint in HINTS if not only or hint[0] in only)
    return next((kind for kind, words in hints if not words.isdisjoint(tokens)), "")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"[a-z0-9]+", text.casefold())


def singular(name: str) -> str:
    """A plural name in the singular, as far as its ending tells."""
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name
