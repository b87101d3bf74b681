"""The gate of a judged run, from the suite to the exit code: refused, labelled, decided; through every door."""

from __future__ import annotations

import json

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.decide.config import Gate, JudgePolicy
from rightcall.decide.label_rules import plan_name
from rightcall.metrics.judged.rubric import Rubric
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, ToolCall
from rightcall.records.label import Label
from rightcall.run.decisions import evidence_sentences
from rightcall.run.judged_run import load_judged_run
from rightcall.stats.label_plan import random_plan
from rightcall.store.labels import LabelFolder

RULE = "The refund is promised."
GOLDENS = [Golden(f"Refund order {number}", id=f"g{number}") for number in range(80)]
BAD = frozenset(range(0, 80, 20))
"""Orders whose answers people fail; the judge passes two of these four."""


def judge() -> ScriptedProvider:
    def decide(request):
        number = int(request.messages[0].content.split("Refund order ")[-1].split('"')[0])
        passed = number not in BAD or number % 40 == 0
        return ToolCall("give_verdict", {"verdict": "pass" if passed else "fail", "reason": "so"})

    return ScriptedProvider(decide, "judge")


def evaluated(gate, **options):
    metric = Rubric(judge(), RULE, votes=1, label="refund", cache="")
    return rc.evaluate(
        lambda golden: f"Done: {golden.input}", dataset=GOLDENS, metrics=[metric], gate=gate, **options
    )


def label(run, number: int = 48, **fields) -> None:
    """What people say about cases drawn at random from the run."""
    judged = load_judged_run(run.store, run.id, "refund")
    folder = LabelFolder("labels")
    rows = []
    for name in random_plan(judged.judgements, number).cases:
        case = judged.cases[name]
        passes = int(name[1:]) not in BAD
        plan = plan_name("random", judged.population)
        label_fields = {"plan": plan, "rule": case.target.rule, "label": ("fail", "pass")[passes], **fields}
        rows.append(
            Label(
                case.place,
                case.target.material,
                "refund",
                by="ann",
                at="2026-01-01T00:00:00Z",
                **label_fields,
            )
        )
    folder.add(rows, [RULE])


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_gate_refuses_then_labels_decide_it():
    run = evaluated(Gate(min=0.8))
    assert run.verdict.word == "INCONCLUSIVE" and "0 of 24 labels" in run.verdict.sentence
    assert f"rightcall judge label {run.id} --metric refund" in run.verdict.hint
    label(run)
    decided = rc.gate(run.id, min=0.8)
    assert decided.word == "PASS" and decided.checks[0].labels == 48
    assert rc.gate(run.id, min=0.999).word == "FAIL"
    (sentence,) = evidence_sentences(run.store, run.store.runs.get(run.id))
    assert sentence.startswith("refund: 48 labels: people pass")


def test_a_second_run_with_the_same_answers_is_decided_by_the_same_labels():
    label(evaluated(Gate(min=0.8)))
    again = evaluated(Gate(min=0.8))
    assert again.verdict.word == "PASS" and "48 labels" in again.verdict.sentence


def test_labels_of_another_rubric_are_stale():
    run = evaluated(Gate(min=0.8))
    label(run, rule="0" * 64)
    folder = LabelFolder("labels")
    rules = json.loads((folder.path / "rules.json").read_text())
    (folder.path / "rules.json").write_text(json.dumps({**rules, "0" * 64: "Another rubric."}))
    verdict = rc.gate(run.id, min=0.8)
    assert verdict.word == "INCONCLUSIVE" and "48 labels of another rubric" in verdict.sentence


def test_hand_picked_labels_decide_nothing():
    run = evaluated(Gate(min=0.8))
    label(run, plan="none")
    verdict = rc.gate(run.id, min=0.8)
    assert verdict.word == "INCONCLUSIVE" and "hand-picked" in verdict.sentence


@pytest.mark.parametrize(
    "allowing",
    [
        lambda: evaluated({"min": 0.8, "judges": {"uncalibrated": "allow"}}).verdict,
        lambda: evaluated(Gate(min=0.8, judges=JudgePolicy(uncalibrated="allow"))).verdict,
        lambda: rc.gate(evaluated(Gate(min=0.8)).id, min=0.8, uncalibrated="allow"),
    ],
)
def test_an_uncalibrated_judge_may_be_allowed_and_the_verdict_says_so(allowing):
    verdict = allowing()
    assert verdict.word == "PASS" and "judge not calibrated" in verdict.sentence
    assert verdict.uncalibrated == ("refund",)


def test_stopping_early_by_a_judges_own_rate_is_refused():
    with pytest.raises(ConfigError, match="labels decide at its end"):
        evaluated(Gate(min=0.8, target=0.9, stop="evalue"))


def test_a_run_without_a_gate_says_that_its_judge_is_not_calibrated():
    run = evaluated(None)
    assert run.verdict.word == "INCONCLUSIVE" and run.verdict.exit_code == 3
    assert "2 failed by a model; all wanted, but the judge is not proven" in run.verdict.sentence


def test_compare_never_claims_a_difference_that_only_a_judge_saw():
    def agent(golden):
        return "Done: Refund order 20"  # the judge fails it

    metric = Rubric(judge(), RULE, votes=1, label="refund", cache="")
    worse = rc.evaluate(agent, dataset=GOLDENS, metrics=[metric])
    better = evaluated(None)
    for runs in ((worse, better), (better, worse)):
        (compared,) = rc.compare(*runs)
        comparison = compared.comparison
        assert abs(comparison.difference) > 0.5
        assert comparison.change == "INCONCLUSIVE" and comparison.sentence.startswith("judged, not corrected")
        assert comparison.judges == ("refund",)
    (exact,) = rc.compare(worse, better, metric="overall")
    assert exact.comparison.judges == ()


def test_labelled_pairs_allow_a_claim():
    def agent(golden):
        return "Done: Refund order 20"  # judge and people fail it

    metric = Rubric(judge(), RULE, votes=1, label="refund", cache="")
    worse = rc.evaluate(agent, dataset=GOLDENS, metrics=[metric])
    better = evaluated(None)
    label(better)
    label(worse, label="fail")
    (compared,) = rc.compare(worse, better)
    assert compared.comparison.change == "IMPROVED" and compared.comparison.labelled.pairs == 48
    (compared,) = rc.compare(better, worse)
    assert compared.comparison.change == "REGRESSED"
    (compared,) = rc.compare(better, better, anyway=True, margin=0.2)
    assert compared.comparison.change == "NON_INFERIOR"
