"""What judges and people say about the cases of a run, as rules need it. Made where labels are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

import msgspec

from rightcall.core.errors import InputError
from rightcall.decide.config import JudgePolicy
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.rules import RateRule
from rightcall.stats.judged_rate import JudgedRate, judged_rate
from rightcall.stats.judged_strata import About, Judgement

MOST_UNSURE = 0.05
MOST_WITHOUT_VERDICT = 0.05
LEAST_WITHOUT_VERDICT = 5
"""Shares from which unsure labels are counted either way, and from which cases without a verdict need labels too."""


class CaseEvidence(NamedTuple):
    """One case: what its judges say, and what people say of it where they were asked; None is no verdict, or unsure.

    `failed` says that it fails whatever judges say. `strata` are those that a plan chose the case from.
    """

    golden: str
    judgements: Mapping[str, bool | float | None]
    labels: Mapping[str, bool | None]
    failed: bool = False
    strata: Mapping[str, str] = {}
    saw_judge: bool = False


class MetricLabels(NamedTuple):
    """The labels of a judged metric: the hash of its rule, labels of another rule, and why they estimate nothing."""

    rule: str = ""
    stale: int = 0
    problem: str = ""


class JudgedEvidence(msgspec.Struct, frozen=True, dict=True):
    """The judged cases of a run. `metrics` has every judged metric, `deciding` those that can fail a case."""

    run: str
    deciding: tuple[str, ...]
    metrics: Mapping[str, MetricLabels]
    cases: Mapping[str, CaseEvidence]

    def metrics_of(self, rule: RateRule) -> tuple[str, ...]:
        """The judged metrics that a rate depends on."""
        if rule.metric is None:
            return self.deciding
        return (rule.metric,) if rule.metric in self.metrics else ()

    def of_goldens(self, goldens: Mapping[str, Outcome]) -> JudgedEvidence:
        """The cases of these goldens alone."""
        cases = {name: case for name, case in self.cases.items() if case.golden in goldens}
        return JudgedEvidence(self.run, self.deciding, self.metrics, cases)

    @cached_property
    def exact_passes(self) -> Mapping[str, list[float]]:
        """By golden, whether each case passes if people pass everything that a judge was asked."""
        passes: dict[str, list[float]] = {}
        for case in self.cases.values():
            passes.setdefault(case.golden, []).append(float(not case.failed))
        return passes

    def people_verdicts(self, metrics: Sequence[str]) -> dict[str, bool | None]:
        """What people say of the cases that they labelled by all of these metrics: a case passes when all pass."""
        words = {
            name: [case.labels[metric] for metric in metrics]
            for name, case in self.cases.items()
            if all(metric in case.labels for metric in metrics)
        }
        return {
            name: False if False in answers else None if None in answers else True
            for name, answers in words.items()
        }

    @property
    def without_verdict(self) -> int:
        """Cases that a deciding judge gave no verdict on: errors, unless labels carry the estimate."""
        return sum(self._no_verdict(case) for case in self.cases.values())

    def carries(self, floor: int) -> bool:
        """Whether labels are enough for an estimate that includes cases without a verdict."""
        labelled = [name for name, word in self.people_verdicts(self.deciding).items() if word is not None]
        among = sum(self._no_verdict(self.cases[name]) for name in labelled)
        few = self.without_verdict < MOST_WITHOUT_VERDICT * len(self.cases)
        return len(labelled) >= floor and (few or among >= LEAST_WITHOUT_VERDICT)

    def _no_verdict(self, case: CaseEvidence) -> bool:
        return any(case.judgements.get(metric) is None for metric in self.deciding)

    def rates(
        self,
        metrics: Sequence[str],
        about: About,
        alpha: float,
        policy: JudgePolicy,
        units: Mapping[str, str],
    ) -> list[JudgedRate]:
        """The estimate; where more than a few labels are unsure, also with these as passes and as failures.

        `units` has the independent unit of each golden. A judge whose κ is below the floor is not used.
        """
        labels = self.people_verdicts(metrics)
        chosen = self._plan_strata(metrics, labels)
        passes = tuple(metrics) == self.deciding
        judgements = {name: self._judgement(case, metrics) for name, case in self.cases.items()}
        estimate = partial(
            judged_rate,
            about=about,
            conf=1 - alpha,
            chosen=chosen,
            known={name: False for name, case in self.cases.items() if passes and case.failed},
            goldens={name: units.get(case.golden, case.golden) for name, case in self.cases.items()},
            saw_judge=[name for name in labels if self.cases[name].saw_judge],
        )

        def rate_by(words: Mapping[str, bool | None]) -> JudgedRate:
            rate = estimate(words, judgements)
            weak = rate.kappa is not None and rate.kappa < policy.kappa
            if weak and rate.uses_judge and chosen is None:
                return estimate(words, dict.fromkeys(judgements, True))  # one stratum: the labels alone
            return rate

        first = rate_by(labels)
        if first.unsure <= MOST_UNSURE * (first.labels + first.unsure):
            return [first]
        either = (
            {case: word if label is None else label for case, label in labels.items()}
            for word in (True, False)
        )
        return [first, *map(rate_by, either)]

    def _judgement(self, case: CaseEvidence, metrics: Sequence[str]) -> Judgement:
        if len(metrics) == 1:
            return case.judgements.get(metrics[0])
        return [case.judgements.get(metric) for metric in metrics]

    def _plan_strata(
        self, metrics: Sequence[str], labels: Mapping[str, bool | None]
    ) -> dict[str, str] | None:
        """The strata that labelled cases were chosen from; None when they were drawn at random."""
        strata = {name: self.cases[name].strata.get(metrics[0], "") for name in labels}
        if not any(strata.values()):
            return None
        if len(metrics) > 1:
            raise InputError(
                " and ".join(metrics),
                "labels chosen by one judge's answers do not estimate what several judges decide",
                "label cases drawn at random: rightcall judge label RUN --random",
            )
        return strata
