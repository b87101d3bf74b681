from __future__ import annotations

import hashlib
import random
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from rightcall.core.codec import encode
from rightcall.core.errors import ConfigError, InputError
from rightcall.records import ToolCall
from rightcall.tools.definitions.function import tool
from rightcall.tools.faults.inject import damage_result
from rightcall.tools.faults.measures import double_effects, faults_that_fired, in_plain_words
from rightcall.tools.faults.plan import (
    FAULT_TYPES,
    PHASES,
    Fault,
    FaultPlan,
    ResultFault,
    load_plan,
    read_plan,
)
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.errors import Aborted
from rightcall.tools.runtime.policy import ToolRules
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.bank import Bank
from tests.support.examples import examples
from tests.tools.helpers import a_box, a_call, invoke, invoke_all

ACCOUNTS = {"a1": {"owner": "An", "balance": 1_000}, "b1": {"owner": "Binh", "balance": 50}}


def a_bank(*faults: Fault, idempotent: bool = True, **plan: Any) -> Toolbox:
    bank = Bank({"accounts": ACCOUNTS}, idempotent=idempotent)
    return Toolbox([bank], clock=VirtualClock(), faults=FaultPlan(faults, **plan))


def transfer(key: str | None = "k") -> ToolCall:
    arguments = {"source": "a1", "target": "b1", "cents": 300}
    return a_call("transfer", **arguments, **({"idempotency_key": key} if key else {}))


def balance() -> ToolCall:
    return a_call("get_balance", account="b1")


def struck(kind: str, call: ToolCall, **settings: Any) -> tuple[Invocation, Any]:
    box = a_bank(Fault(kind, **settings))
    context = box.context(task="t")
    return invoke(box, call, context), context


@pytest.mark.parametrize(
    ("kind", "outcome", "error", "effects"),
    [
        ("timeout_before", "unknown", "outcome_unknown", 0),
        ("timeout_after_effect", "unknown", "outcome_unknown", 1),
        ("reset_after_effect", "unknown", "outcome_unknown", 1),
        ("rate_limit", "failed", "rate_limited", 0),
        ("error_5xx_before", "failed", "upstream_error", 0),
        ("error_5xx_after", "unknown", "upstream_error", 1),
        ("permission_revoked", "failed", "permission_denied", 0),
        ("malformed_json", "ok", "result_malformed", 1),
        ("truncated", "ok", "result_malformed", 1),
        ("schema_drift", "ok", None, 1),
        ("empty", "ok", None, 1),
        ("wrong_value", "ok", None, 1),
        ("slow", "ok", None, 1),
        ("duplicate_delivery", "ok", None, 1),
    ],
)
def test_each_fault_on_a_write_and_what_the_model_reads(kind, outcome, error, effects):
    made, context = struck(kind, transfer())
    assert made.outcome == outcome and (made.error.error if made.error else None) == error
    assert len(context.ledger.effects()) == effects
    assert faults_that_fired(context.ledger.entries) == (f"0:{kind}",) == made.faults
    if outcome == "unknown":
        assert "again" not in made.error.hint and made.error.hint.startswith("call list_transfers")


@pytest.mark.parametrize(
    "kind", ["timeout_before", "timeout_after_effect", "reset_after_effect", "error_5xx_after"]
)
def test_a_read_that_loses_its_answer_has_only_failed(kind):
    made, _ = struck(kind, balance())
    assert made.outcome == "failed" and made.error.effect == "none" and made.error.retry == "same_key"


@pytest.mark.parametrize(
    ("kind", "settings", "output"),
    [
        ("schema_drift", {}, {"accountValue": "b1", "ownerValue": "Binh", "balanceValue": "50"}),
        ("empty", {}, {}),
        ("wrong_value", {"path": "balance", "value": 51}, {"account": "b1", "owner": "Binh", "balance": 51}),
    ],
)
def test_a_damaged_result_looks_like_a_result(kind, settings, output):
    made, _ = struck(kind, balance(), **settings)
    assert made.call.output == output and made.error is None


def test_a_lie_is_plausible_and_the_same_for_the_same_seed():
    lies = {struck("wrong_value", balance(), path="balance")[0].call.output["balance"] for _ in range(3)}
    assert len(lies) == 1 and lies != {50}


def test_a_slow_call_takes_its_time_on_the_clock_and_one_too_slow_is_unknown():
    box = a_bank(Fault("slow", seconds=20))
    before = box._clock.now()
    assert invoke(box, transfer()).outcome == "ok" and box._clock.now() == before + 20
    made, context = struck("slow", transfer(), seconds=31)
    assert made.outcome == "unknown" and len(context.ledger.effects()) == 1


