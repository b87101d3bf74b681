"""The floor under a pass rate: how far agents get that understand nothing."""

from __future__ import annotations

from typing import Literal, get_args

from rightcall.records.record import Record

TrivialName = Literal["nothing", "first", "everything", "keyword", "constant", "refuse", "echo"]
AGENTS: tuple[TrivialName, ...] = get_args(TrivialName)

DEEDS: dict[TrivialName, str] = {
    "nothing": "an agent that does nothing",
    "first": "an agent that always calls the first tool",
    "everything": "an agent that calls every tool",
    "keyword": "choosing tools by keywords",
    "constant": 'an agent that always answers "I have done that."',
    "refuse": "an agent that refuses everything",
    "echo": "an agent that repeats the request",
}
"""The trivial agents in words; the first of two that pass equally often is named."""


class FloorCount(Record, frozen=True):
    """Goldens that a trivial agent passes, of those that could be judged without a model."""

    passed: int = 0
    judged: int = 0

    @property
    def share(self) -> float | None:
        """The pass rate; None when nothing could be judged."""
        return self.passed / self.judged if self.judged else None


class TrivialRate(FloorCount, frozen=True):
    """How many goldens a trivial agent passes, in all and by category."""

    categories: dict[str, FloorCount] = {}


class Floor(Record, frozen=True):
    """The pass rates of trivial agents on the goldens of a run, scored as the run is.

    `nothing` is the rate of an agent that does nothing, `best` the highest and `best_name` whose it is. `goldens`
    counts those that state a check. `left_out` counts the ones that at least one agent could not be judged on, with the
    reasons: only a judge could decide, or a metric raised. `skipped` says why there is no floor.
    """

    nothing: float | None = None
    best: float | None = None
    best_name: TrivialName | Literal[""] = ""
    agents: dict[str, TrivialRate] = {}
    goldens: int = 0
    left_out: int = 0
    why_left_out: dict[str, int] = {}
    skipped: str = ""

    @property
    def best_deed(self) -> str:
        """The best trivial agent in words."""
        return DEEDS[self.best_name] if self.best_name else ""

    def bounds(self, without: int = 0) -> tuple[float, float] | None:
        """The lowest and highest rate that the best trivial agent can have on all goldens but `without` of them.

        Goldens that were left out, and those that are taken away, may have passed or not. None when nothing was judged.
        """
        goldens = self.goldens - without
        if self.best is None or goldens <= 0:
            return None
        lowest = max(max(0, rate.passed - without) for rate in self.agents.values())
        highest = max(rate.passed + self.goldens - rate.judged for rate in self.agents.values())
        return lowest / goldens, min(1.0, highest / goldens)
