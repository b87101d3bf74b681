"""A required rate that judges have a say in: people's labels decide it, and without them nothing does."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.core.text import percent, pluralize, shorten
from rightcall.decide.advice import POWER, TOO_NEAR
from rightcall.decide.baseline import BaselineRule
from rightcall.decide.config import Gate, JudgePolicy
from rightcall.decide.floor_rule import FloorRule
from rightcall.decide.golden_outcomes import Outcome, cluster_key
from rightcall.decide.judged_evidence import JudgedEvidence
from rightcall.decide.rule_source import Facts, RuleSource
from rightcall.decide.rules import Check, Decision, GateRule, RateRule, Word, word_for
from rightcall.stats.judged_rate import JudgedRate
from rightcall.stats.judged_strata import About as CasesAbout
from rightcall.stats.special import normal_quantile

NOT_CALIBRATED = "judge not calibrated"


class JudgedRules(RuleSource):
    """Rules that depend on a judge are decided by labels, once it is known what judges and people say of a run."""

    def replace(self, rule: GateRule, gate: Gate, facts: Facts) -> GateRule:
        evidence: JudgedEvidence = facts["judged"]
        policy = gate.judges
        if isinstance(rule, RateRule) and (metrics := evidence.metrics_of(rule)):
            return JudgedRateRule(rule, evidence, policy, metrics)
        if isinstance(rule, BaselineRule) and evidence.deciding and policy.uncalibrated == "refuse":
            return JudgedBaselineRule(rule, evidence.deciding)
        return rule

    def trials_of_estimate(self, gate: Gate, facts: Facts) -> int:
        """Cases without a verdict of a judge, which are a stratum of the estimate where there are enough labels."""
        evidence: JudgedEvidence = facts["judged"]
        carried = evidence.deciding and evidence.carries(gate.judges.labels)
        return evidence.without_verdict if carried else 0


class JudgedRateRule(msgspec.Struct, frozen=True):
    """A rate of which judged `metrics` are a part, at least `rule.limit` by people's labels."""

    rule: RateRule
    evidence: JudgedEvidence
    policy: JudgePolicy
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.rule.name

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        """By labels where there are enough; else FAIL if exact metrics alone reach it, or nothing is decided."""
        selected = {outcome.golden_id: outcome for outcome in self.rule.select(outcomes)}
        evidence = self.evidence.of_goldens(selected)
        labels = sum(word is not None for word in evidence.people_verdicts(self.metrics).values())
        exact = self._exact_check(evidence, selected, alpha)
        if exact is not None and exact.word == "FAIL":
            return exact
        problem = label_shortage(self.evidence, self.metrics, labels, self.policy)
        if not problem:
            units = {name: "\0".join(cluster_key(outcome)) for name, outcome in selected.items()}
            about: CasesAbout = "these_cases" if self.rule.about == "these_goldens" else "cases_like_these"
            try:
                rates = evidence.rates(self.metrics, about, alpha, self.policy, units)
            except InputError as error:
                problem = str(error)
            else:
                unanswered = sum(self._unanswered(evidence, outcome) for outcome in selected.values())
                return self._check(rates, alpha, self._raw_rate(outcomes), unanswered)
        if self.policy.uncalibrated == "allow":
            raw = self.rule.look(outcomes, alpha)
            sentence = f"{raw.sentence}; {NOT_CALIBRATED}"
            return msgspec.structs.replace(raw, sentence=sentence, judges=self.metrics, uncalibrated=True)
        sentence = f"{self.name} is undecided: {problem}"
        return Check(
            self.name, "INCONCLUSIVE", sentence, limit=self.rule.limit, judges=self.metrics, labels=labels,
            judged=self._raw_rate(outcomes), n=len(selected),
        )  # fmt: skip

    def decision(self, check: Check, alpha: float) -> Decision:
        return self.rule.decision(check, alpha)

    def with_statement(self, check: Check, alpha: float) -> Check:
        """The check with its range and its sentence."""
        check = self.rule.with_statement(check, alpha)
        return msgspec.structs.replace(check, sentence=self._say(check))

    def _say(self, check: Check) -> str:
        if check.uncalibrated:
            return f"{self.rule.say(check)}; {NOT_CALIBRATED}"
        if check.labels is None:
            return f"{self.rule.say(check)}; whatever people say about its judged cases"
        shown = f" (range {check.range})" if check.range else ""
        judged = f"; by the judge alone it is {percent(check.judged)}" if check.judged is not None else ""
        return (
            f"{self.name} {percent(check.value or 0.0)} by {pluralize(check.labels, 'label')} of "
            f"{pluralize(check.trials, 'case')}{shown}; {self.rule.wanted}{judged}"
        )

    def hint(self, check: Check, alpha: float) -> str:
        """What would decide an undecided rate: labels, or more goldens where all labels would not."""
        where = f"{self.evidence.run} --metric {shlex.quote(self.metrics[0])}"
        if not check.controlled or check.labels is None or check.value is None:
            return label_command(self.evidence.run, self.metrics[0])
        if abs(check.value - self.rule.limit) < TOO_NEAR:
            return f"{self.name} is too close to {percent(self.rule.limit)} for a reasonable number of labels"
        cases, labels = further_need(check, self.rule, alpha)
        if cases:
            there = f"it takes about {pluralize(cases, 'case')}, there are {check.trials:,}"
            return f"labels alone would hardly decide it: {there}"
        plan = f"rightcall judge rate {where} --min {self.rule.limit:g} simulates it"
        return (
            f"about {labels:,} labels would decide it, there are {check.labels:,}: "
            f"rightcall judge label {where} --n {labels}; {plan}"
        )

    def _unanswered(self, evidence: JudgedEvidence, outcome: Outcome) -> int:
        """The trials of a golden that judges could not be asked about, because the agent gave no answer."""
        asked = len(outcome.passes) + outcome.errors
        return max(0, asked - len(evidence.exact_passes.get(outcome.golden_id, ())))

    def _check(self, rates: Sequence[JudgedRate], alpha: float, raw: float | None, unanswered: int) -> Check:
        """The check by the estimate; with unsure labels counted either way, what decides must decide both ways.

        So must what got no answer: among n estimated cases, the rate of all is at least θ with k failures more where
        theirs is at least θ (n + k)/n, and below θ with k passes more where theirs is below (θ (n + k) − k)/n.
        """
        first = rates[0]
        limit = self.rule.limit
        fails_below = self.rule.fails_below if isinstance(self.rule, FloorRule) else limit
        more = unanswered / first.cases
        passes_from = limit * (1 + more)
        fails_below = fails_below * (1 + more) - more
        p_pass = max(rate.p_values(passes_from)[0] for rate in rates) if passes_from <= 1 else 1.0
        p_fail = max(rate.p_values(fails_below)[1] for rate in rates) if fails_below >= 0 else 1.0
        controlled = self.rule.kind == "interval"
        word: Word = word_for(p_pass, p_fail, alpha)
        if not controlled:
            rate = min(rate.rate for rate in rates)
            word = "PASS" if rate >= passes_from else "FAIL" if rate < fails_below else "INCONCLUSIVE"
        check = Check(
            self.name, word, "", controlled=controlled, value=first.rate, limit=limit,
            low=min(rate.lower for rate in rates) / (1 + more),
            high=(max(rate.upper for rate in rates) + more) / (1 + more), n=first.cases,
            trials=first.cases, p_pass=p_pass if controlled else None, p_fail=p_fail if controlled else None,
            judges=self.metrics, judged=raw, labels=first.labels,
        )  # fmt: skip
        return self.with_statement(check, alpha)

    def _exact_check(
        self, evidence: JudgedEvidence, selected: dict[str, Outcome], alpha: float
    ) -> Check | None:
        """The rate if people passed everything that a judge was asked; None for the rate of a judged metric itself."""
        if self.rule.metric is not None:
            return None
        exact = [
            msgspec.structs.replace(
                outcome,
                passes=tuple(evidence.exact_passes[name]),
                errors=self._unanswered(evidence, outcome),
            )
            if name in evidence.exact_passes
            else outcome
            for name, outcome in selected.items()
        ]
        check = self.rule.look(exact, alpha)
        sentence = f"{check.sentence}; whatever people say about its judged cases"
        return msgspec.structs.replace(check, sentence=sentence, judges=self.metrics)

    def _raw_rate(self, outcomes: Sequence[Outcome]) -> float | None:
        return replace(self.rule, kind="point").look(outcomes, 0.5).value


