"""What a gate needs of a run's results, in about thirty bytes and an id per trial, counted as they arrive."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any, NamedTuple

from rightcall.gate import CostLimit, Gate, Outcome
from rightcall.model.run import CaseResult

FAILED, PASSED, ERROR = 0, 1, 2
ONE_TRIAL = ((0.0,), (1.0,))
NOTHING: dict[str, Any] = {}
"""What most outcomes share, instead of having a million of it."""

ABSENT, BROKEN = math.nan, math.inf
"""In a column of a metric: the trial has no such score, or the metric broke."""


class _Golden(NamedTuple):
    """What most goldens share."""

    category: str
    tags: tuple[str, ...]
    cluster: str | None


class GateEvidence:
    """The outcomes of goldens as a gate needs them: latencies, costs and scores only if it limits them.

    One column per field, one row per trial. Ids are kept as text in one piece: a million strings and a table of them
    would take two hundred megabytes.
    """

    def __init__(self, gate: Gate, quarantine: frozenset[str] = frozenset()) -> None:
        self._quarantine = quarantine
        self._ids, self._ends = bytearray(), array("Q")
        self._kinds: dict[_Golden, int] = {}
        self._abouts, self._trials, self._states = array("q"), array("q"), bytearray()
        self._latencies, self._lags, self._costs = array("d"), array("d"), array("d")
        self._timed, self._priced = gate.limits_latency, gate.cost != CostLimit()
        self._metrics = {name: array("d") for name in gate.metrics}
        self._codes: dict[int, tuple[str, ...]] = {}
        self._code_sets: dict[tuple[str, ...], tuple[str, ...]] = {}

    def add(self, result: CaseResult) -> None:
        if result.golden_id in self._quarantine:
            return
        if result.codes and not result.error:
            codes = tuple(failure.code for failure in result.codes)
            self._codes[len(self._states)] = self._code_sets.setdefault(codes, codes)
        self._ids += result.golden_id.encode(errors="surrogatepass")
        self._ends.append(len(self._ids))
        about = _Golden(result.category, tuple(result.tags), result.cluster)
        self._abouts.append(self._kinds.setdefault(about, len(self._kinds)))
        self._trials.append(result.trial)
        self._states.append(ERROR if result.error else PASSED if result.passed else FAILED)
        if self._timed:
            self._latencies.append(ABSENT if result.latency_ms is None else result.latency_ms)
            self._lags.append(result.trajectory.lag_ms if result.trajectory else 0.0)
        if self._priced:
            self._costs.append(ABSENT if result.usage.cost_usd is None else result.usage.cost_usd)
        for name, column in self._metrics.items():
            score = result.metrics.get(name)
            column.append(ABSENT if score is None else BROKEN if score.error else score.value)

    def outcomes(self) -> list[Outcome]:
        """Sorted by golden and trial, so that results do not depend on completion order."""
        names, trials, kinds = list(self._names()), self._trials, list(self._kinds)
        ordered = (
            sorted(range(len(names)), key=trials.__getitem__) if any(trials) else list(range(len(names)))
        )
        ordered.sort(key=names.__getitem__)  # stable: trials stay in their order
        return [
            self._outcome(name, kinds, list(places)) for name, places in groupby(ordered, names.__getitem__)
        ]

    def _names(self) -> Iterator[str]:
        start, ids = 0, memoryview(self._ids)
        for end in self._ends:
            yield str(ids[start:end], "utf-8", "surrogatepass")
            start = end

    def _outcome(self, golden_id: str, kinds: list[_Golden], places: list[int]) -> Outcome:
        scored = [at for at in places if self._states[at] != ERROR]
        about = kinds[self._abouts[places[0]]]
        codes = Counter(code for at in scored for code in self._codes.get(at, ())) if self._codes else None
        return Outcome(
            golden_id,
            ONE_TRIAL[self._states[scored[0]]]
            if len(scored) == 1
            else tuple(float(self._states[at]) for at in scored),
            errors=len(places) - len(scored),
            category=about.category,
            tags=about.tags,
            cluster=about.cluster,
            metrics=dict(self._scores(scored)) if self._metrics else NOTHING,
            codes=dict(codes) if codes else NOTHING,
            latencies_ms=tuple(self._known(self._latencies, scored)) if self._timed else (),
            lags_ms=tuple(self._lags[at] for at in scored if not math.isnan(self._latencies[at]))
            if self._timed
            else (),
            costs_usd=tuple(self._known(self._costs, places)) if self._priced else (),
        )

    def _scores(self, scored: list[int]) -> Iterator[tuple[str, tuple[float, ...]]]:
        for name, column in self._metrics.items():
            found = list(self._known(column, scored))
            if found:
                yield name, tuple(value for value in found if value != BROKEN)

    @staticmethod
    def _known(column: array[float], places: list[int]) -> Iterator[float]:
        return (column[at] for at in places if not math.isnan(column[at]))
