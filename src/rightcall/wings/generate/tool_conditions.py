"""What a definition demands of a call beyond its required parameters, according to its texts.

A call that leaves such a condition open would be wrong: “either minutes or meters must be specified”, “required if the
order is a limit order”, “never assume a new site”.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rightcall.core.words import name_tokens
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.wings.generate.schema_parts import parameter_schema, text_of

_ASKS_FIRST = re.compile(
    r"\bnever (?:assume|guess)\b|\bdo(?: not|n't) (?:assume|guess|make up)\b|\b(?:always )?ask (?:the )?user\b"
    r"|\bconfirm (?:this )?with (?:the )?user\b|\bexplicit(?:ly)? (?:user )?(?:confirm|approv|consent)"
    r"|\bonly (?:if|when) the user\b",
    re.IGNORECASE,
)
_ONE_OF_SEVERAL = re.compile(
    r"\bat least one\b|\bexactly one\b"
    r"|\b(?:provide|specify|supply|requires?|need|pass|use|give|set) (?:either|one of)\b"
    r"|\beither\b[^.]*\bor\b[^.]*\b(?:must|required|needed|provided|specified)\b"
    r"|\b(?:must|requires?|required|needs?|needed|provided|specified)\b[^.]*\beither\b[^.]*\bor\b"
    r"|\bone of\b[^.]*\b(?:must be|is|are) (?:provided|specified|required|given|set)\b"
    r"|\bor\b[^.]*\b(?:must be|is) (?:provided|specified|required|given|set)\b",
    re.IGNORECASE,
)
_OMITTED_WITH = re.compile(
    r"\b(?:alternative to|(?:omit|not needed|leave (?:out|empty)) (?:when|if)(?: passing| using| providing)?) "
    r"[`'\"]?(\w+)",
    re.IGNORECASE,
)
_REQUIRED_IF = re.compile(
    r"\b(?:required|mandatory|needed|necessary|must be (?:set|provided|specified|given))"
    r"\s+(?:if|when|for|unless|with|by|to)\b"
    r"|\bif\b[^.,]*,\s*(?:this|it) is required\b",
    re.IGNORECASE,
)
_DEPENDS = re.compile(
    r"\bmutually exclusive\b|\bcannot be (?:used|combined)\b"
    r"|\bonly (?:valid|used|applies|applicable|works|relevant|when|if"
    r"|for|with|has)\b|\b(?:list|search|batch|single) mode\b|\bonly\)"
    r"|\b(?:used|combined?|works?) (?:together )?with\b|\btogether with\b|\bin combination\b"
    r"|\bignored\b"
    r"|\boverrid(?:e|es|den)\b|\bmust (?:match|equal|be the same)\b|\brequires? (?!a\b|an\b)|\bwhen \w+ (?:is|=)",
    re.IGNORECASE,
)
_POINTERS = ("id", "key", "name", "slug", "uuid")
_ENDS = (
    ("min", "max"), ("minimum", "maximum"), ("start", "end"), ("from", "to"), ("lower", "upper"),
    ("checkin", "checkout"), ("in", "out"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"), ("latitude", "longitude"),
    ("width", "height"), ("x", "y"), ("begin", "end"), ("since", "until"), ("after", "before"), ("left", "right"),
)  # fmt: skip


def asks_first(tool: Tool) -> bool:
    """Whether the definition wants a question to the user before a call."""
    return any(_ASKS_FIRST.search(text) for text in (tool.description, *_parameter_texts(tool)))


def depends_on_others(tool: Tool, name: str) -> bool:
    """Whether a parameter makes sense only with, or without, certain values of others."""
    text = text_of(parameter_schema(tool, name))
    return bool(_DEPENDS.search(text) or _REQUIRED_IF.search(text))


def alternatives(tool: Tool) -> Iterator[list[str]]:
    """Parameters of which a call needs one, for each sentence that says so; empty when it names none."""
    for text in (tool.description, *_parameter_texts(tool)):
        for sentence in sentences(text):
            if _ONE_OF_SEVERAL.search(sentence):
                yield list(_named_in(sentence, tool.parameters))
    yield from _spellings_of_one(tool)
    for name in tool.parameters:
        others = _OMITTED_WITH.findall(text_of(parameter_schema(tool, name)))
        if any(other in tool.parameters for other in others):
            yield [name, *(other for other in others if other in tool.parameters)]


def _spellings_of_one(tool: Tool) -> Iterator[list[str]]:
    """Optional parameters that say the same thing in different ways: `projectId` and `projectKey`."""
    required = tool.input_schema.get("required") or ()
    by_thing: dict[tuple[str, ...], list[str]] = {}
    for name in tool.parameters:
        tokens = name_tokens(name)
        if len(tokens) > 1 and tokens[-1] in _POINTERS:
            by_thing.setdefault(tokens[:-1], []).append(name)
    for names in by_thing.values():
        if len(names) > 1 and not any(name in required for name in names):
            yield names


def has_open_condition(tool: Tool, needed: Iterable[str]) -> bool:
    """Whether an optional parameter is required in cases that a call with the needed ones may be.

    A condition on another optional parameter does not arise as long as the call does not use that one.
    """
    needed = set(needed)
    for name in tool.parameters:
        for sentence in sentences(text_of(parameter_schema(tool, name))):
            if name in needed or not _REQUIRED_IF.search(sentence):
                continue
            others = {other for other in _named_in(sentence, tool.parameters) if other != name}
            if not others or others & needed:
                return True
    return False


def partner_of(tool: Tool, name: str) -> str:
    """The parameter that is the other end or the other coordinate of one; empty when there is none."""
    tokens = _joined_tokens(name)
    by_tokens = {_joined_tokens(other): other for other in tool.parameters}
    for ends in _ENDS:
        for own, other in (ends, ends[::-1]):
            if own in tokens:
                partner = by_tokens.get(tuple(other if token == own else token for token in tokens), "")
                if partner:
                    return partner
    return ""


def _joined_tokens(name: str) -> tuple[str, ...]:
    """The words of a name, `check_in` as one."""
    return name_tokens(re.sub(r"(?i)check_?(in|out)", lambda match: f"check{match.group(1).lower()}", name))


def _parameter_texts(tool: Tool) -> list[str]:
    return [text_of(parameter_schema(tool, name)) for name in tool.parameters]


def _named_in(sentence: str, names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", sentence))
