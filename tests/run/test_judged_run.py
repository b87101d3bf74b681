"""A stored run knows what its judges were asked, through every door that scores, and says it again without the suite."""

from __future__ import annotations

import asyncio
import json

import pytest

import rightcall as rc
from rightcall.api.run_result import RunResult
from rightcall.core.errors import InputError, ProviderError
from rightcall.metrics.judged.form import VERSION, material_hash
from rightcall.metrics.judged.rubric import (
    AnswerRelevancy,
    KnowledgeRetention,
    RoleAdherence,
    Rubric,
    TaskCompletion,
    TurnRelevancy,
)
from rightcall.metrics.score_case import Scorer
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Expectations, Golden, Message, TestCase, ToolCall, Trajectory
from rightcall.records.label import rule_hash
from rightcall.run.judged_estimate import estimate_rate
from rightcall.run.judged_run import case_question, label_folder, load_judged_run
from rightcall.run.label_session import LabelSession, LabelSettings
from rightcall.run.recorded_scores import score_cases
from rightcall.run.rescorer import rescore_run
from rightcall.run.run_judges import judges_of
from rightcall.run.stored_cases import keep_cases
from rightcall.store.address import open_store

GOLDENS = [Golden(f"Refund order {number}", id=f"g{number}") for number in range(4)]


def judge(name="judge", asked=None):
    def decide(request):
        question = request.messages[0].content
        if asked is not None:
            asked.append(question)
        if "order 3" in question:
            raise ProviderError("no answer", kind="auth")
        passed = request.trial == 0 if "order 2" in question else "order 0" in question
        return ToolCall("give_verdict", {"verdict": "pass" if passed else "fail", "reason": ""})

    return ScriptedProvider(decide, name)


def refund(**words) -> Rubric:
    words = {"votes": 3, "label": "refund", "cache": ""} | words
    return Rubric(
        judge(words.pop("name", "judge"), words.pop("asked", None)), "The refund is promised.", **words
    )


def evaluated(metric, trials: int = 1):
    return rc.evaluate(
        lambda golden: f"Done: {golden.input}", dataset=GOLDENS, metrics=[metric], trials=trials
    )


def scored(metric):
    cases = [TestCase(golden, Trajectory(output="Done")) for golden in GOLDENS]
    scorer = Scorer([metric])
    results = asyncio.run(score_cases(cases, scorer))
    store = open_store()
    options = {"name": "cases", "group": "", "gate": None, "settings": {}}
    run_id, summary, verdict = keep_cases(store, cases, results, scorer, **options)
    return RunResult(run_id, summary, verdict, store)


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("door", [evaluated, scored])
def test_a_run_stores_its_judges_and_their_questions(door):
    asked: list[str] = []
    metric = refund(asked=asked)
    run = door(metric)
    judged = load_judged_run(run.store, run.id, "refund")
    assert (judged.judge.judge, judged.judge.form) == (metric.identity, metric.form)
    assert {name: case.verdict for name, case in judged.cases.items()} == {
        "g0": True,
        "g1": False,
        "g2": pytest.approx(1 / 3),
        "g3": None,
    }
    for name, case in judged.cases.items():
        question = case_question(run.store, judged, name)
        assert any(json.dumps(question.materials[0]["request"]) in text for text in asked)
        assert case.target == (material_hash(question.materials), rule_hash("The refund is promised."))


def test_a_rescored_run_has_its_own_judge_and_the_same_cases():
    run = evaluated(refund())
    rescored, _, _ = asyncio.run(rescore_run(run.store, run.id, Scorer([refund(name="other", votes=1)])))
    before, after = (load_judged_run(run.store, name, "refund") for name in (run.id, rescored))
    assert before.population == after.population and before.judge.judge.hash != after.judge.judge.hash
    assert after.judge.judge.described == f"other, prompt {VERSION}"


def test_every_trial_is_a_case_of_its_golden():
    run = evaluated(refund(), trials=2)
    judged = load_judged_run(run.store, run.id)
    assert judged.goldens == {f"g{n}{trial}": f"g{n}" for n in range(4) for trial in ("", "#1")}


@pytest.mark.parametrize("field", ["name", "votes", "threshold", "seed"])
def test_anything_that_a_verdict_depends_on_makes_another_judge(field):
    other = refund(**{field: {"name": "judge-2", "votes": 5, "threshold": 0.9, "seed": 7}[field]})
    assert other.identity.hash != refund().identity.hash


CASE = TestCase(
    Golden(
        "Hi",
        id="g",
        system="You are a pirate.",
        expectations=Expectations(must=("greet",)),
        expected_output="Ahoy",
    ),
    Trajectory(
        output="Ahoy!",
        messages=(
            Message("user", "Hi"),
            Message("assistant", "Hello"),
            Message("user", "?"),
            Message("assistant", "Ahoy!"),
        ),
    ),
)


@pytest.mark.parametrize(
    ("metric", "questions", "words"),
    [
        (Rubric, 1, "The answer must: greet"),
        (TaskCompletion, 1, "fully carried out"),
        (AnswerRelevancy, 1, "helps with the request"),
        (TurnRelevancy, 2, "what the user said last"),
        (KnowledgeRetention, 1, "asks again"),
        (RoleAdherence, 2, "You are a pirate."),
    ],
)
def test_the_form_is_what_the_judge_is_asked(metric, questions, words):
    asked: list[str] = []

    def decide(request):
        asked.append(request.messages[0].content)
        return ToolCall("give_verdict", {"verdict": "pass", "reason": ""})

    judged = metric(ScriptedProvider(decide, "judge"), votes=1, cache="")
    assert asyncio.run(judged.measure(CASE)).passed
    materials = judged.form.materials(CASE)
    rule = judged.form.rule(CASE)
    assert len(asked) == len(materials) == questions and words in rule
    for question in asked:
        assert f"Rubric:\n{rule}\n" in question
    shown = {json.dumps(material, ensure_ascii=False, separators=(",", ":")) for material in materials}
    assert all(any(text in question for question in asked) for text in shown)


