"""What judges and people say about a stored run: for its gate, and as sentences next to its rates."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rightcall.core.errors import InputError
from rightcall.decide.config import Gate
from rightcall.decide.judged_evidence import CaseEvidence, JudgedEvidence, MetricLabels
from rightcall.metrics.judged.form import RunJudge
from rightcall.model.label import case_id, rule_hash
from rightcall.model.run import CaseResult
from rightcall.run.judged_estimate import NoJudgedRate, RateLabels, rate_labels, run_judged_rate
from rightcall.run.judged_run import label_folder, load_judged_run
from rightcall.run.label_session import labels_of
from rightcall.run.run_judges import judges_of
from rightcall.store.base import StoredRun
from rightcall.store.labels import LabelFolder
from rightcall.store.sql.store import Store


def judged_evidence(
    store: Store, stored: StoredRun, gate: Gate | None, labels: str | Path | None
) -> JudgedEvidence | None:
    """What decides the judged rates of a gate, or of the verdict without one; None when judges have no say in it."""
    judges = [judge for judge in judges_of(store, stored) if _has_a_say(judge, gate)]
    if not judges:
        return None
    people = {judge.metric: _labels_of(store, stored, judge, labels) for judge in judges}
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
            {metric: found.chosen[name] for metric, found in people.items() if found.chosen},
            any(name in found.saw_judge for found in people.values()),
        )
    return cases


def _labels_of(
    store: Store, stored: StoredRun, judge: RunJudge, path: str | Path | None
) -> tuple[MetricLabels, RateLabels | None]:
    """The labels of a metric that may estimate a rate, and what is known of them all."""
    rule = rule_hash(judge.form.rubric) if judge.form.rubric else ""
    try:
        folder = _folder(stored, path)
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


def _folder(stored: StoredRun, path: str | Path | None) -> LabelFolder:
    return label_folder(stored, Path(path) if path is not None else None)


def judged_sentence(store: Store, stored: StoredRun, judge: RunJudge) -> str:
    """What people would say of a judged metric of a run; empty when they have labelled none of its cases."""
    try:
        if not _folder(stored, None).file(judge.metric).is_file():
            return ""
    except InputError:  # the suite is somewhere else, and its labels with it
        return ""
    rate = run_judged_rate(store, stored.id, judge.metric)
    said = f"no rate by labels: {rate.reason}" if isinstance(rate, NoJudgedRate) else rate.sentence
    return f"{judge.metric}: {said}"
