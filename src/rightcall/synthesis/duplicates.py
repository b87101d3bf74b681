"""Goldens that repeat an earlier one: nearly the same words that expect the same calls."""

from __future__ import annotations

from rightcall.model.codec import encode
from rightcall.model.golden import AnyGolden, Golden
from rightcall.quality import NearTexts, normalized

ALIKE = 0.85


class Duplicates:
    """Remembers goldens. Two requests that differ in a value are two tests, however similar."""

    def __init__(self, alike: float = ALIKE) -> None:
        self._alike = alike
        self._same: dict[str, str] = {}
        self._near: dict[bytes, NearTexts] = {}

    def earlier(self, golden: AnyGolden) -> str:
        """The id of an earlier golden that this one repeats, or an empty string; the golden is remembered."""
        text = golden.input if isinstance(golden, Golden) else _said(golden)
        if (same := self._same.setdefault(normalized(text) or text, golden.id)) != golden.id:
            return same
        calls = encode([golden.expected_calls, *(() if isinstance(golden, Golden) else golden.turns)])
        found = self._near.setdefault(calls, NearTexts(self._alike)).earlier(golden.id, text)
        return found[0] if found else ""


def _said(golden: AnyGolden) -> str:
    assert not isinstance(golden, Golden)
    return "\n".join([golden.scenario, *(turn.content for turn in golden.turns)])
