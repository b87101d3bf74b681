"""Copies of agents of the OpenAI Agents SDK whose function tools are answered by our desk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rightcall.adapters.adapter import ToolDesk, Watch
from rightcall.adapters.values import arguments_of, text_of


def with_desk(agent: Any, desk: ToolDesk, watch: Watch, made: dict[int, Any] | None = None) -> Any:
    """A copy of the agent whose function tools are answered by the desk; handoffs lead to such copies too.

    An agent used as a tool is not replaced itself: its own tools are, when its run begins.
    """
    from agents import FunctionTool

    made = {} if made is None else made
    if id(agent) in made:
        return made[id(agent)]
    if not hasattr(agent, "clone"):
        return agent
    copy = made[id(agent)] = agent.clone()
    copy.tools = [
        _desk_tool(tool, desk, watch) if isinstance(tool, FunctionTool) and not _is_agent(tool) else tool
        for tool in agent.tools
    ]
    copy.handoffs = [with_desk(item, desk, watch, made) for item in agent.handoffs]
    return copy


def _is_agent(tool: Any) -> bool:
    return bool(getattr(tool, "_is_agent_tool", False) or getattr(tool, "_agent_instance", None))


def _desk_tool(tool: Any, desk: ToolDesk, watch: Watch) -> Any:
    invoke = tool.on_invoke_tool

    async def at_the_desk(context: Any, text: str) -> Any:
        arguments, _ = arguments_of(text)
        if arguments is None:
            return await invoke(context, text)  # the SDK's own words for arguments that are not JSON
        call_id = str(getattr(context, "tool_call_id", ""))
        answer = await desk.run(tool.name, arguments, call_id, lambda: invoke(context, text))
        watch.memory["desk", call_id] = answer
        return answer.output if isinstance(answer.output, str) else text_of(answer.output)

    return replace(tool, on_invoke_tool=at_the_desk)
