"""Judges that are asked again about the labelled cases of a stored run, after they changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rightcall.agents.pool import Pool
from rightcall.core.errors import InputError
from rightcall.decide.label_rules import Target
from rightcall.files.python_object import search_modules_in
from rightcall.metrics.base import Metric, asks_model
from rightcall.metrics.judged.form import judge_of, material_hash
from rightcall.metrics.measurement import measure_one
from rightcall.records.case import TestCase
from rightcall.records.label import JudgementRecord, rule_hash
from rightcall.run.judged_run import JudgedCase, JudgedRun, metric_cases
from rightcall.run.label_session import labels_of, utc_now
from rightcall.run.suite import load_suite, suite_models
from rightcall.run.suite_plan import suite_metrics
from rightcall.run.trust import require_trust
from rightcall.store.labels import LabelFolder
from rightcall.store.sql.store import Store

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
