"""Phrases that rules look for in prose, each compiled once."""

from __future__ import annotations

import re

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
"""What goes with a thing that is deleted, what is left, or what breaks."""

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
