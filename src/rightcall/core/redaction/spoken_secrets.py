"""Values that are secrets because a sentence speaks of one: `the token is …`, `Bearer …`, `passwd …`.

Ordinary sentences look the same, so the value must look random, or be base64 of a user and a password.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from rightcall.core.redaction.secret_names import name_kind
from rightcall.core.redaction.word_likeness import looks_random

_GAP = r"(?:[ \t]+|[ \t]*:?[ \t]*(?:\r?\n|\\+n)[ \t]*|[ \t]*\|[ \t]*)"
"""Between a word and its value: spaces, the next line, or the next column of a table."""
_FOREIGN = (
    *("passwort", "kennwort", "contraseña", "mot de passe", "senha", "wachtwoord", "hasło", "пароль"),
    *("mật khẩu", "密码", "密碼", "パスワード", "비밀번호"),
)
"""Password in other languages."""
_SPOKEN = re.compile(
    r"(?i)\b(?:bearer[ \t]+[\"'`]?(?P<bearer>[A-Za-z0-9._~+/=|-]{8,4000})"
    r"|basic[ \t]+[\"'`]?(?P<basic>[A-Za-z0-9+/=_-]{8,4000})"
    r"|(?P<name>(?:[A-Za-z0-9]{1,30}_){0,5}(?:token|key|secret|password|passwd|passphrase|passcode|pwd))(?:[ \t]+is)?"
    rf"{_GAP}[\"'`]?(?P<named>[A-Za-z0-9._~+/=!@#$%^*-]{{8,4000}})"
    rf"|(?:{'|'.join(_FOREIGN)})(?:[ \t:：=]*|[ \t]\w{{1,12}}[ \t:]+)"
    r"[\"'`]?(?P<foreign>[A-Za-z0-9._~+/=!@#$%^*-]{8,4000})"
    r"|--(?:[a-z-]{0,20}(?:key|password|passwd|secret|token|passphrase))[ \t]+"
    r"[\"'`]?(?P<flag>[^\s\"'`<>-][^\s\"'`<>]{5,4000}))"
)
_HINTS = ("bearer", "basic", "token", "key", "secret", "pass", "pwd", *_FOREIGN)


def secret_places(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Start and end of each such value. `lowered` is the text in small letters."""
    if not any(hint in lowered for hint in _HINTS):
        return
    for match in _SPOKEN.finditer(text):
        group = match.lastgroup or ""
        name, value = match["name"] or "", match[group].rstrip(".,;:!?)")
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
