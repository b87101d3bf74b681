"""What kind of value a parameter takes, by its schema, its text and its name.

A kind is the name of a pool, or a format that is computed. A parameter without a kind has values that nobody could
invent from its definition (a cursor, a query language, an undocumented list of choices): no request can state one.
"""

from __future__ import annotations

import re
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.schema.effects import EFFECTS, verb_of
from rightcall.wings.generate.actions import SEARCHES
from rightcall.wings.generate.documented_values import examples_in, format_in, prefix_in, searched_kind
from rightcall.wings.generate.file_kinds import FILES, hint, kind_of_file, kind_of_url
from rightcall.wings.generate.patterns import fits_pattern, text_fitting
from rightcall.wings.generate.pools import CHOICES, OPAQUE, is_pool, pool
from rightcall.wings.generate.scalars import date_form
from rightcall.wings.generate.schema_parts import singular, text_of, words_of

_COMPUTED = frozenset(("date", "date-time", "time", "uuid", "unix_time", "code"))
_IDENTIFIER = re.compile(
    r"^\W*(?:the |a |an |your |target |parent )?(?:[\w'’-]+ ){0,2}(?:ids?|identifiers?|gids?|uids?)\b(?P<other> or\b)?"
    r"|\bunique (?:ids?|identifiers?)\b|\bgids?\b",
    re.IGNORECASE,
)
"""Texts of parameters that take an identifier, whatever their name."""
_MENTIONS_ID = re.compile(r"\bIDs?\b|\bidentifiers?\b")
_PEOPLE = word_set("person people employee customer contact candidate patient guest lead")
_NAMES = word_set("project person name title city product venue")
"""Kinds of values that name a thing, where a text may ask for its identifier instead."""

_FORMED_IDENTIFIER = re.compile(
    r"\bDOIs?\b|\bISBNs?\b|\bISSNs?\b|\bPMIDs?\b|\bORCID"
    r"|\bGIDs?\b|\bgid://|\burn:|\bglobal id\b|\bnode id\b|\b[Oo]bject ?I[dD]\b|\b[Hh]exadecimal\b"
    r"|\b\d+[- ](?:character|digit|hex)"
)
API_PATH = re.compile(
    r"\b(?:REST|HTTP|API) (?:path|endpoint|route)s?\b|\bendpoints?\b|\b(?:REST|any \w+) API\b|\bHTTP method\b"
)
"""Texts about paths of an interface, of which only its documentation knows the valid ones."""

_SPOKEN = re.compile(
    r"translat|speech|spoken|locale|subtitle|caption|transcri|voice|article|content|\btext|book|news|search|audio|video"
    r"|message|prompt|summar|pages?\b",
    re.IGNORECASE,
)
"""Words of definitions whose languages people speak."""
_OF_PROGRAMS = re.compile(
    r"\b(?:parsers?|programming|syntax|compilers?|linters?|source code)\b", re.IGNORECASE
)
_FINANCE = re.compile(
    r"\b(?:assets?|stocks?|shares?|markets?|tickers?|quotes?|trad\w+|crypto\w*|prices?|equit\w+|financ\w+)\b",
    re.IGNORECASE,
)
_SHEETS = re.compile(r"\b(?:sheets?|cells?|spreadsheets?|workbooks?|worksheets?|excel|a1)\b", re.IGNORECASE)
_RECORDS = word_set("log logs trace stack error errors diff output transcript traceback")
"""Words for texts that a program has written."""
_ENDS_OF_A_MOVE = word_set("source destination src dst dest")
_PICTURES = re.compile(r"\b(?:images?|pictures?|photos?|videos?|illustrations?|drawings?)\b", re.IGNORECASE)
"""What a prompt describes; any other task depends on what it is for."""

_MARKUPS = word_set("tmx csv xml html json yaml svg ics vcf pdf markdown md rtf tsv sql css latex toml")
_OWN_VERSIONS = word_set(
    "version app package release new old target current from to product document file plugin module"
)
_PLAIN_DATE = re.compile(r"\byyyy-mm-dd\b(?!\W?(?:t\b|t?hh))", re.IGNORECASE)
_FILE_NAMES = word_set("path file filename filepath url uri link id ids name folder dir directory")
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
_TABLES = re.compile(r"\b(?:tables?|catalogs?|schemas?|repositor\w+)\b")
_PLAIN_FORMATS = ("path", "file-path", "directory-path", "textarea", "markdown", "string", "text")
_SCHEMA_FORMATS = {"uri": "url", "url": "url", "ipv4": "ip", "hostname": "domain"}
_SURE = word_set("email phone url timezone sentence prompt title")
ENTITIES = word_set("""
    branch repository table database column collection bucket queue cluster namespace pod container channel
    label sheet domain
    """)
