"""Roles of tools: which bring foreign text in, which have effects, and who says so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.records.tool import Annotations, Tool
from rightcall.records.tool_roles import RolePlan
from rightcall.schema.effects import effect_of
from rightcall.schema.roles.derivation import flows_of, tool_roles, toolset_roles
from tests.support.examples import examples


def a_tool(name: str, *parameters: str, **fields) -> Tool:
    """A tool whose parameters are texts: `to`, or of another type: `amount:number`, `cc:list`."""
    properties = {}
    for parameter in parameters:
        word, _, kind = parameter.partition(":")
        listed = {"type": "array", "items": {"type": "string"}}
        properties[word] = listed if kind == "list" else {"type": kind or "string"}
    return Tool(name, input_schema={"type": "object", "properties": properties}, **fields)


SINKS = [
    (a_tool("transfer", "source", "target", "cents:integer"), ["money", "send"]),
    (a_tool("schedule_payment", "recipient", "amount:number"), ["money", "send"]),
    (a_tool("transfer_to_human", "summary"), ["write"]),
    (a_tool("reserve_table", "restaurant"), ["commit"]),
    (a_tool("delete_customer", "email"), ["destroy"]),
    (a_tool("remove_member", "user"), ["destroy"]),
    (a_tool("send_message", "to", "body"), ["send"]),
    (a_tool("create_meeting", "title", "participants:list"), ["send"]),
    (a_tool("share_document", "document_id", "email", "permission"), ["send", "grant"]),
    (a_tool("update_password", "password"), ["grant"]),
    (a_tool("add_user_to_project", "user", "project"), ["grant"]),
    (a_tool("execute_query", "sql"), ["exec"]),
    (a_tool("run_command", "command"), ["exec"]),
    (a_tool("read_page", "url"), ["egress"]),
    (a_tool("web_search", "query"), ["egress"]),
    (a_tool("search_orders", "query"), []),
    (a_tool("write_note", "text"), ["write"]),
    (a_tool("think", "thought"), []),
    (a_tool("AcmeBillingGateway", "record"), ["write"]),
    (a_tool("get_balance", "account"), []),
]


@pytest.mark.parametrize(("tool", "sinks"), SINKS, ids=lambda value: getattr(value, "name", ""))
def test_sinks(tool, sinks):
    assert list(tool_roles(tool).sinks) == sinks


@pytest.mark.parametrize(
    ("tool", "external", "private"),
    [
        (a_tool("read_message", "id"), True, True),
        (a_tool("read_page", "url"), True, False),
        (a_tool("get_balance"), False, True),
        (a_tool("list_reviews", "product"), True, False),
        (a_tool("AcmeGateway", "record"), True, False),
        (a_tool("get_rate", annotations=Annotations(open_world=True)), True, False),
        (a_tool("get_rate"), False, False),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_sources(tool, external, private):
    roles = tool_roles(tool)
    assert (roles.source, roles.external, roles.private) == (True, external, private)


def test_a_result_without_free_text_is_no_source():
    schema = {
        "type": "object",
        "properties": {"celsius": {"type": "number"}, "sky": {"enum": ["clear", "rain"]}},
    }
    assert not tool_roles(a_tool("get_message_count", output_schema=schema)).source
    schema["properties"]["remark"] = {"type": "string"}
    assert tool_roles(a_tool("get_message_count", output_schema=schema)).external


def test_an_annotation_raises_a_role_and_does_not_talk_one_away():
    read_only = Annotations(read_only=True)
    assert tool_roles(a_tool("delete_file", "path", annotations=read_only)).sinks == ("destroy",)
    assert tool_roles(a_tool("AcmeGateway", "to", annotations=read_only)).sinks == ("send",)
    assert tool_roles(a_tool("weather", "city", annotations=read_only)).sinks == ()
    assert tool_roles(a_tool("lookup_user", annotations=Annotations(destructive=True))).sinks == ("write",)


def test_every_role_has_a_reason_and_a_plan_overrides_it():
    plan = RolePlan(sources={"get_rate": "external"}, sinks={"post_note": "send"}, not_=["write_log"])
    roles = toolset_roles(
        [a_tool("get_rate"), a_tool("post_note", "text"), a_tool("write_log", "text")], plan
    )
    assert roles["get_rate"].external and roles["post_note"].sinks == ("send",)
    assert not roles["write_log"].sinks and not roles["write_log"].source
    assert [reason.by for tool in roles.values() for reason in tool.reasons] == ["plan"] * 3


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (RolePlan(sinks={"post_nte": "send"}), "roles.sinks: no tool 'post_nte'; did you mean 'post_note'?"),
        (RolePlan(identity={"user": "u"}), "roles.identity: no parameter 'user'"),
    ],
)
def test_a_plan_that_names_nothing_is_an_error(plan, message):
    with pytest.raises(InputError) as raised:
        toolset_roles([a_tool("post_note", "text")], plan)
    assert message in str(raised.value)


def test_parameters_inside_objects_lists_and_references_have_classes():
    schema = {
        "type": "object",
        "properties": {
            "to": {"type": "array", "items": {"$ref": "#/$defs/person"}},
            "mode": {"enum": ["fast", "slow"]},
            "share_token": {"type": ["string", "null"]},
        },
        "$defs": {
            "person": {
                "type": "object",
                "properties": {"email": {"type": "string"}, "again": {"$ref": "#/$defs/person"}},
            }
        },
    }
    parameters = tool_roles(Tool("invite", input_schema=schema)).parameters
    assert parameters["to.email"] == ("destination",)
    assert parameters["mode"] == ("choice",)
    assert parameters["share_token"] == ("credential",)


def test_flows_need_an_external_source_a_private_one_and_a_way_out():
    tools = [a_tool("read_page", "url"), a_tool("get_profile"), a_tool("send_mail", "to", "body")]
    flows = flows_of(toolset_roles(tools))
    assert flows.open and list(flows.sinks) == ["read_page", "send_mail"]
    closed = flows_of(toolset_roles(tools[1:2]))
    assert not closed.open and closed.missing == "external source and no send or egress sink"


TOKENS = st.sampled_from(
    [
        "get",
        "delete",
        "send",
        "acme",
        "file",
        "mail",
        "user",
        "url",
        "to",
        "amount",
        "sql",
        "run",
        "page",
        "token",
        "x",
        "9",
        "é",
    ]
)
NAMES = st.lists(TOKENS, min_size=1, max_size=4).map("_".join)


@settings(max_examples=examples(60))
@given(
    NAMES,
    st.lists(NAMES, max_size=4),
    st.sampled_from([None, True, False]),
    st.sampled_from([None, True, False]),
)
def test_hints_of_a_server_never_make_a_tool_with_something_to_send_pay_or_run_harmless(
    name, parameters, reads, opens
):
    plain = tool_roles(a_tool(name, *parameters))
    hinted = tool_roles(a_tool(name, *parameters, annotations=Annotations(read_only=reads, open_world=opens)))
    strong = set(plain.sinks) - {"write", "egress"}
    assert strong <= set(hinted.sinks)
    assert not plain.external or hinted.external or opens is False or reads is True
    assert {reason.role for reason in hinted.reasons} >= set(hinted.sinks)


@pytest.mark.parametrize(
    ("name", "hints", "trusted", "untrusted"),
    [
        ("update_label", {"read_only": True}, "read", "update"),
        ("label", {"read_only": True}, "read", "unknown"),
        ("get_label", {"destructive": True}, "update", "update"),
        ("label", {"destructive": True}, "update", "unknown"),
        ("create_label", {"destructive": True}, "create", "create"),
        ("search", {}, "unknown", "read"),
    ],
)
def test_a_hint_of_a_server_that_may_lie_turns_no_write_into_a_read(name, hints, trusted, untrusted):
    annotations = Annotations(**hints)
    assert effect_of(name, annotations).kind == trusted
    assert effect_of(name, annotations, trusted=False).kind == untrusted
