"""The matcher `tau`: text an answer must contain, matched as in τ-bench and τ²-bench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Told:
    """The answer contains the text, ignoring case and commas in the answer: "1,094" contains 1094."""

    text: str

    def score(self, value: Any, at: int) -> float:
        told = isinstance(value, str) and self.text.lower() in value.lower().replace(",", "")
        return 1.0 if told else 0.0

    def describe(self) -> str:
        return f"an answer that contains '{self.text}', ignoring commas"


def tau_matcher(spec: Any, options: dict[str, Any], scope: Any) -> Told:
    """The matcher of `{"tau": "1094"}`."""
    return Told(str(spec))