def test_the_hash_changes_with_what_the_judge_sees_and_with_nothing_else():
    def hash_of(output="Ahoy!", cost=None, **golden):
        case = TestCase(Golden("Hi", id="g", **golden), Trajectory(output=output))
        return material_hash(Rubric("openai:x", "r", cache="").form.materials(case))

    assert hash_of() == hash_of(tags=["x"]) != hash_of("Ahoy")
    assert hash_of() != hash_of(context=["x"])


def test_a_run_without_a_judge_or_with_another_metric_says_so():
    run = rc.evaluate(lambda golden: "ok", dataset=[Golden("a", id="a", output_contains=["ok"])])
    assert judges_of(run.store, run.store.runs.get(run.id)) == []
    with pytest.raises(InputError, match="has no judged metric"):
        load_judged_run(run.store, run.id)
    run = evaluated(refund())
    with pytest.raises(InputError, match="did you mean 'refund'"):
        load_judged_run(run.store, run.id, "refnud")


def test_labels_are_beside_the_suite(tmp_path):
    run = evaluated(refund())
    stored = run.store.runs.get(run.id)
    assert label_folder(stored).path.resolve() == tmp_path / "labels"
    stored.run.versions["suite_file"] = "deep/suite.yaml"
    with pytest.raises(InputError, match="is not in this folder"):
        label_folder(stored)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "suite.yaml").touch()
    assert label_folder(stored).path.resolve() == tmp_path / "deep" / "labels"


def test_a_result_gives_the_rate_of_people_or_the_reason_why_not():
    run = rc.evaluate(
        lambda golden: golden.id,
        dataset=[Golden(f"order {n % 3}", id=f"g{n}") for n in range(24)],
        metrics=[refund(votes=1)],
    )
    rate = run.judged("refund")
    assert not rate and "0 labels" in rate.reason and rate.floor == 24
    assert not run.judged("other") and "no judged metric 'other'" in run.judged("other").reason
    judged = load_judged_run(run.store, run.id)
    session = LabelSession(run.store, judged, label_folder(judged.run), LabelSettings("ana"))
    for number, case in enumerate(session.open_cases()):
        session.answer(case, "pass" if number % 2 else "fail", rule="The refund is promised.")
    rate = run.judged("refund")
    assert (rate.labels, rate.cases, rate.rate) == (24, 24, pytest.approx(0.5))


def test_labels_chosen_by_one_judge_estimate_nothing_for_another():
    run = evaluated_many()
    label_all(run, run.id, 12)
    rescored, _, _ = asyncio.run(rescore_run(run.store, run.id, Scorer([refund(name="other")])))
    with pytest.raises(InputError, match="the plan's strata are of another judge"):
        rate_of(run, rescored)
    label_all(run, rescored, 12)  # answers that are there are taken over when the plan reaches them
    assert rate_of(run, rescored).rate.labels >= 8


@pytest.mark.parametrize(("threshold", "passes"), [(0.5, 10), (0.3, 20)])
def test_the_judge_s_own_rate_is_that_of_the_run_whatever_share_of_the_votes_decides(threshold, passes):
    run = evaluated_many(threshold=threshold)
    label_all(run, run.id, 30)
    assert rate_of(run, run.id).rate.judged == run.summary.overall.pass_rate == passes / 30


def evaluated_many(**words):
    goldens = [Golden(f"Refund order {n % 3}", id=f"g{n}") for n in range(30)]
    return rc.evaluate(lambda golden: f"{golden.id}: done", dataset=goldens, metrics=[refund(**words)])


def session_of(run, run_id: str, n: int = 48) -> LabelSession:
    judged = load_judged_run(run.store, run_id, "refund")
    return LabelSession(run.store, judged, label_folder(judged.run), LabelSettings("ana", n=n))


def label_all(run, run_id: str, n: int) -> None:
    session = session_of(run, run_id, n)
    for case in session.order:
        session.answer(case, "pass", rule="The refund is promised.")


def rate_of(run, run_id: str):
    session = session_of(run, run_id)
    return estimate_rate(session.judged, session.labels())


def test_a_case_that_was_labelled_by_hand_is_drawn_when_the_plan_reaches_it():
    run = evaluated_many()
    session = session_of(run, run.id)
    last = session.order[20]
    picked = LabelSession(run.store, session.judged, session.folder, LabelSettings("ana", cases=(last,)))
    picked.answer(last, "fail", rule="The refund is promised.")
    plan = session.judged.population, session.judged.judge_hash
    for number, case in enumerate(session.order[:25]):
        drawn = session.labels().plan_labels(*plan)
        assert (last in drawn) == (number > 21)  # with the answer to the case behind it
        if case != last:
            session.answer(case, "pass", rule="The refund is promised.")
    labels = session.labels()
    assert len(labels.plan_labels(*plan)) == 25 and labels.cases[last].word == "fail"
