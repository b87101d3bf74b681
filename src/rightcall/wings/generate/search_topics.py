"""What people look for with a search tool, by what its text says that it searches."""

from __future__ import annotations

import re

_SUBJECTS: tuple[tuple[str, str], ...] = (
    ("person", r"customers?|users?|people|persons?|contacts?|members?|employees?|agents?|guests?|leads?|authors?"),
    ("product", r"products?|goods|inventory"),
    ("project", r"projects?|teams?|organi[sz]ations?|workspaces?|apps?|channels?"),
    ("title", r"tasks?|events?|issues?|cards?|notes?|tickets?|meetings?|todos?|reminders?|documents?|pages?"
              r"|messages?|e?mails?|files?|posts?|conversations?"),
    ("city", r"cit(?:y|ies)|places?|locations?|address(?:es)?|geocod\w*|towns?|hotels?|airports?|stations?"),
    ("query", r"web|internet|online|news|articles?|wikipedia|videos?|papers?|books?|images?|photos?|pictures?|recipes?"
              r"|podcasts?|courses?|encyclop\w+|literature|publications?"),
)  # fmt: skip
_ENUMERATED = re.compile(
    r"\b(?:about|on|for|covering|topics?:?|like)\s+"
    r"((?:[a-z][a-z -]{2,24},\s+){2,}(?:(?:and|or)\s+)?[a-z][a-z -]{2,24}?)(?=[.;:)\n]|$)",
)
_LEFT_OUT = re.compile(r"^(?:and|or|the|a|an|any)\s+|^(?:etc|other|more)\b.*", re.IGNORECASE)
_SYNTAX = re.compile(
    r"\bquery string\b|\bsearch string\b|\bsyntax\b|\boperators?\b|\btraces?\b|\blogs?\b"
    r"|\bcategory\b|\bspans?\b|\bmetrics?\b|\bRUM\b|\btelemetry\b",
    re.IGNORECASE,
)


def topics_in(text: str) -> tuple[str, ...]:
    """The topics that a description enumerates: “questions about setup, funding, trading or events”."""
    match = _ENUMERATED.search(text)
    if match is None:
        return ()
    topics = (_LEFT_OUT.sub("", topic.strip()).strip() for topic in match.group(1).split(","))
    return tuple(topic for topic in dict.fromkeys(topics) if 1 <= len(topic.split()) <= 2)


def searched_kind(tool_name: str, purpose: str, text: str) -> str:
    """The pool of what to look for; empty when the definition does not say what is searched.

    The words of the parameter count first, then those of the name, then those of the purpose.
    """
    sentence = re.split(r"(?<=[.!?])\s|\n", purpose.strip(), maxsplit=1)[0]
    if _SYNTAX.search(text) or _SYNTAX.search(sentence):
        return ""
    asked = re.sub(r"\b(?:the )?users?\b", "", text, flags=re.IGNORECASE)  # who asks, not what is looked for
    if re.search(r"\bname\b.*\be-?mail\b|\be-?mail address", asked, re.IGNORECASE):
        return "person"
    for words in (asked, re.sub(r"[_-]|(?<=[a-z])(?=[A-Z])", " ", tool_name), sentence):
        found = [
            (match.start(), kind)
            for kind, pattern in _SUBJECTS
            if (match := re.search(rf"\b(?:{pattern})\b", words, re.IGNORECASE))
        ]
        if found:
            return min(found)[1]
    return "topic" if topics_in(purpose) else ""
