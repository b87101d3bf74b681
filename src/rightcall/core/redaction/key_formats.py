"""Keys that are known by how they are built, wherever they stand, and whether a token reads like words.

A prefix that no word or identifier contains needs no boundary: such a key is found in the middle of a word. A short
one (`sk-`, `hf_`) must begin a token, and what follows must not read like words: `sk-learn-compatible`,
`pk_customer_index` and `hf_hub_download` are no keys.

Why no maintained rule set: each was measured on 65 formats, ten keys of each between two sentences, 8,253 ordinary
sentences and 1,000 results of tools with hashes and ids. Their rules look for keys in source code, often with the
name of the service, and miss those in the text of an answer.

| rules | keys removed | sentences changed | ms per MB |
|---|---|---|---|
| these | 650 | 0 | 104 |
| gitleaks, July 2026, 221 rules | 360 | 26 | 510 |
| detect-secrets 1.5.0, its 23 formats | 182 | 0 | 607 |
| detect-secrets 1.5.0, all plugins | 646 | 8,188 | 7,113 |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=%[0-9A-Fa-f]{2})"
    r"|(?<=\\u[0-9A-Fa-f]{4})|(?<=\\x[0-9A-Fa-f]{2}))"
)
"""The beginning of a token, also after an escaped character: `\\n`, `\\u000a`, `%20`."""


class KeyFormat(NamedTuple):
    """One way that keys are built.

    Attributes:
        kind: how a placeholder names it.
        hints: texts in small letters, one of which every match contains; most texts have none.
        pattern: the whole key, or its group 1.
        random: whether that group must look generated, because words begin in the same way.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    random: bool = False

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        return _compile(self.pattern).finditer(text)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compiled for the first text that has a hint: few runs meet one, and together they take milliseconds."""
    return re.compile(pattern)


def _distinctive(pattern: str, *hints: str, kind: str = "key") -> KeyFormat:
    return KeyFormat(kind, hints, pattern)


_WORD = r"[A-Za-z0-9_-]"
_PEM_LINES = r"(?:[A-Za-z0-9+/=]{16,}+(?:\s|\\+[nr])*+){1,200}+"
"""Nothing is tried twice: a long text that is no key would take forever."""
_PEM_NAME = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"

CONFIRMATION_PREFIX = "rcct_"
"""How tokens that confirm a call of a tool begin, so that a recording never has one: a replay issues others."""

FORMATS: tuple[KeyFormat, ...] = (
    _distinctive(
        rf"{CONFIRMATION_PREFIX}{_WORD}{{16}}\.\d+\.\d+\.{_WORD}{{24}}", CONFIRMATION_PREFIX, kind="token"
    ),
    _distinctive(
        rf"-----BEGIN {_PEM_NAME}(?:[\s\S]{{0,20000}}?-----END {_PEM_NAME}"
        rf"|(?:\s|\\+[nr]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{{0,200}})*{_PEM_LINES})",
        "private key",
        kind="private_key",
    ),
    _distinctive(
        rf"(?<![A-Za-z0-9+/=]){_PEM_LINES}[A-Za-z0-9+/=]{{0,15}}(?:\s|\\+[nr])*+-----END {_PEM_NAME}",
        "-----end",
        kind="private_key",
    ),
    _distinctive(
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}"
        r"|eyJ[A-Za-z0-9_-]{8,}\.\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){1,2}",
        "eyj",
        kind="jwt",
    ),
    # OpenAI, Anthropic, OpenRouter, Langfuse
    _distinctive(
        rf"sk-(?:proj|svcacct|admin|ant|or|lf|None)-{_WORD}{{12,}}|pk-lf-{_WORD}{{12,}}"
        r"|sk-[A-Za-z0-9]{16,}T3BlbkFJ[A-Za-z0-9]{16,}",
        *("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-ant-", "sk-or-", "k-lf-", "sk-none-", "t3blbkfj"),
    ),
    _distinctive(
        rf"AIza[0-9A-Za-z_-]{{30,}}|ya29\.[0-9A-Za-z_-]{{20,}}|GOCSPX-{_WORD}{{20,}}|1//0[0-9A-Za-z_-]{{25,}}"
        rf"|AQ\.Ab[0-9A-Za-z_-]{{30,}}",
        *("aiza", "ya29.", "gocspx-", "1//0", "aq.ab"),
    ),
    _distinctive(
        rf"(?:AKIA|ASIA|ABIA|ACCA)(?=[A-Z]*\d)[0-9A-Z]{{16}}|{_START}A(?:KI|SI)A[0-9A-Z]{{16}}(?![A-Za-z0-9])"
        r"|ABSK[A-Za-z0-9+/]{40,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{20,}",
        *("akia", "asia", "abia", "acca", "absk", "bedrock-api-key-"),
    ),
    _distinctive(
        r"[A-Za-z0-9]{40,60}JQQJ9[9D][A-Za-z0-9]{10,40}|[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}"
        r"|(?<![A-Za-z0-9+/=-])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])",
        *("jqqj9", "q~", "=="),
    ),
    _distinctive(
        rf"gh[pousr]_[A-Za-z0-9]{{20,}}|github_pat_[A-Za-z0-9_]{{20,}}"
        rf"|gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct)-{_WORD}{{12,}}|GR1348941{_WORD}{{20}}",
        *("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "gl", "gr1348941"),
    ),
    _distinctive(
        r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}"
        r"|(?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}|(?<=hooks\.slack\.com/workflows/)[A-Za-z0-9/]{20,}"
        rf"|(?<=/api/webhooks/)\d{{17,20}}/{_WORD}{{40,}}",
        *("xox", "xapp-", "hooks.slack.com/", "/api/webhooks/"),
    ),
    _distinctive(
        rf"[srp]k_(?:live|test)_(?=[A-Za-z]*\d)[A-Za-z0-9]{{16,}}|{_START}[srp]k_(?:live|test)_[A-Za-z0-9]{{10,}}"
        r"|whsec_[A-Za-z0-9+/=]{16,}",
        *("k_live_", "k_test_", "whsec_"),
    ),
    # Other model services and tools that agents use
    _distinctive(
        rf"gsk_[A-Za-z0-9]{{20,}}|xai-[A-Za-z0-9]{{20,}}|nvapi-{_WORD}{{20,}}|pplx-[A-Za-z0-9]{{20,}}"
        rf"|tgp_v1_{_WORD}{{20,}}|lsv2_(?:pt|sk)_[A-Za-z0-9_]{{20,}}|pcsk_[A-Za-z0-9_]{{20,}}|tvly-{_WORD}{{16,}}"
        rf"|ph[cx]_[A-Za-z0-9]{{30,}}|sb_secret_{_WORD}{{16,}}|sbp_[a-f0-9]{{30,}}|jina_{_WORD}{{30,}}"
        rf"|ctx7sk-{_WORD}{{16,}}|e2b_[a-f0-9]{{30,}}|r8_[A-Za-z0-9]{{30,}}|csk-[a-z0-9]{{30,}}",
        *("gsk_", "xai-", "nvapi-", "pplx-", "tgp_v1_", "lsv2_", "pcsk_", "tvly-", "phc_", "phx_"),
        *("sb_secret_", "sbp_", "jina_", "ctx7sk-", "e2b_", "r8_", "csk-"),
    ),
    _distinctive(
        rf"npm_[A-Za-z0-9]{{30,}}|pypi-AgE[A-Za-z0-9_-]{{30,}}|dckr_(?:pat|oat)_{_WORD}{{20,}}"
        rf"|do[opr]_v1_[a-f0-9]{{40,}}|shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{{30,}}|SG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"
        rf"|sq0(?:atp|csp|idp)-{_WORD}{{20,}}|hv[sbr]\.{_WORD}{{20,}}|gl(?:sa|c)_[A-Za-z0-9+/=_]{{20,}}"
        rf"|NRAK-[A-Z0-9]{{20,}}|sntry[su]_[A-Za-z0-9+/=_]{{20,}}|lin_api_[A-Za-z0-9]{{20,}}|ntn_[A-Za-z0-9]{{30,}}"
        rf"|figd_{_WORD}{{20,}}|PMAK-[a-f0-9-]{{30,}}|AGE-SECRET-KEY-1[A-Z0-9]{{40,}}|ATATT3{_WORD}{{30,}}=?"
        rf"|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._-]{{30,}}|atlasv1\.{_WORD}{{30,}}|dapi[a-f0-9]{{32}}(?:-\d)?"
        rf"|(?<!\d)\d{{8,10}}:AA[A-Za-z0-9_-]{{32,}}|EAAA[A-Za-z0-9_-]{{40,}}|secret_[A-Za-z0-9]{{43}}"
        rf"|tskey-[a-z]{{3,8}}-{_WORD}{{16,}}",
        *("npm_", "pypi-age", "dckr_", "_v1_", "shpat_", "shpss_", "shpca_", "shppa_", "sg.", "sq0", "hvs."),
        *("hvb.", "hvr.", "glsa_", "glc_", "nrak-", "sntrys_", "sntryu_", "lin_api_", "ntn_", "figd_"),
        *("pmak-", "age-secret-key-1", "atatt3", "dp.", "atlasv1.", "dapi", ":aa", "eaaa"),
        *("secret_", "tskey-"),
    ),
    KeyFormat(
        "key",
        tuple(f"{name}{mark}" for name in ("sk", "pk", "rk", "hf", "key", "fw", "api_org") for mark in "-_"),
        rf"{_START}(?:sk|pk|rk|hf|key|fw|api_org)[-_]({_WORD}{{12,}}(?![A-Za-z0-9_-]))",
        random=True,
    ),
)

LONG = 34
"""Characters without a space that every match of `LONG_FORMATS` has, whose hints are common."""
LONG_FORMATS: tuple[KeyFormat, ...] = (
    # Airtable, Twilio, Mailchimp, and bots of Discord, whose number in base64 comes first
    _distinctive(r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}", "pat"),
    _distinctive(r"SK[a-f0-9]{32}(?![A-Za-z0-9])", "sk"),
    _distinctive(r"[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])", "-us"),
    _distinctive(
        rf"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){{5}}{_WORD}{{2,8}}\.{_WORD}{{6}}\.{_WORD}{{27,}}", *"mno"
    ),
)


SHORTEST = 8
"""Fewer characters are not enough to tell."""
_LONG = 16
_CHUNKS = re.compile(r"[^\W_]+")
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{5,}")
_MOST_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{6,}")
"""In a row, in a long word and in a short one: strengths, but not Knightsbridge."""
_VOWELS = re.compile(r"[aeiouy]")


def looks_random(token: str) -> bool:
    """Whether a token is more likely generated than written: most of its letters and digits are in no word.

    A run of letters and digits that changes between small letters, capitals and digits every few characters is no word.
    A short token must have more outside words than a long one. Numbers, dates, versions and identifiers made of words
    do not look random.
    """
    token = token.strip(".,;:!?()[]{}'\"`")
    if len(token) < SHORTEST:
        return False
    words = strange = 0
    for chunk in _CHUNKS.finditer(token):
        pieces = list(_PIECES.finditer(token, chunk.start(), chunk.end()))
        mixed = len(pieces) >= 5 and len(chunk[0]) < 3.5 * len(pieces)
        for piece in pieces:
            if mixed or not (_is_number(token, piece) or _is_word(token, piece)):
                strange += len(piece[0])
            elif not piece[0].isdecimal():
                words += len(piece[0])
    return strange > (words + strange) * (0.4 if len(token) >= _LONG else 0.6)


def looks_generated(token: str) -> bool:
    """Whether it looks random, or has a long run of letters and digits, as made-up keys do: `test-0123456789abcdef`."""
    return looks_random(token) or any(
        len(chunk) >= 12 and not chunk.isdecimal() and not chunk.isalpha() for chunk in _CHUNKS.findall(token)
    )


def _is_number(token: str, piece: re.Match[str]) -> bool:
    """Digits on their own, or as many as a year or a date has."""
    return piece[0].isdecimal() and (len(piece[0]) >= 4 or _stands_alone(token, piece))


def _stands_alone(token: str, piece: re.Match[str]) -> bool:
    before = token[: piece.start()][-1:]
    after = token[piece.end() :][:1]
    return not before.isalnum() and not after.isalnum()


def _is_word(token: str, piece: re.Match[str]) -> bool:
    text = piece[0]
    if text.isdecimal():
        return False
    capitals = text.isupper() and not (len(text) > 5 and _stands_alone(token, piece))
    if capitals:  # SQL in PostgreSQL, HTTP-Server
        before = token[: piece.start()][-1:]
        after = token[piece.end() :][:1]
        return 2 <= len(text) <= 5 and not (before.isalnum() and after.isalnum())
    if not text.isascii():
        return True
    vowels = len(_VOWELS.findall(text.lower()))
    if len(text) < 3:
        return bool(vowels) and _stands_alone(token, piece)
    least = 0.3 if len(text) > 12 else 0.1
    consonants = _CONSONANTS if len(text) > 10 else _MOST_CONSONANTS
    return least <= vowels / len(text) <= 0.75 and not consonants.search(text.lower())
