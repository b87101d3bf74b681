"""Values that are secrets because of where they stand: in a header, a field, an assignment, a flag or a URL.

A certain place (`password="…"`, `X-Api-Key: …`, `postgres://me:…@host`) makes any value a secret, unless it is a
placeholder. Where sentences look the same (`the token: …`, `Bearer …`), the value must look random too.
"""

from __future__ import annotations

import base64
import binascii
import re
import string
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

from rightcall.core.lazy_pattern import lazy_pattern
from rightcall.core.redaction.key_formats import looks_random

_GAP = r"(?:[ \t]+|[ \t]*:?[ \t]*(?:\r?\n|\\+n)[ \t]*|[ \t]*\|[ \t]*)"
"""Between a word and its value: spaces, the next line, or the next column of a table."""
_FOREIGN_ASCII = ("passwort", "kennwort", "mot de passe", "senha", "wachtwoord")
_FOREIGN = (
    *_FOREIGN_ASCII,
    *("contraseña", "hasło", "пароль", "mật khẩu", "密码", "密碼", "パスワード", "비밀번호"),
)
"""Password in other languages."""
_SPOKEN = lazy_pattern(
    r"(?i)\b(?:bearer[ \t]+[\"'`]?(?P<bearer>[A-Za-z0-9._~+/=|-]{8,4000})"
    r"|basic[ \t]+[\"'`]?(?P<basic>[A-Za-z0-9+/=_-]{8,4000})"
    r"|(?P<name>(?:[A-Za-z0-9]{1,30}_){0,5}(?:token|key|secret|password|passwd|passphrase|passcode|pwd))(?:[ \t]+is)?"
    rf"{_GAP}[\"'`]?(?P<named>[A-Za-z0-9._~+/=!@#$%^*-]{{8,4000}})"
    rf"|(?:{'|'.join(_FOREIGN)})(?:[ \t:：=]*|[ \t]\w{{1,12}}[ \t:]+)"
    r"[\"'`]?(?P<foreign>[A-Za-z0-9._~+/=!@#$%^*-]{8,4000})"
    r"|--(?:[a-z-]{0,20}(?:key|password|passwd|secret|token|passphrase))[ \t]+"
    r"[\"'`]?(?P<flag>[^\s\"'`<>-][^\s\"'`<>]{5,4000}))"
)
_WORDS = ("bearer", "basic", "token", "key", "secret", "password", "passwd", "passphrase", "passcode", "pwd")
_AFTER_WORD = frozenset(" \t:\r\n\\|")
"""What may stand between a word and its value: `tokens` and `"token"` speak of none."""


