"""What is known about the judge of a run: its labels, its agreement with people, its errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rightcall.agents.pool import Pool
from rightcall.core.errors import InputError, RightCallError
from rightcall.core.text import pluralize
from rightcall.decide.label_rules import RunLabels, Target, run_labels, verdict_of
from rightcall.files.python_object import search_modules_in
from rightcall.metrics.base import Metric, asks_model
from rightcall.metrics.judged.bias import Bias, RatedCase, bias_report
from rightcall.metrics.judged.form import VERSION, judge_of, material_hash
from rightcall.metrics.measurement import measure_one
from rightcall.records.case import TestCase
from rightcall.records.label import JudgementRecord, rule_hash
from rightcall.records.record import Record
from rightcall.run.judged_estimate import FLOOR, LabelledRate, estimate_rate
from rightcall.run.judged_run import JudgedCase, JudgedRun, load_judged_run, metric_cases
from rightcall.run.label_session import labels_of, utc_now
from rightcall.run.suite import load_suite, suite_models
from rightcall.run.suite_plan import suite_metrics
from rightcall.run.trust import require_trust
from rightcall.stats.agreement import Agreement, Table, agreement_by_pair, pair_agreement
from rightcall.stats.judged_strata import About
from rightcall.store.base import StoredRun
from rightcall.store.labels import LabelFolder, LabelRows
from rightcall.store.sql.store import Store

LABELS_FOR_BIAS = 48


class PeopleAgreement(Record, frozen=True, omit_defaults=False):
    """How far two people agree."""

    people: tuple[str, ...]
    agreement: Agreement


class DriftPoint(Record, frozen=True, omit_defaults=False):
    """Agreement of one version of the judge with people."""

    judge: str
    agreement: Agreement


@dataclass(frozen=True)
class JudgeReport:
    """One judged metric of a run. `reason` says why there is no rate; `notes` what is not used."""

    judged: JudgedRun
    labelling: RunLabels
    estimate: LabelledRate | None
    reason: str
    people: list[PeopleAgreement]
    notes: list[str]
    floor: int = FLOOR
    """Labels that the judge needs before it may decide, by the suite."""

    @property
    def usable_labels(self) -> int:
        """Labels that say pass or fail, of cases that a plan drew."""
        return self.estimate.labels.verdict_count if self.estimate is not None else self._usable

    @property
    def _usable(self) -> int:
        drawn = self.labelling.plan_labels(self.judged.population, self.judged.judge_hash)
        return sum(verdict_of(self.labelling.cases[case].word) is not None for case in drawn)

    @property
    def is_calibrated(self) -> bool:
        """Whether there are enough labels for the judge to decide."""
        return self.estimate is not None and self.usable_labels >= self.floor

    def document(self) -> dict[str, Any]:
        """The report for JSON."""
        judge = self.judged.judge
        labelling = self.labelling
        return {
            "run": self.judged.run.id,
            "metric": judge.metric,
            "judge": {"hash": judge.judge.hash, "described": judge.judge.described, "decides": judge.decides},
            "cases": len(self.judged.cases),
            "labels": self.usable_labels,
            "floor": self.floor,
            "calibrated": self.is_calibrated,
            "labelled": len(labelling.cases),
            "unsure": len(labelling.with_word("unsure")),
            "disputed": labelling.with_word("disputed"),
            "stale": len(labelling.stale),
            "of_other_cases": len(labelling.other),
            "estimate": self.estimate.document() if self.estimate is not None else None,
            "reason": self.reason,
            "people": self.people,
            "notes": self.notes,
        }


def judge_report(
    judged: JudgedRun, folder: LabelFolder, *, about: About = "cases_like_these", conf: float = 0.95
) -> JudgeReport:
    """Everything about one judged metric of a run, from its labels as they are now."""
    rows = folder.labels(judged.metric)
    labelling = run_labels(judged.targets, (row.label for row in rows.rows))
    estimate = None
    reason = ""
    try:
        estimate = estimate_rate(judged, labelling, about=about, conf=conf)
    except InputError as error:
        reason = str(error)
    people = people_agreement(labelling)
    notes = _notes(judged, labelling, rows)
    return JudgeReport(
        judged, labelling, estimate, reason, people=people, notes=notes, floor=label_floor(judged.run)
    )


def label_floor(run: StoredRun) -> int:
    """The labels that the suite of a run demands, as gates do; the usual number when the suite is not here."""
    file = run.run.versions.get("suite_file", "")
    if not file or not Path(file).is_file():
        return FLOOR
    try:
        return load_suite(Path(file)).judge.labels
    except RightCallError:  # it has changed since, and says so when it is run
        return FLOOR


def people_agreement(labelling: RunLabels) -> list[PeopleAgreement]:
    """The agreement of every two labellers who share cases."""
    raters = {name: labelling.verdicts_of(name) for name in labelling.labellers}
    return [PeopleAgreement(pair, agreement) for pair, agreement in agreement_by_pair(raters).items()]


def judge_bias(store: Store, judged: JudgedRun, folder: LabelFolder) -> tuple[list[Bias], list[DriftPoint]]:
    """The judge's biases on the labelled cases of a run, and the agreement of its versions in all runs."""
    rows = folder.labels(judged.metric)
    labels = [row.label for row in rows.rows]
    own = judge_ratings(judged, run_labels(judged.targets, labels))
    everywhere = list(own)
    for name in sorted({label.case.run for label in labels} - {judged.run.id, ""}):
        try:
            other = load_judged_run(store, name, judged.metric)
        except InputError:
            continue  # deleted, or of another store
        everywhere += judge_ratings(other, run_labels(other.targets, labels))
    everywhere += _ratings_again(judged, run_labels(judged.targets, labels), folder)
    versions: dict[str, list[RatedCase]] = {}
    for case in everywhere:
        versions.setdefault(case.version, []).append(case)
    drift = [DriftPoint(version, pair_agreement(_table(cases))) for version, cases in versions.items()]
    return bias_report(own, everywhere=everywhere), drift


