"""Problems of a trace or a trace file: counted and explained, never fatal."""

from __future__ import annotations

import math

WORDS: dict[str, tuple[str, str]] = {
    "unreadable": ("1 span cannot be read", "{n} spans cannot be read"),
    "trace_id": ("1 span has no valid trace id", "{n} spans have no valid trace id"),
    "span_id": ("1 span has no valid span id", "{n} spans have no valid span id"),
    "tool_name": ("1 tool span has no name", "{n} tool spans have no name"),
    "circle": ("a circle of parents", "{n} circles of parents"),
    "answer": ("an answer that is no list of parts", "{n} answers that are no list of parts"),
    "unread": (
        "an answer that could not be read whole, so that its calls are not known",
        "{n} answers that could not be read whole, so that their calls are not known",
    ),
    "request": ("a request that is no list of messages", "{n} requests that are no list of messages"),
    "too_many": ("1 span over the limit of a trace left out", "{n} spans over the limit of a trace left out"),
    "too_long": ("1 attribute cut at 1 MiB", "{n} attributes cut at 1 MiB"),
    "dropped": (
        "1 attribute was dropped by the SDK that made the spans; set OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=10000",
        "{n} attributes were dropped by the SDK that made the spans; set OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT=10000",
    ),
    "roots": (
        "several agents at the root; the longest is taken for it",
        "several agents at the root; {n} traces",
    ),
    "spellings": (
        "1 span of a second instrumentation left out",
        "{n} spans of a second instrumentation left out",
    ),
    "unknown_arguments": (
        "the arguments of 1 call were not recorded",
        "the arguments of {n} calls were not recorded",
    ),
    "unknown_names": ("1 unknown gen_ai attribute", "{n} unknown gen_ai attributes"),
    "other_span": ("1 entry is no span", "{n} entries are no spans"),
    "bad_line": ("1 line could not be read", "{n} lines could not be read"),
    "no_root_end": ("the root has not ended", "the roots of {n} traces have not ended"),
}
"""The message for each kind of problem, singular and plural."""


class TooManyValuesError(Exception):
    """More values than a request may have: they need far more memory than the bytes they are sent in."""


class Problems:
    """Kinds of problems with the count and first location of each. `values_left` and `fields_left` bound
    the values of a request and the fields that its messages have, known or not."""

    def __init__(self) -> None:
        self.values_left = self.fields_left = math.inf
        self.counts: dict[str, int] = {}
        self.first: dict[str, str] = {}
        self.hints: list[str] = []

    def add(self, kind: str, where: str = "", count: int = 1) -> None:
        self.counts[kind] = self.counts.get(kind, 0) + count
        self.first.setdefault(kind, where)

    def count_value(self, values: int = 1) -> None:
        self.values_left -= values
        if self.values_left < 0:
            raise TooManyValuesError

    def count_field(self) -> None:
        self.fields_left -= 1
        if self.fields_left < 0:
            raise TooManyValuesError

    def hint(self, text: str) -> None:
        """Advice that goes with the problems; each is shown once."""
        if text not in self.hints:
            self.hints.append(text)

    def merge(self, other: Problems) -> None:
        for kind, count in other.counts.items():
            self.add(kind, other.first[kind], count)
        for text in other.hints:
            self.hint(text)

    def texts(self) -> tuple[str, ...]:
        """One sentence for each kind, in a fixed order."""
        return (*(_text(kind, self.counts[kind]) for kind in WORDS if kind in self.counts), *self.hints)

    def places(self) -> tuple[str, ...]:
        """The same with the first location of each."""
        lines = [(_text(kind, self.counts[kind]), self.first[kind]) for kind in WORDS if kind in self.counts]
        return (*(f"{text} (first: {where})" if where else text for text, where in lines), *self.hints)


def _text(kind: str, count: int) -> str:
    singular, plural = WORDS[kind]
    return singular if count == 1 else plural.format(n=f"{count:,}")
