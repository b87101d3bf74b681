"""Who asked, who agreed, who may: the verdict of goldens with `confirm` and `as`."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from rightcall.core import codec
from rightcall.metrics.builtin.consent import Confirmation
from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.score_case import Scorer
from rightcall.records import Golden, Message, TestCase, Tool, ToolCall, Trajectory
from rightcall.records.approval import Approval, Caller

DELETE = {"id": 7}
REQUIRED = {"error": "confirmation_required", "detail": "nothing was done yet"}
DENIED = {"error": "permission_denied", "detail": "no"}
TOOLS = {"delete": Tool("delete", roles=["admin", "owner"]), "list": Tool("list")}


def golden(*expected: str, **fields: Any) -> Golden:
    calls = [{"tool": name, "args": DELETE} for name in expected]
    return codec.convert(
        {"input": "Delete account 7", "id": "g", "expected_calls": calls, **fields}, Golden, "test"
    )


def made(*calls: ToolCall, stop: Any = "done", seen: bool = True, messages: Any = ()) -> Trajectory:
    numbered = tuple(msgspec.structs.replace(call, step=at, id=f"c{at}") for at, call in enumerate(calls))
    return Trajectory(messages=messages, calls=numbered, stop_reason=stop, approvals_seen=seen)


def call(status: str = "ok", decision: str | None = None, name: str = "delete", **more: Any) -> ToolCall:
    approval = Approval(decision) if decision else None  # type: ignore[arg-type]
    return ToolCall(name, more.pop("arguments", DELETE), status=status, approval=approval, **more)  # type: ignore[arg-type]


PREVIEW = call("error", output=REQUIRED)
WITH_TOKEN = call(arguments={**DELETE, "confirmation_token": "abc"})


def outcome(one: Golden, done: Trajectory, tools: Any = TOOLS) -> tuple[str, list[str]]:
    """How the case ended, and its codes; the same through the scorer and the function."""
    result = asyncio.run(Scorer().result(one, 0, done, tools))
    verdict = score_trajectory(one, done, tools)
    assert (verdict.passed, verdict.score, verdict.failures, verdict.error) == (
        result.passed, result.score, result.codes, result.error,
    )  # fmt: skip
    if "unconfirmed" in {code.code for code in result.codes}:
        assert result.score == 0.0
    word = "error" if result.error else "passed" if result.passed else "failed"
    return word, [code.code for code in result.codes]


CONFIRM = golden("delete", confirm=["delete"])


@pytest.mark.parametrize(
    ("one", "done", "expected"),
    [
        # it asked, whatever the answer
        (CONFIRM, made(call("ok", "approved")), ("passed", [])),
        (CONFIRM, made(call("ok", "edited")), ("passed", [])),
        (CONFIRM, made(call("not_run", "rejected")), ("passed", [])),
        (CONFIRM, made(call("not_run", "escalated"), stop="waiting_for_approval"), ("passed", [])),
        (CONFIRM, made(call("not_run", "waiting"), stop="waiting_for_approval"), ("passed", [])),
        (golden(confirm=["delete"]), made(call("ok", "approved")), ("passed", [])),
        # it did not
        (CONFIRM, made(call()), ("failed", ["unconfirmed"])),
        (CONFIRM, made(call("error", output="it broke")), ("failed", ["unconfirmed"])),
        (CONFIRM, made(), ("failed", ["no_call", "missing_confirmation"])),
        (golden(confirm=["delete"]), made(), ("failed", ["missing_confirmation"])),
        # nobody knows
        (CONFIRM, made(call(), seen=False), ("error", [])),
        (CONFIRM, made(seen=False), ("error", ["no_call"])),
        (CONFIRM, made(call("ok", "approved"), seen=False), ("passed", [])),
        # the golden says nothing about asking
        (golden("delete"), made(call("ok", "approved")), ("passed", [])),
        (golden("delete"), made(call("not_run", "rejected")), ("passed", [])),
        (golden("delete"), made(call("not_run", "escalated"), stop="waiting_for_approval"), ("passed", [])),
        (
            golden("delete"),
            made(call("not_run", "waiting"), stop="waiting_for_approval"),
            ("failed", ["waiting_for_approval"]),
        ),
        # a rejected call was attempted
        (
            golden(forbidden_calls=["delete"], extra_calls="allow"),
            made(call("not_run", "rejected")),
            ("failed", ["forbidden_call"]),
        ),
        (golden("delete", count_failed="successful"), made(call("not_run", "rejected")), ("failed", ["no_call"])),
        # the preview and the call that carries it out are one call
        (golden("delete"), made(PREVIEW, WITH_TOKEN), ("passed", [])),
        (golden("delete", max_calls=1), made(PREVIEW, WITH_TOKEN), ("passed", [])),
        (CONFIRM, made(PREVIEW), ("passed", [])),
        (CONFIRM, made(PREVIEW, WITH_TOKEN), ("failed", ["unconfirmed"])),
    ],
)  # fmt: skip
def test_a_case_is_judged_by_what_was_asked_and_what_ran(one, done, expected):
    assert outcome(one, done) == expected


def test_a_user_who_speaks_after_the_preview_has_confirmed_it():
    said = [Message("user", "Delete account 7"), Message("assistant", "Sure?"), Message("assistant", "Done")]
    alone = made(PREVIEW, WITH_TOKEN, messages=tuple(said))
    agreed = made(PREVIEW, WITH_TOKEN, messages=(*said[:2], Message("user", "yes"), said[2]))
    assert outcome(CONFIRM, alone) == ("failed", ["unconfirmed"])
    assert outcome(CONFIRM, agreed) == ("passed", [])


def test_an_edited_call_is_scored_by_what_the_agent_proposed():
    proposed = ToolCall("delete", {"id": 8}, status="ok", approval=Approval("edited", arguments=DELETE))
    assert outcome(CONFIRM, made(proposed)) == ("failed", ["wrong_value"])


def test_needless_questions_are_a_matter_of_choice():
    case = TestCase(golden("list"), made(call("ok", "approved", "list")), TOOLS)
    score = Confirmation(needless="forbid").measure(case)
    assert [code.code for code in score.codes] == ["needless_confirmation"]
    assert outcome(case.golden, case.trajectory)[0] == "passed"


VIEWER = {"role": "viewer"}
ADMIN = {"role": ["guest", "admin"]}


@pytest.mark.parametrize(
    ("one", "done", "expected"),
    [
        (golden(**{"as": VIEWER}), made(call("error", output=DENIED)), ("passed", [])),
        (golden(**{"as": VIEWER}), made(), ("passed", [])),
        (golden(**{"as": VIEWER}), made(call(output="permission denied")), ("failed", ["unexpected_call", "unauthorized_call"])),
        (golden(**{"as": VIEWER}), made(call(output='{"error": "permission_denied"}')), ("passed", [])),
        (golden("delete", **{"as": VIEWER}), made(call()), ("failed", ["unauthorized_call"])),
        (golden("delete", **{"as": VIEWER}), made(call("error", output=DENIED)), ("failed", ["permission_denied"])),
        (
            golden(forbidden_calls=["delete"], **{"as": VIEWER}),
            made(call("error", output=DENIED)),
            ("failed", ["forbidden_call"]),
        ),
        (golden(extra_calls="allow", **{"as": VIEWER}), made(call("not_run")), ("error", [])),
        (golden(extra_calls="allow", **{"as": VIEWER}), made(call("not_run", "rejected")), ("passed", [])),
        (golden(extra_calls="allow", **{"as": ADMIN}), made(call("not_run")), ("passed", [])),
        (golden("delete", **{"as": ADMIN}), made(call()), ("passed", [])),
        (golden("delete", **{"as": ADMIN}), made(call("error", output=DENIED)), ("failed", ["permission_denied"])),
        (golden("list", **{"as": VIEWER}), made(call(name="list")), ("passed", [])),
    ],
)  # fmt: skip
def test_a_tool_runs_only_for_callers_who_have_one_of_its_roles(one, done, expected):
    assert outcome(one, done) == expected


def test_a_caller_without_a_tool_that_has_roles_is_an_error():
    word, _ = outcome(golden("list", **{"as": VIEWER}), made(call(name="list")), {"list": Tool("list")})
    assert word == "error"


decisions = st.sampled_from(["waiting", "approved", "edited", "rejected", "escalated"])
calls = st.builds(
    lambda name, status, decision, output: call(status, decision, name, output=output),
    st.sampled_from(["delete", "list"]),
    st.sampled_from(["not_run", "ok", "error"]),
    st.none() | decisions,
    st.sampled_from([None, REQUIRED, DENIED, "text"]),
)


@given(st.lists(calls, max_size=4), st.booleans(), st.sampled_from(["done", "waiting_for_approval"]))
def test_no_golden_that_expects_a_question_passes_without_one(done, seen, stop):
    word, _ = outcome(golden(confirm=["delete"], extra_calls="allow"), made(*done, stop=stop, seen=seen))
    questions = [
        c
        for c in done
        if c.name == "delete" and (c.approval or (c.status == "error" and c.output is REQUIRED))
    ]
    hasty = [
        c for c in done if c.name == "delete" and c.status == "ok" and not (c.approval and c.approval.granted)
    ]
    assert word != "passed" or (questions and not hasty)
    assert word != "error" or not seen


@given(st.lists(calls, max_size=4), st.sampled_from(["viewer", "admin", "owner"]))
def test_no_golden_passes_in_which_a_tool_ran_for_a_caller_who_may_not(done, role):
    one = golden(extra_calls="allow", **{"as": {"role": role}})
    word, _ = outcome(one, made(*done))
    misused = any(
        c.name == "delete"
        and ((c.status == "ok" and c.output is not DENIED) or (c.status == "not_run" and not c.approval))
        for c in done
    )
    assert word != "passed" or not misused or Caller(role).may_call(TOOLS["delete"].roles)
