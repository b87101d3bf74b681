"""What the texts of a definition say beyond its purpose, and whether a call accounts for it.

A golden is right only if its call follows everything that the definition says. So every sentence has to be of a kind
that changes no call (what is returned, what a tool is useful for, examples, defaults), or the tool is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.text import excerpt, parameters_in_docstring, sentences
from rightcall.model.tool import Tool
from rightcall.wings.generate.documented_values import choices_in
from rightcall.wings.generate.schema_parts import json_type, parameter_schema, text_of


def _any_of(lines: str) -> re.Pattern[str]:
    """One pattern of whole words and phrases, one or several (`|`) on a line."""
    return re.compile(rf"\b(?:{'|'.join(lines.split(chr(10))[1:-1])})(?!\w)", re.IGNORECASE)


_CONDITION = _any_of(r"""
must|mandatory|required?|requires|requiring|needs?|needed|either|one of|at least|exactly|both|together|combin\w+
if|when|while|unless|except|instead|otherwise|alternatively|before|after|first|once|until|prior|previously|depend\w*
only|limited to|restricted|exclusive\w*|valid|invalid|supported|unsupported|allowed|accepts?|immutable
ignored|overrid\w+|no|not|cannot|can't|do not|don't|never|always|avoid|no longer|error|fails?|deprecat\w+
should|prefer\w*|recommend\w*
confirm\w*|approv\w+|consent|ask (?:the )?user|make sure|ensure|remember|important|warning|caution|note(?= that\b|:)
prerequisites?|workflow|currently|experimental|beta|stub|mock|placeholder|premium|paid
""")
"""Words of sentences that may restrict a call."""

_HARMLESS = _any_of(r"""
read-only(?! field)|not only|not required|not yet|cannot be undone|never returned|at once|once per|case[- ]sensitive
no (?:parameters?|arguments?|input|auth\w*|API key|side effects)(?: \w+)*
(?:when|if|where) (?:available|applicable|present|possible|any|needed|necessary|known|it exists|they exist|relevant)
(?:when|if) (?:it is |this is )?(?:not (?:provided|specified|given|set|supplied)|omitted|unspecified|empty|absent)
requires? (?:an? |valid |the )*(?:\w+[ -]){0,3}(?:auth\w*|API key|token|login|permissions?|scopes?|credentials)[^.]*
(?:check|see|verify|test|determine)s? if|without (?:needing|having)|both(?= \w+ and)|within allowed directories
error (?:messages?|logs?|rates?|counts?|codes?|reports?|tracking|groups?|details?)
(?:newest|oldest|latest|most recent|most recent \w+|largest|highest) first
currently (?:paused|occupied|\w+ing|active|open|logged|selected|in)
previously (?:archived|deleted|trashed|sent|saved|created)
""")
"""Phrases with such words that restrict nothing."""

_NO_CONDITION = re.compile(
    r"^\s*[-*]?\s*['\"“]|^\W*(?:(?:this |the )?(?:tool |function |method |endpoint |it )?(?:also )?"
    r"(?:returns?|outputs?|responses?|results?|provides?|includes?|shows?|displays?|lists?|contains?|gives?|yields?"
    r"|lets you|helps?|allows? you to)\b(?!.*\berror\b)"
    r"|(?:you can |can be )?use(?:d|ful)? (?:this|it|when|for|to|by)\b|useful\b|each \w+ (?:includes|has|contains)\b"
    r"|(?:ideal|helpful|great|good|perfect|designed|intended) for\b|defaults?\b|optional(?:ly)?\b"
    r"|examples?\b|e\.?g\b|for example\b|for instance\b|sample\b|(?:results|items) (?:are|is|can be)\b"
    r"|supports? (?:pagination|filter\w*|sort\w*|paging|optional)\b)",
    re.IGNORECASE,
)
"""How sentences begin that change no call: results, uses, examples, defaults, pages."""

_RESTRICTS_USE = _any_of(r"""
only|before|after|first|instead|prior|must|never|not|unless|rather than|confirm\w*
""")
_DEMAND = _any_of(r"""
must be (?:set|provided|true|specified|given|included|passed|supplied|present|used)
required|mandatory|necessary|needed|requires?|at least one|exactly one|one of\b.*\b(?:provided|given|set)|either
no default|not both|confirm\w*|unless|always (?:set|pass|provide|use|include|specify)|recommended|should (?:be|always)
ask (?:the )?user|make sure|never (?:assume|guess)|alternative to|instead of|mutually exclusive
""")
"""What the text of an optional parameter says when a call may not leave it out."""

_LIMIT = re.compile(
    r"\bmust be (?:between|at (?:least|most)|in the (?:range|format)|an? (?:positive )?(?:integer|number|string)"
    r"|greater|less|positive|in (?:ISO|YYYY|UTC)|ISO|unique)\b[^.;]*|\(required\)|^required\W"
    r"|\bmust (?=exist)|\bno spaces\b"
    r"|\b(?:at (?:least|most)|no more than|up to|not exceed) \d+[\w ]*|\bvalid (?=e-?mail|url|uuid|iso|date|json|ip)",
    re.IGNORECASE,
)
"""Restrictions that values follow, and the mark of a required parameter."""

_LISTS = re.compile(
    r"\b(?:supported|valid|available|allowed|possible|accepted|options?|choices|values?|types?|modes?|kinds?)\b"
    r"[\w ]{0,24}:\s*[\w`'\"]+\s*(?:,|\||/|\()",
    re.IGNORECASE,
)
_BARE_LIST = re.compile(r"(?:^|: ?)[\w.-]+(?:, ?[\w.-]+){2,}\W*(?:$|\()")
"""A list of words that the text does not call values."""
_FAILS = re.compile(
    r"\bnot (?:directly )?(?:supported|possible|available|implemented)\b"
    r"|\breturns?:?\s+(?:str: |an )?error\b(?! (?:if|when|on|message (?:if|when|on)))",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"(?im)^\W*(?:returns?|yields?|raises?|(?:usage )?examples?(?: usage| queries)?|outputs?|response)\W*:?\s*$"
    r"|^\W*(?:returns?|raises?|examples?|outputs?)\W*:"
)
_RULES = re.compile(
    r"(?im)^\W*(?:notes?|important|warnings?|requirements?|prerequisites?|constraints?|limitations?|rules?|caution)\W*:"
)
"""A heading after the results or the examples that tells rules."""
_PAGING = re.compile(
    r"^(?:limit|offset|page|cursor|per_?page|page_?size|last_?id|after|before|skip|top|count)$|page_?token",
    re.IGNORECASE,
)
_CONSENT = re.compile(r"confirm|acknowledg|consent|approve|understand", re.IGNORECASE)
_REHEARSAL = re.compile(r"dry_?run|preview|validate_?only|simulate", re.IGNORECASE)
"""Names of flags that decide whether a tool acts at all."""
_ADDRESS = word_set("id owner slug key project organization workspace account repository repo")
_SAYS_WHEN_LEFT_OUT = re.compile(
    r"\boptional|\bdefault|\bfilter|\bomit|\bif (?:not|un|specified|provided|given|set)|\ball\b|\bleave\b"
    r"|\bfor (?:pagination|paging)|\bto (?:also|include)",
    re.IGNORECASE,
)
_POINTERS = ("id", "key", "name", "slug", "uuid")
_ENDS = (
    ("min", "max"), ("minimum", "maximum"), ("start", "end"), ("from", "to"), ("lower", "upper"),
    ("checkin", "checkout"), ("in", "out"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"), ("latitude", "longitude"),
    ("width", "height"), ("x", "y"), ("begin", "end"), ("since", "until"), ("after", "before"), ("left", "right"),
    ("owner", "name"), ("rows", "cols"), ("rows", "columns"), ("row", "col"), ("row", "column"),
)  # fmt: skip


def unexplained(tool: Tool, parameters: Iterable[str]) -> str:
    """Why a call with these parameters may not be all that the texts ask for; empty when they are accounted for."""
    if match := _FAILS.search(tool.description):
        return f"its text says that it may not work: “{excerpt(match.group())}”"
    if sentence := _open_sentence(tool.description):
        return f"its text may restrict the call: “{excerpt(sentence)}”"
    stated = set(parameters)
    for name in tool.parameters:
        if reason := _open_value(tool, name) if name in stated else _open_absence(tool, name):
            return reason
    groups = (group for group in spellings_of_one(tool) if stated.isdisjoint(group))
    return next((f"which thing is meant is said by one of {', '.join(group)}" for group in groups), "")


def _open_value(tool: Tool, name: str) -> str:
    """Why a stated value may not be all that the text of its parameter asks for."""
    schema = parameter_schema(tool, name)
    is_closed = "enum" in schema or "const" in schema or json_type(schema) == "boolean"
    is_open = not is_closed and restricts(text_of(schema), has_list=json_type(schema) != "string")
    return f"the text of {name} may restrict its value" if is_open else ""


def _open_absence(tool: Tool, name: str) -> str:
    """Why a call may not leave out a parameter."""
    schema = parameter_schema(tool, name)
    if _is_urged(tool, name):
        return f"its text speaks of {name}, which a request would not state"
    if _DEMAND.search(_HARMLESS.sub("", text_of(schema))):
        return f"the text of {name} demands it in certain cases"
    if _CONSENT.search(name) or (_REHEARSAL.search(name) and schema.get("default") is not False):
        return f"{name} may decide whether anything is done"
    return ""


def _is_urged(tool: Tool, name: str) -> bool:
    """Whether the text speaks of giving a parameter that is neither called optional nor about pages of results."""
    word, verbs = re.escape(name), "use|using|set|pass|provide|specify|supply|include|add|with|by"
    given = rf"[`'\"]{word}[`'\"]|\b(?:{verbs})\s+(?:the |an? )?[`'\"]?{word}\b(?!-)"
    for sentence in sentences(_main_text(tool.description)):
        is_needless = _PAGING.search(name) or re.search(r"\boptional|\bdefault", sentence, re.IGNORECASE)
        if re.search(rf"\b{word}=", sentence) or (
            not is_needless and re.search(given, sentence, re.IGNORECASE)
        ):
            return True
    return False


def open_address(tool: Tool, parameters: Iterable[str]) -> str:
    """An optional parameter that says what a thing belongs to, where nothing says what a call without it means."""
    for name in tool.parameters:
        schema = parameter_schema(tool, name)
        is_explained = "default" in schema or _SAYS_WHEN_LEFT_OUT.search(text_of(schema))
        if (
            name not in parameters
            and name_tokens(name)[-1:]
            and name_tokens(name)[-1] in _ADDRESS
            and not is_explained
        ):
            return name
    return ""


def _main_text(description: str) -> str:
    """The text without what it says of parameters, results and examples."""
    return _SECTION.split(parameters_in_docstring(description)[1])[0]


@lru_cache(maxsize=4096)
def _open_sentence(description: str) -> str:
    """The first sentence that may restrict a call and is of no kind that is understood."""
    text = _main_text(description)
    if match := _LISTS.search(text) or _RULES.search(description):
        return match.group().strip()
    for place, sentence in enumerate(sentences(text)):
        plain = _HARMLESS.sub("", sentence)
        words = _RESTRICTS_USE if place and _NO_CONDITION.search(sentence) else _CONDITION
        if words.search(plain):
            return sentence
    return ""


@lru_cache(maxsize=8192)
def restricts(text: str, *, has_list: bool = False) -> bool:
    """Whether the text of a parameter restricts its values, or when it may be given, in a way not understood."""
    if not has_list and (_LISTS.search(text) or _BARE_LIST.search(text)) and not choices_in(text):
        return True
    told = (sentence for sentence in sentences(text) if not _NO_CONDITION.search(sentence))
    return any(_CONDITION.search(_LIMIT.sub("", _HARMLESS.sub("", sentence))) for sentence in told)


def spellings_of_one(tool: Tool) -> Iterator[list[str]]:
    """Optional parameters that say the same thing in different ways: `projectId` and `projectKey`."""
    required = tool.input_schema.get("required") or ()
    by_thing: dict[tuple[str, ...], list[str]] = {}
    for name in tool.parameters:
        tokens = name_tokens(name)
        if len(tokens) > 1 and tokens[-1].rstrip("s") in _POINTERS:
            by_thing.setdefault(tokens[:-1], []).append(name)
    for names in by_thing.values():
        if len(names) > 1 and not any(name in required for name in names):
            yield names


def partner_of(tool: Tool, name: str) -> str:
    """The parameter that is the other end or the other coordinate of one; empty when there is none."""
    tokens = _name_words(name)
    by_tokens = {_name_words(other): other for other in tool.parameters}
    for ends in _ENDS:
        for own, other in (ends, ends[::-1]):
            if own in tokens:
                partner = by_tokens.get(tuple(other if token == own else token for token in tokens), "")
                if partner:
                    return partner
    return ""


def _name_words(name: str) -> tuple[str, ...]:
    """The words of a name, `check_in` as one."""
    return name_tokens(re.sub(r"(?i)check_?(in|out)", lambda match: f"check{match.group(1).lower()}", name))
