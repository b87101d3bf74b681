"""What stored runs showed about the tools, as far as somebody hands it to the linter."""

from __future__ import annotations

from collections.abc import Iterable

from rightcall.model.record import Record


class Confusion(Record, frozen=True):
    """In `confused` of `trials` trials a model called `called` where `wanted` was expected."""

    wanted: str
    called: str
    confused: int
    trials: int
    run: str = ""


class Evidence:
    """Confusions by pair of tools, whichever way round they were."""

    def __init__(self, confusions: Iterable[Confusion] = ()) -> None:
        self._by_pair: dict[frozenset[str], list[Confusion]] = {}
        for confusion in confusions:
            if confusion.confused:
                self._by_pair.setdefault(frozenset((confusion.wanted, confusion.called)), []).append(
                    confusion
                )

    def about(self, tool: str, others: Iterable[str]) -> str:
        """One line on how often the tool was confused with one of the others; "" when never seen."""
        lines = [
            f"{seen.called} was called for {seen.wanted} in {seen.confused} of {seen.trials} trials"
            + (f" of run {seen.run}" if seen.run else "")
            for other in others
            for seen in self._by_pair.get(frozenset((tool, other)), ())
        ]
        return "; ".join(lines)
