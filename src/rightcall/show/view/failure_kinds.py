"""What did not pass in a run, equal failures together: how many goldens each kind has, and one of them in full."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import merge
from itertools import groupby
from typing import NamedTuple

from rightcall.core.text import one_line
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.reasons import call_text
from rightcall.records.failure import CODES, SORTS, Code, Failure, danger_clause, danger_of
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, request_of
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.show.view.case import reason_of
from rightcall.show.view.failures import case_title
from rightcall.store.base import ResultFilter
from rightcall.store.sql.store import Store

MOST_NAMED = 50
"""Goldens that a kind names besides its example."""
MOST_CALLS = 3
LONGEST = 400
TITLES: dict[Code, str] = {
    "wrong_tool": "{f.actual} called instead of {f.tool}",
    "no_call": "{f.tool} not called",
    "missing_call": "{f.tool} not called",
    "unexpected_call": "{f.tool} called, which is not expected",
    "forbidden_call": "{f.tool} called",
}
"""What happened, for codes whose kind is more than a title and a place."""
SEEN_IN_CALLS = frozenset(
    code for code, facts in CODES.items() if facts.about != "case" and code != "wrong_agent"
) | {"forbidden_call"}
"""Codes that the expected and the actual calls explain."""


class KindKey(NamedTuple):
    """What equal failures have in common. `danger` is its sort; `error` marks cases without an answer."""

    title: str
    danger: str = ""
    error: bool = False
    seen_in_calls: bool = False


class GoldenExample(Record, frozen=True):
    """One golden of a kind: what was asked, expected and done. `why` says what calls do not show."""

    golden_id: str
    request: str = ""
    expected: tuple[str, ...] = ()
    called: tuple[tuple[str, str], ...] = ()
    """Each call, and what is wrong with it in a word."""
    why: str = ""


class FailureKind(Record, frozen=True):
    """Equal failures: how many goldens, an example, and the ids of others."""

    title: str
    goldens: int
    example: GoldenExample
    danger: str = ""
    error: bool = False
    also: tuple[str, ...] = ()


class FailureKinds(Record, frozen=True):
    """Kinds of failures, dangerous ones first, then the largest; `more` were left out, `dangers` counts goldens."""

    kinds: tuple[FailureKind, ...] = ()
    more: int = 0
    dangers: tuple[str, ...] = ()
    """A clause for each sort of danger."""

    @property
    def first(self) -> str:
        """The golden to look at first; empty when all passed."""
        return self.kinds[0].example.golden_id if self.kinds else ""


Cases = Mapping[tuple[str, int], tuple[AnyGolden | None, CaseResult]]
"""Goldens and results with their trajectories, by golden and trial."""


class KindTally:
    """Counts trials that did not pass by their kind; of each it keeps an example, and the ids of others."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools
        self._counts: Counter[KindKey] = Counter()
        self._first: dict[KindKey, CaseResult] = {}
        self._also: dict[KindKey, list[str]] = {}
        self._dangers: Counter[str] = Counter()
        self._met: set[int] = set()

    def add_all(self, results: Iterable[CaseResult]) -> None:
        """Add trials that did not pass; those of one golden count once."""
        for golden_id, trials in groupby(results, key=lambda result: result.golden_id):
            keyed = [(kind_of(result, self._tools), result) for result in trials]
            key, result = min(keyed, key=lambda pair: (not pair[0].danger, pair[0].error))
            if hash(golden_id) in self._met and not key.danger:
                continue  # other trials of it came before those of other goldens
            self._met.add(hash(golden_id))
            self._counts[key] += 1
            self._dangers.update({kind.danger for kind, _ in keyed if kind.danger})
            if key not in self._first:
                self._first[key] = result
            elif len(others := self._also.setdefault(key, [])) < MOST_NAMED:
                others.append(golden_id)

    def kinds(self, most: int, find: Callable[[Sequence[CaseResult]], Cases]) -> FailureKinds:
        """At most `most` kinds; `find` reads the cases of their examples."""
        counts = self._counts
        order = sorted(counts, key=lambda key: (_danger_rank(key.danger), key.error, -counts[key], key.title))
        cases = find([self._first[key] for key in order[:most]])
        kinds = tuple(
            FailureKind(
                key.title,
                counts[key],
                _golden_example(cases, self._first[key], key),
                danger=key.danger,
                error=key.error,
                also=tuple(self._also.get(key, ())),
            )
            for key in order[:most]
        )
        clauses = tuple(danger_clause(sort, self._dangers[sort]) for sort in SORTS if self._dangers[sort])
        return FailureKinds(kinds, len(order) - len(kinds), clauses)


