"""A matcher `{"phone": "+49 30 123456"}` that compares the digits of telephone numbers."""

from __future__ import annotations

from typing import Any

from rightcall.metrics.matching.base import Scope


class Phone:
    def __init__(self, number: str) -> None:
        self._number = number

    def score(self, value: Any, at: int) -> float:
        return float(isinstance(value, str) and _digits(value) == _digits(self._number))

    def describe(self) -> str:
        return f"the telephone number {self._number}"


def phone_matcher(spec: Any, options: dict[str, Any], scope: Scope) -> Phone:
    return Phone(str(spec))


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
