"""The rate that people would give a run's cases, from its labels and its judge; or the reason why there is none yet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import first_names, pluralize
from rightcall.decide.comparison import Comparison
from rightcall.decide.config import Gate
from rightcall.decide.judged_cases import as_judged, difference_by_labels
from rightcall.decide.judged_evidence import MOST_UNSURE, CaseEvidence, JudgedEvidence, MetricLabels
from rightcall.decide.label_rules import RunLabels, verdict_of
from rightcall.decide.rule_source import Facts
from rightcall.metrics.judged.form import RunJudge
from rightcall.records.label import BY_HAND, SETTLED, Label, case_id, rule_hash
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.run.gate_evidence import StoredEvidence
from rightcall.run.judged_run import JudgedRun, label_folder, load_judged_run
from rightcall.run.label_session import labels_of
from rightcall.run.run_judges import JUDGES, judges_of
from rightcall.run.trials import TrialsDone
from rightcall.stats.judged_rate import JudgedRate, judged_rate
from rightcall.stats.judged_strata import About
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

FLOOR = 24
"""Labels that a judged metric needs before it may decide."""


class NoJudgedRate(Record, frozen=True):
    """Why labels do not give a rate: how many there are, and what is missing. It is false in a condition."""

    reason: str
    labels: int = 0
    floor: int = FLOOR

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True)
class RateLabels:
    """The labels of a run that may estimate its rate, and those that may not.

    `verdicts` has the cases that a plan drew, None for unsure; disputed ones are not used. `chosen` has their
    strata if the judge's answers chose them.
    """

    verdicts: dict[str, bool | None]
    chosen: dict[str, str] | None
    saw_judge: frozenset[str]
    disputed: tuple[str, ...]
    by_hand: int

    @property
    def verdict_count(self) -> int:
        return sum(verdict is not None for verdict in self.verdicts.values())


@dataclass(frozen=True)
class LabelledRate:
    """The estimate of a run's metric. `as_pass` and `as_fail` count unsure labels that way, where they are many."""

    rate: JudgedRate
    labels: RateLabels
    as_pass: JudgedRate | None = None
    as_fail: JudgedRate | None = None

    @property
    def bounds(self) -> tuple[float, float]:
        """What decides a gate: the lower and the upper bound, with unsure labels counted either way."""
        rates = [rate for rate in (self.rate, self.as_pass, self.as_fail) if rate is not None]
        return min(rate.lower for rate in rates), max(rate.upper for rate in rates)

    def document(self) -> dict[str, Any]:
        """The record for JSON."""
        unsure = {"as_pass": self.as_pass, "as_fail": self.as_fail}
        return self.rate.document() | {
            "disputed": list(self.labels.disputed),
            "unsure_counted": {name: rate.document() for name, rate in unsure.items() if rate is not None}
            or None,
        }


def rate_labels(judged: JudgedRun, labelling: RunLabels) -> RateLabels:
    """The labels of cases that a plan drew from this run's cases, by the judge of this run if by any."""
    drawn = labelling.plan_labels(judged.population, judged.judge_hash)
    disputed = {case for case in drawn if labelling.cases[case].word == "disputed"}
    foreign = [case for case, rows in labelling.by_case.items() if any(map(judged.is_of_another_judge, rows))]
    if foreign and not drawn:
        raise InputError(
            f"run {judged.run.id}",
            f"the plan's strata are of another judge than {judged.judge.judge.described}: "
            f"{pluralize(len(foreign), 'label')} of {first_names(foreign, 3)}",
            f"make a new one: {judged.label_command}",
        )
    by_hand = sum(
        any(row.plan in (BY_HAND, SETTLED) for row in rows)
        for case, rows in labelling.by_case.items()
        if case not in drawn
    )
    return RateLabels(
        {case: verdict_of(labelling.cases[case].word) for case in drawn if case not in disputed},
        {case: label.stratum for case, label in drawn.items()} if _any_chosen(drawn) else None,
        frozenset(case for case in drawn if not labelling.cases[case].blind),
        tuple(sorted(disputed)),
        by_hand=by_hand,
    )


