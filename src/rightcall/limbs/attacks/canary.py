"""Canaries: values that occur nowhere else, shaped so that the tool accepts them.

Each is made from the plan's seed, the attempt and the role, so the same plan makes the same canaries on every machine.
Names are reserved ones (`.example`, 555-01xx): nothing that is sent to them can arrive.
"""

from __future__ import annotations

import hmac
import re
import uuid
from collections.abc import Iterator
from typing import Any

from rightcall.core.digest import hex_digest
from rightcall.core.words import name_tokens, word_set
from rightcall.records.safety import CanaryRole
from rightcall.records.tool import Tool
from rightcall.schema.roles.parameters import types_of
from rightcall.schema.sample_values import resolve_schema
from rightcall.tools.attacks.canary_search import core_of, plain_text
from rightcall.tools.definitions.validate import fits

LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
LENGTH = 10
SECRET_LENGTH = 16
MOST_DRAWS = 20
MAIL_WORDS = word_set("to cc bcc email mail recipient recipients participant participants attendees with")
PHONE_WORDS = word_set("phone mobile number")
URL_WORDS = word_set("url uri link webhook href endpoint")


class CanaryMint:
    """Makes the canaries of a plan; none of them occurs in what is known of the suite."""

    def __init__(self, seed: int, known_text: str) -> None:
        self._key = f"rightcall/attacks/1:{seed}".encode()
        self._known = plain_text(known_text)
        self._used: set[str] = set()

    def token(self, attempt: str, role: CanaryRole, number: int = 0) -> str:
        """Letters that depend on the seed, the attempt and the role alone."""
        length = SECRET_LENGTH if role == "secret" else LENGTH
        digest = hmac.digest(self._key, f"{attempt}\x1f{role}\x1f{number}".encode(), "sha256")
        return "".join(LETTERS[byte % 32] for byte in digest[:length])

    def fresh(self, attempt: str, role: CanaryRole) -> str:
        """A token that no known text and no other attempt has."""
        for number in range(MOST_DRAWS):
            token = self.token(attempt, role, number)
            if token not in self._used and core_of(token) not in self._known:
                self._used.add(token)
                return token
        raise AssertionError("twenty tokens of fifty bits were all taken")

    def in_shape_of(self, attempt: str, role: CanaryRole, tool: Tool, parameter: str) -> Any | None:
        """A canary that the schema of a parameter accepts; None when it accepts no such value."""
        schema = tool.parameters.get(parameter)
        schema = resolve_schema(schema, tool.input_schema) if isinstance(schema, dict) else {}
        token = self.fresh(attempt, role)
        return value_in_shape(token, schema, parameter)


def value_in_shape(token: str, schema: dict[str, Any], parameter: str) -> Any | None:
    """The token in the shape that a schema and a parameter's name ask for; None when none fits."""
    types = types_of(schema)
    if "enum" in schema or "const" in schema:
        return None
    if types and types <= {"array"}:
        items = schema.get("items")
        inner = value_in_shape(token, items if isinstance(items, dict) else {}, parameter)
        return None if inner is None else [inner]
    for value in _shapes(token, schema, parameter, types):
        if fits(schema or {}, value, parameter):
            return value
    return None


def _shapes(token: str, schema: dict[str, Any], parameter: str, types: frozenset[str]) -> Iterator[Any]:
    if types and types <= {"integer", "number"}:
        low = schema.get("minimum", 0)
        yield int(nine_digits(token))
        yield int(low) + int(nine_digits(token)) if isinstance(low, int | float) else None
        return
    words = frozenset(name_tokens(parameter))
    form = schema.get("format")
    if form == "uuid":
        yield str(uuid.UUID(hex=hex_digest(token)[:32], version=4))
    if form in ("uri", "url") or words & URL_WORDS:
        yield f"https://{token}.example/{token}"
    if form == "email" or (words & MAIL_WORDS and form is None):
        yield f"{token}@{token}.example"
    if "iban" in words or form == "iban":
        yield iban(token)
    if words & PHONE_WORDS:
        yield phone(token)
    yield token
    yield token.upper()
    yield nine_digits(token)
    yield from (
        f"{prefix}{end}" for end in (nine_digits(token), token) for prefix in pattern_prefixes(schema)
    )
    yield iban(token)
    yield phone(token)
    yield f"{token}@{token}.example"


def pattern_prefixes(schema: dict[str, Any]) -> tuple[str, ...]:
    """The letters with which a pattern begins: `^usr_[a-z0-9]+$` → usr_."""
    head = re.match(r"\^*([\w-]+)", str(schema.get("pattern", "")))
    return (head[1],) if head else ()


def nine_digits(token: str) -> str:
    """Nine digits that do not begin with zero."""
    number = int(hex_digest(token)[:16], 16)
    return str(100_000_000 + number % 900_000_000)


def phone(token: str) -> str:
    """A number of the range that is kept for stories."""
    digits = nine_digits(token)
    return f"+1{2 + int(digits[0]) % 8}{digits[1:3]}55501{digits[3:5]}"


def iban(token: str) -> str:
    """An account number with valid check digits (ISO 13616, mod 97)."""
    account = f"RCAL{nine_digits(token)}{nine_digits(token[::-1])[:5]}"
    digits = "".join(str(int(character, 36)) for character in f"{account}GB00")
    return f"GB{98 - int(digits) % 97:02d}{account}"
