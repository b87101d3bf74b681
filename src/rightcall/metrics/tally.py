"""Results added up as they come, in memory that does not grow with their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from rightcall.metrics.measure import SPOTLESS
from rightcall.model.failure import Code
from rightcall.model.golden import CATEGORIES
from rightcall.model.run import CaseResult, GroupSummary, Summary
from rightcall.model.trajectory import Usage


def counted_codes(result: CaseResult) -> set[Code]:
    """The codes a case that did not pass counts for. Without an answer there is only that to say."""
    codes = {failure.code for failure in result.codes}
    return codes & {"infra_error"} if result.error else codes


class Group:
    """Counts and sums of one category."""

    __slots__ = ("errors", "passed", "spotless", "sums", "values")

    def __init__(self) -> None:
        self.passed = self.errors = self.spotless = 0
        self.sums: Counter[str] = Counter()
        self.values: Counter[str] = Counter()

    def add(self, result: CaseResult) -> None:
        if result.error:
            self.errors += 1
            return
        self.passed += result.passed
        if result.metrics is SPOTLESS:  # every dimension is 1: count it once instead of adding twelve ones
            self.spotless += 1
            return
        for name, score in result.metrics.items():
            if not score.error:
                self.sums[name] += score.value  # type: ignore[assignment]
                self.values[name] += 1

    def merge(self, other: Group) -> None:
        self.passed += other.passed
        self.errors += other.errors
        self.spotless += other.spotless
        self.sums.update(other.sums)
        self.values.update(other.values)

    def summary(self, cases: int) -> GroupSummary:
        names = [*SPOTLESS, *(name for name in self.values if name not in SPOTLESS)]
        means = {}
        for name in names:
            ones = self.spotless if name in SPOTLESS else 0
            if count := self.values[name] + ones:
                means[name] = (self.sums[name] + ones) / count
        return GroupSummary(cases - self.errors, self.passed, self.errors, means)


class Tally:
    """Adds up results; `summary()` may be asked at any time."""

    def __init__(self) -> None:
        self._groups = {category: Group() for category in CATEGORIES}
        self._cases: Counter[str] = Counter()
        self._codes: Counter[str] = Counter()
        self._input_tokens = self._output_tokens = 0
        self._cost: float | None = None
        self._trials: tuple[int, int] | None = None

    def add(self, result: CaseResult) -> None:
        self._groups[result.category].add(result)
        self._cases[result.category] += 1
        if result.codes and not result.passed:
            self._codes.update(counted_codes(result))
        first, last = self._trials or (result.trial, result.trial)
        self._trials = min(first, result.trial), max(last, result.trial)
        usage = result.usage
        self._input_tokens += usage.input_tokens
        self._output_tokens += usage.output_tokens
        if usage.cost_usd is not None:
            self._cost = (self._cost or 0.0) + usage.cost_usd

    def watch(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """The same results, each added on its way through."""
        for result in results:
            self.add(result)
            yield result

    def summary(self) -> Summary:
        """What the results so far add up to. Codes count failed cases, each code once a case."""
        first, last = self._trials or (0, 0)
        overall = Group()
        for group in self._groups.values():
            overall.merge(group)
        return Summary(
            overall=overall.summary(self._cases.total()),
            categories={
                category: group.summary(self._cases[category])
                for category, group in self._groups.items()
                if self._cases[category]
            },
            codes=dict(self._codes.most_common()),
            usage=Usage(self._input_tokens, self._output_tokens, self._cost),
            trials=last - first + 1,
        )
