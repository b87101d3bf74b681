"""Claude Agent SDK: the message stream of a client. An agent is its options: `observe(ClaudeAgentOptions(…))`."""

from __future__ import annotations

from typing import Any

from rightcall.adapters.adapter import Adapter, LimitReachedError, Talk, Watch
from rightcall.adapters.values import plain, text_of
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage

NAME = "claude_agent_sdk"


class ClaudeAgentSDK(Adapter):
    """Holds a conversation with the bundled program and reads what it streams."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _ClientTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        return []


ADAPTER = ClaudeAgentSDK()


class _ClientTalk(Talk):
    """Turns with one client: a separate program for every trial."""

    def __init__(self, options: Any, watch: Watch) -> None:
        self._options, self._watch = options, watch
        self._client: Any = None

    async def say(self, text: str) -> Any:
        from claude_agent_sdk import ClaudeSDKClient

        watch = self._watch
        if self._client is None:
            self._client = ClaudeSDKClient(options=self._options)
            await self._client.connect()
        given = watch.given(text)
        await self._client.query(given)
        answers, result = _Answers(watch), None
        try:
            async for message in self._client.receive_response():
                with watch.guarded("reading messages"):
                    answers.tell(message)
                if type(message).__name__ == "ResultMessage":
                    result = message
        finally:
            with watch.guarded("reading messages"):
                answers.end()
        with watch.guarded("counting tokens"):
            answers.count(getattr(result, "usage", None))
        if result is not None and result.subtype == "error_max_turns":
            raise LimitReachedError("the agent's max_turns")
        if result is not None and result.is_error:
            raise RuntimeError(str(result.result or result.subtype))
        return watch.output(result) if watch.output else text_of(getattr(result, "result", None))

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.disconnect()


class _Answers:
    """One answer arrives as several messages with one id, its usage repeated in each: they are put together."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._id: Any = None
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._usage: dict[str, Any] = {}
        self._parent = ""
        self._open = False
        self._made = 0

    def count(self, total: Any) -> None:
        """Messages come before their answer is whole, with the output counted so far: the total has the rest."""
        made = (plain(total) or {}).get("output_tokens") or 0
        if made > self._made:
            self._watch.recorder.used(Usage(0, made - self._made))

    def tell(self, message: Any) -> None:
        kind = type(message).__name__
        if kind == "AssistantMessage":
            if not self._open or message.message_id != self._id:
                self.end()
                self._open, self._id = True, message.message_id
                self._parent = str(message.parent_tool_use_id or "")
            self._usage = plain(message.usage) or self._usage
            for block in message.content:
                if type(block).__name__ == "ToolUseBlock":
                    self._calls.append(ToolCall(_short(block.name), plain(block.input), block.id))
                elif type(block).__name__ == "TextBlock":
                    self._texts.append(block.text)
        elif kind == "UserMessage" and isinstance(message.content, list):
            self.end()
            for block in message.content:
                if type(block).__name__ == "ToolResultBlock":
                    told = _told(block.content)
                    self._watch.recorder.tool_ended(block.tool_use_id, told, error=bool(block.is_error))

    def end(self) -> None:
        if not self._open:
            return
        used = self._usage
        cached = used.get("cache_read_input_tokens") or 0
        given = (used.get("input_tokens") or 0) + cached + (used.get("cache_creation_input_tokens") or 0)
        self._made += used.get("output_tokens") or 0
        self._watch.recorder.asked()
        self._watch.recorder.answered(
            "".join(self._texts), self._calls, usage=Usage(given, used.get("output_tokens") or 0, None, cached),
            depth=1 if self._parent else 0, parent=self._parent,
        )  # fmt: skip
        for call in self._calls:  # the program runs them now; it reports only their results
            self._watch.recorder.tool_started(call.id, call.name, call.arguments, call.id)
        self._open, self._texts, self._calls, self._usage = False, [], [], {}


def _short(name: str) -> str:
    """`mcp__server__tool` as `tool`, which is what its author called it."""
    return name.split("__", 2)[-1] if name.startswith("mcp__") else name


def _told(content: Any) -> Any:
    """A tool's result; parts of text are one text."""
    parts = plain(content)
    if isinstance(parts, list) and all(isinstance(p, dict) and p.get("type") == "text" for p in parts):
        return "\n".join(str(part.get("text", "")) for part in parts)
    return parts