def label_shortage(evidence: JudgedEvidence, metrics: Sequence[str], labels: int, policy: JudgePolicy) -> str:
    """Why labels decide nothing yet; empty when there are enough."""
    problems = [text for metric in metrics if (text := evidence.metrics[metric].problem)]
    if problems:
        return "; ".join(problems)
    if labels >= policy.labels:
        return ""
    about = evidence.metrics[metrics[0]]
    stale = f" ({pluralize(about.stale, 'label')} of another rubric)" if about.stale else ""
    rule = f" for rubric {shorten(about.rule, 9)}" if about.rule else ""
    return f"{' and '.join(metrics)}: {labels} of {policy.labels} labels{rule}{stale}"


def label_command(run: str, metric: str) -> str:
    """What to type to label the cases of a run."""
    return f"rightcall judge label {run} --metric {shlex.quote(metric)}"


def further_need(check: Check, rule: RateRule, alpha: float) -> tuple[int, int]:
    """(cases that a decision takes, 0 when there are enough; labels that it takes), about, for a power of 80 %.

    By the normal approximation: labels reduce the part of the squared distance from rate to bound that is not due to
    the number of cases, which is z² rate (1 − rate)/N.
    """
    value = check.value or 0.0
    labels = check.labels or 1
    cases = max(1, check.trials)
    z = normal_quantile(1 - alpha)
    power = normal_quantile(1 - alpha) + normal_quantile(POWER)
    bound = (check.low if value >= rule.limit else check.high) or 0.0
    spread = ((value - bound) / z) ** 2
    distance = abs(value - rule.limit)
    sampled = 0.0 if rule.about == "these_goldens" else max(value * (1 - value), 0.25 / cases) / cases
    wanted = (distance / power) ** 2
    if wanted <= sampled:
        return math.ceil(sampled * cases / wanted), cases
    share = max(0.0, spread - sampled) / (wanted - sampled)
    return 0, min(cases, max(labels + 1, math.ceil(labels * share)))


class JudgedBaselineRule(msgspec.Struct, frozen=True):
    """A comparison with a baseline where judges have a say: their difference is observed, and decides nothing."""

    rule: BaselineRule
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.rule.name

    def look(self, outcomes: Sequence[Outcome], alpha: float) -> Check:
        raw = self.rule.look(outcomes, alpha)
        judges = " and ".join(self.metrics)
        sentence = f"{raw.sentence}; {judges}: judged, not corrected, so that the difference decides nothing"
        return msgspec.structs.replace(
            raw, word="INCONCLUSIVE", sentence=sentence, controlled=False, judges=self.metrics
        )
