from __future__ import annotations

import pytest

from rightcall.core.errors import ConfigError
from rightcall.tools.definitions.validate import check_schema
from rightcall.tools.faults.measures import double_effects
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.bank import Bank
from rightcall.tools.worlds.base import make_world, worlds
from rightcall.tools.worlds.mailbox import Mailbox
from tests.support.worlds import Accounts, FileTree
from tests.tools.helpers import a_call, invoke, invoke_all

ACCOUNTS = {"a1": {"owner": "An", "balance": 1_000}, "b1": {"owner": "Binh", "balance": 0}}


def a_bank(**settings: object) -> Toolbox:
    return Toolbox([Bank({"accounts": ACCOUNTS}, **settings)], clock=VirtualClock())


def transfer(key: str = "k", cents: int = 300) -> object:
    return a_call("transfer", source="a1", target="b1", cents=cents, idempotency_key=key)


def test_every_trial_has_its_own_world():
    box = a_bank()
    first = box.context(trial=0)
    second = box.context(trial=1)
    invoke(box, transfer(), first)
    assert first.state()["bank"]["accounts"]["b1"]["balance"] == 300
    assert second.state()["bank"]["accounts"]["b1"]["balance"] == 0
    assert ACCOUNTS["b1"]["balance"] == 0


def test_a_transfer_is_seen_in_balances_list_and_ledger():
    box = a_bank()
    context = box.context()
    made = invoke_all(
        box,
        transfer(),
        a_call("get_balance", account="a1"),
        a_call("list_transfers", account="b1"),
        context=context,
    )
    assert made[1].call.output["balance"] == 700
    assert made[2].call.output["transfers"] == [made[0].call.output]
    assert [e.tool for e in context.ledger.effects()] == ["transfer"]


def test_the_same_transfer_under_another_key_is_a_double_effect():
    box = a_bank()
    context = box.context()
    invoke_all(box, transfer("k"), transfer("k"), transfer("other"), context=context)
    assert context.state()["bank"]["accounts"]["b1"]["balance"] == 600
    assert [e.key for e in double_effects(context.ledger.entries)] == ["/" + "/0:transfer:other"]


def test_without_keys_every_call_is_done():
    box = a_bank(idempotent=False)
    schema = next(t for t in box.tools if t.name == "transfer").input_schema
    assert "idempotency_key" not in schema["properties"]
    context = box.context()
    calls = [a_call("transfer", source="a1", target="b1", cents=300) for _ in range(2)]
    invoke_all(box, *calls, context=context)
    assert context.state()["bank"]["accounts"]["b1"]["balance"] == 600


def test_a_refused_transfer_has_no_effect_and_says_why():
    box = a_bank()
    context = box.context()
    made = invoke(box, transfer(cents=5_000), context)
    assert made.error.error == "precondition_failed" and "1000 cents" in made.error.detail
    assert context.ledger.effects() == ()


def test_a_stale_version_is_refused_with_the_current_one_also_when_the_text_is_the_old_again():
    box = Toolbox([FileTree({"files": {"a.txt": "one"}, "versions": {"a.txt": 1}})], clock=VirtualClock())
    context = box.context()

    def write(text: str, version: int) -> object:
        return a_call("write_file", path="a.txt", text=text, expected_version=version)

    made = invoke_all(
        box, write("two", 1), write("one", 2), write("mine", 1), write("mine", 3), context=context
    )
    assert [i.outcome for i in made] == ["ok", "ok", "failed", "ok"]
    assert made[2].error.error == "precondition_failed" and "the current version is 3" in made[2].error.detail
    assert made[2].error.hint.endswith("expected_version = 3")
    assert context.state()["file_tree"]["files"] == {"a.txt": "mine"}


def test_check_then_act_says_whether_it_acted_and_only_then_is_there_an_effect():
    box = Toolbox([Mailbox({"inbox": {"m1": {"sender": "a", "subject": "b", "body": "c"}}})])
    context = box.context()
    first, second = invoke_all(
        box, *(a_call("delete_message", message_id="m1") for _ in range(2)), context=context
    )
    assert (first.call.output["action_taken"], second.call.output["action_taken"]) == (True, False)
    assert len(context.ledger.effects()) == 1


def test_ending_a_session_leaves_the_account_alone():
    users = {"u1": {"name": "Lan", "email": "l@example.com", "status": "active", "sessions": 2}}
    box = Toolbox([Accounts({"users": users})])
    context = box.context()
    invoke(box, a_call("deactivate_user_session", user_id="u1", reason="user_request"), context)
    assert context.state()["accounts"]["users"]["u1"] == {**users["u1"], "sessions": 0}


@pytest.mark.parametrize("name", worlds())
def test_the_tools_of_every_world_are_well_made(name):
    for made in make_world(name).tools():
        check_schema(made.tool)
        assert made.tool.description
        assert made.tool.annotations.read_only or made.tool.annotations.destructive is not None
        described = [s.get("description") for s in made.tool.parameters.values()]
        assert all(described), made.name


@pytest.mark.parametrize("name", worlds())
def test_an_unknown_part_of_a_worlds_state_is_refused(name):
    with pytest.raises(ConfigError, match="unknown part 'colour'"):
        make_world(name, {"colour": "blue"})


def test_an_unknown_world_is_refused_with_a_suggestion():
    with pytest.raises(ConfigError, match="did you mean 'mailbox'"):
        make_world("mail_box")


def test_a_mock_may_stand_in_for_a_tool_of_a_world():
    box = Toolbox([Bank({"accounts": ACCOUNTS})], mocks={"get_balance": {"result": {"balance": 7}}})
    assert invoke(box, a_call("get_balance", account="a1")).call.output == {"balance": 7}
