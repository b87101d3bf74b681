"""Early stopping: ends a run as soon as its verdict is known, with results fed in the order that was drawn."""

from __future__ import annotations

import math
import random
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Generic, Literal, NamedTuple, TypeVar

from rightcall.core.errors import ConfigError, InputError
from rightcall.core.text import percent, pluralize
from rightcall.decide.config import Gate
from rightcall.stats.sequential import Decision, LogE, e_decision, e_value, fastest_stops, log_e_step

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class DrawnOrder(Generic[K, V]):
    """Holds results back until their turn in the order that was drawn beforehand, whatever finishes first.

    A gate's early stop and the proof of `improve` look at results in such an order: fast goldens cannot bias them, and
    a verdict does not depend on concurrency. `check` judges its waves of trials in the drawn order itself.
    """

    def __init__(self, keys: Iterable[K]) -> None:
        self.keys = tuple(keys)
        self._places = {key: place for place, key in enumerate(self.keys)}
        self._waiting: dict[int, V] = {}
        self.used = 0
        """How many were handed out."""

    def __contains__(self, key: K) -> bool:
        return key in self._places

    @property
    def complete(self) -> bool:
        return self.used == len(self.keys)

    def add(self, key: K, value: V) -> Iterator[V]:
        """The results whose turn has come with this one; a reader that stops reading leaves the rest waiting."""
        self._waiting[self._places[key]] = value
        while self.used in self._waiting:
            self.used += 1
            yield self._waiting.pop(self.used - 1)


class RunOrder(NamedTuple):
    """Goldens in the order they are run and evaluated; `seed` is None for the order of the file."""

    ids: tuple[str, ...]
    seed: int | None


def shuffle_order(ids: Iterable[str], seed: int) -> RunOrder:
    """A seeded shuffle, which early stopping requires."""
    drawn = list(ids)
    random.Random(seed).shuffle(drawn)  # noqa: S311  repeatable, not secret
    return RunOrder(tuple(drawn), seed)


def in_file_order(ids: Iterable[str]) -> RunOrder:
    """The goldens in file order, which monitors reject."""
    return RunOrder(tuple(ids), None)


class Stopped(NamedTuple):
    """How a monitored run ended: the verdict, after how many of how many goldens, and why.

    `by` is the monitor. `earlier` is a monitor whose results are all that is left: they chose the moment at which they
    end, so no rule with error control can be decided by them again.
    """

    word: Decision
    used: int
    total: int
    reason: str
    by: Literal["evalue", "earlier"]

    @property
    def saved(self) -> int:
        return self.total - self.used


Scores = tuple[tuple[float, ...], int]
"""The scores of a golden's trials, and the number of those without an answer."""


class StopMonitor:
    """Takes results as they finish, evaluates them in order, and stops when the evidence is 1/alpha to 1.

    The evidence is that against "at most min" or against "at least target". One score for each golden, the mean of its
    trials. P(PASS at a rate ≤ min) ≤ alpha and P(FAIL at a rate ≥ target) ≤ alpha, however often it is evaluated.
    `feed` returns how the run ended once that is known, and None before. What arrives later is ignored.
    """

    def __init__(self, order: RunOrder, minimum: float, target: float, alpha: float = 0.05) -> None:
        if order.seed is None:
            raise ConfigError(
                "stop: evalue requires a seeded random order of goldens, not the file order, which would "
                "bias the verdict; shuffle them with the run's seed"
            )
        if len(set(order.ids)) != len(order.ids):
            raise ConfigError("stop: evalue requires unique golden ids")
        fastest_stops(minimum, target, alpha, alpha)  # rejects invalid numbers
        self._min = minimum
        self._target = target
        self._alpha = alpha
        self._log_e = LogE(0.0, 0.0)
        self._order = DrawnOrder[str, Scores](order.ids)
        self.stopped: Stopped | None = None

    def feed(self, golden_id: str, scores: Sequence[float], unanswered: int = 0) -> Stopped | None:
        """The scores of all trials of a golden, and the number of those without an answer."""
        if golden_id not in self._order:
            raise InputError("stop", f"golden '{golden_id}' is not in the seeded order")
        if self.stopped is None:
            for scores_of_next in self._order.add(golden_id, (tuple(scores), unanswered)):
                self._take(scores_of_next)
                self._judge(last=self._order.complete)
                if self.stopped is not None:
                    break
        return self.stopped

    def _take(self, trials: Scores) -> None:
        """One golden: what it did not answer is a failure in the evidence for PASS, and a pass in that for FAIL."""
        scores, unanswered = trials
        if not (asked := len(scores) + unanswered):
            return
        passed = math.fsum(scores)
        worst = log_e_step(passed / asked, self._min, self._target)
        best = log_e_step((passed + unanswered) / asked, self._min, self._target)
        self._log_e = LogE(self._log_e.plus + worst.plus, self._log_e.minus + best.minus)

    def _judge(self, *, last: bool) -> None:
        decision = e_decision(self._log_e, self._alpha, self._alpha)
        if decision is None and not last:
            return
        above = f"that the rate is above {percent(self._min)} is {self._odds(0)}"
        below = f"that it is below {percent(self._target)} is {self._odds(1)}"
        needed = f"{1 / self._alpha:.3g} to 1 is required"
        self._stop(decision or "INCONCLUSIVE", f"the evidence {above}, {below}; {needed}")

    def _odds(self, side: int) -> str:
        return f"{e_value(self._log_e[side]):.3g} to 1"

    def _stop(self, word: Decision, why: str) -> None:
        used = self._order.used
        total = len(self._order.keys)
        saved = f", {total - used:,} saved" if used < total else ""
        reason = f"decided after {used:,} of {pluralize(total, 'golden')}{saved}: {why}"
        self.stopped = Stopped(word, used, total, reason, by="evalue")


def monitor_for(gate: Gate, order: RunOrder, *, clustered: bool = False) -> StopMonitor | None:
    """The monitor of a gate, None without one; rejects setups where it would be biased."""
    if gate.stop == "off":
        return None
    if clustered:
        raise ConfigError("stop: evalue requires goldens without clusters")
    if gate.min is None or gate.target is None:
        raise ConfigError("stop: evalue requires target and min")
    return StopMonitor(order, gate.min, gate.target, gate.alpha)
