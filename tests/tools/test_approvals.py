"""The approver of a toolbox, and the roles of its callers."""

from __future__ import annotations

from typing import Any

import pytest

import rightcall as rc
from rightcall import Agent, Limits
from rightcall.core import codec
from rightcall.core.errors import ConfigError
from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.records import Golden, Tool, ToolCall, Trajectory
from rightcall.tools.definitions.function import tool
from rightcall.tools.runtime.policy import ToolRules
from tests.agents.test_performing import perform, scripted
from tests.tools.helpers import a_box, a_call, invoke, run

GUARDS: dict[str, dict[str, Any]] = {
    "no": {},
    "preview": {"confirmation": "preview"},
    "user": {"confirmation": "user"},
}


def deleter(deleted: list[int], **behaviour: Any) -> Any:
    @tool(destructive=True, **behaviour)
    def delete_account(id: int) -> str:
        """Delete an account."""
        deleted.append(id)
        return "deleted"

    return delete_account


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize(
    ("line", "outcome", "decision", "status", "ran"),
    [
        ("approve", "ok", "approved", "ok", [7]),
        ({"edit": {"id": 8}}, "ok", "edited", "ok", [8]),
        ({"reject": "Ask support."}, "rejected", "rejected", "not_run", []),
        ("escalate", "waiting", "escalated", "not_run", []),
    ],
)
def test_the_approver_decides_about_a_tool_it_names(guard, line, outcome, decision, status, ran):
    deleted: list[int] = []
    box = a_box(deleter(deleted, **GUARDS[guard]), rules=ToolRules(approvals={"delete_account": line}))
    made = invoke(box, a_call("delete_account", id=7))
    assert (made.outcome, made.call.approval.decision, made.call.status) == (outcome, decision, status)
    assert deleted == ran and made.call.arguments == {"id": 7}
    if decision == "rejected":
        assert made.call.output["error"] == "confirmation_rejected"
        assert made.call.output["detail"] == "Ask support."


def test_a_pattern_answers_but_asks_for_nothing():
    deleted: list[int] = []
    rules = ToolRules(approvals={"*": {"reject": "no"}})
    assert invoke(a_box(deleter(deleted), rules=rules), a_call("delete_account", id=7)).outcome == "ok"
    guarded = a_box(deleter(deleted, confirmation="user"), rules=rules)
    assert invoke(guarded, a_call("delete_account", id=7)).outcome == "rejected"
    assert deleted == [7]


def test_an_edit_of_a_parameter_that_the_schema_does_not_list_is_the_suites_fault():
    lenient = Tool("refund", input_schema={"type": "object", "properties": {"amount": {"type": "integer"}}})
    with pytest.raises(ConfigError, match="refund has no parameter 'amout'; did you mean 'amount'"):
        a_box(lenient, rules=ToolRules(approvals={"refund": {"edit": {"amout": 1}}}))


def test_an_edit_that_does_not_fit_the_schema_is_the_suites_fault():
    for edit, words in (({"id": "seven"}, "approvals.delete_account: id"), ({"ident": 7}, "ident")):
        with pytest.raises(ConfigError, match=words):
            a_box(deleter([]), rules=ToolRules(approvals={"delete_account": {"edit": edit}}))


@pytest.mark.parametrize(
    ("roles", "ran"), [((), []), (("viewer",), []), (("viewer", "admin"), [7]), (None, [7])]
)
def test_a_tool_with_roles_runs_for_those_who_have_one(roles, ran):
    deleted: list[int] = []
    box = a_box(deleter(deleted, roles=["admin", "owner"]))
    made = run(box.invoke(a_call("delete_account", id=7), box.context(roles=roles)))
    assert deleted == ran
    assert ran or (made.outcome, made.error.error) == ("rejected", "permission_denied")


def test_roles_are_names():
    with pytest.raises(ConfigError, match="roles must be a list of strings"):
        deleter([], roles="admin")


CALL = ToolCall("delete_account", {"id": 7})
TALK = "Finished."


def played(golden: dict[str, Any], *said: Any, **agent: Any) -> tuple[Trajectory, CaseVerdict]:
    one = codec.convert({"input": "Delete 7", "id": "g", **golden}, Golden, "test")
    tools = agent.pop("tools")
    made = perform(
        Agent(scripted(*said), tools=tools, mode="loop", execute="real", limits=Limits(steps=4), **agent), one
    )
    known = {each.tool.name: each.tool for each in tools}
    return made, rc.score_trajectory(one, made, known)


EXPECT = {"expected_calls": [{"tool": "delete_account", "args": {"id": 7}}]}


@pytest.mark.parametrize(
    ("line", "stop", "codes"),
    [("approve", "done", []), ("reject", "done", []), ("escalate", "waiting_for_approval", [])],
)
def test_a_loop_ends_as_the_approver_decides(line, stop, codes):
    deleted: list[int] = []
    made, verdict = played(
        {**EXPECT, "confirm": ["delete_account"]}, CALL, TALK,
        tools=[deleter(deleted)], approvals={"delete_account": line},
    )  # fmt: skip
    assert (made.stop_reason, [f.code for f in verdict.failures]) == (stop, codes)
    assert verdict.passed and deleted == ([7] if line == "approve" else [])


def test_a_loop_whose_tool_needs_no_confirmation_is_unconfirmed():
    _, verdict = played({**EXPECT, "confirm": ["delete_account"]}, CALL, TALK, tools=[deleter([])])
    assert [f.code for f in verdict.failures] == ["unconfirmed"] and verdict.score == 0.0


def test_a_preview_that_nobody_answers_is_a_question():
    deleted: list[int] = []
    tools = [deleter(deleted, confirmation="preview")]
    made, verdict = played({**EXPECT, "confirm": ["delete_account"]}, CALL, "Shall I?", tools=tools)
    assert made.stop_reason == "done" and made.calls[0].approval.decision == "waiting"
    assert verdict.passed and deleted == []


@pytest.mark.parametrize(("role", "passes"), [("viewer", True), ("admin", False)])
def test_a_golden_says_who_the_caller_is(role, passes):
    deleted: list[int] = []
    tools = [deleter(deleted, roles=["admin"])]
    _, verdict = played({"as": {"role": role}}, CALL, TALK, tools=tools)
    assert verdict.passed is passes and deleted == ([] if role == "viewer" else [7])
