"""What kind of value a parameter takes, by its schema, its text and its name.

A kind is the name of a pool, or a format that is computed. A parameter without a kind has values that nobody could
invent from its definition (a cursor, a query language, an undocumented list of choices): no request can state one.
"""

from __future__ import annotations

import re
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.schema.effects import EFFECTS, verb_of
from rightcall.wings.generate.documented_values import examples_in, format_in, prefix_in
from rightcall.wings.generate.file_kinds import hint, kind_of_file, kind_of_url
from rightcall.wings.generate.patterns import fits_pattern, text_fitting
from rightcall.wings.generate.pools import CHOICES, OPAQUE, is_pool, pool
from rightcall.wings.generate.sample_dates import date_form
from rightcall.wings.generate.schema_parts import singular, text_of, words_of
from rightcall.wings.generate.search_topics import searched_kind

_COMPUTED = frozenset(("date", "date-time", "time", "uuid", "unix_time", "code"))
_IDENTIFIER = re.compile(
    r"^\W*(?:the |a |an |your |target |parent )?(?:[\w'’-]+ ){0,2}(?:ids?|identifiers?|gids?|uids?)\b(?P<other> or\b)?"
    r"|\bunique (?:ids?|identifiers?)\b|\bgids?\b",
    re.IGNORECASE,
)
"""Texts of parameters that take an identifier, whatever their name."""
_MENTIONS_ID = re.compile(r"\bIDs?\b|\bidentifiers?\b")
_NAMES = word_set("project person name title city product venue")
"""Kinds of values that name a thing, where a text may ask for its identifier instead."""

_FORMED_IDENTIFIER = re.compile(
    r"\bGIDs?\b|\bgid://|\burn:|\bglobal id\b|\bnode id\b|\b[Oo]bject ?I[dD]\b|\b[Hh]exadecimal\b"
    r"|\b\d+[- ](?:character|digit|hex)"
)
API_PATH = re.compile(
    r"\b(?:REST|HTTP|API) (?:path|endpoint|route)s?\b|\bendpoints?\b|\b(?:REST|any \w+) API\b|\bHTTP method\b"
)
"""Texts about paths of an interface, of which only its documentation knows the valid ones."""

_ENDS_OF_A_MOVE = word_set("source destination src dst dest")
_PICTURES = re.compile(r"\b(?:images?|pictures?|photos?|videos?|illustrations?|drawings?)\b", re.IGNORECASE)
"""What a prompt describes; any other task depends on what it is for."""

_MARKUPS = word_set("tmx csv xml html json yaml svg ics vcf pdf markdown md rtf tsv sql css latex toml")
_FILE_CONTENT = re.compile(r"\bcontents? of (?:the|a|an) (?:\w+ )?file\b", re.IGNORECASE)
_SECRET_KEY = re.compile(r"\b(?:public|private|SSH|encryption|signing) keys?\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:call|use|see) [`'\"]?\w+[`'\"]?.{0,30}\b(?:available|valid|supported)\b", re.IGNORECASE
)
_SPOKEN_FORMATS = ("language_code", "country_code", "currency", "timezone")
_INTERNAL_NAME = re.compile(r"\b(?:API|internal|technical|system|machine) names?\b", re.IGNORECASE)
"""Names that only the system knows."""

_CODE = re.compile(
    r"\b(?:valid|source|Python|JavaScript|TypeScript|Java|SQL|HTML|CSS) (?:code|class(?:es)?|scripts?|statements?)\b"
    r"|\b(?:as|in) (?:HTML|JSON|XML)\b|\bHTML (?:body|content|format|email)\b"
    r"|\bcode (?:of|for|to|snippet|block)\b|\bApex\b|\bJSON (?:body|content|string)\b|\bYAML\b|\bmanifest\b"
    r"|\bGraphQL\b",
    re.IGNORECASE,
)
"""Texts about programs, where no sentence is a body or a content."""

