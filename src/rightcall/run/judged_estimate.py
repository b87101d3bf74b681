"""The rate that people would give a run's cases, from its labels and its judge; or the reason why there is none yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import first_names, pluralize
from rightcall.decide.judged_evidence import MOST_UNSURE
from rightcall.decide.label_rules import RunLabels, verdict_of
from rightcall.model.label import BY_HAND, SETTLED, Label
from rightcall.model.record import Record
from rightcall.run.judged_run import JudgedRun, label_folder, load_judged_run
from rightcall.run.label_session import labels_of
from rightcall.stats.judged_interval import About
from rightcall.stats.judged_rate import JudgedRate, judged_rate
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
        by_hand,
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


def run_judged_rate(
    store: Store,
    run: str,
    metric: str = "",
    *,
    about: About = "cases_like_these",
    conf: float = 0.95,
) -> JudgedRate | NoJudgedRate:
    """The rate that people would give a stored run, or the reason why there is none."""
    try:
        judged = load_judged_run(store, run, metric)
        folder = label_folder(judged.run)
        labelling = labels_of(judged, folder)
    except InputError as error:
        return NoJudgedRate(str(error))
    try:
        return estimate_rate(judged, labelling, about=about, conf=conf).rate
    except InputError as error:
        drawn = labelling.plan_labels(judged.population, judged.judge_hash)
        return NoJudgedRate(str(error), len(drawn))