_ON_PLACES = re.compile(
    r"\b(?:cit(?:y|ies)|towns?|travel|rout(?:e|es|ing)|directions|weather|forecast|countr(?:y|ies)|geocod\w*|flights?|maps?"
    r"|hotels?|listings?|trips?|distances?|restaurants?|airports?|street|postal|geographic\w*|nearby|places|coordinates)\b",
    re.IGNORECASE,
)
"""Words of definitions that are about places on a map."""

_ON_TIME = re.compile(
    r"\b(?:dates?|times?|timestamps?|datetimes?|days?|weeks?|months?|years?|hours?|minutes?|calendars?|events?|meetings?"
    r"|appointments?|bookings?|schedul\w*|periods?|ISO(?: ?8601)?|histor\w*|sprints?|logs?|forecasts?|timezone|daily"
    r"|RFC ?3339|since|until|yesterday|today|ago|intraday|shifts?|availability)\b",
    re.IGNORECASE,
)
"""Signs that a start and an end are moments, not places or bounds."""
_BROKERS = re.compile(r"\b(?:kafka|mqtt|pub/?sub|sns|brokers?|ros2?|pulsar|nats)\b", re.IGNORECASE)
_APPS = re.compile(r"\b(?:mobile|android|ios|apk|device|emulator|play store|app store)\b", re.IGNORECASE)


def kind_of(name: str, schema: dict[str, Any], tool: str = "") -> str:
    """The kind of a text parameter; empty when its definition does not say what its values are.

    An origin or an address is a city only where the definition speaks of places.
    """
    kind = _kind_by_definition(name, schema, tool)
    is_place = {"city", "town"}.intersection(name_tokens(name)) or _ON_PLACES.search(
        f"{text_of(schema)} {tool}"
    )
    return "" if kind == "city" and not is_place else kind


def _kind_by_definition(  # noqa: PLR0911  sure to unsure
    name: str, schema: dict[str, Any], tool: str
) -> str:
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
    named = tokens[-2:] if tokens[-1:] in (("name",), ("slug",)) else tokens[-1:]
    is_unsure = (
        (not _MARKUPS.isdisjoint(tokens) and _FILE_NAMES.isdisjoint(tokens))
        or not CHOICES.isdisjoint(named)
        or "or" in tokens
        or tokens[-1:] in (("prefix",), ("suffix",))
        or tokens[-2:] in (("version", "slug"), ("type", "id"))
        or (tokens[-1:] == ("version",) and not _OWN_VERSIONS.issuperset(tokens))  # a platform has only some
        or (tokens[-2:] == ("full", "name") and _TABLES.search(f"{text} {tool}"))
    )
    if is_unsure:
        return ""
    if tokens[-1:] == ("date",) and _PLAIN_DATE.search(text):
        return "date"
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
    if (typical := _typical_form(tokens, text, f"{' '.join(name_tokens(tool_name))} {purpose}")) is not None:
        return typical
    if by_name == "date-time" and not format_in(text) and not _is_moment(tokens, text, tool):
        return ""
    if tokens[-1:] == ("key",) and not {"search", "keyword", "query"}.isdisjoint(tokens):
        by_name = "query"
    if tokens == ("key",) and _SECRET_KEY.search(f"{text} {purpose}"):
        return ""
    if by_name in ("column", "sentence") and _ELSEWHERE.search(text):
        return ""
    if by_name == "url":
        return kind_of_url(tokens, text)
    if by_name == "code" and _FORMED_IDENTIFIER.search(text) and not prefix_in(text):
        return ""
    if identifier := _kind_of_identifier(tokens, text, by_name, purpose.strip()):
        return identifier
    if (
        by_name not in ("email", "phone")
        and (match := _IDENTIFIER.search(text))
        and (format_in(text) in ("", "uuid") or match.group("other"))
    ):
        return ""  # an identifier of a certain form
    if by_name == "title" and {"product", "products"}.intersection(name_tokens(tool_name)):
        return "product"
    if by_name == "query" and format_in(purpose) in ("sql", "opaque"):
        return "sql" if format_in(purpose) == "sql" and _only_reads(tool_name, purpose) else ""
    if by_name == "query" and not format_in(text):
        return "" if "question" in tokens else searched_kind(tool_name, purpose, text)
    if by_name == "sentence" and "error" in tokens and not SEARCHES.isdisjoint(name_tokens(tool_name)[:2]):
        return "error_message"
    if by_name == "sentence" and tool_name and not SEARCHES.isdisjoint(name_tokens(tool_name)[:2]):
        return searched_kind(tool_name, purpose, text)
    if by_name in _SURE:
        return by_name if _can_be_written(by_name, tokens, f"{text}\n{tool_name} {purpose}") else ""
    return _kind_by_text(by_name, tokens, text, tool_name, purpose)


