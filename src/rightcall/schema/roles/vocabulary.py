"""Closed lists of words in the names of parameters and results that several rooms look for, in the singular."""

from __future__ import annotations

from functools import lru_cache

from rightcall.core.words import name_tokens, word_set

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
