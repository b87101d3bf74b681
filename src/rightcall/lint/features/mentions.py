"""Phrases that rules look for in prose, each compiled once, and closed lists of values."""

from __future__ import annotations

import re

from rightcall.lint.facts.words import word_set

USAGE_CUE = re.compile(
    r"\b(?:use (?:this|it|the|when|if|for|only|in|to)|used (?:to|for|when|by)|us(?:e|ing) \S+ (?:tool )?(?:instead"
    r"|when|if|for)"
    r"|instead of|rather than|do(?:es)? not use|don't use|not for|only (?:when|if|for|use|call|works?|available|after)"
    r"|if you|when (?:you|the user|users?|a user|asked|needed|an?)|call this|prefer|useful (?:for|when|to|in)"
    r"|best for|intended for|suitable for|ideal for|should be used|must be (?:called|used)|before calling|after calling"
    r"|useful|requires?|for (?:\w+ ){1,4}use)\b"
)

RETURN_WORDING = re.compile(
    r"\b(?:return(?:s|ed|ing)?|responds?|response|results?|outputs?|yields?|gives? back|produces?|list of|contains?"
    r"|will receive|you get|as json|the id of)\b"
)

FAILURE_WORDING = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures)?|errors?|raises?|throws?|rejects?|rejected|refus(?:es|ed)|not[ _]found|invalid"
    r"|denied|unavailable|if (?:it|the \w+) (?:does not|doesn't) exist|otherwise)\b"
)

IRREVERSIBLE = re.compile(
    r"irreversib|permanent|cannot be (?:undone|reversed|recovered|restored)|can't be (?:undone|recovered|restored)"
    r"|can not be undone|not (?:be )?(?:recoverable|reversible|undo)|no undo|overwrit|confirm|destructive"
    r"|unrecoverabl|for good"
    r"|data loss|lose|lost|caution|warning|careful|danger|reversib|undo|restor|recover|soft[- ]delet|trash|recycle"
    r"|archive"
    r"|without (?:a )?prompt|will be (?:deleted|erased|removed|wiped)|deletes? all|forever"
)

CONSEQUENCE = re.compile(
    r"\b(?:stays?|remains?|(?:is|are) (?:kept|cleared)|and everything|also (?:removes?|deletes?|drops?)|along with"
    r"|with (?:everything|all (?:its|their|the|of)|(?:its|their) (?:data|contents?|children|history))|becomes?"
    r"|will (?:show|break)|complete(?:ly)? remov\w+"
    r"|(?:delet|remov|eras)ing (?:the |all |its |their )?(?:associated|related|underlying))\b"
)
"""What else is deleted, what is left, or what breaks."""

REVERSIBLE = re.compile(
    r"(?<!ir)reversible|can be (?:undone|reversed|restored|reactivated)|remains? intact|stays? as"
)

CONFIRMING_PARAMETER = re.compile(
    r"confirm|dry_?run|preview|expected_(?:version|revision|etag)|etag|if_match|approval|approved|force|acknowledge"
    r"|token"
    r"|simulate|validate_only|password|pin\b|otp",
    re.IGNORECASE,
)

IDEMPOTENCY_PARAMETER = re.compile(
    r"idempoten|request_?id|client_?token|dedup|client_?(?:request|order|reference|msg|message)_?id"
    r"|transaction_?(?:id|ref)|external_?id|unique_?key|nonce|correlation_?id",
    re.IGNORECASE,
)

VERSION_PARAMETER = re.compile(
    r"version|etag|if_?match|revision|sha$|\bsha\b|last_?modified|updated_?at|old_", re.IGNORECASE
)


def backticked(text: str) -> list[str]:
    """Identifiers set in back-ticks."""
    return re.findall(r"`([A-Za-z_][\w.-]*)`", text) if "`" in text else []


CONTRAST = re.compile(
    r"\b(?:instead|unlike|rather than|as opposed to|in contrast|do(?:es)? not|don't|not for|never use|only (?:for"
    r"|when|if)"
    r"|whereas|see also)\b"
)
"""Words that set a tool apart from others."""


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
    """Does the list end the clause? “either name or id of the user” continues and is not a list of values."""
    return re.match(r"\s*[\])]?\s*(?:[.;,(]|$)", text[end:]) is not None