def judge_ratings(judged: JudgedRun, labelling: RunLabels) -> list[RatedCase]:
    """The cases that judge and people both decided, without those whose labellers had seen the verdict."""
    run = judged.run.run
    identity = judged.judge.judge
    rated = []
    for name, labels in labelling.cases.items():
        case = judged.cases[name]
        people = verdict_of(labels.word)
        if case.passed is not None and people is not None and labels.blind:
            rated.append(
                RatedCase(
                    case.passed,
                    people,
                    case.answer_length,
                    agent=run.agent,
                    model=identity.model,
                    version=identity.described,
                )
            )
    return rated


def _ratings_again(judged: JudgedRun, labelling: RunLabels, folder: LabelFolder) -> list[RatedCase]:
    """What judges that were asked again said about the labelled cases of a run."""
    cases = {target: name for name, target in judged.targets.items() if name in labelling.cases}
    rated = []
    for judgement in folder.judgements(judged.metric):
        name = cases.get((judgement.material, judgement.rule))  # type: ignore[call-overload]
        if name is None or judgement.share is None:
            continue
        people = verdict_of(labelling.cases[name].word)
        if people is not None and labelling.cases[name].blind:
            rated.append(
                RatedCase(
                    judgement.passed,
                    people,
                    judged.cases[name].answer_length,
                    agent=judged.run.run.agent,
                    model=judgement.described.partition(",")[0],
                    version=judgement.described,
                )
            )
    return rated


def _table(rows: list[RatedCase]) -> Table:
    counts = [sum((row.judge, row.people) == cell for row in rows) for cell in
              ((True, True), (True, False), (False, True), (False, False))]  # fmt: skip
    return Table(*counts)


def _notes(judged: JudgedRun, labelling: RunLabels, rows: LabelRows) -> list[str]:
    """What is stored and not used, and why."""
    notes = [f"{place}: half a line, left by a crash; label that case again" for place in rows.torn]
    if labelling.stale:
        notes.append(
            f"{pluralize(len(labelling.stale), 'label')} stale: labelled under another rubric, not used in estimates"
        )
    if labelling.other:
        notes.append(f"{pluralize(len(labelling.other), 'label')} of other cases, not used")
    if disputed := labelling.with_word("disputed"):
        shown = ", ".join(disputed[:5])
        notes.append(
            f"{pluralize(len(disputed), 'case')} disputed: {shown}; see `rightcall judge label --settle`"
        )
    if not judged.judge.form.graded and judged.judge.judge.prompt != VERSION:
        notes.append(
            f"judgements are stale: prompt {judged.judge.judge.prompt}, now {VERSION};"
            " see `rightcall judge rate --again`"
        )
    seen = sum(not labels.blind for labels in labelling.cases.values())
    if seen:
        notes.append(
            f"{pluralize(seen, 'case')} labelled with the judge's verdict in view: not used to rate the judge"
        )
    return notes


CONCURRENCY = 8


def judge_now(judged: JudgedRun) -> Metric:
    """The judged metric as the run's suite has it now."""
    suite_file = judged.run.run.versions.get("suite_file", "")
    file = Path(suite_file)
    if not suite_file or not file.is_file():
        raise InputError(
            f"run {judged.run.id}",
            "has no suite here that names its judge",
            "run the command in the folder of the run",
        )
    suite = load_suite(file)
    require_trust(file)
    search_modules_in(file.parent)
    metrics, observed = suite_metrics(suite, suite_models(suite, file.parent))
    for metric in (*metrics, *observed):
        if metric.name == judged.metric:
            return metric
    raise InputError(str(file), f"has no metric '{judged.metric}' any more")


async def judge_again(
    store: Store, judged: JudgedRun, folder: LabelFolder, metric: Metric
) -> list[JudgementRecord]:
    """Ask a judge about every labelled case of a run, and store its answers with the labels."""
    labelled = set(labels_of(judged, folder).cases)
    if not labelled:
        raise InputError(
            f"{judged.metric} of run {judged.run.id}",
            "has no label",
            judged.label_command,
        )
    if not asks_model(metric):
        raise InputError(f"metric {metric.name}", "asks no judge")
    form, identity = judge_of(metric)
    records: list[JudgementRecord] = []

    async def ask(job: tuple[JudgedCase, TestCase]) -> None:
        case, test_case = job
        target = Target(material_hash(form.materials(test_case)), rule_hash(form.rule(test_case)))
        if target != case.target:
            what = "rubric" if target.material == case.target.material else "material"
            raise InputError(
                f"metric {metric.name}",
                f"its {what} has changed since case {case.place.id} was labelled",
                "label by the new one: `rightcall judge label`",
            )
        score = await measure_one(metric, test_case)
        answer: dict[str, Any] = (
            {"problem": score.error} if score.error else {"share": form.share(score), "passed": score.passed}
        )
        records.append(
            JudgementRecord(
                case.place,
                *target_fields(target, judged.metric),
                identity.hash,
                identity.described,
                utc_now(),
                **answer,
            )
        )

    await Pool(CONCURRENCY).run(iter(list(metric_cases(store, judged, labelled))), ask)
    folder.add_judgements(sorted(records, key=lambda record: record.case.id))
    return records


def target_fields(target: Target, metric: str) -> tuple[str, str, str]:
    """Material, metric and rule, as a record has them."""
    return target.material, metric, target.rule
