"""Values that are secrets because of where they stand: in a header, a field, an assignment, a flag or a URL.

A certain place (`password="…"`, `X-Api-Key: …`, `postgres://me:…@host`) makes any value a secret, unless it is a
placeholder. Where sentences look the same (`the token: …`, `Bearer …`), the value must look random too.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from rightcall.redaction.secret_names import NameKind, name_kind
from rightcall.redaction.word_likeness import looks_random

_QUOTE = r"\\*[\"'`]"
_NAME_HINTS = (
    "key",
    "pass",
    "pwd",
    "secret",
    "token",
    "auth",
    "cookie",
    "sig",
    "pat",
    "cred",
    "session",
    "dsn",
    "string",
)
_NAME_END = re.compile(
    r"(?:key|pass(?:word|wd|phrase|code)?|pwd|secret|token|authorization|auth|cookie|sig|signature|pat|credential"
    rf"|session|id|base|dsn|string)s?(?:[_-]?\d{{1,3}})?(?=(?:{_QUOTE}|\])?[ \t]*[=:,])"
)
"""Where a name may end, in small letters. The whole name is looked at afterwards."""
_NAME_START = re.compile(r"[A-Za-z0-9_.-]{0,80}\Z")
_MARK = re.compile(
    rf"(?P<close>{_QUOTE}|\])?(?P<gap>[ \t]*)"
    rf"(?P<mark>,\s*{_QUOTE}value{_QUOTE}\s*:|=>|:=|={{1,2}}|:|,)(?P<space>[ \t]*)"
    rf"(?:b|r|f|u)?(?P<open>{_QUOTE})?"
)
_LINE_START = re.compile(
    r"(?:^|[\n\r;{,]|\\n)[ \t]*(?:[-#>*|]+[ \t]*)*(?:export[ \t]+|set[ \t]+|ENV[ \t]+)?\Z"
)
_SCHEME = re.compile(
    r"(?i)(bearer|basic|token|apikey|api-key|digest|negotiate|aws4-hmac-sha256|splunk)[ \t]+"
)
_UNQUOTED = re.compile(r"[^\s\"'`<>&;\\]{1,4000}")
_REST_OF_LINE = re.compile(r"[^\n\r\"'`\\<>]{1,4000}")
_ENDS_HERE = re.compile(r"[ \t]*(?:$|[\n\r\"'`\\,;)\]}&|]|#|(?:-[A-Za-z]|--[a-z])|https?://)")
_LOOSE = re.compile(
    r"(?i)\b(?:bearer[ \t]+(?P<bearer>[A-Za-z0-9._~+/=|-]{8,4000})|basic[ \t]+(?P<basic>[A-Za-z0-9+/=_-]{8,4000})"
    r"|(?:token|key|secret|password)(?:[ \t]+is)?[ \t]+[\"'`]?(?P<named>[A-Za-z0-9._~+/=!@#$%^*-]{8,4000})"
    r"|--(?:[a-z-]{0,20}(?:key|password|passwd|secret|token|passphrase))[ \t]+"
    r"[\"'`]?(?P<flag>[^\s\"'`<>-][^\s\"'`<>]{5,4000}))"
)
_CURL_USER = re.compile(
    r"(?:(?:\b|(?<=\\n))curl\b[^\n]{0,2000}?[ \t](?:-u|--user|--proxy-user|-U)[ \t=]+[\"']?[^\s:\"']{1,200}:)"
    r"([^\s\"'\\]{1,500})"
)
_USER_INFO = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,30}:/{2}(?:(?P<user>[^\s/?#@:\"'<>\\]{0,300}):(?P<password>[^\s/?#\"'<>\\]{1,500})"
    r"|(?P<only>[^\s/?#@:\"'<>\\]{8,500}))@(?=[A-Za-z0-9\[])"
)
_CLOSED_JSON = re.compile(r"\"\s*[,:}\]]")
_IDENTIFIER = re.compile(r"[a-z]+(?:[_-][a-z]+)*|[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:[A-Z][a-z]+)+")
_PLACEHOLDER = re.compile(
    r"(?i)<.*|\[(?:secret|redacted|hidden|filtered|removed)\].*|[\*x.•…_-]+|\$.*|%[a-z_(].*|\{.*|#\{.*|process\.env.*"
    r"|os\.(?:environ|getenv).*|(?:your|my|the|some|an?)(?:[-_ ].*)?|(?:none|null|nil|true|false|undefined|empty|unset"
    r"|str|string|bytes|bool|int|object|any|optional|required|hidden|redacted|secret|password|passwd|pass|passphrase"
    r"|pwd|token|key|apikey|api[-_]?key|value|example|changeme|placeholder|todo|basic|bearer|default|auto|self|enabled|disabled"
    r"|username|user|name|text|varchar|char)|(?:self|cls|settings|config|args|kwargs|options|request|env|context|obj"
    r"|data|user|form|params?|headers?)\.[\w.\[\]()]+|[\w.]*\(.*|[A-Z_]*\[.*"
)
_LOOSE_HINTS = ("bearer", "basic", "token", "key", "secret", "password", "--pass")


def is_secret_field(name: str, value: object) -> bool:
    """Whether a field of a record holds a secret: by its name, or by a likely name and a value that looks random."""
    if not isinstance(value, str) or not value:
        return False
    kind = name_kind(name)
    return bool(kind) and not is_placeholder(value) and (kind != "likely" or looks_random(value))


def is_placeholder(value: str) -> bool:
    """Whether a value says that something stands there, without being it: `<token>`, `${TOKEN}`, `None`, `***`.

    So does the name of another secret: `token=access_token`.
    """
    value = value.strip().rstrip(".,;:!?)]}")
    return bool(_PLACEHOLDER.fullmatch(value)) or bool(
        _IDENTIFIER.fullmatch(value) and name_kind(value) in ("certain", "header")
    )


def places(text: str, lowered: str) -> Iterator[tuple[str, int, int]]:
    """The secrets of a text by their context: kind, start and end. `lowered` is the text in small letters."""
    if any(hint in lowered for hint in _NAME_HINTS):
        yield from _assigned(text, lowered)
    if any(hint in lowered for hint in _LOOSE_HINTS):
        for found in _LOOSE.finditer(text):
            group = found.lastgroup or ""
            value = found[group].rstrip(".,;:!?)")
            secret = looks_random(value) or (group == "basic" and _is_credentials(value))
            if secret and not is_placeholder(value):
                yield "token", found.start(group), found.start(group) + len(value)
    if "curl" in lowered:
        for found in _CURL_USER.finditer(text):
            if not is_placeholder(found[1]):
                yield "secret", found.start(1), found.end(1)
    if "://" in text and "@" in text:
        for found in _USER_INFO.finditer(text):
            group = "password" if found["password"] is not None else "only"
            if not is_placeholder(found[group]) and (group == "password" or looks_random(found[group])):
                yield "secret", found.start(group), found.end(group)


def _assigned(text: str, lowered: str) -> Iterator[tuple[str, int, int]]:
    """Values after `name=`, `name: `, `"name": "` and the like."""
    for name_end in _NAME_END.finditer(lowered):
        end = name_end.end()
        head = _NAME_START.search(text, max(0, name_end.start() - 60), end)
        name = head[0] if head else ""
        if name[:1] in "nrt" and text[: end - len(name)][-1:] == "\\":  # an escape before it: \nPRIVATE-TOKEN
            name = name[1:]
        kind, mark = name_kind(name), _MARK.match(text, end)
        if not kind or mark is None:
            continue
        authorization = name.lower().endswith("authorization")
        start = mark.end()
        if authorization and (scheme := _SCHEME.match(text, start)):
            start = scheme.end()
        value = _value(text, start, mark, whole_line=authorization or name.lower().endswith("cookie"))
        if not value or value[0] in " ,\t" or is_placeholder(value):
            continue
        certain = kind != "likely" and _is_certain(text, end - len(name), mark, kind, start + len(value))
        if certain or looks_random(value):
            yield "token" if authorization else "secret", start, start + len(value)


def _value(text: str, start: int, mark: re.Match[str], *, whole_line: bool) -> str:
    """The value of an assignment: up to its closing quote, or the unquoted token, or the rest of a header's line."""
    if quote := mark["open"]:
        end = _closing_quote(text, quote, start, min(start + 4000, len(text)))
        value = text[start : max(end, start)]
        if value and "\n" not in value and not (quote == "'" and _CLOSED_JSON.search(value)):
            return value
    elif whole_line and (rest := _REST_OF_LINE.match(text, start)) and looks_random(rest[0]):
        return rest[0].rstrip()
    token = _UNQUOTED.match(text, start)
    return token[0].rstrip(".,)]}") if token else ""


def _closing_quote(text: str, quote: str, start: int, last: int) -> int:
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
    quoted, sign = bool(mark["open"]), mark["mark"]
    if sign == ",":  # ("X-Api-Key", "…"), but not a list of names
        opened = text[:start].rstrip("b\"'`\\")[-1:] in ("(", "[")
        return kind == "header" and opened and quoted and text[end:].lstrip("\"'`\\")[:1] in (")", "]")
    if quoted or len(sign) > 2:
        return True
    if "=" in sign:
        return not mark["gap"] and not mark["space"]
    if mark["close"] and mark["close"][-1] in "\"'":
        return True
    alone = bool(_ENDS_HERE.match(text, end))
    written_as_name = not text[start].isupper() or text[start : start + 4].isupper()
    return alone and (
        kind == "header" or (written_as_name and bool(_LINE_START.search(text, max(0, start - 80), start)))
    )


def _is_credentials(value: str) -> bool:
    """Whether it is base64 of `user:password`."""
    try:
        plain = base64.b64decode(
            value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4), altchars=b"-_", validate=False
        )
        return b":" in plain and plain.decode("utf-8").isprintable()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return False
