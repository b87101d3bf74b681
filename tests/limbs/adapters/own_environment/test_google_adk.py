"""The adapter `google_adk` with the real framework."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.skills import load_skill_from_dir
from google.adk.tools import FunctionTool, LongRunningFunctionTool
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.skill_toolset import SkillToolset
from google.genai import types

import rightcall as rc
from tests.limbs.adapters.approval_contract import ApprovalContract, asked
from tests.limbs.adapters.contract import AdapterContract, Kit, MockableTools, performed
from tests.limbs.adapters.script import USAGE, Answer, Call, Journal, book_room, respond, weather_of
from tests.limbs.adapters.skill_contract import EXAMPLE, FILE, LOADED, NOT_LOADED, SkillContract, judged, plan


class ScriptedLlm(BaseLlm):
    """Answers by `script.respond`."""

    journal: Any

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        self.journal.note(llm_request)
        await asyncio.sleep(0)
        said = ""
        turn = 0
        for content in llm_request.contents:
            words = [part.text for part in content.parts if part.text]
            if content.role == "user" and words:
                said = words[0]
                turn = 0
            turn += content.role == "model"
        answer = respond(said, turn)
        parts = [types.Part(text=answer.text)] if answer.text else []
        for call in answer.calls:
            made = types.FunctionCall(id=call.id, name=call.name, args=call.arguments)
            parts.append(types.Part(function_call=made))
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=USAGE[0], candidates_token_count=USAGE[1]
        )
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


async def get_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


async def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


async def wait(seconds: int) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


class AdkKit(Kit):
    name = "google_adk"
    tool_errors_raise = True
    functions = False
    malformed = None
    own_limit = False

    def agent(self, journal: Journal) -> Any:
        return LlmAgent(
            name="travel", model=ScriptedLlm(model="m", journal=journal), tools=[get_weather, book, wait]
        )

    async def plain(self, agent: Any, text: str) -> str:
        runner = InMemoryRunner(agent=agent, app_name="plain")
        session = await runner.session_service.create_session(app_name="plain", user_id="u")
        message = types.Content(role="user", parts=[types.Part(text=text)])
        final = ""
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            if event.is_final_response():
                final = event.content.parts[0].text
        return final


class PlannedLlm(BaseLlm):
    """Gives these answers, one after another."""

    plan: Any

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        turn = sum(content.role == "model" for content in llm_request.contents)
        answer = self.plan[min(turn, len(self.plan) - 1)]
        parts = [types.Part(text=answer.text)] if answer.text else []
        for call in answer.calls:
            made = types.FunctionCall(id=call.id, name=call.name, args=call.arguments)
            parts.append(types.Part(function_call=made))
        yield LlmResponse(content=types.Content(role="model", parts=parts))


@pytest.mark.parametrize(("calls", "names"), [("auto", ["expert"]), ("all", ["expert", "get_weather"])])
def test_calls_of_an_agent_used_as_a_tool(calls, names):
    expert = LlmAgent(name="expert", model=ScriptedLlm(model="m", journal=Journal()), tools=[get_weather])
    plan = [Answer(calls=(Call("expert", {"request": "weather Hue"}, "e1"),)), Answer("Done.")]
    boss = LlmAgent(name="boss", model=PlannedLlm(model="m", plan=plan), tools=[AgentTool(expert)])
    (trajectory,) = performed(rc.observe(boss, calls=calls), "help")
    assert [call.name for call in trajectory.calls] == names
    if calls == "all":
        assert trajectory.calls[1].notes == {"parent": "e1"}
        assert [call.path for call in trajectory.calls] == [("boss",), ("boss", "expert")]
    assert trajectory.calls[0].notes == {"delegate": "expert"}
    assert trajectory.output == "Done."


def test_a_transfer_is_a_handoff_within_the_conversation():
    plan = [Answer(calls=(Call("transfer_to_agent", {"agent_name": "billing"}, "h1"),))]
    billing = LlmAgent(name="billing", model=PlannedLlm(model="m", plan=[Answer("x"), Answer("Billed.")]))
    triage = LlmAgent(name="triage", model=PlannedLlm(model="m", plan=plan), sub_agents=[billing])
    (trajectory,) = performed(rc.observe(triage), "help")
    assert [(c.name, c.status, c.agent, c.notes) for c in trajectory.calls] == [
        ("transfer_to_agent", "ok", "triage", {"handoff": "billing"})
    ]


class CountedLlm(BaseLlm):
    """Gives these answers in turn, whatever it is sent."""

    plan: list[Any]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        answer = self.plan.pop(0)
        parts = [types.Part(text=answer.text)] if answer.text else []
        for call in answer.calls:
            made = types.FunctionCall(id=call.id, name=call.name, args=call.arguments)
            parts.append(types.Part(function_call=made))
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def refund_order(order_id: str) -> str:
    """Refund an order."""
    return "refunded"


def team() -> Any:
    """Triage asks lookup, then hands over to billing, which refunds the order."""

    def model(*plan: Answer) -> CountedLlm:
        return CountedLlm(model="m", plan=list(plan))

    look = Answer(calls=(Call("get_weather", {"city": "Hue"}, "f1"),))
    ask = Answer(calls=(Call("lookup", {"request": "find A-7"}, "e1"),))
    over = Answer(calls=(Call("transfer_to_agent", {"agent_name": "billing"}, "h1"),))
    refund = Answer(calls=(Call("refund_order", {"order_id": "A-7"}, "r1"),))
    lookup = LlmAgent(name="lookup", model=model(look, Answer("A lamp.")), tools=[get_weather])
    billing = LlmAgent(name="billing", model=model(refund, Answer("Refunded.")), tools=[refund_order])
    tools = [AgentTool(lookup)]
    return LlmAgent(name="triage", model=model(ask, over), tools=tools, sub_agents=[billing])


def test_the_adapter_says_who_did_what_for_whom():
    def work(trajectory: Any) -> list[Any]:
        notes = ("handoff", "delegate")
        return [(c.name, c.agent, c.path, *map(c.notes.get, notes)) for c in trajectory.calls]

    (seen,) = performed(rc.observe(team(), calls="all"), "Refund A-7")
    assert work(seen) == [
        ("lookup", "triage", ("triage",), None, "lookup"),
        ("get_weather", "lookup", ("triage", "lookup"), None, None),
        ("transfer_to_agent", "triage", ("triage",), "billing", None),
        ("refund_order", "billing", ("billing",), None, None),
    ]


class TestGoogleADK(AdapterContract, MockableTools):
    kit = AdkKit()


def test_with_gives_each_session_its_state():
    journal = Journal()
    agent = LlmAgent(
        name="bank", model=ScriptedLlm(model="scripted", journal=journal), instruction="Help {customer}."
    )

    def customer(labels: dict[str, Any]) -> dict[str, Any]:
        return {"customer": f"Ann of {labels['id']}"}

    performed(agent, "hello", "hello", with_={"state": customer})
    assert [f"Help Ann of g{number}." in str(journal.requests) for number in range(3)] == [True, True, False]


class TestApprovals(ApprovalContract):
    def asking(self, journal: Journal, ran: list[int], *, needs: bool = True) -> Any:
        async def delete_account(id: int) -> str:
            """Delete an account."""
            ran.append(id)
            return "deleted"

        async def list_accounts() -> str:
            """List accounts."""
            return "7"

        delete = FunctionTool(delete_account, require_confirmation=needs)
        return LlmAgent(
            name="clerk", model=ScriptedLlm(model="scripted", journal=journal), tools=[delete, list_accounts]
        )

    def eager(self, journal: Journal, ran: list[int]) -> Any:
        return self.asking(journal, ran, needs=False)


@pytest.mark.parametrize(
    ("line", "decision", "stop", "output"),
    [
        (None, "waiting", "waiting_for_approval", None),
        ("approve", "approved", "done", {"status": "approved"}),
        ({"approve": {"deleted": 7}}, "approved", "done", {"deleted": 7}),
    ],
)
def test_a_long_running_tool_waits_until_somebody_gives_its_result(line, decision, stop, output):
    async def list_accounts() -> str:
        """List accounts."""
        return "7"

    def delete_account(id: int) -> None:
        """Delete an account, once somebody agrees."""

    model = ScriptedLlm(model="scripted", journal=Journal())
    agent = LlmAgent(
        name="clerk", model=model, tools=[LongRunningFunctionTool(delete_account), list_accounts]
    )
    made = asked(agent, line)
    call = made.calls[0]
    assert (call.approval and call.approval.decision, made.stop_reason, call.output) == (
        decision,
        stop,
        output,
    )


def skill_agent(respond: Any, *names: str, name: str = "office", **options: Any) -> Any:
    skills = [load_skill_from_dir(EXAMPLE / "skills" / skill) for skill in names]
    planned = PlannedLlm(model="m", plan=[respond("", turn) for turn in range(5)])
    return LlmAgent(name=name, model=planned, tools=[SkillToolset(skills=skills, **options)])


class TestSkills(SkillContract):
    load = load_missing = ("load_skill", {"skill_name": "minutes"})
    read_file = ("load_skill_resource", {"skill_name": "minutes", "file_path": FILE})
    loaded_by = "tool"

    def agent(self, respond: Any) -> Any:
        return skill_agent(respond, "minutes", "travel")

    def agent_without_minutes(self, respond: Any) -> Any:
        return skill_agent(respond, "travel")

    def delegating(self, respond: Any) -> Any:
        writer = skill_agent(respond, "minutes", name="writer")
        ask = PlannedLlm(
            model="m", plan=[Answer(calls=(Call("writer", {"request": "Write"}, "e1"),)), Answer("x")]
        )
        return LlmAgent(name="boss", model=ask, tools=[AgentTool(writer)])

    def test_the_failed_load_is_an_error(self):
        (trajectory,) = performed(
            rc.observe(self.agent_without_minutes(plan(Call(*self.load, "c1")))), "help"
        )
        assert [call.status for call in trajectory.calls] == ["error"]

    def test_a_prefix_of_the_toolset(self):
        loads = plan(Call("office_load_skill", {"skill_name": "minutes"}, "c1"))
        assert judged(skill_agent(loads, "minutes", tool_name_prefix="office"))[0] == LOADED

    def test_listing_and_unloading_load_nothing(self):
        others = plan(Call("list_skills", {}, "c1"), Call("unload_skill", {"skill_name": "minutes"}, "c2"))
        assert judged(self.agent(others))[0] == NOT_LOADED
