"""A recording served in this process: the recorded answers in turn, nothing invented, strict both ways."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings

from rightcall.limbs.contracts.replay_server import ReplayServer
from rightcall.limbs.contracts.tool_comparison import IgnoredPaths
from rightcall.limbs.contracts.verification import VerifyRules, compare_versions, recorded_version
from rightcall.recording.mcp.session import ToolListChange
from tests.limbs.contracts.sessions import SHOP, Client, record_again, sessions, without_times
from tests.support.examples import examples


@settings(max_examples=examples(400))
@given(sessions())
def test_recording_a_served_recording_gives_it_back(session):
    assert without_times(record_again(session)) == without_times(session)


@settings(max_examples=examples(400))
@given(sessions())
def test_a_served_recording_is_compatible_with_itself_without_a_line(session):
    rules = VerifyRules(ignored=IgnoredPaths(()), writes=("*",))
    result = compare_versions(session, recorded_version(record_again(session), session), rules)
    assert result.verdict == "compatible" and result.listing == ()
    assert [change for tool in result.tools for change in tool.changes] == []
    assert result.verified == result.calls == len(session.calls)


def test_definitions_name_version_and_instructions_are_the_recorded_ones():
    client = Client(ReplayServer(SHOP))
    assert json.dumps(client.list()) == json.dumps(list(SHOP.tools))
    assert client.ask("initialize", {"protocolVersion": "2025-11-25"})["result"] == SHOP.server
    older = client.ask("initialize", {"protocolVersion": "2024-11-05"})["result"]
    assert older["protocolVersion"] == "2024-11-05"


def test_equal_calls_are_answered_in_turn_and_then_with_the_last_answer_for_each_client():
    server = ReplayServer(SHOP)
    for client in (Client(server), Client(server)):
        texts = [
            client.call("get_status", {"order": "1017"})["result"]["content"][0]["text"] for _ in range(3)
        ]
        assert ["packing" in texts[0], "sent" in texts[1], texts[1] == texts[2]] == [True] * 3


def test_errors_of_tool_and_protocol_are_told_apart():
    client = Client(ReplayServer(SHOP))
    assert client.call("get_status", {"order": "0"})["result"]["isError"] is True
    assert client.call("get_status", {"order": ""})["error"]["message"] == "order must not be empty"
    assert client.call("no_such_tool", {})["error"]["code"] == -32602
    assert client.ask("resources/read", {"uri": "x"})["error"]["code"] == -32601


def test_a_call_that_is_not_recorded_names_the_nearest_one():
    reply = Client(ReplayServer(SHOP)).call("get_status", {"order": "1018"})["result"]
    said = json.loads(reply["content"][0]["text"])
    assert reply["isError"] is True and said["error"] == "not_recorded" and said["tool"] == "get_status"
    assert said["nearest"] == {"argument": "order", "recorded": "1017", "asked": "1018"}
    assert said["recorded"] == [{"order": "1017"}, {"order": "0"}, {"order": ""}]


def test_a_list_that_changed_is_announced_after_the_same_number_of_calls():
    session = replace(SHOP, changes=(ToolListChange(2, SHOP.tools[:1]),))
    client = Client(ReplayServer(session))
    client.call("get_status", {"order": "1017"})
    assert len(client.list()) == 3 and not client.announced
    client.call("get_status", {"order": "1017"})
    assert client.announced == ["notifications/tools/list_changed"] and len(client.list()) == 1


ALL = [(call.name, call.arguments) for call in SHOP.calls]


@pytest.mark.parametrize(
    ("calls", "in_order", "problems"),
    [
        (ALL, True, []),
        ([*ALL, ALL[1]], True, []),  # past the last answer, the last again
        (ALL[:-1], False, ['recorded, but never called: cancel_order {"id":"1017"}']),
        ([*ALL, ("get_status", {"order": "9"})], False, ['not recorded: get_status {"order":"9"}']),
        (ALL[::-1], False, []),
        ([ALL[5], *ALL[:5]], True, ["another order: get_order"]),
        ([], False, ["no call was made", *["recorded, but never called"] * 6]),
    ],
)
def test_strict_names_every_call_that_is_missing_or_too_many(calls, in_order, problems):
    server = ReplayServer(SHOP)
    client = Client(server)
    for name, arguments in calls:
        client.call(name, arguments)
    reported = server.log.problems(SHOP, strict=True, in_order=in_order)
    assert len(reported) == len(problems)
    assert all(line.startswith(start) for line, start in zip(reported, problems, strict=True))


@pytest.mark.parametrize(
    "message",
    [[], 1, None, {}, {"id": 1}, {"id": 1, "method": 5}, {"id": 1, "method": "tools/call", "params": 3},
     {"id": 1, "method": "tools/call", "params": {"name": 1}}, {"id": [], "method": "ping"},
     {"id": 1, "method": "tools/call", "params": {"name": "get_order", "arguments": []}}],
)  # fmt: skip
def test_odd_messages_do_not_end_a_server(message):
    client = Client(ReplayServer(SHOP))
    client.client.replies(message)
    assert client.ask("ping")["result"] == {}
