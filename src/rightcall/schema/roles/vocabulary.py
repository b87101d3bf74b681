"""Closed lists of words that give tools and parameters their roles, in the singular."""

from __future__ import annotations

from functools import lru_cache

from rightcall.core.words import name_tokens, word_set

EXTERNAL_NOUNS = word_set("""
    web webpage page site website url link mail email message inbox comment review rating post issue ticket file
    document doc attachment event contact feed log transaction channel thread conversation calendar invitation news
    article newsletter chat reply pull request pr branch readme repository listing transfer
    """)
"""Things whose text third parties write."""

PRIVATE_NOUNS = word_set("""
    user profile account contact mail email message inbox file document doc transaction order card password secret
    token key patient salary address history note balance payment invoice passport credential calendar event iban
    transfer sent customer payee employee member statement booking reservation subscription draft
    """)
"""Things that only their owner may see."""

WEB_NOUNS = word_set("web internet google bing online duckduckgo brave browser")

DESTINATION = word_set("""
    to recipient recipients email emails mail phone channel url webhook address participant participants cc bcc
    receiver receivers destination target iban payee attendee attendees invitee invitees bcc endpoint callback
    """)
"""Parameters that say who or what gets something, by their last token."""
DESTINATION_NAMES = word_set("share_with user_email send_to forward_to reply_to notify")

URL = word_set("url uri link host hostname domain website site endpoint href")
QUERY = word_set("query q search keywords prompt question terms")

CREDENTIAL = word_set(
    "password passwd secret token pin role permission permissions credential passphrase otp access"
)
GRANT_WORDS = word_set("invite share permission role access password credential")
"""In a name or a parameter of a write: access is given."""

MONEY_PARAMETERS = word_set("""
    amount price payment card account iban source target cents currency balance fee cost money fund funds wallet sum
    total
    """)
AMOUNT = word_set("amount price payment cents fee cost sum total balance money")
COMMIT_VERBS = word_set("reserve book order rent purchase place submit buy rebook enroll sign checkout")
NO_EFFECT_VERBS = word_set("think reason reflect wait")
"""Verbs without effect: an unknown tool with one of them is neither source nor sink."""

TITLE = word_set("title subject name headline label heading summary")
PICK = word_set("""
    id ids uuid key code number name file filename path folder account user username user_name product hotel restaurant
    flight room car company order issue branch repository repo group channel customer ticket document event
    """)

IDENTITY_NAMES = word_set("""
    user_id userid account_id owner owner_id customer_id tenant tenant_id org_id organization_id workspace_id patient_id
    employee_id member_id current_user client_id
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