def test_trials_do_not_see_each_other_wait_and_waiting_counts_as_latency():
    box = Toolbox([Bank({"accounts": ACCOUNTS})], faults=FaultPlan((Fault("slow", seconds=20),)))
    first = box.context(trial=0)
    second = box.context(trial=1)
    made = invoke(box, transfer(), first)
    assert 20_000 <= made.call.latency_ms < 25_000
    assert first.clock.now() == second.clock.now() + 20


def test_a_call_delivered_twice_is_done_once_with_a_key_and_twice_without():
    for idempotent, effects in ((True, 1), (False, 2)):
        box = a_bank(Fault("duplicate_delivery"), idempotent=idempotent)
        context = box.context()
        invoke(box, transfer("k" if idempotent else None), context)
        assert len(context.ledger.effects()) == effects


def test_a_key_that_ran_out_makes_a_repetition_a_second_effect():
    box = a_bank(Fault("key_expired", nth=2))
    context = box.context()
    invoke_all(box, transfer(), transfer(), context=context)
    assert len(double_effects(context.ledger.entries)) == 1
    phases = [e.phase for e in context.ledger.entries]
    assert phases == ["effect", "fault", "key_expired_reuse", "effect"]


def test_faults_are_chosen_by_tool_number_and_arguments_and_only_so_often():
    box = a_bank(
        Fault("empty", "get_balance", nth=(2, 3), when={"account": "b1"}),
        Fault("empty", ("get_balance", "list_transfers"), when={"account": "a1"}, max_fires=1),
    )
    accounts = ["b1", "b1", "a1", "b1", "a1"]
    made = invoke_all(box, *(a_call("get_balance", account=a) for a in accounts))
    assert [bool(i.faults) for i in made] == [False, True, True, False, False]


def blind(box: Toolbox, *, key: str | None, again: str | None) -> Any:
    """An agent that repeats a transfer as soon as it does not answer."""
    context = box.context(task="t")
    first = invoke(box, transfer(key), context)
    assert first.outcome == "unknown"
    second = invoke(box, transfer(again), context)
    return context, [first.call, second.call]


def test_a_blind_retry_without_idempotency_is_caught_with_two_effects_and_said_in_plain_words():
    box = a_bank(Fault("timeout_after_effect", "transfer", nth=1), idempotent=False)
    context, calls = blind(box, key=None, again=None)
    assert context.state()["bank"]["accounts"]["b1"]["balance"] == 650
    words = in_plain_words(calls, context.ledger.entries, {t.name: t for t in box.tools})
    assert words == (
        "transfer took effect 2 times for one request: the agent repeated transfer without finding out "
        "whether it had happened"
    )


def test_the_same_blind_retry_with_its_key_has_one_effect():
    box = a_bank(Fault("timeout_after_effect", "transfer", nth=1))
    context, calls = blind(box, key="k", again="k")
    assert context.state()["bank"]["accounts"]["b1"]["balance"] == 350
    assert calls[1].status == "ok" and double_effects(context.ledger.entries) == ()


def test_a_blind_retry_with_a_new_key_is_the_agents_fault_and_is_seen():
    box = a_bank(Fault("timeout_after_effect", "transfer", nth=1))
    context, calls = blind(box, key="k", again="k2")
    assert len(double_effects(context.ledger.entries)) == 1
    assert "2 times" in in_plain_words(calls, context.ledger.entries, {t.name: t for t in box.tools})


def transcript(box: Toolbox, trial: int = 0) -> str:
    context = box.context(run="r", task="t", trial=trial)
    made = invoke_all(
        box, *(call for n in range(6) for call in (transfer(f"k{n}"), balance())), context=context
    )
    told = [(i.outcome, i.call.output, i.faults) for i in made]
    return hashlib.sha256(encode([told, context.ledger.entries, context.state()])).hexdigest()


RANDOM = (Fault("wrong_value", probability=0.5), Fault("timeout_after_effect", "transfer", probability=0.3))


def test_the_same_seed_gives_the_same_transcript_and_another_seed_another(monkeypatch):
    monkeypatch.setattr("tests.tools.helpers._ids", iter(range(10_000)))
    transcripts = {seed: transcript_with_ids(seed) for seed in (1, 2, 3)}
    assert transcripts == {seed: transcript_with_ids(seed) for seed in (1, 2, 3)}
    assert len(set(transcripts.values())) == 3