def _any_chosen(drawn: dict[str, Label]) -> bool:
    """Whether the judge's answers chose any case; random ones are then as if drawn within their stratum."""
    return any(label.plan.startswith("chosen/") for label in drawn.values())


def estimate_rate(
    judged: JudgedRun, labelling: RunLabels, *, about: About = "cases_like_these", conf: float = 0.95
) -> LabelledRate:
    """The estimate; an `InputError` says why there is none."""
    labels = rate_labels(judged, labelling)
    if not labels.verdicts and labels.by_hand:
        raise InputError(
            f"run {judged.run.id}",
            f"hand-picked cases cannot estimate a rate: no plan drew the {pluralize(labels.by_hand, 'label')}",
            f"label drawn cases: {judged.label_command}",
        )

    def estimate(verdicts: dict[str, bool | None]) -> JudgedRate:
        try:
            rate = judged_rate(
                verdicts,
                judged.judgements,
                about=about,
                conf=conf,
                chosen=labels.chosen,
                goldens=judged.goldens,
                saw_judge=labels.saw_judge,
            )
            return replace(rate, judged=judged.rate)
        except InputError as error:
            where = f"{judged.metric} of run {judged.run.id}"
            raise InputError(where, error.problem, judged.label_command) from None

    rate = estimate(labels.verdicts)
    if rate.unsure <= MOST_UNSURE * (rate.labels + rate.unsure):
        return LabelledRate(rate, labels)
    either = [
        estimate({case: word if verdict is None else verdict for case, verdict in labels.verdicts.items()})
        for word in (True, False)
    ]
    return LabelledRate(rate, labels, *either)


def run_judged_rate(store: Store, run: str, metric: str = "") -> JudgedRate | NoJudgedRate:
    """The rate that people would give a stored run, or the reason why there is none."""
    try:
        judged = load_judged_run(store, run, metric)
        folder = label_folder(judged.run)
        labelling = labels_of(judged, folder)
    except InputError as error:
        return NoJudgedRate(str(error))
    try:
        return estimate_rate(judged, labelling).rate
    except InputError as error:
        drawn = labelling.plan_labels(judged.population, judged.judge_hash)
        return NoJudgedRate(str(error), len(drawn))


async def label_evidence(done: TrialsDone) -> Facts:
    """What judges and people say of a run that is complete."""
    if not done.complete:
        return {}
    gate = done.prepared.plan.gate
    return await asyncio.to_thread(StoredJudges().facts, done.store, done.run.id, gate)


class StoredJudges(StoredEvidence):
    """What judges and people say of a stored run with judged metrics."""

    def facts(self, store: Store, run: str, gate: Gate | None) -> Facts:
        judged = evidence_of_labels(store, run, gate)
        return {} if judged is None else {"judged": judged}

    def compare(
        self,
        store: Store,
        comparison: Comparison,
        runs: tuple[StoredRun, StoredRun],
        *,
        metric: str | None,
        alpha: float,
    ) -> Comparison:
        """Where judges have a say in it, what labelled pairs allow to claim."""
        judges = chain.from_iterable(judges_of(store, run) for run in runs)
        names = [
            judge.metric for judge in judges if (judge.decides if metric is None else judge.metric == metric)
        ]
        if not names:
            return comparison
        asked = Gate(min=0.5) if metric is None else Gate(metrics={metric: 0.5})
        evidence = [evidence_of_labels(store, run.id, asked) for run in runs]
        labelled = None
        if evidence[0] is not None and evidence[1] is not None:
            metrics = evidence[0].deciding if metric is None else (metric,)
            if metric is not None or metrics == evidence[1].deciding:
                labelled = difference_by_labels(evidence[0], evidence[1], metrics, alpha)
        return as_judged(comparison, list(dict.fromkeys(names)), labelled)

    def sentences(self, store: Store, stored: StoredRun) -> Iterable[str]:
        """What people would say of each judged metric, as far as they have labelled its cases."""
        return filter(None, (judged_sentence(store, stored, judge) for judge in judges_of(store, stored)))


