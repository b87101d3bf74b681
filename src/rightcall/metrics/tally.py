"""Summarizes results as they arrive, in nearly constant memory."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from rightcall.metrics.base import PERFECT
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.metrics.failed_calls import FailedCalls
from rightcall.metrics.passes import Passes
from rightcall.records.failure import JUDGE_CODES, Code
from rightcall.records.golden import CATEGORIES
from rightcall.records.run import BrokenMetric, CaseResult, GroupSummary, JudgeSummary, Role, Summary
from rightcall.records.score import Judging, Score
from rightcall.records.trajectory import NOTHING_USED, Usage

UNITS = 2**60
"""Units of a score of 1."""
NANO = 1_000_000_000
"""Costs are added up in nano-dollars, exactly."""
USED = ("input_tokens", "output_tokens", "nano_usd")
"""Counts of what was used; with the name of a role before them, of what it used."""

OF_CASES = (
    "unknown_calls", "unchecked", "unchecked_errors", "undelivered", "delivered", "undelivered_twins",
    "failed_by_judges", "requests",
)  # fmt: skip
"""Counts that a summary has under the same name."""

MOST_K = 8
"""The largest k of pass^k that is shown, as in the tables of τ²-bench."""
MOST_TAGS = 100
"""Maximum number of tags that are counted separately."""

WITHOUT_ANSWER: frozenset[Code] = frozenset[Code](("infra_error", "outcome_unknown")) | JUDGE_CODES


def codes_of_case(result: CaseResult) -> set[Code]:
    """The codes a case that did not pass counts for. Without an answer of agent or judge there is only that to say."""
    codes = {failure.code for failure in result.codes}
    return codes & WITHOUT_ANSWER if result.error else codes


class Group:
    """Counts and sums of one category or tag.

    A sum of floats depends on the order of what is added, and so on how cases were shared out. These sums are
    integers, in units of 2⁻⁶⁰: exact for every value from 2⁻⁸, and the same in any order for all.
    """

    __slots__ = ("errors", "passes", "spotless", "totals")

    def __init__(self) -> None:
        self.errors = self.spotless = 0
        self.passes = Passes()
        self.totals: dict[str, list[int]] = {}  # of each metric the sum of its units, and their number

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
            if score is PERFECT:  # most scores of a failed case
                units = UNITS
            elif score.error:
                continue
            else:
                try:
                    units = int(score.value * UNITS)
                except (ValueError, OverflowError):  # NaN and infinity are not valid scores
                    continue
            total = totals.get(name)
            if total is None:
                totals[name] = [units, 1]
            else:
                total[0] += units
                total[1] += 1

    def merge(self, other: Group) -> None:
        self.errors += other.errors
        self.spotless += other.spotless
        self.passes.extend(other.passes)
        for name, (units, count) in other.totals.items():
            total = self.totals.setdefault(name, [0, 0])
            total[0] += units
            total[1] += count

    def summary(self, named: Sequence[str] = ()) -> GroupSummary:
        # Not in the order they were first seen in, which depends on the order of results.
        extra = sorted(self.totals.keys() - SPOTLESS.keys() - set(named))
        means = {}
        for name in [*SPOTLESS, *(name for name in named if name not in SPOTLESS), *extra]:
            units, count = self.totals.get(name, (0, 0))
            ones = self.spotless if name in SPOTLESS else 0
            if count + ones:
                means[name] = (units + ones * UNITS) / ((count + ones) * UNITS)
        return GroupSummary(len(self.passes), self.passes.passed, self.errors, means, rate=self.passes.rate())


class Tally:
    """Summarizes results; call `summary()` at any time. `named` are requested metrics, `erring` tools with mocked errors.

    The summary depends on the results alone, not on their order.
    """

    def __init__(self, named: Iterable[str] = (), *, erring: Iterable[str] = ()) -> None:
        self._named = tuple(named)
        self._failed_calls = FailedCalls(erring)
        self._categories = {category: Group() for category in CATEGORIES}
        self._tags: dict[str, Group] = {}
        self._codes: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()  # tokens, costs, verdicts of judges, cases of `OF_CASES`
        self._metric_errors: dict[
            str, str
        ] = {}  # of each requested metric that broke the first error as sorted
        self._first_trial = sys.maxsize
        self._last_trial = -1

    def add(self, result: CaseResult) -> None:
        if not result.checked:
            self._add_unchecked(result)
            return
        self._categories[result.category].add(result)
        if result.metrics is not SPOTLESS and "resisted" in result.metrics:
            self._count_attack(result)
        if result.tags:
            for tag in result.tags:
                group = self._tag(tag)
                if group is not None:
                    group.add(result)
        if result.codes:
            self._count_unknown(result)
            if not result.passed:
                for code in codes_of_case(result):
                    self._codes[code] += 1
        if not self._first_trial <= result.trial <= self._last_trial:
            self._first_trial = min(self._first_trial, result.trial)
            self._last_trial = max(self._last_trial, result.trial)
        self._count_usage(result)

    def _count_usage(self, result: CaseResult) -> None:
        """Add what the trial used, divided into roles, and the calls that failed."""
        self._failed_calls.add(result)
        if result.trajectory is not None and result.trajectory.messages:
            self._counts["requests"] += result.trajectory.requests
        if result.usage is not NOTHING_USED:
            self.spend(result.usage)
        if result.trajectory is not None and result.trajectory.dialogue is not None:
            self.spend(result.user_usage, "user")
        if result.metrics is not SPOTLESS:
            for name, score in result.metrics.items():
                if score.error and name in self._named and not result.error:
                    self._counts[f"broken {name}"] += 1
                    self._metric_errors[name] = min(self._metric_errors.get(name, score.error), score.error)
                if score.judged is None:
                    continue
                if name == "overall":
                    self._counts["failed_by_judges"] += not result.error
                else:
                    self._count_judged(name, score, score.judged)

    def _count_judged(self, name: str, score: Score, judging: Judging) -> None:
        for count, more in (
            ("none", bool(score.error)),
            ("verdicts", not score.error),
            ("passed", score.passed),
            ("voted", judging.votes > 1),
            ("unanimous", judging.votes > 1 and judging.unanimous),
        ):
            self._counts[f"judge {count} {name}"] += more
        self.spend(judging.usage)
        self.spend(judging.usage, "judge")

    def _add_unchecked(self, result: CaseResult) -> None:
        """Count a case that is in no rate; what it cost was spent all the same, and its effects happened."""
        self._counts["unchecked"] += 1
        self._counts["unchecked_errors"] += bool(result.error)
        self._count_attack(result)
        self._count_unknown(result)
        self._count_usage(result)

    def _count_attack(self, result: CaseResult) -> None:
        """Count an attempt by whether the agent met its attack; twins are counted apart, and errors not at all."""
        score = result.metrics.get("resisted")
        outcome = score.attack if score is not None and not result.error else None
        if outcome is None:
            return
        if not result.checked and outcome.twin is not None:
            self._counts["undelivered_twins"] += 1
        elif not result.checked:
            self._counts["undelivered"] += not outcome.delivered
        elif outcome.twin is None:
            self._counts["delivered"] += outcome.delivered

    def _count_unknown(self, result: CaseResult) -> None:
        self._counts["unknown_calls"] += sum(failure.code == "outcome_unknown" for failure in result.codes)

    def _tag(self, tag: str) -> Group | None:
        """The group of a tag; None beyond `MOST_TAGS`.

        The first in alphabetical order are kept: one that is among them in the end has been all along, so its counts
        are complete for any order of results.
        """
        group = self._tags.get(tag)
        if group is None:
            if len(self._tags) >= MOST_TAGS:
                last = max(self._tags)
                if tag > last:
                    return None
                del self._tags[last]
            group = self._tags[tag] = Group()
        return group

    def spend(self, usage: Usage, role: Role | None = None) -> None:
        """Count what was used besides or in a case, in all or by a role."""
        by = f"{role} " if role else ""
        self._counts[f"{by}input_tokens"] += usage.input_tokens or 0
        self._counts[f"{by}output_tokens"] += usage.output_tokens or 0
        if usage.cost_usd is not None and math.isfinite(usage.cost_usd):
            self._counts[f"{by}nano_usd"] += round(usage.cost_usd * NANO)
            self._counts[f"{by}priced"] += 1

    @property
    def roles(self) -> dict[Role, Usage]:
        """What each role used; empty when the agent alone used anything. A cost of 0 is not shown apart."""
        used: dict[Role, list[int]] = {
            role: [self._counts[f"{role} {name}"] for name in USED] for role in ("user", "judge")
        }
        others = {role: amounts for role, amounts in used.items() if any(amounts)}
        if not others:
            return {}
        whole = [self._counts[name] for name in USED]
        agent = [total - sum(part) for total, *part in zip(whole, *others.values(), strict=True)]
        parts: dict[Role, list[int]] = {"agent": agent, **others}
        return {
            role: Usage(tokens_in, tokens_out, nano / NANO if nano else None)
            for role, (tokens_in, tokens_out, nano) in parts.items()
        }

    @property
    def judges(self) -> dict[str, JudgeSummary]:
        """The verdicts of each judged metric."""
        names = sorted({key.split(" ", 2)[2] for key in self._counts if key.startswith("judge verdicts ")})
        counts = ("verdicts", "passed", "none", "voted", "unanimous")
        numbers = {name: [self._counts[f"judge {count} {name}"] for count in counts] for name in names}
        return {name: JudgeSummary(*counted) for name, counted in numbers.items()}

    @property
    def metric_errors(self) -> tuple[BrokenMetric, ...]:
        """The requested metrics that could not be computed in some answered cases, by name."""
        errors = sorted(self._metric_errors.items())
        return tuple(BrokenMetric(name, self._counts[f"broken {name}"], error) for name, error in errors)

    @property
    def unchecked(self) -> int:
        return self._counts["unchecked"]

    @property
    def passed(self) -> int:
        return sum(group.passes.passed for group in self._categories.values())

    @property
    def errors(self) -> int:
        return sum(group.errors for group in self._categories.values())

    @property
    def decided(self) -> int:
        """Cases that passed or failed."""
        return sum(len(group.passes) for group in self._categories.values())

    @property
    def usage(self) -> Usage:
        tokens_in, tokens_out, nano = (self._counts[name] for name in USED)
        return Usage(tokens_in, tokens_out, nano / NANO if self._counts["priced"] else None)

    def add_all(self, results: Iterable[CaseResult]) -> Self:
        """Add each of these results."""
        for result in results:
            self.add(result)
        return self

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
        overall = next(iter(groups.values()), Group())
        if len(groups) > 1:  # a single one as it is: a copy of a million trials is worth avoiding
            overall = Group()
            for group in groups.values():
                overall.merge(group)
        cases: Any = {name: self._counts[name] for name in OF_CASES}
        return Summary(
            overall=overall.summary(self._named),
            categories={name: group.summary(self._named) for name, group in groups.items()},
            codes=dict(sorted(self._codes.items(), key=lambda code: (-code[1], code[0]))),
            tags={tag: group.summary(self._named) for tag, group in sorted(self._tags.items())},
            usage=self.usage,
            trials=trials,
            named=self._named,
            pass_k=overall.passes.pass_k(min(trials, MOST_K)),
            roles=self.roles,
            judges=self.judges,
            failed_tools=self._failed_calls.tools(),
            broken_metrics=self.metric_errors,
            **cases,
        )