def secret_places(text: str, lowered: str, stems: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Start and end of each such value. `lowered` is the text in small letters, which has these stems."""
    foreign = _FOREIGN_ASCII if lowered.isascii() else _FOREIGN
    if not (
        has_word_before(lowered, stems, _WORDS, _AFTER_WORD) or any([word in lowered for word in foreign])
    ):
        return
    for match in _SPOKEN.finditer(text):
        group = match.lastgroup or ""
        name = match["name"] or ""
        value = match[group].rstrip(".,;:!?)")
        if "_" in name and name_kind(name) != "certain":  # primary_key, cache_key
            continue
        if looks_random(value) or (group == "basic" and _is_credentials(value)):
            yield match.start(group), match.start(group) + len(value)


def _is_credentials(value: str) -> bool:
    """Whether it is base64 of `user:password`."""
    try:
        plain = base64.b64decode(
            value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), altchars=b"-_", validate=False
        )
        return b":" in plain and plain.decode("utf-8").isprintable()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False


_QUOTE = r"\\*[\"'`]"
_NAME_WORDS = (
    *(
        "key",
        "pass",
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "secret",
        "token",
        "authorization",
        "auth",
    ),
    *("cookie", "sig", "signature", "pat", "credential", "session", "dsn", "string"),
)
_AFTER_NAME_WORD = frozenset("si_-0123456789\\\"'`] \t=:,%>")
"""How a name may go on after one of its words, before its value: `keys`, `sessionId`, `secret_key_base`, `token_2`."""
_NAME_END = lazy_pattern(
    r"(?:key|pass(?:word|wd|phrase|code)?|pwd|secret|token|authorization|auth|cookie|sig|signature|pat|credential"
    rf"|session|id|base|dsn|string)s?(?:[_-]?\d{{1,3}})?(?=(?:{_QUOTE}|\])?[ \t]*[=:,]|%3d|>)"
)
"""Where a name may end, in small letters. The whole name is looked at afterwards."""
_NAME_CHARACTERS = string.ascii_letters + string.digits + "_.-"
_LONGEST_NAME = 80
_MARK = lazy_pattern(
    rf"(?P<close>{_QUOTE}|\])?(?P<gap>[ \t]*)"
    rf"(?P<mark>,\s*{_QUOTE}value{_QUOTE}\s*:|=>|:=|={{1,2}}|%3[dD]|>|:|,)(?P<space>[ \t]*)"
    rf"(?:[bBrRfFuU]?(?P<open>{_QUOTE}))?"
)
_LINE_START = lazy_pattern(
    r"(?:^|[\n\r;{,]|\\n)[ \t]*(?:[-#>*|]+[ \t]*)*(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?\Z"
)
_SCHEME = lazy_pattern(
    r"(?i)(bearer|basic|token|apikey|api-key|digest|negotiate|aws4-hmac-sha256|splunk)[ \t]+"
)
_UNQUOTED = lazy_pattern(r"[^\s\"'`<>&;\\]{1,4000}")
_REST_OF_LINE = lazy_pattern(r"[^\n\r\"'`\\<>]{1,4000}")
_ENDS_HERE = lazy_pattern(r"[ \t]*(?:$|[\n\r\"'`\\,;)\]}&|]|#|(?:-[A-Za-z]|--[a-z])|https?://)")
_CURL_USER = lazy_pattern(
    r"(?:(?:\b|(?<=\\n))curl\b[^\n]{0,2000}?[ \t](?:-u|--user|--proxy-user|-U)[ \t=]+[\"']?[^\s:\"']{1,200}:)"
    r"([^\s\"'\\]{1,500})"
)
_USER_INFO = lazy_pattern(
    r"[A-Za-z][A-Za-z0-9+.-]{1,30}:/{2}(?:(?P<user>[^\s/?#@:\"'<>\\]{0,300}):(?P<password>[^\s/?#\"'<>\\]{1,500})"
    r"|(?P<only>[^\s/?#@:\"'<>\\]{8,500}))@(?=[A-Za-z0-9\[])"
)
_MOST_NESTED = 16
_PASSWORD = lazy_pattern(r"(?i)pass(?:word|wd|phrase|code)|pwd")
_WORD_AND_DIGITS = lazy_pattern(r"(?=\S*[A-Za-z])(?=\S*\d)\S{7,200}")
"""What people choose as a password, and write in no sentence after `password:` as its last word."""
_CLOSED_JSON = lazy_pattern(r"\"\s*[,:}\]]")
_IDENTIFIER = lazy_pattern(r"[a-z]+(?:[_-][a-z]+)*|[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:[A-Z][a-z]+)+")
_ABRIDGED = lazy_pattern(r"[A-Za-z_-]{0,12}(?:\.{3}|…)")
_OWNED = lazy_pattern(r"(?i)(?:your|my|the|some|an?)[-_ ](.*)")
_PLACEHOLDER = lazy_pattern(
    r"(?i)<.*|\[(?:secret|redacted|hidden|filtered|removed)\].*|[\*x.•…_-]+|\$.*|%[a-z_(].*|\{.*|#\{.*|process\.env.*"
    r"|os\.(?:environ|getenv).*|(?:your|my|the|some|an?)|(?:none|null|nil|true|false|undefined|empty|unset"
    r"|str|string|bytes|bool|boolean|int|integer|number|object|any|optional|required|hidden|redacted|secret|password|passwd|pass|passphrase"
    r"|pwd|token|key|apikey|api[-_]?key|value|example|changeme|placeholder|todo|basic|bearer|default|auto|self|enabled|disabled"
    r"|username|user|name|text|varchar|char)|(?:self|cls|settings|config|args|kwargs|options|request|env|context|obj"
    r"|data|user|form|params?|headers?)\.[\w.\[\]()]+|[\w.]*\(.*|[A-Z_]*\[.*"
)


def is_secret_field(name: str, value: object) -> bool:
    """Whether a field of a record holds a secret: by its name, or by a likely name and a value that looks random."""
    if not isinstance(value, str) or not value:
        return False
    kind = name_kind(name)
    if is_placeholder(value) or _is_status(name, value):
        return False
    return bool(kind) and (kind != "likely" or looks_random(value))


def is_placeholder(value: str) -> bool:
    """Whether a value says that something stands there, without being it: `<token>`, `${TOKEN}`, `None`, `***`.

    So does the name of another secret: `token=access_token`.
    """
    if _ABRIDGED.fullmatch(value):
        return True
    value = value.strip().rstrip(".,;:!?)]}")
    if owned := _OWNED.fullmatch(value):  # your-api-key, but not a key that begins so by chance
        return not looks_random(owned[1])
    return bool(_PLACEHOLDER.fullmatch(value)) or bool(
        _IDENTIFIER.fullmatch(value) and name_kind(value) in ("certain", "header")
    )


def _is_status(name: str, value: str) -> bool:
    """Whether it is the status of an authorization or a cookie: `pending`, `approved`, `accepted`."""
    return (
        name.lower().endswith(("authorization", "cookie", "cookies"))
        and value.isalpha()
        and not looks_random(value)
    )


def places(text: str, lowered: str) -> Iterator[tuple[str, int, int]]:
    """The secrets of a text by their context: kind, start and end. `lowered` is the text in small letters."""
    stems = stems_in(lowered)
    if has_word_before(lowered, stems, _NAME_WORDS, _AFTER_NAME_WORD):
        yield from _assignments(text, lowered)
    for start, end in secret_places(text, lowered, stems):
        if not is_placeholder(text[start:end]):
            yield "token", start, end
    if "curl" in lowered:
        for match in _CURL_USER.finditer(text):
            if not is_placeholder(match[1]):
                yield "secret", match.start(1), match.end(1)
    if "://" in text and "@" in text:
        for match in _USER_INFO.finditer(text):
            group = "password" if match["password"] is not None else "only"
            if not is_placeholder(match[group]) and (group == "password" or looks_random(match[group])):
                yield "secret", match.start(group), match.end(group)


def _assignments(text: str, lowered: str) -> Iterator[tuple[str, int, int]]:
    """Values after `name=`, `name: `, `"name": "` and the like.

    Names inside a value are looked at too, but only some: `key=key=key=…` would cost a whole value for each.
    """
    value_end = nested = line_end = 0
    for name_end in _NAME_END.finditer(lowered):
        end = name_end.end()
        nested = nested + 1 if end < value_end else 0
        if nested > _MOST_NESTED:
            continue
        before = text[max(0, name_end.start() - 60) : end]
        name = before[len(before.rstrip(_NAME_CHARACTERS)) :][-_LONGEST_NAME:]
        escaped = text[end - len(name) - 1 : end - len(name)] == "\\"
        if name[:1] in "nrt" and escaped:  # \nPRIVATE-TOKEN
            name = name[1:]
        kind = name_kind(name)
        mark = _MARK.match(text, end) if kind else None
        if not kind or mark is None:
            continue
        authorization = name.lower().endswith("authorization")
        start = mark.end()
        scheme = _SCHEME.match(text, start) if authorization else None
        if scheme:
            start = scheme.end()
        whole_line = start >= line_end and (authorization or name.lower().endswith("cookie"))
        if whole_line:  # each line once
            line_end = text.find("\n", start, start + 4000) + 1 or start + 4000
        value = _value(text, start, mark, whole_line=whole_line)
        if not nested:
            value_end = start + len(value)
        if kind == "likely" and not looks_random(value):
            continue
        if not value or value[0] in " ,\t" or is_placeholder(value):
            continue
        if not scheme and _is_status(name, value):
            continue
        sure = kind == "likely" or _is_certain(text, end - len(name), mark, kind, end=start + len(value))
        if sure or looks_random(value):
            yield "token" if authorization else "secret", start, start + len(value)


def _value(text: str, start: int, mark: re.Match[str], *, whole_line: bool) -> str:
    """The value of an assignment: up to its closing quote, or the unquoted token, or the rest of a header's line."""
    if quote := mark["open"]:
        end = _quote_end(text, quote, start, min(start + 4000, len(text)))
        value = text[start : max(end, start)]
        if value and "\n" not in value and not (quote == "'" and _CLOSED_JSON.search(value)):
            return value
    elif whole_line and (rest := _REST_OF_LINE.match(text, start)) and looks_random(rest[0]):
        return rest[0].rstrip()
    token = _UNQUOTED.match(text, start)
    value = token[0] if token else ""
    if mark["mark"].startswith("%"):
        value = value.partition("%26")[0]
    return value if value.endswith("...") else value.rstrip(".,)]}")


def _quote_end(text: str, quote: str, start: int, last: int) -> int:
    """Where the quote that closes a value stands; -1 when it does not.

    In JSON inside JSON each quote has backslashes before it; the same number once more means that it is escaped.
    """
    end = text.find(quote, start, last)
    while end > start:
        before = text[start:end]
        if (len(before) - len(before.rstrip("\\"))) // len(quote) % 2 == 0:
            return end
        end = text.find(quote, end + 1, last)
    return end


def _is_certain(text: str, start: int, mark: re.Match[str], kind: NameKind, end: int) -> bool:
    """Whether the place itself makes the value a secret: not one where a sentence could stand."""
    quoted = bool(mark["open"])
    sign = mark["mark"]
    if sign == ",":  # ("X-Api-Key", "…"), but not a list of names
        opened = text[max(0, start - 20) : start].rstrip("b\"'`\\")[-1:] in ("(", "[")
        return (
            kind == "header" and opened and quoted and text[end : end + 20].lstrip("\"'`\\")[:1] in (")", "]")
        )
    if sign == ">":  # an element of XML
        return text[max(0, start - 1) : start] == "<" and text.startswith(("</", "\\u003c/"), end)
    if quoted or len(sign) > 2:
        return True
    if "=" in sign:
        return not mark["gap"] and not mark["space"]
    return (mark["close"] or "").endswith(('"', "'")) or _stands_alone(text, start, mark, kind, end=end)


def _stands_alone(text: str, start: int, mark: re.Match[str], kind: NameKind, end: int) -> bool:
    """Whether `name: value` is a line, or ends one with a password that people choose."""
    if not _ENDS_HERE.match(text, end):
        return False
    chosen = bool(_PASSWORD.match(text, start) and _WORD_AND_DIGITS.match(text, mark.end()))
    written_as_name = not text[start].isupper() or text[start : start + 4].isupper()
    at_line_start = bool(_LINE_START.search(text, max(0, start - 80), start))
    return kind == "header" or chosen or (written_as_name and at_line_start)


NameKind = Literal["header", "certain", "likely", ""]
"""How sure a name is: any value of a header or certain name is a secret; a likely one's must look random too."""

_CERTAIN = lazy_pattern(
    r"(?i)(?:api[_-]?key|pass(?:word|wd|phrase|code)|pwd|secret|secret[_-]?(?:access[_-]?)?key|secret[_-]key[_-]base"
    r"|(?:access|refresh|auth|bearer|session|security|(?<![a-z])id|api|bot|private|service|personal[_-]access)[_-]?token"
    r"|(?:private|account|access|signing|encryption|master|subscription|functions|storage)[_-]?key"
    r"|shared[_-]?access[_-]?(?:key|signature)|connection[_-]?string)s?(?:[_-]?\d{1,3})?$"
)
_HEADER = lazy_pattern(
    r"(?i)(?:proxy-|x-)?authorization|x-[a-z-]{0,20}(?:key|token|secret)|private-token|job-token|api-key|(?:set-)?cookie"
)
_LIKELY = lazy_pattern(
    r"(?i:(?:^|[^a-z])(?:token|access[_-]?key[_-]?id|key|pass|pat|credential|auth|sig|signature|cookie|session|dsn"
    r"|session[_-]?id|cookies|authorization)s?(?:[_-]?\d{1,3})?$)|[a-z](?:Token|Key|Auth|Signature)$"
)


@lru_cache(4096)
def name_kind(name: str) -> NameKind:
    """How sure it is that what is stored under this name is a secret; "" when nothing speaks for it."""
    if _HEADER.fullmatch(name):
        return "header"
    if _CERTAIN.search(name):
        return "certain"
    return "likely" if _LIKELY.search(name) else ""


_STEMS = (
    *("auth", "basic", "bearer", "cookie", "credential", "dsn", "key", "pass", "pat", "pwd"),
    *("secret", "session", "sig", "string", "token"),
)
"""How each word begins that makes a name one of a secret; most texts have none or one of them."""


def stems_in(lowered: str) -> tuple[str, ...]:
    """The stems that occur in a text in small letters."""
    return tuple([stem for stem in _STEMS if stem in lowered])


@cache
def _words_of(stems: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word.startswith(stems))


def has_word_before(
    lowered: str, stems: tuple[str, ...], words: tuple[str, ...], after: frozenset[str]
) -> bool:
    """Whether one of the words, whose stems are in a text, stands in it before one of these characters.

    A search for each word is much faster than one pattern of all, and most texts go on with another letter: `passed`.
    """
    for word in _words_of(stems, words):
        place = lowered.find(word)
        while place >= 0:
            place += len(word)
            if lowered[place : place + 1] in after:
                return True
            place = lowered.find(word, place)
    return False