_RESTRICTED_LETTERS = re.compile(
    r"\balphanumeric\b|\bletters, (?:digits|numbers)\b|\bunderscores?\b", re.IGNORECASE
)
_PLAIN_FORMATS = ("path", "file-path", "directory-path", "textarea", "markdown", "string", "text")
_SCHEMA_FORMATS = {"uri": "url", "url": "url", "ipv4": "ip", "hostname": "domain"}
_SURE = word_set("email phone url timezone sentence prompt title")
ENTITIES = word_set("""
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
_NO_SUBJECT = word_set("description list number name text time optional new")


def kind_of(name: str, schema: dict[str, Any], tool: str = "") -> str:
    """The kind of a text parameter; empty when its definition does not say what its values are.

    An origin or an address is a city only where the definition speaks of places.
    """
    kind = _kind_by_definition(name, schema, tool)
    is_place = {"city", "town"}.intersection(name_tokens(name)) or _ON_PLACES.search(
        f"{text_of(schema)} {tool}"
    )
    return "" if kind == "city" and not is_place else kind


def _kind_by_definition(name: str, schema: dict[str, Any], tool: str) -> str:  # noqa: PLR0911  sure to unsure
    text = text_of(schema)
    if OPAQUE.intersection(name_tokens(name)) and name_tokens(name)[-1] not in ("id", "ids"):
        return ""
    if isinstance(schema.get("pattern"), str):
        usual = _kind_by_definition(name, {"description": text}, tool)
        return "pattern" if _has_usual_value(schema["pattern"], name, usual, text) else ""
    stated = schema.get("format")
    if isinstance(stated, str) and stated not in _PLAIN_FORMATS:
        is_known = stated in (*_COMPUTED, *_SCHEMA_FORMATS, "email")
        if stated in ("uri", "url"):
            return kind_of_url((*name_tokens(name),), text)
        return _SCHEMA_FORMATS.get(stated, stated) if is_known else ""
    tokens = name_tokens(name)
    if tokens[-1:] == ("by",) or _INTERNAL_NAME.search(text):
        return ""
    if not _ENDS_OF_A_MOVE.isdisjoint(tokens[-1:]):
        moved = {"file", "files", "directory", "folder"}.intersection(name_tokens(tool.partition("\n")[0]))
        return "path" if moved & {"file", "files"} else "folder" if moved else ""
    if CHOICES.intersection(tokens[-2:] if tokens[-1:] in (("name",), ("slug",)) else tokens[-1:]):
        return ""
    if tokens[-2:] == ("version", "slug"):
        return ""
    if tokens[-1:] == ("time",) and {"start", "end", "from", "to", "begin", "until"}.intersection(tokens):
        return format_in(text) or "date-time"
    return _kind_by_words(tokens, text, tool)


def _kind_by_words(tokens: tuple[str, ...], text: str, tool: str) -> str:  # noqa: PLR0911, PLR0912  sure to unsure
    """The kind by the words of the name, of the text and of the tool."""
    tool_name, _, purpose = tool.partition("\n")
    by_name = _by_words(tokens, tool_name)
    if re.search(
        r"\busernames?\b|\buser name\b|\bhandle\b|\blogin\b", f"{' '.join(tokens)} {text}", re.IGNORECASE
    ):
        by_name = "username" if by_name in ("person", "name", "username") else by_name
    if tokens[-1:] == ("value",) and re.search(r"\bidentifiers?\b|\bid\b", text, re.IGNORECASE):
        return ""  # of which kind another parameter decides
    if tokens[-1:] in (("uuid",), ("guid",)):
        return "uuid"
    if tokens == ("key",) and _SECRET_KEY.search(f"{text} {purpose}"):
        return ""
    if by_name in ("column", "sentence") and _ELSEWHERE.search(text):
        return ""
    if by_name == "url":
        return kind_of_url(tokens, text)
    if identifier := _kind_of_identifier(tokens, text, by_name):
        return identifier
    if (
        by_name not in ("email", "phone")
        and (match := _IDENTIFIER.search(text))
        and (format_in(text) in ("", "uuid") or match.group("other"))
    ):
        return ""  # an identifier of a certain form
    if by_name == "title" and {"product", "item"}.intersection(name_tokens(tool_name)):
        return "product"
    if by_name == "query" and format_in(purpose) in ("sql", "opaque"):
        return "sql" if format_in(purpose) == "sql" and _only_reads(tool_name, purpose) else ""
    if by_name == "query" and not format_in(text):
        return "" if "question" in tokens else searched_kind(tool_name, purpose, text)
    if by_name in _SURE:
        return by_name if _can_be_written(by_name, tokens, f"{text}\n{tool_name} {purpose}") else ""
    documented = format_in(text)
    if documented == "opaque" or (documented == "sql" and not _only_reads(tool_name, purpose)):
        return ""
    if documented in ("date", "date-time") and by_name == "code":
        return by_name
    if documented:
        return documented
    if by_name in ("path", "folder"):
        return kind_of_file(tokens, text, tool_name, purpose)
    if by_name:
        return by_name
    is_any_text = not _RESTRICTED.search(text) and not _ANY_TEXT.isdisjoint(tokens[-1:])
    return "phrase" if is_any_text else _by_subject(text)


def _kind_of_identifier(tokens: tuple[str, ...], text: str, by_name: str) -> str:  # noqa: PLR0911  sure to unsure
    """The kind of a value that identifies something; empty for other values, and for forms that are not documented."""
    if by_name == "gid":
        return by_name
    if by_name in ("email", "phone"):
        return ""  # an “email ID” is an address
    if tokens[-1:] in (("id",), ("ids",)) and by_name == "code" and format_in(text) in _SPOKEN_FORMATS:
        return by_name  # the identifier of a locale is no language
    if prefix_in(text) and tokens[-1:] in (("id",), ("ids",), ("identifier",), ("key",)):
        return "code"
    identifier = _IDENTIFIER.search(text)
    if identifier and (format_in(text) in ("", "uuid") or identifier.group("other")):
        return "" if _FORMED_IDENTIFIER.search(text) else "uuid" if format_in(text) == "uuid" else "code"
    if by_name in _NAMES and _MENTIONS_ID.search(text) and "name" not in words_of(text):
        return "code"
    return "column" if by_name == "code" and _RESTRICTED_LETTERS.search(text) else ""


def _can_be_written(kind: str, tokens: tuple[str, ...], text: str) -> bool:
    """Whether a prompt is about a picture, and a body or a content about no program, markup or file."""
    if kind == "sentence" and re.search(r"\n(?:ask|chat)\b|_(?:ask|chat)\b", text):
        return False  # a question has to be one that the answerer knows about
    if kind == "prompt":
        return _PICTURES.search(text) is not None
    is_code = _CODE.search(text) or _FILE_CONTENT.search(text) or not _MARKUPS.isdisjoint(tokens)
    return kind != "sentence" or not is_code


def _has_usual_value(pattern: str, name: str, usual: str, text: str) -> bool:
    """Whether a pattern fits a date, an example, a value of the parameter's kind or an identifier.

    Whatever else fits it may be no airport, no currency, no language.
    """
    if date_form(pattern, name):
        return True
    if usual in ("code", "uuid", "gid", "hash"):
        return text_fitting(pattern, _FIRST) is not None
    samples = (*examples_in(text), *(pool(usual, "en") if is_pool(usual) else ()))
    return any(fits_pattern(pattern, sample) for sample in samples)


def _only_reads(tool_name: str, purpose: str) -> bool:
    """Whether a query that reads fits; what to write depends on tables that nobody knows."""
    first_line = purpose.strip().partition("\n")[0]
    if re.search(r"\b(?:insert|update|delete|create|alter|write)\b", first_line, re.IGNORECASE) or re.search(
        r"\b(?:CREATE|ALTER|DROP|INSERT|DDL|[Mm]igrations?)\b", f"{tool_name} {purpose}"
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
    if len(tokens) > 1 and "branch" not in tokens:
        tokens = tuple(
            token for token in tokens if token not in ("base", "head", "ref")
        )  # a knowledge base, a head count
    kinds = [kind for token in tokens if (kind := hint((token, singular(token))))]
    if not kinds:
        return ""
    if kinds[-1] != "name":
        return kinds[-1]
    if len(kinds) > 1:
        return kinds[-2] if kinds[-2] not in ("code", "title") else "name"
    if len(tokens) > 1:
        return "name"
    things = [kind for token in name_tokens(tool) if (kind := hint((token, singular(token)))) in ENTITIES]
    return things[-1] if things else "name"


def _by_subject(text: str) -> str:
    """The kind by the first words of a description: “City name”, “ID of the task”."""
    if "or" in words_of(text)[:5]:
        return ""
    subject = words_of(
        re.split(r"\b(?:to|for|in|where|that|which|when|by|with)\b|[,.;(]", text, maxsplit=1)[0]
    )[:5]
    subject = [word for word in subject if word not in _NO_SUBJECT]
    return next((kind for word in subject if (kind := hint((word,))) and kind != "name"), "")