def _kind_by_text(  # noqa: PLR0911  sure to unsure
    by_name: str, tokens: tuple[str, ...], text: str, tool_name: str, purpose: str
) -> str:
    """The kind that the text documents; else the one of the name, where what surrounds it allows that."""
    documented = format_in(text)
    needed = {"language": _SPOKEN, "ticker": _FINANCE, "range": _SHEETS}.get(by_name)
    if needed is not None and not needed.search(f"{' '.join(name_tokens(tool_name))} {purpose} {text}"):
        return ""  # a language of programs, a symbol in them
    if by_name == "language" and _OF_PROGRAMS.search(f"{' '.join(name_tokens(tool_name))} {purpose} {text}"):
        return ""
    if documented == "opaque" or (documented == "sql" and not _only_reads(tool_name, purpose)):
        return ""
    if documented in ("date", "date-time") and by_name == "code":
        return by_name
    if documented == "glob" and not re.search(
        r"\b(?:files?|paths?|director\w+|folders?)\b", f"{text} {purpose}"
    ):
        return ""
    if documented:
        return documented
    if by_name in ("path", "folder"):
        return kind_of_file(tokens, text, tool_name, purpose)
    return by_name


def _is_moment(tokens: tuple[str, ...], text: str, tool: str) -> bool:
    """Whether a start or an end is one of time: by its own words, and if it has no other word by those of the tool."""
    if not {"datetime", "timestamp", "since", "until"}.isdisjoint(tokens):
        return True
    is_bare = len(tokens) == 1
    told = f"{' '.join(tokens)} {text} {tool if is_bare else ''}".replace("_", " ")
    return _ON_TIME.search(told) is not None


def _typical_form(tokens: tuple[str, ...], text: str, tool: str) -> str | None:
    """The kind of a value with a form that everybody knows, empty where the form is not sure; None for others."""
    last = tokens[:-1][-1:] if tokens[-1:] == ("name",) else tokens[-1:]
    if last in (("package",), ("bundle",)) or tokens[-2:] in (("package", "id"), ("bundle", "id")):
        if _APPS.search(f"{text} {tool}"):
            return "app_package"
        is_python, is_node = (re.search(rf"\b(?:{words})\b", f"{text} {tool}", re.IGNORECASE)
                              for words in ("pypi|pip|python", "npm|node|yarn"))  # fmt: skip
        return "" if bool(is_python) == bool(is_node) else "python_package" if is_python else "node_package"
    if last == ("topic",) and _BROKERS.search(f"{text} {tool}"):
        return ""
    return "" if tokens[-2:] == ("model", "id") and not format_in(text) else None


def _kind_of_identifier(tokens: tuple[str, ...], text: str, by_name: str, purpose: str) -> str:  # noqa: PLR0911  sure to unsure
    """The kind of a value that identifies something; empty for other values, and for forms that are not documented."""
    if by_name == "gid":
        return by_name
    if by_name in ("email", "phone"):
        return ""  # an “email ID” is an address
    if tokens[-1:] in (("id",), ("ids",)) and by_name == "code" and format_in(text) in _SPOKEN_FORMATS:
        return by_name  # the identifier of a locale is no language
    if prefix_in(text) and tokens[-1:] in (("id",), ("ids",), ("identifier",), ("key",)):
        return "code"
    if by_name == "code" and re.search(r"\bUUID\b", purpose.partition("\n")[0]) and not format_in(text):
        return "uuid"
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
    if not _RECORDS.isdisjoint(tokens[:-1]):
        return False
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
        is_thing = kinds[-2] not in ("code", "title", "folder", *FILES)  # the name of a document is no path
        return kinds[-2] if is_thing else "name"
    if len(tokens) > 1 and tokens != ("display", "name"):
        return "name"
    if not _PEOPLE.isdisjoint(map(singular, name_tokens(tool))):
        return "person"
    things = [kind for token in name_tokens(tool) if (kind := hint((token, singular(token)))) in ENTITIES]
    return things[-1] if things else "name"
