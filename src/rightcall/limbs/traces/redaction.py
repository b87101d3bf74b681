"""Redaction: addresses, numbers and keys are replaced before anything reaches a file or a store.

Equal values stay equal: `<email:4f1c>` is derived with HMAC-SHA-256 under a key kept in the store, so inputs
that differ only in the address stay different, and nobody without the key can guess addresses.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from functools import partial
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.core.redaction.clean_text import replace_secrets, secret_replacer
from rightcall.core.redaction.key_contexts import is_secret_field
from rightcall.limbs.traces.content import parse_container
from rightcall.limbs.traces.span import Span, SpanEvent
from rightcall.limbs.traces.trace import Trace
from rightcall.records.call import ToolCall
from rightcall.records.message import Message
from rightcall.records.trajectory import Trajectory

PERSONAL: tuple[tuple[str, str], ...] = (
    ("email", r"\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"),
    ("iban", r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"),
    ("card", r"(?<![\d.-])[2-6](?:[ -]?\d){12,18}(?![\d.-]*\d)"),
    (
        "phone",
        r"(?<![\w.+-])(?:\+\d[\d ().-]{7,17}\d|\(\d{2,4}\) ?\d[\d .-]{5,12}\d"
        r"|0\d{2,3}[ .-]\d{3,4}[ .-]?\d{3,4})(?![\w-])",
    ),
)
_PERSONAL_HINT = re.compile(r"@|\d[\d ().-]{5,}\d|[A-Z]{2}\d{2}")
"""Every personal pattern contains a match of this: most text does not, and is scanned once instead of four times."""
DEEPEST = 100


class Redactor:
    """Replaces personal and secret data in text, values, trajectories and traces.

    `key` derives the placeholders; `more` are the user's own regular expressions.
    """

    def __init__(self, key: bytes, more: Iterable[str] = ()) -> None:
        self._key = key
        self._personal = [(name, re.compile(text)) for name, text in PERSONAL]
        self._own: list[re.Pattern[str]] = []
        for text in more:
            try:
                self._own.append(re.compile(text))
            except re.error as error:
                raise InputError(f"--redact {text}", f"not a regular expression: {error}") from None
        self._without_declared = secret_replacer(lambda value: self._digest_mark("secret", value))
        self.count = 0

    def text(self, text: str) -> str:
        """The text with placeholders for sensitive data; strings inside JSON are checked one by one."""
        cleaned = self._plain(text)
        if cleaned == text and '"value"' not in text:
            return text
        held = parse_container(text)
        if isinstance(held, str):
            return cleaned
        cleaned_value = self.value(held)
        return text if cleaned_value == held else msgspec.json.encode(cleaned_value).decode()

    def _plain(self, text: str) -> str:
        declared = self._without_declared(text)
        if declared != text:
            self.count += 1
        text = replace_secrets(declared, self._mark)
        for pattern in self._own:
            text = pattern.sub(lambda match: self._mark("redacted", match.group()), text)
        if not _PERSONAL_HINT.search(text):
            return text
        for name, pattern in self._personal:
            text = pattern.sub(partial(self._replace, name), text)
        return text

    def value(self, value: Any, depth: int = 0) -> Any:
        """The same for any JSON value; field names are checked too."""
        if isinstance(value, str):
            return self.text(value) if value else value
        if depth > DEEPEST:
            return "nested too deeply"
        if isinstance(value, dict):
            label = next((value[k] for k in ("name", "key") if isinstance(value.get(k), str)), "")
            return {
                self.text(str(k)): self._field(label if k == "value" else str(k), v, depth)
                for k, v in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**12:
            cleaned = self.text(str(value))  # a card number may be a number
            return value if cleaned == str(value) else cleaned
        return value

    def _field(self, name: str, value: Any, depth: int) -> Any:
        if is_secret_field(name, value):
            return self._mark("secret", value)
        return self.value(value, depth + 1)

    def span(self, span: Span) -> Span:
        """A redacted span, before it is stored. Its ids and times stay."""
        return msgspec.structs.replace(
            span,
            name=self.text(span.name),
            message=self.text(span.message),
            attributes=self._fields(span.attributes),
            resource=self._fields(span.resource),
            events=[SpanEvent(event.name, self._fields(event.attributes)) for event in span.events],
        )

    def _fields(self, attributes: dict[str, Any]) -> dict[str, Any]:
        return {name: self._field(name, held, 0) for name, held in attributes.items()}

    def trajectory(self, trajectory: Trajectory) -> Trajectory:
        """A redacted trajectory."""
        return msgspec.structs.replace(
            trajectory,
            messages=tuple(map(self._message, trajectory.messages)),
            calls=tuple(map(self._call, trajectory.calls)),
            output=self.text(trajectory.output),
            error=self.text(trajectory.error),
        )

    def trace(self, trace: Trace) -> Trace:
        """A redacted trace. Ids stay: they link it to the system it came from."""
        return msgspec.structs.replace(
            trace,
            trajectory=self.trajectory(trace.trajectory),
            tools=tuple(
                msgspec.convert(self.value(msgspec.to_builtins(tool)), type(tool)) for tool in trace.tools
            ),
            input=self.text(trace.input),
            system=self.text(trace.system),
            session=self.text(trace.session),
            agent=self.text(trace.agent),
            resource=self.value(trace.resource),
            problems=tuple(map(self.text, trace.problems)),
        )

    def _call(self, call: ToolCall) -> ToolCall:
        return msgspec.structs.replace(
            call,
            name=self.text(call.name),
            arguments=None if call.arguments is None else self.value(call.arguments),
            output=self.value(call.output),
            raw=None if call.raw is None else self.text(call.raw),
            notes=self.value(call.notes),
        )

    def _message(self, message: Message) -> Message:
        results = tuple(msgspec.structs.replace(r, output=self.value(r.output)) for r in message.results)
        calls = tuple(map(self._call, message.calls))
        return msgspec.structs.replace(
            message, content=self.text(message.content), calls=calls, results=results
        )

    def _replace(self, name: str, match: re.Match[str]) -> str:
        text = match.group()
        is_one = {"card": _passes_luhn, "iban": _is_iban}.get(name)
        return self._mark(name, text) if is_one is None or is_one(text) else text

    def _mark(self, name: str, text: str) -> str:
        self.count += 1
        return self._digest_mark(name, text)

    def _digest_mark(self, name: str, text: str) -> str:
        if name == "email":
            text = text.lower()
        elif name in ("iban", "card", "phone"):
            text = "".join(text.split())
        digest = hmac.new(self._key, text.encode("utf-8", "replace"), "sha256").hexdigest()
        return f"<{name}:{digest[:4]}>"


def _passes_luhn(text: str) -> bool:
    digits = [int(c) for c in text if c.isdigit()]
    total = sum(d if i % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for i, d in enumerate(reversed(digits)))
    return 13 <= len(digits) <= 19 and total % 10 == 0


def _is_iban(text: str) -> bool:
    """ISO 13616: the number of letters and digits leaves 1 when divided by 97."""
    plain = "".join(text.split())
    if not 15 <= len(plain) <= 34:
        return False
    moved = plain[4:] + plain[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1
