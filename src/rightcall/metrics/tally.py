"""Summarizes results as they arrive, in nearly constant memory."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from rightcall.metrics.measure import SPOTLESS
from rightcall.metrics.passes import Passes
from rightcall.metrics.user_spread import user_spreads
from rightcall.model.failure import Code
from rightcall.model.golden import CATEGORIES
from rightcall.model.run import CaseResult, GroupSummary, Summary
from rightcall.model.trajectory import Trajectory, Usage

NOTHING_USED = Trajectory().usage
"""What every trajectory without a usage of its own shares."""

MOST_K = 8
"""The largest k of pass^k that is shown, as in the tables of τ²-bench."""

MOST_TAGS = 100
"""Maximum number of tags that are counted separately."""


def counted_codes(result: CaseResult) -> set[Code]:
    """The codes a case that did not pass counts for. Without an answer there is only that to say."""
    codes = {failure.code for failure in result.codes}
    return codes & {"infra_error"} if result.error else codes


class Group:
    """Counts and sums of one category or tag."""

    __slots__ = ("errors", "passes", "spotless", "totals")

    def __init__(self) -> None:
        self.errors = self.spotless = 0
        self.passes = Passes()
        self.totals: dict[str, list[float]] = {}  # of each metric the sum of its values and their number

    def add(self, result: CaseResult) -> None:
        if result.error:
            self.errors += 1
            return
        self.passes.add(result)
        if result.metrics is SPOTLESS:  # every dimension is 1: count it once instead of adding twelve ones
            self.spotless += 1
            return
        totals = self.totals
        for name, score in result.metrics.items():
            if not score.error:
                total = totals.get(name)
                if total is None:
                    totals[name] = [score.value, 1]
                else:
                    total[0] += score.value
                    total[1] += 1

    def merge(self, other: Group) -> None:
        self.errors += other.errors
        self.spotless += other.spotless
        self.passes.extend(other.passes)
        for name, (value, count) in other.totals.items():
            total = self.totals.setdefault(name, [0.0, 0])
            total[0] += value
            total[1] += count

    def summary(self) -> GroupSummary:
        names = [*SPOTLESS, *(name for name in self.totals if name not in SPOTLESS)]
        means = {}
        for name in names:
            value, count = self.totals.get(name, (0.0, 0))
            ones = self.spotless if name in SPOTLESS else 0
            if count + ones:
                means[name] = (value + ones) / (count + ones)
        return GroupSummary(len(self.passes), self.passes.passed, self.errors, means, self.passes.rate())


class Tally:
    """Summarizes results; call `summary()` at any time. `named` are the requested metrics."""

    def __init__(self, named: Iterable[str] = ()) -> None:
        self._named = tuple(named)
        self._categories = {category: Group() for category in CATEGORIES}
        self._tags: dict[str, Group] = {}
        self._codes: Counter[str] = Counter()
        self._input_tokens = self._output_tokens = 0
        self._cost: float | None = None
        self._first_trial, self._last_trial = sys.maxsize, -1

    def add(self, result: CaseResult) -> None:
        self._categories[result.category].add(result)
        if result.tags:
            self._add_to_tags(result)
        if result.codes and not result.passed:
            for code in counted_codes(result):
                self._codes[code] += 1
        if not self._first_trial <= result.trial <= self._last_trial:
            self._first_trial = min(self._first_trial, result.trial)
            self._last_trial = max(self._last_trial, result.trial)
        if result.usage is not NOTHING_USED:
            self._spend(result.usage)

    def _add_to_tags(self, result: CaseResult) -> None:
        for tag in result.tags:
            if tag in self._tags or len(self._tags) < MOST_TAGS:
                self._tags.setdefault(tag, Group()).add(result)

    def _spend(self, usage: Usage) -> None:
        self._input_tokens += usage.input_tokens
        self._output_tokens += usage.output_tokens
        if usage.cost_usd is not None:
            self._cost = (self._cost or 0.0) + usage.cost_usd

    @property
    def passed(self) -> int:
        """Cases that passed."""
        return sum(group.passes.passed for group in self._categories.values())

    @property
    def errors(self) -> int:
        """Cases that ended in an error."""
        return sum(group.errors for group in self._categories.values())

    @property
    def decided(self) -> int:
        """Cases that passed or failed."""
        return sum(len(group.passes) for group in self._categories.values())

    @property
    def usage(self) -> Usage:
        """Tokens and money of all results so far."""
        return Usage(self._input_tokens, self._output_tokens, self._cost)

    def watch(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """The same results, each added on its way through."""
        add = self.add
        for result in results:
            add(result)
            yield result

    def summary(self) -> Summary:
        """The summary so far. Codes count failed cases, each code once per case."""
        groups = {name: group for name, group in self._categories.items() if group.passes or group.errors}
        trials = max(1, self._last_trial - self._first_trial + 1)
        overall = _merged(list(groups.values()))
        return Summary(
            overall=overall.summary(),
            categories={name: group.summary() for name, group in groups.items()},
            codes=dict(self._codes.most_common()),
            tags={tag: group.summary() for tag, group in sorted(self._tags.items())},
            usage=self.usage,
            trials=trials,
            named=self._named,
            pass_k=overall.passes.pass_k(min(trials, MOST_K)),
            spreads=user_spreads({tag: group.passes for tag, group in self._tags.items()}),
        )


def _merged(groups: list[Group]) -> Group:
    """All groups as one; a single one as it is, since a copy of a million trials is worth avoiding."""
    if len(groups) == 1:
        return groups[0]
    overall = Group()
    for group in groups:
        overall.merge(group)
    return overall