def failure_kinds(store: Store, run: str, most: int) -> FailureKinds:
    """At most `most` kinds of a stored run. Results are streamed; the goldens of examples are read."""

    def find(examples: Sequence[CaseResult]) -> Cases:
        keys = [(result.golden_id, result.trial) for result in examples]
        goldens = {golden.id: golden for golden in store.runs.goldens(run, [name for name, _ in keys])}
        whole = store.runs.results_of(run, keys, trajectories=True)
        return {key: (goldens.get(key[0]), whole[key]) for key in keys if key in whole}

    tally = KindTally(store.tools_of(store.runs.get(run)))
    tally.add_all(failures_of_run(store, run))
    return tally.kinds(most, find)


def failures_of_run(store: Store, run: str) -> Iterable[CaseResult]:
    """The trials that did not pass, by golden."""
    failed = store.runs.results(run, ResultFilter(outcome="failed"))
    errors = store.runs.results(run, ResultFilter(outcome="error"))
    return merge(failed, errors, key=lambda result: (result.golden_id, result.trial))


def kind_of(result: CaseResult, tools: Mapping[str, Tool]) -> KindKey:
    """The kind of a trial that did not pass: by its dangerous failure, or else by its first."""
    dangers = [(danger_of(failure, tools), failure) for failure in result.codes]
    danger, failure = next((pair for pair in dangers if pair[0]), dangers[0] if dangers else ("", None))
    if result.error and not danger:
        return KindKey(one_line(result.error, 60), error=True)
    if failure is None:
        return KindKey("did not pass")
    if failure.code == "failed_metric":
        names = [name for name, score in result.metrics.items() if not score.passed and name not in SPOTLESS]
        return KindKey(one_line(f"{', '.join(names) or 'a metric'} did not pass", 100))
    return KindKey(_title(failure, result.codes), danger, seen_in_calls=failure.code in SEEN_IN_CALLS)


def _title(failure: Failure, codes: Iterable[Failure]) -> str:
    place = ".".join(filter(None, (failure.tool, failure.parameter)))
    title = CODES[failure.code].title.lower()
    if failure.code in TITLES and failure.tool:
        title = TITLES[failure.code].format(f=failure)
    elif place:
        title = f"{place}: {title}"
    if failure.code == "forbidden_call":
        swapped = (other for other in codes if other.code == "wrong_tool" and other.actual == failure.tool)
        instead = next(swapped, None)
        title += f" instead of {instead.tool}" if instead is not None else ""
    return one_line(title, 100)


def _danger_rank(danger: str) -> int:
    return SORTS.index(danger) if danger else len(SORTS)


def _golden_example(cases: Cases, result: CaseResult, kind: KindKey) -> GoldenExample:
    golden, whole = cases.get((result.golden_id, result.trial), (None, result))
    request = f'"{one_line(request_of(golden), LONGEST)}"' if golden is not None else ""
    request = case_title(result.golden_id, golden) or request
    if not kind.seen_in_calls or isinstance(golden, ConversationalGolden):
        return GoldenExample(result.golden_id, request, why=one_line(reason_of(result), LONGEST))
    return GoldenExample(result.golden_id, request, example_calls(golden), call_texts(whole))


def example_calls(golden: AnyGolden | None) -> tuple[str, ...]:
    if not isinstance(golden, Golden):
        return ()
    calls = [
        call_text(pattern_text(call.tool), call.args or {})
        if call.args is not None
        else pattern_text(call.tool)
        for call in golden.expected_calls[:MOST_CALLS]
    ]
    return tuple(one_line(call, LONGEST) for call in calls) or ("no call",)


def call_texts(result: CaseResult) -> tuple[tuple[str, str], ...]:
    forbidden = {failure.call for failure in result.codes if failure.code == "forbidden_call"}
    calls = result.trajectory.calls if result.trajectory is not None else ()
    order = sorted(range(len(calls)), key=lambda at: (at not in forbidden, at))[:MOST_CALLS]
    return tuple(
        (
            one_line(call_text(calls[at].name, calls[at].arguments), LONGEST),
            "forbidden" if at in forbidden else "",
        )
        for at in sorted(order)
    ) or (("nothing", ""),)
