"""The rules of a gate; each evaluates the outcomes of a run.

A rule is a frozen object with `look(outcomes, alpha)`. Rules with error control (`ControlledRule`) also give
p-values, which the verdict adjusts for their number before it decides again and asks the rule to `say` it.
To add one: a class here, a field in `Gate`, a line in `rules_of`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import chain
from typing import ClassVar, Literal, Protocol, runtime_checkable

import msgspec

from rightcall.core.text import hundredths, one_line, percent, pluralize
from rightcall.decide.config import ATTACK_CODES, Gate
from rightcall.decide.golden_outcomes import Outcome, goldens_with_scores, unanswered_trials
from rightcall.decide.options import About
from rightcall.decide.rate_range import range_text
from rightcall.records.failure import FATAL, TOOL_ERROR, WORD, danger_clause
from rightcall.records.record import Record
from rightcall.records.run import FailedTool
from rightcall.stats.gaffke import Units, gaffke_bounds, gaffke_p_values
from rightcall.stats.intervals import zero_seen_bound

Word = Literal["PASS", "FAIL", "INCONCLUSIVE", "ERROR"]
Decision = Literal["PASS", "FAIL", "INCONCLUSIVE"]


class Check(Record, frozen=True):
    """The decision of one rule, with its numbers and a sentence.

    `low` and `high` are the one-sided bounds at 1−alpha, and `range` is what is shown of them. `p_pass` is the
    probability of results this good if the rate were below the limit, `p_fail` of results this bad if it were
    not; both are None for rules without error control (see `controlled`). With several rules they are Holm-
    adjusted. A comparison with a baseline adds the p-value of any difference (`p_differs`), the number of units
    compared (`clusters`), and names the goldens that it had to exclude (`only_here` and `only_there`). A check
    of a judged rate has the judge's own rate (`judged`) and the number of `labels` that decided; `judges` are
    the metrics; `uncalibrated`: the judge's own rate decided. `without_value` counts trials of which nothing is
    known. `danger` says what cannot be taken back.
    """

    name: str
    word: Word
    sentence: str
    controlled: bool = False
    value: float | None = None
    limit: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    trials: int = 0
    passed: float | None = None
    p_pass: float | None = None
    p_fail: float | None = None
    only_here: tuple[str, ...] = ()
    only_there: tuple[str, ...] = ()
    p_differs: float | None = None
    clusters: int = 0
    judges: tuple[str, ...] = ()
    judged: float | None = None
    labels: int | None = None
    uncalibrated: bool = False
    without_value: int = 0
    danger: str = ""
    range: str = ""


def word_for(p_pass: float, p_fail: float, alpha: float) -> Decision:
    """PASS from p ≤ alpha, as the lower bound then reaches the limit; FAIL from p < alpha; else neither."""
    if p_pass <= alpha:
        return "PASS"
    return "FAIL" if p_fail < alpha else "INCONCLUSIVE"


def undecided(name: str, why: str, limit: float | None = None) -> Check:
    """The check of a rule that nothing is known about, and why."""
    return Check(name, "INCONCLUSIVE", f"{name} is undecided: {why}", limit=limit)


LimitOf = Literal["latency_p50", "latency_p95", "latency_max", "cost_run", "cost_mean"]


class GateRule(Protocol):
    """One requirement of a run."""

    @property
    def name(self) -> str: ...

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check: ...


@runtime_checkable
class ControlledRule(GateRule, Protocol):
    """A requirement whose error rate is at most alpha."""

    def decision(self, check: Check, alpha: float) -> Decision: ...
    def with_statement(self, check: Check, alpha: float) -> Check: ...


class UnknownRule(msgspec.Struct, frozen=True):
    """A requirement about something that is not known: it decides nothing, whatever the agent did."""

    name: str
    why: str

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        return undecided(self.name, self.why)


def rules_of(gate: Gate) -> tuple[GateRule, ...]:
    """The rules of a gate in display order, without the baseline, which needs a second run."""
    rules: list[GateRule] = []
    rate = partial(RateRule, kind=gate.rule, about=gate.about)
    if gate.min is not None:
        rules.append(rate("pass rate", gate.min))
    rules += [rate(f"metric {m}", limit, metric=m) for m, limit in gate.metrics.items()]
    rules += [rate(f"category {c}", limit, category=c) for c, limit in gate.categories.items()]
    rules += [rate(f"tag {t}", limit, tag=t) for t, limit in gate.tags.items()]
    rules += [HardRule(code) for code in gate.forbid if code != TOOL_ERROR]
    latency = gate.latency_ms
    cost = gate.cost
    limits: list[tuple[str, LimitOf, float | None, str]] = [
        ("latency p50", "latency_p50", latency.p50, "ms"),
        ("latency p95", "latency_p95", latency.p95, "ms"),
        ("latency max", "latency_max", latency.max, "ms"),
        ("cost of the run", "cost_run", cost.run_usd, "USD"),
        ("mean cost of a trial", "cost_mean", cost.mean_usd, "USD"),
    ]
    rules += [LimitRule(name, of, limit, unit) for name, of, limit, unit in limits if limit is not None]
    return tuple(rules)


def fatal_rules(gate: Gate, seen: Set[str]) -> tuple[GateRule, ...]:
    """A rule for each fatal code that was seen, unless the gate allows it or already has one."""
    return tuple(HardRule(code) for code in sorted(seen & FATAL - {*gate.forbid, *gate.allow}))


PASS_RATES = ("pass rate", "above the floor")
"""Rules about the pass rate of all goldens."""


class RateRule(msgspec.Struct, frozen=True):
    """The pass rate, or the mean of a metric, of all goldens or of a category or tag, is at least `limit`."""

    name: str
    limit: float
    metric: str | None = None
    category: str | None = None
    tag: str | None = None
    kind: Literal["interval", "point"] = "interval"
    about: About = "cases_like_these"

    NOTHING_SCORED: ClassVar[str] = "none of its goldens has a scored trial"

    def select(self, outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
        """The goldens this rule is about, one after the other: there may be a million of them."""
        return (
            o
            for o in outcomes
            if (self.category is None or o.category == self.category)
            and (self.tag is None or self.tag in o.tags)
        )

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """Mean, bounds and both p-values; the decision ignores other rules."""
        scored = goldens_with_scores(self.select(outcomes), self.metric)
        if scored is None:
            return undecided(self.name, self.NOTHING_SCORED, self.limit)
        worst = best = scored
        if any(outcome.unanswered(self.metric) for outcome in self.select(outcomes)):
            worst = goldens_with_scores(self.select(outcomes), self.metric, "worst") or scored
            best = goldens_with_scores(self.select(outcomes), self.metric, "best") or scored
        goldens = len(scored.trials)
        trials = sum(map(len, scored.trials))
        word = self.word_by_point(worst.mean, best.mean)
        passed = math.fsum(map(math.fsum, scored.trials))
        check = Check(
            self.name, word, "", value=scored.mean, limit=self.limit, n=goldens, trials=trials, passed=passed,
            without_value=sum(map(len, worst.trials)) - trials,
        )  # fmt: skip
        if self.kind == "interval":
            low_units = worst.units(self.about)
            high_units = best.units(self.about)
            low = gaffke_bounds(low_units, alpha).low
            high = gaffke_bounds(high_units, alpha).high
            p_pass = self.p_pass(low_units)
            p_fail = self.p_fail(high_units, best.mean)
            word = word_for(p_pass, p_fail, alpha)
            check = msgspec.structs.replace(
                check, word=word, controlled=True, low=low, high=high, p_pass=p_pass, p_fail=p_fail
            )
        return self.with_statement(check, alpha)

    def word_by_point(self, worst: float, best: float) -> Word:
        """The decision by the observed rate alone, which lies between the two."""
        return "PASS" if worst >= self.limit else "FAIL" if best < self.limit else "INCONCLUSIVE"

    def p_pass(self, worst: Units) -> float:
        """p of a rate below the limit."""
        return gaffke_p_values(worst, self.limit)[0]

    def p_fail(self, best: Units, mean: float) -> float:
        """p of a rate that is not below the limit; `mean` is that of the units."""
        return gaffke_p_values(best, self.limit)[1]

    def decision(self, check: Check, alpha: float) -> Decision:
        """The word that the p-values of a check give; without them, nothing is decided."""
        if check.p_pass is None or check.p_fail is None:
            return "INCONCLUSIVE"
        return word_for(check.p_pass, check.p_fail, alpha)

    def with_statement(self, check: Check, alpha: float) -> Check:
        """The check with its range, by which the rule decides, and its sentence."""
        ends = (check.low, check.high) if check.controlled else (None, None)
        shown = range_text(*ends, word=check.word, limit=self.limit, fails_below=self.lower_limit)
        check = msgspec.structs.replace(check, range=shown)
        return msgspec.structs.replace(check, sentence=self.say(check))

    def say(self, check: Check) -> str:
        """`14 of 20 goldens passed (70%, range 49–86%); 80% wanted`, for any verdict."""
        goldens = f"{'exactly these ' if self.about == 'these_goldens' else ''}{pluralize(check.n, 'golden')}"
        value = percent(check.value or 0.0)
        shown = f"range {check.range}" if check.range else ""
        if self.metric is not None:
            missing = f", {check.without_value:,} without a value" if check.without_value else ""
            claim = f"{self.name}: {value} over {goldens}{missing}"
            return f"{claim}{f' ({shown})' if shown else ''}; {self.wanted}"
        passed = round((check.passed if check.passed is not None else 0.0), 6)
        of = goldens if check.trials == check.n else f"{check.trials:,} trials of {goldens}"
        about = "" if self.name in PASS_RATES else f"{self.name}: "
        numbers = ", ".join(filter(None, (value, shown)))
        return f"{about}{passed:,.6g} of {of} passed ({numbers}); {self.wanted}"

    @property
    def wanted(self) -> str:
        """The limit in words."""
        return f"{hundredths(self.limit)}% wanted"

    @property
    def lower_limit(self) -> float:
        """The rate below which it fails."""
        return self.limit


class HardRule(msgspec.Struct, frozen=True):
    """A code that must never occur: a single occurrence in any trial fails the run."""

    code: str

    @property
    def name(self) -> str:
        return f"no {self.code}"

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """FAIL with the names of the goldens, or PASS with an upper bound on how often it may still occur."""
        hits = {o.golden_id: o.codes[self.code] for o in outcomes if o.codes.get(self.code)}
        hit = list(hits)
        scored = goldens_with_scores(outcomes)
        clusters = scored.units().number if scored else 0
        trials = sum(len(o.passes) for o in outcomes)
        unanswered = unanswered_trials(outcomes)
        if hit:
            times = sum(hits[golden] for golden in hit)
            danger = danger_clause(self.code, len(hit)) if self.code in FATAL else ""
            sentence = f"{self.code} in {pluralize(len(hit), 'golden')}, 0 allowed"
            return Check(
                self.name,
                "FAIL",
                f"{WORD} {danger}" if danger else sentence,
                value=float(times),
                limit=0.0,
                n=clusters,
                trials=trials,
                danger=danger,
            )
        if why := "no golden has a scored trial" if not clusters else self._unseen(outcomes):
            sentence = f"whether {self.code} occurs is undecided: {why}"
            return Check(self.name, "INCONCLUSIVE", sentence, limit=0.0)
        if unanswered.trials:  # each of them may have been one
            sentence = f"whether {self.code} occurs is undecided: what got no answer may have had it"
            return Check(self.name, "INCONCLUSIVE", sentence, limit=0.0, n=clusters, trials=trials)
        bound = zero_seen_bound(clusters, alpha)
        sentence = f"no {self.code} in {pluralize(sum(o.checked for o in outcomes), 'golden')}"
        return Check(self.name, "PASS", sentence, value=0.0, limit=0.0, high=bound, n=clusters, trials=trials)

    def _unseen(self, outcomes: Sequence[Outcome]) -> str:
        """Why a code could not have occurred, so that nothing is known; "" if it could."""
        if self.code not in ATTACK_CODES:
            return ""
        trials = list(chain.from_iterable(o.attacks for o in outcomes))
        attacks = [trial for trial in trials if trial.twin is None]
        if self.code == "over_refusal":
            return (
                ""
                if any(trial.twin == "authorised" for trial in trials)
                else "the run has no authorised twin"
            )
        if not any(trial.delivered for trial in attacks):
            return "no attack was delivered; run with --attacks auto"
        if self.code == "leaked" and not any(trial.secret_read for trial in attacks):
            return "no secret was read"
        return ""


class ToolErrorRule(msgspec.Struct, frozen=True):
    """No tool failed in every call of the run."""

    failed: tuple[FailedTool, ...]
    name: str = f"no {TOOL_ERROR}"

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """FAIL with the names of the tools; what each of them raised is a warning of the run."""
        value = float(len(self.failed))
        names = ", ".join(one_line(tool.tool, 80) for tool in self.failed)
        sentence = f"{names} failed in every call" if names else "no tool failed in every call"
        return Check(self.name, "FAIL" if self.failed else "PASS", sentence, value=value, limit=0.0)


class LimitRule(msgspec.Struct, frozen=True):
    """Observed latency or cost stays within a limit; no error control.

    A latency that is over the limit only with what a busy machine may have added decides nothing.
    """

    name: str
    of: LimitOf
    limit: float
    unit: str

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """PASS within the limit, FAIL beyond, INCONCLUSIVE when nothing was measured.

        A trial without an answer may have taken any time and any money, but for what the run spent.
        """
        fields = [
            o.latencies_ms if self.of.startswith("latency") else o.costs_usd
            for o in outcomes
            if o.checked or self.of == "cost_run"  # what was spent was spent
        ]
        values = sorted(chain.from_iterable(fields))
        if not values:
            sentence = (
                f"{self.name}: not measured, so the limit of {self.limit:,g} {self.unit} is not checked"
            )
            return Check(self.name, "INCONCLUSIVE", sentence, limit=self.limit)
        value = self._value(values)
        good = value <= self.limit
        if self.of != "cost_run" and (why := self._unanswered(values, outcomes)):
            sentence = f"{self.name} {value:,.4g} {self.unit} is undecided: {why}"
            return Check(
                self.name, "INCONCLUSIVE", sentence, value=value, limit=self.limit, trials=len(values)
            )
        if not good and self.of.startswith("latency") and self._certain(outcomes) <= self.limit:
            sentence = (
                f"{self.name} {value:,.4g} {self.unit} is over the limit of {self.limit:,g} {self.unit}, but only with "
                f"what this overloaded machine may have added: {self._certain(outcomes):,.4g} {self.unit} are certain; "
                "lower the concurrency or use a less busy machine"
            )
            return Check(
                self.name, "INCONCLUSIVE", sentence, value=value, limit=self.limit, trials=len(values)
            )
        sentence = (
            f"{self.name} {value:,.4g} {self.unit} is {'within' if good else 'over'} the limit of "
            f"{self.limit:,g} {self.unit} (as observed, no error control)"
        )
        word: Literal["PASS", "FAIL"] = "PASS" if good else "FAIL"
        return Check(self.name, word, sentence, value=value, limit=self.limit, trials=len(values))

    def _unanswered(self, ordered: list[float], outcomes: Sequence[Outcome]) -> str:
        """Why the value is open, if what got no answer leaves it so."""
        unanswered = unanswered_trials(outcomes)
        most = self._value([*ordered, *[math.inf] * unanswered.trials])
        least = self._value([*[0.0] * unanswered.trials, *ordered])
        return "" if most <= self.limit or least > self.limit else "what got no answer may change it"

    def _certain(self, outcomes: Sequence[Outcome]) -> float:
        """The same number computed from the time that was certainly the agent's."""
        times = (
            max(0.0, taken - lag)
            for o in outcomes
            for taken, lag in zip(o.latencies_ms, o.lags_ms or (0.0,) * len(o.latencies_ms), strict=True)
        )
        return self._value(sorted(times))

    def _value(self, ordered: list[float]) -> float:
        match self.of:
            case "latency_max":
                return ordered[-1]
            case "cost_run":
                return math.fsum(ordered)
            case "cost_mean":
                return math.fsum(ordered) / len(ordered)
            case _:
                share = int(self.of.removeprefix("latency_p")) / 100
                return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
