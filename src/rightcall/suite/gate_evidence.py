"""What a gate needs of a run's results, in about sixty bytes per trial, counted as they arrive."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rightcall.gate import Gate, Outcome
from rightcall.model.run import CaseResult

FAILED, PASSED, ERROR = 0, 1, 2
ABSENT, BROKEN = math.nan, math.inf
"""In a column of a metric: the trial has no such score, or the metric broke."""


class _Golden(NamedTuple):
    """What most goldens share."""

    category: str
    tags: tuple[str, ...]
    cluster: str | None


class GateEvidence:
    """The outcomes of goldens as a gate needs them: scores only for the metrics it uses.

    One column per field, one row per trial.
    """

    def __init__(self, gate: Gate, quarantine: frozenset[str] = frozenset()) -> None:
        self._quarantine = quarantine
        self._numbers: dict[str, int] = {}
        self._about: list[_Golden] = []
        self._kinds: dict[_Golden, _Golden] = {}
        self._goldens, self._trials, self._states = array("q"), array("q"), bytearray()
        self._latencies, self._lags, self._costs = array("d"), array("d"), array("d")
        self._metrics = {name: array("d") for name in gate.metrics}
        self._codes: dict[int, tuple[str, ...]] = {}
        self._code_sets: dict[tuple[str, ...], tuple[str, ...]] = {}

    def add(self, result: CaseResult) -> None:
        if result.golden_id in self._quarantine:
            return
        if result.codes and not result.error:
            codes = tuple(failure.code for failure in result.codes)
            self._codes[len(self._states)] = self._code_sets.setdefault(codes, codes)
        self._goldens.append(self._number(result))
        self._trials.append(result.trial)
        self._states.append(ERROR if result.error else PASSED if result.passed else FAILED)
        self._latencies.append(ABSENT if result.latency_ms is None else result.latency_ms)
        self._lags.append(result.trajectory.lag_ms if result.trajectory else 0.0)
        self._costs.append(ABSENT if result.usage.cost_usd is None else result.usage.cost_usd)
        for name, column in self._metrics.items():
            score = result.metrics.get(name)
            column.append(ABSENT if score is None else BROKEN if score.error else score.value)

    def outcomes(self) -> list[Outcome]:
        """Sorted by golden and trial, so that results do not depend on completion order."""
        names = sorted(self._numbers)
        rank = {self._numbers[name]: place for place, name in enumerate(names)}
        ordered = sorted(range(len(self._states)), key=lambda at: (rank[self._goldens[at]], self._trials[at]))
        return [
            self._outcome(names[rank[number]], self._about[number], list(places))
            for number, places in groupby(ordered, key=self._goldens.__getitem__)
        ]

    def _number(self, result: CaseResult) -> int:
        number = self._numbers.setdefault(result.golden_id, len(self._about))
        about = _Golden(result.category, tuple(result.tags), result.cluster)
        if number == len(self._about):
            self._about.append(self._kinds.setdefault(about, about))
        return number

    def _outcome(self, golden_id: str, about: _Golden, places: list[int]) -> Outcome:
        scored = [at for at in places if self._states[at] != ERROR]
        return Outcome(
            golden_id,
            tuple(float(self._states[at]) for at in scored),
            errors=len(places) - len(scored),
            category=about.category,
            tags=about.tags,
            cluster=about.cluster,
            metrics=dict(self._scores(scored)),
            codes=dict(Counter(code for at in scored for code in self._codes.get(at, ()))),
            latencies_ms=tuple(self._known(self._latencies, scored)),
            lags_ms=tuple(self._lags[at] for at in scored if not math.isnan(self._latencies[at])),
            costs_usd=tuple(self._known(self._costs, places)),
        )

    def _scores(self, scored: list[int]) -> Iterator[tuple[str, tuple[float, ...]]]:
        for name, column in self._metrics.items():
            found = list(self._known(column, scored))
            if found:
                yield name, tuple(value for value in found if value != BROKEN)

    @staticmethod
    def _known(column: array[float], places: list[int]) -> Iterator[float]:
        return (column[at] for at in places if not math.isnan(column[at]))
