"""Claude Agent SDK: the message stream of a client. An agent is its options: `observe(ClaudeAgentOptions(…))`."""

from __future__ import annotations

from functools import reduce
from typing import Any

from rightcall.agents.observed.adapter import Adapter, AgentTalk, LimitReachedError, Watch
from rightcall.agents.observed.model_answers import ModelAnswer
from rightcall.agents.observed.provider_outage import FailedRequestError
from rightcall.agents.observed.values import framework_usage, plain, text_of
from rightcall.records.call import ToolCall
from rightcall.records.dialects.reported_usage import anthropic_usage
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage
from rightcall.tools.definitions.signature import schema_of

NAME = "claude_agent_sdk"
ANSWER = "StructuredOutput"
"""The tool by which the program asks for an answer with a schema."""
SUBAGENT_TOOLS = ("Task", "Agent")
"""The tool that runs a subagent, by the names that versions of the program give it."""


class _ClientTalk(AgentTalk):
    """Turns with one client: a separate program for every trial."""

    _client: Any = None

    def __init__(self, agent: Any, watch: Watch) -> None:
        super().__init__(agent, watch)
        self._notes = _StreamNotes(watch)

    async def say(self, text: str) -> Any:
        from claude_agent_sdk import ClaudeSDKClient

        watch = self._watch
        if self._client is None:
            self._client = ClaudeSDKClient(options=self._agent)
            await self._client.connect()
        prompt = watch.given(text)
        await self._client.query(prompt)
        result = None
        async for message in self._client.receive_response():
            with watch.guarded("reading messages"):
                self._notes.add(message)
            if type(message).__name__ == "ResultMessage":
                result = message
        if result is not None and result.subtype == "error_max_turns":
            raise LimitReachedError("the agent's max_turns")
        if result is not None and result.is_error:
            text = str(result.result or result.subtype)
            if result.subtype == "success":  # the agent was not at fault: a request to the model failed
                raise FailedRequestError(text, getattr(result, "api_error_status", None))
            raise RuntimeError(text)
        if watch.output:
            return watch.output(result)
        structured = getattr(result, "structured_output", None)
        return text_of(getattr(result, "result", None) if structured is None else structured)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.disconnect()


class ClaudeAgentSDK(Adapter):
    """Holds a conversation with the bundled program and reads what it streams."""

    conversation = _ClientTalk

    def tools(self, agent: Any) -> list[Tool]:
        schema = getattr(agent, "input_schema", None)  # of a tool; servers do not show theirs
        if schema is None:
            return []
        if not isinstance(schema, dict):
            schema, _ = schema_of(schema, agent.name)
        elif "properties" not in schema:
            properties = {name: schema_of(hint, agent.name)[0] for name, hint in schema.items()}
            schema = {"type": "object", "properties": properties, "required": list(properties)}
        return [Tool(agent.name, agent.description, plain(schema))]


ADAPTER = ClaudeAgentSDK()


class _StreamNotes:
    """Notes of one conversation. An answer arrives as a message for each block, and results may come in between."""

    def __init__(self, watch: Watch) -> None:
        self._recorder = watch.recorder
        self._answers: dict[Any, ModelAnswer] = {}  # by the id of the model's message
        self._subagents: dict[str, str] = {}  # by the id of the call that runs it
        self._counted = Usage()

    def add(self, message: Any) -> None:
        kind = type(message).__name__
        if kind == "AssistantMessage":
            self._note(message)
        elif kind == "UserMessage" and isinstance(message.content, list):
            for block in message.content:
                if type(block).__name__ == "ToolResultBlock":
                    told = _result_text(block.content)
                    self._recorder.tool_ended(block.tool_use_id, told, error=bool(block.is_error))
        elif kind == "ResultMessage":
            self._count(plain(getattr(message, "model_usage", None)), plain(message.usage))

    def _note(self, message: Any) -> None:
        blocks = [(type(block).__name__, block) for block in message.content]
        text = "".join(block.text for kind, block in blocks if kind == "TextBlock")
        uses = [block for kind, block in blocks if kind == "ToolUseBlock" and block.name != ANSWER]
        calls = [_call(block) for block in uses]
        self._subagents |= {call.id: call.notes["delegate"] for call in calls if "delegate" in call.notes}
        usage = anthropic_usage(plain(message.usage))
        answer = self._answers.get(message.message_id)
        if answer is None:
            parent = str(message.parent_tool_use_id or "")
            self._recorder.asked()
            self._answers[message.message_id] = self._recorder.answered(
                text, calls, usage=usage, depth=1 if parent else 0, parent=parent,
                agent=self._subagents.get(parent, ""),
                finish=str(getattr(message, "stop_reason", None) or ""),
            )  # fmt: skip
        else:
            self._recorder.extend_answer(answer, text, calls, usage)
        for call in calls:  # the program runs them now; it reports only their results
            self._recorder.tool_started(call.id, call.name, call.arguments, call.id)

    def _count(self, models: Any, turn: Any) -> None:
        """Messages come before their answer is whole, and not all of a subagent's come: the totals have the rest.

        Those by model count the whole conversation with its subagents, the other one only this turn's own answers.
        """
        usages = [answer.usage for answer in self._answers.values()]
        noted = reduce(Usage.plus, [*usages, self._counted], Usage())
        if isinstance(models, dict) and models:
            total = reduce(Usage.plus, map(_model_usage, models.values()))
        else:
            total = Usage(noted.input_tokens, (turn or {}).get("output_tokens") or 0)
        rest = Usage(
            max(0, (total.input_tokens or 0) - (noted.input_tokens or 0)),
            max(0, (total.output_tokens or 0) - (noted.output_tokens or 0)),
            cached_tokens=max(0, (total.cached_tokens or 0) - (noted.cached_tokens or 0)),
        )
        if rest != Usage():
            self._counted = self._counted.plus(rest)
            self._recorder.add_usage(rest)


def _model_usage(spent: Any) -> Usage:
    cached = spent.get("cacheReadInputTokens") or 0
    written = spent.get("cacheCreationInputTokens") or 0
    return framework_usage(
        (spent.get("inputTokens") or 0) + cached + written, spent.get("outputTokens"), cached
    )


def _call(block: Any) -> ToolCall:
    arguments = plain(block.input)
    subagent = arguments.get("subagent_type") if block.name in SUBAGENT_TOOLS else None
    notes = {"delegate": subagent} if isinstance(subagent, str) and subagent else {}
    # Of `mcp__server__tool`, what its author called it.
    name = block.name.split("__", 2)[-1] if block.name.startswith("mcp__") else block.name
    return ToolCall(name, arguments, block.id, notes=notes)


def _result_text(content: Any) -> Any:
    """A tool's result; parts of text are one text."""
    parts = plain(content)
    if isinstance(parts, list) and all(isinstance(p, dict) and p.get("type") == "text" for p in parts):
        return "\n".join(str(part.get("text", "")) for part in parts)
    return parts
