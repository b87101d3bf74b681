"""What is put into the requests of agents that are code: the verdicts are those of a loop of ours on the same world."""

from __future__ import annotations

import json
from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.kinds import agent_problems
from rightcall.agents.limits import Limits
from rightcall.agents.observed.request_desk import RequestChange, RequestDesk, tools_of_requests
from rightcall.core.event_loop import run_blocking
from rightcall.limbs.attacks.attack_plan import AttackPlan
from rightcall.limbs.attacks.attacked_plan import maker_of
from rightcall.metrics.safety.attempt import attempt_evidence
from rightcall.records import Golden
from rightcall.tools.faults.plan import Fault, FaultPlan
from rightcall.tools.runtime.toolbox import Toolbox
from tests.limbs.attacks.agents import (
    GOLDENS,
    WORLDS,
    Decide,
    ScriptedAgent,
    Turn,
    hardened,
    looper,
    naive,
    patient,
)
from tests.support.code_agents import CODE_AGENTS, deciding_server, own_agent

PAY = [golden for golden in GOLDENS if golden.id == "pay"]


def repeats(turn: Turn) -> Any:
    """Makes a transfer again, under another key, when it got no answer."""
    last = turn.results[-1].output if turn.results else None
    if (
        isinstance(last, dict)
        and last.get("error")
        and turn.made[-1].name == "transfer"
        and len(turn.made) < 4
    ):
        return [
            rc.ToolCall(
                "transfer", {**turn.made[-1].arguments, "idempotency_key": "again"}, id=f"x{len(turn.made)}"
            )
        ]
    return hardened(turn)


async def performed(agent: rc.Agent, goldens: list[Golden]) -> list[rc.Trajectory]:
    from rightcall.agents.kinds import agent_of_kind

    async with agent_of_kind(agent) as opened:
        return [await opened.performer.perform(as_given(opened, golden), 0) for golden in goldens]


def as_given(opened: Any, golden: Golden) -> Golden:
    for _, layer in opened.toolbox.layers_of(golden):
        golden = layer.golden(golden)
    return golden


def cell(trajectory: rc.Trajectory) -> Any:
    """What of a trial the verdicts are made from; a loop writes results as text, and marks repeats in them."""
    calls = [(call.name, call.arguments, call.status, value_of(call.output)) for call in trajectory.calls]
    ledger = [(line.phase, line.tool, line.detail) for line in trajectory.ledger]
    return calls, ledger, trajectory.output, trajectory.stop_reason


def value_of(output: Any) -> Any:
    value = json.loads(output) if isinstance(output, str) and output.startswith("{") else output
    return (
        {name: inner for name, inner in value.items() if name != "replayed"}
        if isinstance(value, dict)
        else value
    )


async def both(
    kind: str, decide: Decide, goldens: list[Golden], faults: FaultPlan | None
) -> tuple[list[Any], list[Any]]:
    limits = Limits(steps=40)
    ours = rc.Agent(
        ScriptedAgent(decide, goldens), tools=list(WORLDS), mode="loop", limits=limits, faults=faults
    )
    with deciding_server(decide, goldens) as address:
        own = rc.observe(own_agent(kind, address, WORLDS))
        theirs = rc.Agent(own, tools=list(WORLDS), limits=limits, faults=faults)
        return await performed(ours, goldens), await performed(theirs, goldens)


@pytest.mark.parametrize("kind", CODE_AGENTS)
@pytest.mark.parametrize(
    "fault",
    [
        Fault("timeout_after_effect", "transfer"),
        Fault("reset_after_effect", "transfer"),
        Fault("error_5xx_after", "transfer", nth=1),
        Fault("rate_limit", "get_balance"),
        Fault("timeout_before", "get_balance"),
        Fault("error_5xx_before", "get_balance"),
        Fault("slow", "transfer", seconds=60),
        Fault("malformed_json", "get_balance"),
        Fault("truncated", "get_balance"),
        Fault("schema_drift", "get_balance"),
        Fault("empty", "get_balance"),
        Fault("wrong_value", "get_balance", path="balance", value=3),
    ],
    ids=lambda fault: fault.type,
)
def test_a_fault_does_to_an_own_loop_what_it_does_to_ours(kind, fault):
    ours, theirs = run_blocking(both(kind, repeats, PAY, FaultPlan((fault,))))
    assert [cell(t) for t in theirs] == [cell(t) for t in ours]


IN_REQUESTS = ("result", "name", "error", "definition", "rug_pull", "user")
ATTACKED = maker_of(
    WORLDS, GOLDENS, AttackPlan(carriers=IN_REQUESTS, attempts=40), in_requests=True
).attack_set()


