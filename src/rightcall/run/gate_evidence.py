"""What a gate needs of a run's results, in about thirty bytes and an id per trial, counted as they arrive."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import msgspec

from rightcall.core.seam import BUILT_IN, load
from rightcall.decide.config import CostLimit, Gate
from rightcall.decide.golden_outcomes import Outcome, outcomes_of
from rightcall.decide.rule_source import Facts
from rightcall.decide.safety_numbers import outcome_of_result
from rightcall.records.run import CaseResult, Run
from rightcall.records.safety import AttackOutcome
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.decide.comparison import Comparison

FAILED = 0
PASSED = 1
ERROR = 2
ONE_TRIAL = ((0.0,), (1.0,))
NOTHING: dict[str, Any] = {}
"""What most outcomes share, instead of having a million of it."""

ABSENT = math.nan
BROKEN = math.inf
"""In a column of a metric: the trial has no such score, or the metric broke."""

_PLACE = Struct(">QQ")
"""A trial and its row, so that they sort as numbers do."""


class _Golden(NamedTuple):
    """What most goldens share."""

    category: str
    tags: tuple[str, ...]
    cluster: str | None


class _Outcomes(Sequence[Outcome]):
    """The outcomes of all goldens, made each time they are read: a million of them would take 200 MB."""

    def __init__(
        self,
        rows: array[int],
        starts: array[int],
        outcome_of: Callable[[Sequence[int]], Outcome],
        unchecked: Sequence[Outcome] = (),
    ) -> None:
        self._rows = rows
        self._starts = starts
        self._outcome_of = outcome_of
        self._unchecked = unchecked

    def __len__(self) -> int:
        return len(self._starts) + len(self._unchecked)

    @overload
    def __getitem__(self, at: int) -> Outcome: ...
    @overload
    def __getitem__(self, at: slice) -> list[Outcome]: ...
    def __getitem__(self, at: int | slice) -> Outcome | list[Outcome]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        if place >= len(self._starts):
            return self._unchecked[place - len(self._starts)]
        start = self._starts[place]
        end = self._starts[place + 1] if place + 1 < len(self._starts) else len(self._rows)
        return self._outcome_of(self._rows[start:end])

    def __iter__(self) -> Iterator[Outcome]:
        rows = self._rows
        outcome_of = self._outcome_of
        ends = chain(islice(self._starts, 1, None), (len(rows),))
        checked = (outcome_of(rows[start:end]) for start, end in zip(self._starts, ends, strict=False))
        return chain(checked, self._unchecked)


def _sortable(golden: bytes) -> bytes:
    """An id whose end may be marked with two zero bytes, in the same order."""
    return golden.replace(b"\0", b"\0\xff") if b"\0" in golden else golden


class GateEvidence:
    """The outcomes of goldens as a gate needs them: latencies, costs and scores only if it limits them.

    One column per field, one row per trial. Ids are kept as text in one piece: a million strings and a table of them
    would take two hundred megabytes.
    """

    def __init__(self, gate: Gate, quarantine: frozenset[str] = frozenset()) -> None:
        self._quarantine = quarantine
        self._ids = bytearray()
        self._ends = array("Q")
        self._kinds: dict[_Golden, int] = {}
        self._kind_list: list[_Golden] = []
        self._abouts = array("q")
        self._trials = array("q")
        self._states = bytearray()
        self._latencies = array("d")
        self._lags = array("d")
        self._costs = array("d")
        self._timed = gate.limits_latency
        self._priced = gate.cost != CostLimit()
        self._totalled = gate.cost.run_usd is not None
        self._metrics = {name: array("d") for name in gate.metrics}
        self._attacks: dict[str, list[AttackOutcome]] | None = {} if gate.about_attacks else None
        self._unchecked_costs: dict[tuple[str, int], float] = {}
        self._codes: dict[int, tuple[str, ...]] = {}
        self._code_sets: dict[tuple[str, ...], tuple[str, ...]] = {}

    def add(self, result: CaseResult) -> None:
        if result.golden_id in self._quarantine:
            return
        if self._totalled:
            self._add_beside(result)
        if self._attacks is not None and (outcome := outcome_of_result(result)) is not None:
            self._attacks.setdefault(result.golden_id, []).append(outcome)
        if not result.checked:
            return
        if result.codes and not result.error:
            codes = tuple(failure.code for failure in result.codes)
            self._codes[len(self._states)] = self._code_sets.setdefault(codes, codes)
        self._ids += result.golden_id.encode(errors="surrogatepass")
        self._ends.append(len(self._ids))
        about = _Golden(result.category, tuple(result.tags), result.cluster)
        if about not in self._kinds:
            self._kinds[about] = len(self._kind_list)
            self._kind_list.append(about)
        self._abouts.append(self._kinds[about])
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

    def _add_beside(self, result: CaseResult) -> None:
        """What the run cost besides its checked trials: unchecked ones, and the judges of all."""
        spent = result.judge_usage if result.checked else result.usage.plus(result.judge_usage)
        if spent.cost_usd is not None:
            self._unchecked_costs[result.golden_id, result.trial] = spent.cost_usd

    def outcomes(self) -> Sequence[Outcome]:
        """Sorted by golden and trial, so that results do not depend on completion order; made as they are read."""
        rows = self._sort_rows()
        starts = array("Q")
        before = None
        for place, row in enumerate(rows):
            golden = self._id_bytes(row)
            if golden != before:
                starts.append(place)
                before = golden
        spent = [
            Outcome(golden, costs_usd=(cost,), checked=False)
            for (golden, _), cost in sorted(self._unchecked_costs.items())
        ]
        checked = (
            {self._id_bytes(rows[start]).decode(errors="surrogatepass") for start in starts}
            if self._attacks
            else ()
        )
        spent += [
            Outcome(golden, checked=False, attacks=tuple(trials))
            for golden, trials in sorted((self._attacks or {}).items())
            if golden not in checked
        ]
        return _Outcomes(rows, starts, self._outcome, spent)

    def _sort_rows(self) -> array[int]:
        """Rows by golden and trial: one text per row to sort by, which takes less than ids and row numbers would."""
        keys = [
            b"%b\0\0%b" % (_sortable(self._id_bytes(row)), _PLACE.pack(self._trials[row], row))
            for row in range(len(self._states))
        ]
        keys.sort()
        return array("Q", (_PLACE.unpack(key[-_PLACE.size :])[1] for key in keys))

    def _id_bytes(self, row: int) -> bytes:
        return bytes(self._ids[(self._ends[row - 1] if row else 0) : self._ends[row]])

    def _outcome(self, places: Sequence[int]) -> Outcome:
        scored = [at for at in places if self._states[at] != ERROR]
        about = self._kind_list[self._abouts[places[0]]]
        codes = (
            Counter(chain.from_iterable(self._codes.get(at, ()) for at in scored)) if self._codes else None
        )
        golden = self._id_bytes(places[0]).decode(errors="surrogatepass")
        scores = {name: list(self._numbers(column, scored)) for name, column in self._metrics.items()}
        broken = {name: values.count(BROKEN) for name, values in scores.items() if BROKEN in values}
        return Outcome(
            golden,
            ONE_TRIAL[self._states[scored[0]]]
            if len(scored) == 1
            else tuple(float(self._states[at]) for at in scored),
            errors=len(places) - len(scored),
            category=about.category,
            tags=about.tags,
            cluster=about.cluster,
            metrics={
                name: tuple(value for value in values if value != BROKEN)
                for name, values in scores.items()
                if len(values) > broken.get(name, 0)
            }
            if scores
            else NOTHING,
            broken_metrics=broken or NOTHING,
            codes=dict(codes) if codes else NOTHING,
            latencies_ms=tuple(self._numbers(self._latencies, scored)) if self._timed else (),
            lags_ms=tuple(self._lags[at] for at in scored if not math.isnan(self._latencies[at]))
            if self._timed
            else (),
            costs_usd=tuple(self._numbers(self._costs, places)) if self._priced else (),
            attacks=tuple(self._attacks.get(golden, ())) if self._attacks else (),
        )

    @staticmethod
    def _numbers(column: array[float], places: Sequence[int]) -> Iterator[float]:
        return (column[at] for at in places if not math.isnan(column[at]))


def evidence_of_run(store: Store, run: str, gate: Gate, quarantine: frozenset[str]) -> Sequence[Outcome]:
    """The outcomes of a stored run as its gate needs them, each made when it is read.

    Delays added by the machine are stored only with trajectories, which are read if latencies are limited.
    """
    evidence = GateEvidence(gate, quarantine)
    for result in results_of_run(store, run, trajectories=gate.limits_latency):
        evidence.add(result)
    return evidence.outcomes()


def results_of_run(store: Store, run: str, *, trajectories: bool = False) -> Iterator[CaseResult]:
    """Every result of a run by golden id and trial, each with its golden's cluster and tags."""
    labels = {
        golden.id: (golden.cluster, golden.tags)
        for golden in store.runs.goldens(run)
        if golden.cluster or golden.tags
    }
    for result in store.runs.results(run, trajectories=trajectories):
        if result.golden_id in labels:
            cluster, tags = labels[result.golden_id]
            yield msgspec.structs.replace(result, cluster=cluster, tags=tags)
        else:
            yield result


