"""Claude Agent SDK with its bundled program: tools in an SDK MCP server, the expert as a subagent."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, tool
from tests.limbs.adapters.script import Answer, Call

from benchmarks.adapters.framework import Framework, Setup
from benchmarks.adapters.scenarios import ASK_EXPERT, EXPERT, STEPS, TRAVEL
from benchmarks.adapters.schemas import SCHEMAS
from benchmarks.adapters.toolbox import TOOLS, run_tool

SERVER = "trip"


def sdk_tool(function: Any) -> Any:
    @tool(function.__name__, function.__doc__ or "", SCHEMAS[function.__name__])
    async def run(given: dict[str, Any]) -> dict[str, Any]:
        import json

        output = run_tool(function.__name__, given)
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        return {"content": [{"type": "text", "text": text}]}

    return run


class ClaudeAgentSDK(Framework):
    name = "claude_agent_sdk"
    cannot: ClassVar = {
        "broken_json": "the API sends arguments as an object",
        "handoff": "subagents return to the agent that asked them",
        "no_usage": "the API always reports usage",
    }

    def agent(self, setup: Setup) -> Any:
        env = {
            "ANTHROPIC_BASE_URL": setup.address, "ANTHROPIC_API_KEY": "k", "HOME": os.environ["HOME"],
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1",
        }  # fmt: skip
        if setup.timeout is not None:
            env |= {"API_TIMEOUT_MS": str(int(setup.timeout * 1000)), "CLAUDE_CODE_MAX_RETRIES": "0"}
        more: dict[str, Any] = {}
        if setup.shape == "sub_agent":
            expert = AgentDefinition(
                "An expert.", setup.instructions(EXPERT), [_long(t.__name__) for t in TOOLS]
            )
            more["agents"] = {EXPERT: expert}
        if setup.shape == "typed_answer":
            more["output_format"] = {"type": "json_schema", "schema": SCHEMAS["book"]}
        server = create_sdk_mcp_server(SERVER, tools=[sdk_tool(function) for function in TOOLS])
        return ClaudeAgentOptions(
            model=setup.model(TRAVEL), mcp_servers={SERVER: server}, env=env, setting_sources=[],
            allowed_tools=[*(_long(function.__name__) for function in TOOLS), "Agent"],
            tools=["Agent"] if setup.shape == "sub_agent" else [],
            system_prompt=setup.instructions(TRAVEL), max_turns=STEPS if setup.shape == "limited" else 8,
            include_partial_messages=setup.shape == "streamed", **more,
        )  # fmt: skip

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        result = None
        async with ClaudeSDKClient(options=agent) as client:
            for text in says:
                await client.query(text)
                async for message in client.receive_response():
                    result = getattr(message, "result", None) or result
        return result

    def spelled(self, call: Call) -> Call:
        if call.name == ASK_EXPERT:
            given = {
                "description": "Weather", "prompt": call.arguments["input"], "subagent_type": EXPERT,
                "run_in_background": False,
            }  # fmt: skip
            return Call("Agent", given, call.id)
        return Call(_long(call.name), call.arguments, call.id)

    def recorded_name(self, name: str) -> str:
        return name.removeprefix(f"mcp__{SERVER}__")

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        if answer.text.startswith("{") and "StructuredOutput" in str(body.get("tools")):
            call = Call("StructuredOutput", {"city": "Hanoi", "nights": 2}, "answer")
            return Answer(calls=(call,), usage=answer.usage)
        return answer


def _long(name: str) -> str:
    return f"mcp__{SERVER}__{name}"


FRAMEWORK = ClaudeAgentSDK()
