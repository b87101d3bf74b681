"""Google ADK with Gemini: AgentTool for the expert as a tool, sub_agents for the hand-off."""

from __future__ import annotations

from typing import Any, ClassVar

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types
from pydantic import BaseModel
from tests.limbs.adapters.script import Answer, Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, HAND_OVER, TRAVEL
from benchmarks.adapters.toolbox import SAFE_TOOLS, book

USER = "rightcall"
"""The adapter's name of app and user, which reach no request."""


class Trip(BaseModel):
    city: str
    nights: int


class GoogleADK(Framework):
    name = "google_adk"
    cannot: ClassVar = {
        "broken_json": "the API sends arguments as an object",
        "step_limit": "the limit is an option of the run, which the adapter starts",
        "streamed": "streaming is an option of the run, which the adapter starts",
    }

    def agent(self, setup: Setup) -> Any:
        def agent(name: str, **more: Any) -> LlmAgent:
            patience: dict[str, Any] = {}
            if setup.timeout is not None:
                patience["http_options"] = types.HttpOptions(timeout=int(setup.timeout * 1000))
            model = Gemini(
                model=setup.model(name),
                base_url=setup.address,
                client_kwargs={"api_key": "k", "enterprise": False, **patience},
            )
            asking = FunctionTool(book, require_confirmation=setup.shape == "asking")
            tools = [*SAFE_TOOLS, asking, *more.pop("tools", [])]
            return LlmAgent(
                name=name,
                model=model,
                instruction=setup.instructions(name),
                description=name,
                tools=tools,
                **more,
            )

        if setup.shape == "sub_agent":
            return agent(TRAVEL, tools=[AgentTool(agent(EXPERT))])
        if setup.shape == "handoff":
            return agent(TRAVEL, sub_agents=[agent(EXPERT)])
        if setup.shape == "typed_answer":
            return agent(TRAVEL, output_schema=Trip)
        return agent(TRAVEL)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        runner = InMemoryRunner(app=App(name=USER, root_agent=agent))
        session = await runner.session_service.create_session(app_name=USER, user_id=USER)
        final = None
        for text in says:
            message = types.Content(role="user", parts=[types.Part(text=text)])
            async for event in runner.run_async(user_id=USER, session_id=session.id, new_message=message):
                if event.is_final_response() and event.content and event.content.parts:
                    final = "".join(part.text or "" for part in event.content.parts)
        await runner.close()
        return final

    def spelled(self, call: Call) -> Call:
        if call.name == ASK_EXPERT:
            return Call(EXPERT, {"request": call.arguments["input"]}, call.id)
        if call.name == HAND_OVER:
            return Call("transfer_to_agent", {"agent_name": EXPERT}, call.id)
        return call

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        """With tools, an answer with a schema comes as the call of a tool that ADK offers."""
        if not answer.text.startswith("{") or "set_model_response" not in str(body.get("tools")):
            return answer
        return Answer(
            calls=(Call("set_model_response", {"city": "Hanoi", "nights": 2}, "answer"),), usage=answer.usage
        )


FRAMEWORK = GoogleADK()