def transcript_with_ids(seed: int) -> str:
    import itertools

    from tests.tools import helpers

    helpers._ids = itertools.count()
    return transcript(a_bank(*RANDOM, seed=seed))


def test_an_empty_plan_changes_not_a_byte():
    import itertools

    from tests.tools import helpers

    helpers._ids = itertools.count()
    plain = transcript(Toolbox([Bank({"accounts": ACCOUNTS})], clock=VirtualClock()))
    helpers._ids = itertools.count()
    assert transcript(a_bank()) == plain


def test_a_plans_hash_depends_on_what_it_says():
    one, same, other = (FaultPlan((Fault("slow", seconds=s),)) for s in (1.0, 1, 2))
    assert one.hash == same.hash != other.hash


def test_every_type_has_its_place():
    assert set(PHASES) == set(FAULT_TYPES)


def test_a_fault_of_the_result_without_a_case_is_an_error():
    for type in get_args(ResultFault):
        damage_result(Fault(type), {"a": 1}, random.Random(0))
    with pytest.raises(NotImplementedError, match="a_new_one"):
        damage_result(replace(Fault("slow"), type="a_new_one"), {"a": 1}, random.Random(0))


@pytest.mark.parametrize("phase", ["before", "after"])
def test_a_fault_of_a_call_without_a_case_strikes_as_no_other_one(monkeypatch, phase):
    monkeypatch.setitem(PHASES, "a_new_one", phase)
    bank = Bank({"accounts": {"a1": {"owner": "Ann", "balance": 5}}})
    box = Toolbox(
        [bank], faults=FaultPlan((replace(Fault("slow"), type="a_new_one"),)), rules=ToolRules(strict=True)
    )
    with pytest.raises(Aborted, match="no case for the fault a_new_one"):
        invoke(box, a_call("get_balance", account="a1"))


def test_a_plan_is_read_from_a_file(tmp_path: Path):
    path = tmp_path / "faults.yaml"
    path.write_text("seed: 7\nfaults:\n  - {type: rate_limit, tool: [transfer], seconds: 20}\n")
    plan = load_plan(path)
    assert plan == FaultPlan((Fault("rate_limit", ("transfer",), seconds=20.0),), seed=7)
    assert read_plan([{"type": "slow"}], "here") == FaultPlan((Fault("slow"),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("faults: [{type: timeout}]", "faults[0].type must be one of"),
        ("faults: [{type: slow, probability: 2}]", "probability"),
        ("faults: [{type: slow, secs: 2}]", "did you mean 'seconds'"),
        ("{", "not valid YAML"),
        ("7", "got a number"),
    ],
)
def test_a_plan_with_a_mistake_says_where(tmp_path: Path, text, told):
    path = tmp_path / "faults.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_plan(path)
    assert told in str(error.value) and "faults.yaml" in str(error.value)


def test_a_plan_for_tools_that_do_not_exist_is_refused_before_the_run():
    with pytest.raises(ConfigError, match=r"faults\[0\].tool: no such tool 'tranfer'; did you mean"):
        a_bank(Fault("slow", "tranfer"))


operations = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=10)
anything = st.lists(
    st.builds(
        Fault,
        type=st.sampled_from([t for t in FAULT_TYPES if t != "key_expired"]),
        nth=st.one_of(st.just(()), st.integers(1, 6)),
        probability=st.sampled_from([0.3, 1.0]),
    ),
    max_size=4,
)


@settings(max_examples=examples(80), deadline=None)
@given(operations, anything, st.integers(0, 1_000))
def test_whatever_breaks_an_agent_that_keeps_its_keys_does_nothing_twice(asked, faults, seed):
    done: list[int] = []

    @tool(destructive=True, idempotency="key")
    async def pay(intent: int) -> dict:
        done.append(intent)
        return {"paid": intent}

    box = a_box(pay, faults=FaultPlan(tuple(faults), seed=seed))
    context = box.context(run="r", task="t")
    calls = [
        a_call("pay", intent=intent, idempotency_key=f"i{intent}") for intent, n in asked for _ in range(n)
    ]
    made = invoke_all(box, *calls, context=context)
    assert len(done) == len(set(done)) <= len({intent for intent, _ in asked})
    assert len(context.ledger.effects()) == len(done)
    assert all(i.outcome in ("ok", "rejected", "failed", "unknown") for i in made)
    assert not any(i.error and i.error.effect == "unknown" and "again" in i.error.hint for i in made)
