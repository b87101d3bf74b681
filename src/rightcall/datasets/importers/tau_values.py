"""The matcher `tau`: what an answer must tell, as τ-bench and τ²-bench look for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class Told:
    """The text occurs in the answer whatever its case, once the answer's commas are gone: "1,094" tells 1094."""

    text: str

    def score(self, value: Any, at: int) -> float:
        told = isinstance(value, str) and self.text.lower() in value.lower().replace(",", "")
        return 1.0 if told else 0.0

    def describe(self) -> str:
        return f"an answer that tells '{self.text}', commas aside"


def tau_matcher(spec: Any, options: dict[str, Any], scope: Any) -> Told:
    """The matcher of `{"tau": "1094"}`."""
    return Told(str(spec))