def outcomes_of_run(store: Store, run: str, leave_out: frozenset[str] = frozenset()) -> list[Outcome]:
    """The outcomes of a stored run for a comparison, without quarantined goldens."""
    return gather_outcomes(
        result for result in results_of_run(store, run) if result.golden_id not in leave_out
    )


def gather_outcomes(results: Iterable[CaseResult]) -> list[Outcome]:
    """Outcomes of results that include their golden's cluster and tags."""
    kept = list(results)
    clusters: Mapping[str, str | None] = {r.golden_id: r.cluster for r in kept if r.cluster is not None}
    return outcomes_of(kept, clusters=clusters, tags={r.golden_id: r.tags for r in kept if r.tags})


class StoredEvidence:
    """What a document of a stored run adds to decisions about it. This one adds nothing."""

    def facts(self, store: Store, run: str, gate: Gate | None) -> Facts:
        """For a gate, or for the verdict without one."""
        return {}

    def compare(
        self,
        store: Store,
        comparison: Comparison,
        runs: tuple[StoredRun, StoredRun],
        *,
        metric: str | None,
        alpha: float,
    ) -> Comparison:
        """The comparison of two runs with what it changes of it."""
        return comparison

    def sentences(self, store: Store, stored: StoredRun) -> Iterable[str]:
        """What is shown of a finished run."""
        return ()


def evidence_in(*runs: Run) -> list[StoredEvidence]:
    """What the documents of these runs add, as `core/seam.py` lists it by their names."""
    names = [name for name in BUILT_IN["stored_evidence"] if any(name in run.fingerprints for run in runs)]
    return [load("stored_evidence", name)() for name in names]


def facts_of_run(store: Store, run: Run, gate: Gate | None = None) -> dict[str, Any]:
    """What is known of a stored run besides its results."""
    facts: dict[str, Any] = {}
    for evidence in evidence_in(run):
        facts |= evidence.facts(store, run.id, gate)
    return facts
