"""Requests for approval of the OpenAI Agents SDK and of LangGraph, with the real packages."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import interrupt
from pydantic_ai import Agent as PydanticAgent, DeferredToolRequests, Tool as PydanticTool

import rightcall as rc
from agents import Agent, Runner, function_tool
from rightcall.agents.kinds import agent_of_kind
from rightcall.core.errors import ConfigError
from tests.limbs.adapters.approval_contract import ApprovalContract, asked, codes
from tests.limbs.adapters.contract import performed
from tests.limbs.adapters.kits.langchain import ScriptedChatModel
from tests.limbs.adapters.kits.openai_agents import ScriptedAgentsModel
from tests.limbs.adapters.kits.pydantic_ai import scripted_model
from tests.limbs.adapters.script import Journal


class TestOpenAIAgents(ApprovalContract):
    def asking(self, journal: Journal, ran: list[int], *, needs: bool = True) -> Any:
        def delete_account(id: int) -> str:
            """Delete an account."""
            ran.append(id)
            return "deleted"

        def list_accounts() -> str:
            """List accounts."""
            return "7"

        tools = [function_tool(delete_account, needs_approval=needs), function_tool(list_accounts)]
        return Agent("clerk", tools=tools, model=ScriptedAgentsModel(journal))

    def eager(self, journal: Journal, ran: list[int]) -> Any:
        return self.asking(journal, ran, needs=False)

    def test_a_mocked_tool_is_asked_about_too(self):
        ran: list[int] = []
        agent = rc.observe(self.asking(Journal(), ran), tools="mock")
        for line, decision in (("approve", "approved"), (None, "waiting")):
            (made,) = performed(agent, "delete 7", approvals={"delete_account": line} if line else None)
            assert made.calls[0].approval and made.calls[0].approval.decision == decision
        assert ran == []


class TestPydanticAI(ApprovalContract):
    def asking(self, journal: Journal, ran: list[int], *, needs: bool = True) -> Any:
        def delete_account(id: int) -> str:
            """Delete an account."""
            ran.append(id)
            return "deleted"

        def list_accounts() -> str:
            """List accounts."""
            return "7"

        return PydanticAgent(
            scripted_model(journal),
            tools=[PydanticTool(delete_account, requires_approval=needs), list_accounts],
            output_type=[str, DeferredToolRequests],
        )

    def eager(self, journal: Journal, ran: list[int]) -> Any:
        return self.asking(journal, ran, needs=False)


@pytest.mark.parametrize(
    ("approve", "decision", "deleted"), [(True, "approved", [7]), (False, "rejected", [])]
)
def test_a_function_that_answers_its_own_agent_waits_for_nobody(approve, decision, deleted):
    ran: list[int] = []
    agent = TestOpenAIAgents().asking(Journal(), ran)

    async def clerk(golden: rc.Golden) -> str:
        result = await Runner.run(agent, golden.input)
        state = result.to_state()
        for item in result.interruptions:
            state.approve(item) if approve else state.reject(item)
        return str((await Runner.run(agent, state)).final_output)

    (made,) = performed(rc.observe(clerk, via="openai_agents"), "delete 7")
    call = made.calls[0]
    assert (call.approval and call.approval.decision, made.stop_reason, ran) == (decision, "done", deleted)
    assert made.output == "Finished." and not made.approvals_seen


def test_a_conversation_ends_where_nobody_answers():
    agent = rc.observe(TestOpenAIAgents().asking(Journal(), []))
    said = [rc.Turn("user", "delete 7"), rc.Turn("user", "weather Hue")]

    async def run() -> rc.Trajectory:
        async with agent_of_kind(rc.Agent(agent)) as session:
            return await session.performer.perform(rc.ConversationalGolden("delete", id="g", turns=said), 0)

    made = asyncio.run(run())
    assert made.dialogue and (made.stop_reason, made.dialogue.ended) == ("waiting_for_approval",) * 2
    assert [call.status for call in made.calls] == ["not_run", "ok"]


def tools(ran: list[int], ask: bool = False) -> list[Any]:
    @tool
    def delete_account(id: int) -> str:
        """Delete an account."""
        if ask and not interrupt({"question": f"Delete {id}?"}):
            return "not deleted"
        ran.append(id)
        return "deleted"

    @tool
    def list_accounts() -> str:
        """List accounts."""
        return "7"

    return [delete_account, list_accounts]


class TestLangGraphMiddleware(ApprovalContract):
    mode = "batched"

    def asking(self, journal: Journal, ran: list[int]) -> Any:
        review = HumanInTheLoopMiddleware({"delete_account": True}, interrupt_mode=self.mode)
        model = ScriptedChatModel(journal=journal)
        return create_agent(model, tools(ran), middleware=[review], checkpointer=InMemorySaver())

    def eager(self, journal: Journal, ran: list[int]) -> Any:
        return create_agent(ScriptedChatModel(journal=journal), tools(ran))


class TestLangGraphMiddlewarePerCall(TestLangGraphMiddleware):
    mode = "per_call"


def interrupting(ran: list[int]) -> Any:
    model = ScriptedChatModel(journal=Journal())
    return create_agent(model, tools(ran, ask=True), checkpointer=InMemorySaver())


@pytest.mark.parametrize(
    ("line", "decision", "stop", "deleted"),
    [
        (None, "waiting", "waiting_for_approval", []),
        ("escalate", "escalated", "waiting_for_approval", []),
        ("approve", "approved", "done", [7]),
        ({"approve": "by all means"}, "approved", "done", [7]),
        ({"reject": ""}, "rejected", "done", []),
    ],
)
def test_a_tool_that_interrupts_its_graph_is_resumed_with_what_the_approver_says(
    line, decision, stop, deleted
):
    ran: list[int] = []
    made = asked(interrupting(ran), line)
    call = made.calls[0]
    assert (call.approval and call.approval.decision, made.stop_reason, ran) == (decision, stop, deleted)
    assert len(made.calls) == 2 and codes(made, confirm=["delete_account"]) == []


def test_what_cannot_be_answered_is_refused_before_anything_runs():
    ran: list[int] = []
    agent = rc.observe(interrupting(ran))
    for approvals, words in (
        ({"delete_acount": "approve"}, "did you mean 'delete_account'"),
        ({"delete_account": "aprove"}, "did you mean 'approve'"),
        ({"delete_account": {"edit": {}}}, "edit needs the arguments"),
        ({"delete_account": {"edit": {"idd": 7}}}, "has no parameter 'idd'; did you mean 'id'"),
        ({"delete_account": {"edit": {"id": "x"}}}, "approvals.delete_account: id"),
    ):
        with pytest.raises(ConfigError, match=words):
            performed(agent, "delete 7", approvals=approvals)
    for model in (lambda golden: "text", "keyword:"):
        with pytest.raises(ConfigError, match="approvals cannot be given"):
            performed(model, "delete 7", approvals={"delete_account": "approve"})
    assert ran == []
