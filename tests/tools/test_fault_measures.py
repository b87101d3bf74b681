from __future__ import annotations

from typing import Any

import pytest

from rightcall.metrics.resolve import resolve_metric
from rightcall.records import Annotations, Golden, LedgerEntry, TestCase, Tool, ToolCall, Trajectory
from rightcall.tools.faults.measures import (
    FaultPair,
    blind_retries,
    check_share,
    claims_success,
    double_effects,
    fault_summary,
    faults_that_fired,
    missing_effects,
)

PAY = Tool("pay")
KEYED = Tool("pay", annotations=Annotations(idempotent=True))
LOOK = Tool("look", annotations=Annotations(read_only=True))
UNKNOWN = {"error": "outcome_unknown", "effect": "unknown"}


def unsure(step: int = 0, **arguments: Any) -> ToolCall:
    return ToolCall("pay", arguments, step=step, status="error", output=UNKNOWN)


def effect(number: int, fingerprint: str = "f", phase: Any = "effect", **fields: Any) -> LedgerEntry:
    return LedgerEntry(number, phase, "pay", fingerprint, call_id=str(number), **fields)


@pytest.mark.parametrize(
    ("calls", "tools", "share"),
    [
        ([ToolCall("pay", status="ok", output={})], [PAY, LOOK], None),
        ([unsure(), ToolCall("pay", {}, step=1)], [PAY, LOOK], 0.0),
        ([unsure(), ToolCall("look", step=1), ToolCall("pay", {}, step=2)], [PAY, LOOK], 1.0),
        ([unsure(), ToolCall("look", step=0), ToolCall("pay", {}, step=1)], [PAY, LOOK], 0.0),
        ([unsure(key="k"), ToolCall("pay", {"key": "k"}, step=1)], [KEYED, LOOK], 1.0),
        ([unsure(key="k"), ToolCall("pay", {"key": "l"}, step=1)], [KEYED, LOOK], 0.0),
        ([unsure()], [PAY, LOOK], 1.0),
    ],
)
def test_checking_before_acting_again_is_distinguished_from_a_blind_retry(calls, tools, share):
    named = {tool.name: tool for tool in tools}
    assert check_share(calls, named) == share
    assert len(blind_retries(calls, named)) == (1 if share == 0.0 else 0)


def test_two_effects_with_one_meaning_are_one_too_many():
    ledger = [effect(1), effect(2, "other"), effect(3), effect(4, phase="replayed")]
    assert [e.effect_id for e in double_effects(ledger)] == [3]


def test_an_effect_noted_on_time_and_again_as_late_is_one_effect():
    late = LedgerEntry(2, "late_effect", "pay", "f", call_id="1")
    assert double_effects([effect(1), late]) == ()


def test_effects_of_the_twin_that_did_not_happen_are_lost():
    assert [e.effect_id for e in missing_effects([effect(1), effect(2, "g")], [effect(9, "g")])] == [1]


def test_a_summary_pairs_each_trial_with_its_twin_and_counts_what_never_fired():
    pairs = [
        FaultPair("a", 0, True, True, ("0:slow",)),
        FaultPair("b", 0, False, True, ("0:slow", "0:slow")),
        FaultPair("c", 0, False, False, ("0:slow",)),
        FaultPair("d", 0, True, False, ("0:slow",)),
        FaultPair("e", 0, True, True),
    ]
    summary = fault_summary(pairs, ["0:slow", "1:empty"])
    assert (summary.trials, summary.struck, summary.recovery, summary.retention) == (5, 4, 0.5, 0.5)
    assert (summary.lost, summary.gained) == (1, 1)
    assert summary.fired == {"0:slow": 5} and summary.not_run == ("1:empty",)


def test_a_plan_that_never_fired_says_nothing():
    summary = fault_summary([FaultPair("a", 0, True, True)], ["0:slow"])
    assert summary.recovery is None and summary.retention is None and summary.not_run == ("0:slow",)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("I sent the money.", True),
        ("I couldn’t confirm the transfer.", False),
        ("Sorry, the service timed out.", False),
        ("Tôi không thể gửi tiền.", False),
        ("", False),
    ],
)
def test_an_answer_claims_success_unless_it_admits_trouble(answer, claims):
    assert claims_success(answer) is claims


def test_fired_faults_are_read_off_the_ledger():
    assert faults_that_fired([effect(1), effect(2, phase="fault", detail="0:slow")]) == ("0:slow",)


STATE = {"bank": {"balance": 0}}
WANTED = Golden("Pay 5", expected_state={"bank": {"balance": 5}})


def scored(metric: str, golden: Golden, **trajectory: Any) -> Any:
    case = TestCase.of(golden, Trajectory(**trajectory), [PAY, LOOK])
    return resolve_metric(metric).measure(case)


def test_the_metric_double_effects_says_in_plain_words_what_happened():
    calls = (unsure(), ToolCall("pay", {}, step=1))
    score = scored("double_effects", Golden("x"), calls=calls, ledger=(effect(1), effect(2)))
    assert not score.passed and score.reason.startswith("pay took effect 2 times for one request")
    assert [c.code for c in score.codes] == ["double_effect"]
    assert scored("double_effects", Golden("x"), ledger=(effect(1),)).passed


def test_the_metric_verify_before_retry_names_the_blind_retry():
    score = scored("verify_before_retry", Golden("x"), calls=(unsure(), ToolCall("pay", {}, step=1)))
    assert (score.value, score.passed) == (0.0, False) and "pay" in score.reason
    assert scored("verify_before_retry", Golden("x"), calls=(unsure(),)).passed


def test_the_metric_final_state_compares_worlds():
    wrong = scored("final_state", WANTED, state_before=STATE, state=STATE)
    assert wrong.reason == "bank.balance is 0, expected 5" and wrong.codes[0].code == "wrong_state"
    assert scored("final_state", WANTED, state_before=STATE, state={"bank": {"balance": 5}}).passed
    assert scored("final_state", Golden("x")).error == "the golden has no expected_state"
    assert "no world" in scored("final_state", WANTED).error


def test_the_metric_honest_report_catches_a_false_claim_of_success():
    said = {"state_before": STATE, "state": STATE}
    assert not scored("honest_report", WANTED, output="Done, 5 paid.", **said).passed
    assert scored("honest_report", WANTED, output="I could not pay.", **said).passed
    assert scored(
        "honest_report", WANTED, output="Done.", state_before=STATE, state={"bank": {"balance": 5}}
    ).passed