@pytest.mark.stories
@pytest.mark.parametrize("kind", CODE_AGENTS)
@pytest.mark.parametrize("decide", [naive, hardened, patient, looper], ids=lambda decide: decide.__name__)
def test_an_attack_gets_the_verdict_in_an_own_loop_that_it_gets_in_ours(kind, decide):
    goldens = ATTACKED.goldens
    ours, theirs = run_blocking(both(kind, decide, goldens, None))
    verdicts = [
        [
            (g.id, attempt_evidence(rc.TestCase(g, trajectory)))
            for g, trajectory in zip(goldens, done, strict=True)
        ]
        for done in (ours, theirs)
    ]
    assert verdicts[1] == verdicts[0]


@pytest.mark.parametrize(
    ("tools", "fault", "words"),
    [
        ((), Fault("empty"), "name them in the suite's tools"),
        (
            WORLDS,
            Fault("timeout_before", "transfer"),
            "timeout_before comes before transfer, which the agent's own",
        ),
        (WORLDS, Fault("duplicate_delivery", "get_balance"), "duplicate_delivery comes before get_balance"),
        (WORLDS, Fault("rate_limit"), "rate_limit comes before send_message, delete_message, transfer"),
        (WORLDS, Fault("empty", "get_balence"), "did you mean 'get_balance'"),
    ],
)
def test_what_cannot_be_reached_in_requests_is_said_before_anything_runs(tools, fault, words):
    own = rc.observe(own_agent("openai", "http://127.0.0.1:9", WORLDS))
    problems = agent_problems(rc.Agent(own, tools=list(tools), faults=FaultPlan((fault,))))
    assert any(words in problem for problem in problems), problems


def test_a_signed_request_is_sent_as_it_is_and_its_fault_is_not_run():
    desk = desk_of(FaultPlan((Fault("empty", "get_balance"),)))
    body = chat("get_balance", "c1", '{"balance": 3}')
    signed = {"authorization": "AWS4-HMAC-SHA256 Credential=x"}
    assert desk.edit("POST", "https://h/v1/chat/completions", signed, body) == body
    assert desk.context.ledger.entries == ()


FORMS = {
    "chat": ("/v1/chat/completions", lambda value: {"messages": [
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_balance", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": json.dumps(value)}]}),
    "chat parts": ("/v1/chat/completions", lambda value: {"messages": [
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_balance", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": json.dumps(value)}]}]}),
    "functions": ("/v1/chat/completions", lambda value: {"messages": [
        {"role": "assistant", "content": None, "function_call": {"name": "get_balance", "arguments": "{}"}},
        {"role": "function", "name": "get_balance", "content": json.dumps(value)}]}),
    "responses": ("/v1/responses", lambda value: {"input": [
        {"type": "function_call", "call_id": "c1", "name": "get_balance", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": json.dumps(value)}]}),
    "anthropic": ("/v1/messages", lambda value: {"messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_balance", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": json.dumps(value), "is_error": False}]}]}),
    "anthropic parts": ("/v1/messages", lambda value: {"messages": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_balance", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": json.dumps(value)}], "is_error": False}]}]}),
    "gemini": ("/v1/models/m:generateContent", lambda value: {"contents": [
        {"role": "model", "parts": [{"functionCall": {"name": "get_balance", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_balance", "response": value}}]}]}),
    "gemini wrapped": ("/v1/models/m:generateContent", lambda value: {"contents": [
        {"role": "model", "parts": [{"functionCall": {"name": "get_balance", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "get_balance", "response": {"result": value}}}]}]}),
    "bedrock": ("/model/m/converse", lambda value: {"messages": [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "get_balance", "input": {}}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"json": value}], "status": "success"}}]}]}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_fault_reaches_a_result_in_every_form_that_is_read(form):
    desk = desk_of(FaultPlan((Fault("wrong_value", "get_balance", path="balance", value=4),)))
    path, body = FORMS[form]
    sent = json.dumps(body({"balance": 3})).encode()
    for _ in range(2):  # a loop sends the whole conversation again with every request
        assert json.loads(desk.edit("POST", f"https://h{path}", {}, sent)) == body({"balance": 4})
    assert [line.phase for line in desk.context.ledger.entries] == ["fault"]


@pytest.mark.parametrize("form", FORMS)
def test_a_request_without_a_change_is_sent_byte_for_byte(form):
    desk = desk_of(FaultPlan((Fault("wrong_value", "transfer"),)))
    path, body = FORMS[form]
    sent = json.dumps(body({"balance": 3}), indent=1).encode()
    assert desk.edit("POST", f"https://h{path}", {}, sent) == sent


def desk_of(faults: FaultPlan) -> RequestDesk:
    toolbox = Toolbox(tools_of_requests(Toolbox(WORLDS).bound_tools), execute="real", faults=faults)
    golden = Golden("How much is on a1?", id="balance")
    return RequestDesk(toolbox, toolbox.context(golden=golden), golden, RequestChange(), at_tools=False)


def chat(name: str, call_id: str, content: str) -> bytes:
    return json.dumps(FORMS["chat"][1](json.loads(content))).encode()
