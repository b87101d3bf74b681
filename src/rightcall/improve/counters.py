"""What analysis keeps of a run: counters by golden, symptom, parameter and tool, never a trajectory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from rightcall.improve.symptom import Symptom
from rightcall.records.call import ToolCall
from rightcall.records.failure import Failure
from rightcall.records.golden import AnyGolden

K = TypeVar("K", str, tuple[str, str])

NEGATIVE = "\0negative"
"""The class of goldens that expect no call."""

Class = str | tuple[str, str]
"""What a golden is exposed to: a tool or parameter it expects, or `NEGATIVE`."""


def most_common(counts: Mapping[K, int]) -> list[tuple[K, int]]:
    """What was counted, the most frequent first, ties in its own order."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def mean(values: Collection[float]) -> float:
    """The mean; 0 without any."""
    return sum(values) / len(values) if values else 0.0


class FailedTrial(NamedTuple):
    """What analysis reads of a failed trial."""

    trial: int
    codes: Sequence[Failure]
    calls: Sequence[ToolCall] = ()
    state: Mapping[str, Any] | None = None


class GoldenTrials(NamedTuple):
    """One golden of a run: its judged trials, how many of them passed, and those that failed."""

    golden: AnyGolden
    judged: int
    passed: int
    failed: Sequence[FailedTrial]


class Case(NamedTuple):
    """A golden in counters: which symptoms its trials had, and how often."""

    id: str
    cluster: str
    trials: int
    classes: frozenset[Class]
    cells: tuple[tuple[int, int], ...]
    suspect: bool = False

    @property
    def failed(self) -> int:
        return sum(count for _, count in self.cells)


@dataclass
class Seen:
    """A symptom and how often it was seen."""

    symptom: Symptom
    trials: int = 0
    share: float = 0.0
    suspect: bool = False
    negative: bool = False


@dataclass
class ParameterStats:
    """How one parameter was filled: trials that expected it, by whether the request contained its value."""

    expected: int = 0
    held_trials: int = 0
    held_wrong: int = 0
    lacking_trials: int = 0
    lacking_wrong: int = 0
    goldens: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    units: Counter[str] = field(default_factory=Counter)
    raw: dict[tuple[str, str], tuple[Any, Any]] = field(default_factory=dict)


@dataclass
class ToolStats:
    """Statistics of one tool: goldens, trials, quotable words of the requests, how well descriptions cover them."""

    goldens: int = 0
    trials: int = 0
    foreign: int = 0
    cover: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    words: Counter[str] = field(default_factory=Counter)
    missed_words: Counter[str] = field(default_factory=Counter)
