"""Closed lists of values in prose: “one of 'asc' or 'desc'”, “must be json|csv|xml”."""

from __future__ import annotations

import re

from rightcall.lint.facts.words import word_set

_WORD = r"[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*"
_VALUE = r"(?:'[^'\n]{1,30}'|\"[^\"\n]{1,30}\"|`[^`\n]{1,30}`|[A-Za-z0-9_]+(?:-[A-Za-z0-9_]+)*)"
_QUOTED = r"(?:'[^'\n]{1,30}'|\"[^\"\n]{1,30}\"|`[^`\n]{1,30}`)"
_LIST = rf"({_VALUE}(?:\s*(?:,|\||/)\s*{_VALUE})*\s*,?\s+(?:or|and)\s+{_VALUE}|{_VALUE}(?:\s*\|\s*{_VALUE})+)"
_QUOTED_LIST = rf"({_QUOTED}(?:\s*(?:,|\||/)\s*{_QUOTED})*\s*,?\s*(?:or|and|,|\||/)\s*{_QUOTED})"
_CLOSED = (
    re.compile(r"\b(?:one of|must be one of|either|valid (?:values|options)(?: are| include)?:?|allowed values(?: "
               r"are)?:?"
               r"|possible values(?: are)?:?|options(?: are)?:|accepted values(?: are)?:?|choose "
               rf"from)\s*:?\s*[\[(]?{_LIST}", re.I),
    re.compile(r"\b(?:one of|(?:valid|allowed|possible|accepted|supported) (?:values|options|types)(?: are)?"
               rf"|options(?: are)?)\s*:?\s*[\[(]?({_WORD}(?:\s*,\s*{_WORD})+)(?=\s*[\])]?\s*(?:[.;(]|$))", re.I),
    re.compile(rf"^(?:[\w ]{{0,40}}:\s*)?({_WORD}(?:\s*\|\s*{_WORD})+)\.?$"),
    re.compile(r"\b(?:one of|must be one of|either|(?:valid|allowed|possible|accepted|supported) "
               r"(?:values|options|types)(?: are| include)?:?"
               r"|options(?: are)?:?|can be|must be|should be|choose from)\s*:?\s*(?:the "
               rf"following)?:?\s*[\[(]?{_QUOTED_LIST}", re.I),
)  # fmt: skip
INTRODUCTIONS = (
    "one of", "either", "values", "options", "types", "choose from", "can be", "must be", "should be", "|"
)  # fmt: skip
"""One of them stands in every closed list or before it: a text without any needs no closer look."""
_OPEN = re.compile(
    r"\b(?:e\.g|for example|such as|like|etc|for instance|example|i\.e|among others|or any|or a )", re.I
)
_PART = re.compile(_VALUE)
_WORDS = word_set("or and the a an of to be one either value values string")


def closed_alternatives(text: str) -> list[str]:
    """The values when the text names a closed list of at least two, else nothing.

    A list introduced by “such as” or ended by “etc.” is open. Unquoted values must be single words.
    """
    if "e.g" in text or "etc" in text:
        return []
    for pattern in _CLOSED:
        found = pattern.search(text)
        if not found or _OPEN.search(text[max(0, found.start() - 25) : found.end() + 15]):
            continue
        if re.search(r"\b(?:if|when|for)\b[^.;]*$", text[: found.start()], re.I):
            continue  # “if the field is a checkbox, 'true' or 'false'” is one case of several
        parts = [part for part in _PART.findall(found[1]) if part.lower() not in ("or", "and")]
        bare = [part for part in parts if part[0] not in "'\"`"]
        if bare and (len(bare) < len(parts) or not _ends_there(text, found.end(1))):
            continue
        values = list(dict.fromkeys(part.strip("'\"`") for part in parts))
        if len(values) >= 2 and all(value and value.lower() not in _WORDS for value in values):
            return values
    return []


def _ends_there(text: str, end: int) -> bool:
    """Does the list end the clause? “either name or id of the user” goes on and is no list of values."""
    return re.match(r"\s*[\])]?\s*(?:[.;,(]|$)", text[end:]) is not None