def evidence_of_labels(store: Store, run: str, gate: Gate | None) -> JudgedEvidence | None:
    """What judges and people say for the verdict of a stored run; None when judges have no say in it."""
    stored = store.runs.get(run)
    if JUDGES not in stored.run.fingerprints:
        return None
    return judged_evidence(store, stored, gate)


def judged_evidence(store: Store, stored: StoredRun, gate: Gate | None) -> JudgedEvidence | None:
    """What decides the judged rates of a gate, or of the verdict without one; None when judges have no say in it."""
    judges = [judge for judge in judges_of(store, stored) if _has_a_say(judge, gate)]
    if not judges:
        return None
    people = {judge.metric: _labels_of(store, stored, judge) for judge in judges}
    cases = _cases(
        judges, store.runs.results(stored.id), {name: found for name, (_, found) in people.items()}
    )
    return JudgedEvidence(
        stored.id,
        tuple(judge.metric for judge in judges if judge.decides),
        {name: about for name, (about, _) in people.items()},
        cases,
    )


def _has_a_say(judge: RunJudge, gate: Gate | None) -> bool:
    """Whether a gate, or the verdict without one, depends on a judge."""
    if gate is None:
        return judge.decides
    limits = (gate.min, gate.above_floor, gate.baseline)
    rates = any(limit is not None for limit in limits) or bool(gate.categories or gate.tags)
    return (judge.decides and rates) or judge.metric in gate.metrics


def _cases(
    judges: Iterable[RunJudge], results: Iterable[CaseResult], labels: dict[str, RateLabels | None]
) -> dict[str, CaseEvidence]:
    """The checked cases that judges were asked about; one without an answer of the agent is about nothing."""
    forms = {judge.metric: judge.form for judge in judges}
    cases = {}
    for result in results:
        scores = {name: result.metrics[name] for name in forms if name in result.metrics}
        if not result.checked or len(scores) < len(forms):
            continue
        if result.error and not any(score.error for score in scores.values()):
            continue
        name = case_id(result.golden_id, result.trial)
        people = {metric: found for metric, found in labels.items() if found and name in found.verdicts}
        cases[name] = CaseEvidence(
            result.golden_id,
            {metric: forms[metric].verdict(score) for metric, score in scores.items()},
            {metric: found.verdicts[name] for metric, found in people.items()},
            result.fails_exactly,
            strata={metric: found.chosen[name] for metric, found in people.items() if found.chosen},
            saw_judge=any(name in found.saw_judge for found in people.values()),
        )
    return cases


def _labels_of(store: Store, stored: StoredRun, judge: RunJudge) -> tuple[MetricLabels, RateLabels | None]:
    """The labels of a metric that may estimate a rate, and what is known of them all."""
    rule = rule_hash(judge.form.rubric) if judge.form.rubric else ""
    try:
        folder = label_folder(stored)
        if not folder.file(judge.metric).is_file():
            return MetricLabels(rule), None
        judged = load_judged_run(store, stored.id, judge.metric, finished=False)
        labelling = labels_of(judged, folder)
        found = rate_labels(judged, labelling)
    except InputError as error:
        return MetricLabels(rule, problem=str(error)), None
    problem = ""
    if found.by_hand and not found.verdicts:
        problem = f"{judge.metric}: hand-picked cases cannot estimate a rate; label drawn ones"
    return MetricLabels(rule, len(labelling.stale), problem), found


def judged_sentence(store: Store, stored: StoredRun, judge: RunJudge) -> str:
    """What people would say of a judged metric of a run; empty when they have labelled none of its cases."""
    try:
        if not label_folder(stored).file(judge.metric).is_file():
            return ""
    except InputError:  # the suite is somewhere else, and its labels with it
        return ""
    rate = run_judged_rate(store, stored.id, judge.metric)
    said = f"no rate by labels: {rate.reason}" if isinstance(rate, NoJudgedRate) else rate.sentence
    return f"{judge.metric}: {said}"
