"""Judges that are asked about stored runs: again about labelled cases, or which of two runs' answers they prefer.

They are asked again after their model, prompt, settings or votes changed. A pair is always shown in both orders.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from rightcall.agents.pool import Pool
from rightcall.core.errors import InputError
from rightcall.core.text import percent, pluralize
from rightcall.decide.label_rules import Target
from rightcall.files.python_object import search_modules_in
from rightcall.metrics.base import Metric, asks_model
from rightcall.metrics.judged.bias import Bias, position
from rightcall.metrics.judged.form import judge_of, material_hash, material_of
from rightcall.metrics.judged.preference import Preference, Prefers
from rightcall.metrics.measurement import measure_one
from rightcall.metrics.resolve import resolve_metric
from rightcall.metrics.score_case import case_for_metrics
from rightcall.model.case import TestCase
from rightcall.model.label import JudgementRecord, rule_hash
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage
from rightcall.run.judged_run import JudgedCase, JudgedRun, metric_cases
from rightcall.run.label_session import labels_of, utc_now
from rightcall.run.run_record import tools_of_run
from rightcall.run.suite import load_suite, suite_models
from rightcall.run.suite_plan import suite_metrics
from rightcall.run.trust import require_trust
from rightcall.stats.paired_tests import mcnemar_exact
from rightcall.store.labels import LabelFolder
from rightcall.store.sql.store import Store
from rightcall.tools.definitions.offer import tools_for

CONCURRENCY = 8


def judge_now(judged: JudgedRun, expression: str = "") -> Metric:
    """The judged metric as it is now: by an expression, else in the run's suite."""
    if expression:
        metric = resolve_metric(expression)
        if metric.name != judged.metric:
            raise InputError(
                f"metric {metric.name}", f"is not {judged.metric}", f"add label='{judged.metric}'"
            )
        return metric
    suite_file = judged.run.run.versions.get("suite_file", "")
    file = Path(suite_file)
    if not suite_file or not file.is_file():
        raise InputError(
            f"run {judged.run.id}",
            "has no suite here that names its judge",
            "name the metric: --with EXPRESSION",
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


AT_ONCE = 16
PARTS = ("answer", "calls")


class PreferenceCounts(Record, frozen=True, omit_defaults=False):
    """How often a judge prefers the answers of B and of A. `ties` are pairs on which its two orders disagree.

    `first_place` of the ties preferred whichever answer came first, and `position` tests whether that is by chance.
    `codes` count pairs without a verdict. `p` is the exact two-sided test of as many preferences for either; it is
    about the judge, and not about people.
    """

    a: str
    b: str
    pairs: int
    prefers_a: int
    prefers_b: int
    ties: int
    first_place: int
    codes: dict[str, int]
    p: float
    usage: Usage
    goldens: dict[str, str]
    position: Bias

    @property
    def sentence(self) -> str:
        parts = [
            f"judged, not corrected: of {pluralize(self.pairs, 'pair')} the judge prefers B in {self.prefers_b:,} and "
            f"A in {self.prefers_a:,} (p = {self.p:.3f}); {self.ties:,} are ties, because its two orders disagree"
        ]
        if self.ties:
            tested = "" if self.position.p is None else f" (p = {self.position.p:.3f})"
            share = percent(self.first_place / self.ties)
            parts.append(f"{share} of these go to whichever answer came first{tested}")
        if self.codes:
            parts.append("no verdict: " + ", ".join(f"{code} {n:,}" for code, n in self.codes.items()))
        return "; ".join(parts)


def answers_of_run(store: Store, run: str) -> dict[str, TestCase]:
    """The first trial of each golden that has an answer, as judges see it."""
    stored = store.runs.get(run)
    tools = tools_of_run(store, stored)
    goldens = {golden.id: golden for golden in store.runs.goldens(stored.id)}
    return {
        result.golden_id: case_for_metrics(
            goldens[result.golden_id], result.trajectory, tools_for(goldens[result.golden_id], tools)
        )
        for result in store.runs.results(stored.id, trajectories=True)
        if result.trial == 0 and result.trajectory is not None and result.golden_id in goldens
    }


async def count_preferences(store: Store, a: str, b: str, judge: Prefers) -> PreferenceCounts:
    """Ask about every golden that has a trajectory in both runs, by its first trial."""
    first, second = store.runs.get(a).id, store.runs.get(b).id
    before, after = (answers_of_run(store, run) for run in (first, second))
    goldens = [golden for golden in before if golden in after]
    if not goldens:
        raise InputError(f"runs {first} and {second}", "have no golden in common with a stored answer")
    limit = asyncio.Semaphore(AT_ONCE)

    async def ask(golden: str) -> Preference:
        async with limit:
            answers = (material_of(cases[golden], PARTS) for cases in (before, after))
            return await judge(before[golden].golden.input, *answers)

    found = dict(zip(goldens, await asyncio.gather(*map(ask, goldens)), strict=True))
    words = Counter(preference.winner for preference in found.values())
    ties = [preference for preference in found.values() if preference.winner == "tie"]
    first_place = sum(preference.first_place for preference in ties)
    used = Usage()
    for preference in found.values():
        used = used.plus(preference.usage)
    return PreferenceCounts(
        first,
        second,
        len(found),
        words["a"],
        words["b"],
        len(ties),
        first_place,
        dict(Counter(str(p.code) for p in found.values() if not p.winner)),
        mcnemar_exact(words["a"], words["b"]),
        used,
        {golden: preference.winner or str(preference.code) for golden, preference in found.items()},
        position(first_place, len(ties)),
    )
