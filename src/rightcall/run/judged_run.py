"""A stored run as its judge and its labellers see it: the question of every case, and what the judge answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rightcall.core.errors import InputError, suggestion
from rightcall.decide.judged_rule import label_command
from rightcall.decide.label_rules import Target, plan_kind, population_name
from rightcall.metrics.judged.form import JudgeForm, RunJudge, material_hash
from rightcall.metrics.score_case import case_for_metrics
from rightcall.records.case import TestCase
from rightcall.records.golden import AnyGolden
from rightcall.records.label import CasePlace, Label, rule_hash
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.records.tool import Tool
from rightcall.run.run_judges import require_judge
from rightcall.run.run_record import tools_of_run
from rightcall.store.base import StoredRun
from rightcall.store.labels import LabelFolder
from rightcall.store.sql.store import Store
from rightcall.tools.definitions.offer import tools_for


@dataclass(frozen=True)
class JudgedCase:
    """One case that a judge was asked about. `share` of its votes pass; None when it gave no verdict."""

    place: CasePlace
    target: Target
    share: float | None
    passed: bool | None
    answer_length: int
    """Tags, category and tools, by which the judge's errors are counted."""

    @property
    def verdict(self) -> bool | float | None:
        """The verdict for an estimate: the votes as a share where there were several."""
        return self.passed if self.share is None or self.share in (0.0, 1.0) else self.share


@dataclass(frozen=True)
class JudgedRun:
    """The cases of a run that a metric's judge was asked about, by id: every trial of every golden."""

    run: StoredRun
    judge: RunJudge
    cases: dict[str, JudgedCase]

    @property
    def metric(self) -> str:
        return self.judge.metric

    @cached_property
    def targets(self) -> dict[str, Target]:
        return {name: case.target for name, case in self.cases.items()}

    @cached_property
    def population(self) -> str:
        """The name of these cases, whoever judges them."""
        return population_name(self.targets)

    @property
    def goldens(self) -> dict[str, str]:
        """The golden of every case: its trials are not independent."""
        return {name: case.place.golden for name, case in self.cases.items()}

    @property
    def judgements(self) -> dict[str, bool | float | None]:
        return {name: case.verdict for name, case in self.cases.items()}

    @property
    def rate(self) -> float | None:
        """The share of the cases with a verdict that the metric passes, by its threshold; None without any."""
        verdicts = [case.passed for case in self.cases.values() if case.passed is not None]
        return sum(verdicts) / len(verdicts) if verdicts else None

    @property
    def label_command(self) -> str:
        """What to type to label its cases."""
        return label_command(self.run.id, self.metric)

    @property
    def judge_hash(self) -> str:
        return self.judge.judge.hash

    def is_of_another_judge(self, label: Label) -> bool:
        """Whether the answers of another judge chose the case of a label."""
        return plan_kind(label, self.population, self.judge_hash) == "by another judge"

    def require_case(self, name: str) -> JudgedCase:
        if name not in self.cases:
            hint = suggestion(name, self.cases) or "see `rightcall judge status`"
            raise InputError(f"run {self.run.id}", f"has no case '{name}' that {self.metric} judged", hint)
        return self.cases[name]


@dataclass(frozen=True)
class CaseQuestion:
    """What a labeller is asked about a case: the rule, and exactly the material that the judge is shown."""

    case: JudgedCase
    rule: str
    materials: list[dict[str, Any]]
    score: Score


def load_judged_run(store: Store, run: str, metric: str = "", *, finished: bool = True) -> JudgedRun:
    """The judged cases of a run that is finished, or at least stored. Without a metric: the only judged one."""
    stored = store.runs.get(run)
    judge = require_judge(store, stored, metric)
    if finished and not stored.finished:
        hint = f"finish it first: rightcall run … --resume {stored.id}"
        raise InputError(f"run {stored.id}", "is not finished, so its cases are not all known", hint)
    tools = tools_of_run(store, stored)
    goldens = {golden.id: golden for golden in store.runs.goldens(stored.id)}
    results = store.runs.results(stored.id, trajectories=True)
    judged = (_case_of_judge(judge, stored.id, goldens.get(r.golden_id), r, tools=tools) for r in results)
    cases = {case.place.id: case for case in judged if case is not None}
    if not cases:
        hint = "" if judge.form.rubric else "nothing says what it judges by: give the metric a `rubric`"
        raise InputError(f"run {stored.id}", f"has no case that {judge.metric} was asked about", hint)
    return JudgedRun(stored, judge, cases)


def case_question(store: Store, judged: JudgedRun, name: str) -> CaseQuestion:
    """The question about one case."""
    case = judged.require_case(name)
    stored = store.runs.case(judged.run.id, case.place.golden)
    result = next(result for result in stored.results if result.trial == case.place.trial)
    test_case = _test_case(stored.golden, result, tools_of_run(store, judged.run))
    if test_case is None:
        raise InputError(f"case {name}", "was stored without its golden or its trajectory")
    form = judged.judge.form
    return CaseQuestion(case, form.rule(test_case), form.materials(test_case), result.metrics[judged.metric])


def label_folder(run: StoredRun) -> LabelFolder:
    """Where the labels of a run are: next to its suite; for a run without a suite `labels` in the current folder."""
    suite = run.run.versions.get("suite_file", "")
    if suite and not Path(suite).is_file():
        raise InputError(
            f"run {run.id}",
            f"its suite {suite} is not in this folder",
            "run the command in the folder of the run",
        )
    return LabelFolder(Path(suite).parent / "labels")


def metric_cases(store: Store, judged: JudgedRun, names: set[str]) -> Iterator[tuple[JudgedCase, TestCase]]:
    """The named cases as a metric measures them."""
    tools = tools_of_run(store, judged.run)
    places = [case.place for name, case in judged.cases.items() if name in names]
    goldens = {golden.id: golden for golden in store.runs.goldens(judged.run.id, [p.golden for p in places])}
    results = store.runs.results_of(judged.run.id, [(p.golden, p.trial) for p in places], trajectories=True)
    for place in places:
        test_case = _test_case(goldens.get(place.golden), results[place.golden, place.trial], tools)
        if test_case is not None:
            yield judged.cases[place.id], test_case


def _test_case(golden: AnyGolden | None, result: CaseResult, tools: dict[str, Tool]) -> TestCase | None:
    if golden is None or result.trajectory is None:
        return None
    return case_for_metrics(golden, result.trajectory, tools_for(golden, tools))


def _case_of_judge(
    judge: RunJudge, run: str, golden: AnyGolden | None, result: CaseResult, tools: dict[str, Tool]
) -> JudgedCase | None:
    """The case with its question; None when the judge had nothing to be asked about."""
    score = result.metrics.get(judge.metric)
    test_case = _test_case(golden, result, tools)
    if score is None or test_case is None:
        return None
    rule = judge.form.rule(test_case)
    materials = judge.form.materials(test_case)
    if not rule or not materials:
        return None
    return JudgedCase(
        CasePlace(result.golden_id, result.trial, run),
        Target(material_hash(materials), rule_hash(rule)),
        *_verdict(judge.form, score),
        len(test_case.trajectory.output),
    )


def _verdict(form: JudgeForm, score: Score) -> tuple[float | None, bool | None]:
    """The share of the votes that pass and the verdict; turns are not votes."""
    return (None, None) if score.error else (form.share(score), score.passed)
