"""smolagents: the memory of the agent, read after a run or when it broke. It is of the object: one trial at a time."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from rightcall.adapters.adapter import Adapter, Exclusive, LimitReachedError, Talk, Watch
from rightcall.adapters.values import arguments_of, plain, text_of
from rightcall.model.call import ToolCall
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Usage
from rightcall.worker_threads import in_thread

NAME = "smolagents"
FINAL = "final_answer"
"""The pseudo-tool by which an agent answers."""

_EXCLUSIVE = Exclusive()


class Smolagents(Adapter):
    """Runs an agent and reads the steps it remembers."""

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _AgentTalk(agent, watch)

    def tools(self, agent: Any) -> list[Tool]:
        found = []
        for tool in (getattr(agent, "tools", None) or {}).values():
            if tool.name != FINAL:
                required = [name for name, given in tool.inputs.items() if not given.get("nullable")]
                schema = {"type": "object", "properties": plain(tool.inputs), "required": required}
                found.append(Tool(tool.name, tool.description, schema))
        return found


ADAPTER = Smolagents()


class _AgentTalk(Talk):
    """Turns with one agent: the first resets its memory, the others continue with it."""

    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent, self._watch = agent, watch
        self._read = 0
        self._held = False
        self._work: asyncio.Future[Any] | None = None

    async def open(self) -> None:
        if not self._held:
            await _EXCLUSIVE.of(self._agent).acquire()
            self._held = True

    async def say(self, text: str) -> Any:
        first, watch = self._read == 0, self._watch
        given = watch.given(text)
        try:
            self._work = asyncio.ensure_future(
                in_thread(partial(self._agent.run, given, reset=first, return_full_result=True))
            )
            result = await asyncio.shield(self._work)
        finally:
            with watch.guarded("reading memory"):
                steps = list(self._agent.memory.steps)
                for step in steps[self._read :]:
                    _tell(watch, step)
                self._read = len(steps)
        if result.state == "max_steps_error":
            raise LimitReachedError("the agent's max_steps")
        return watch.output(result) if watch.output else text_of(result.output)

    async def aclose(self) -> None:
        if (
            self._work is not None and not self._work.done()
        ):  # its memory is not ours until its thread has ended
            self._agent.interrupt()
            await asyncio.wait([self._work])
            self._work.exception()
        if self._held:
            self._held = False
            _EXCLUSIVE.of(self._agent).release()


def _tell(watch: Watch, step: Any) -> None:
    """One step. When a tool failed its calls are only in the model's message, so they are always read there."""
    message = getattr(step, "model_output_message", None)
    if message is None:
        return
    calls, keys = [], []
    for made in message.tool_calls or ():
        if made.function.name != FINAL:
            arguments, raw = arguments_of(made.function.arguments)
            calls.append(ToolCall(made.function.name, arguments, str(made.id or ""), raw=raw))
            keys.append(object())
    watch.recorder.asked()
    used = step.token_usage
    usage = Usage(used.input_tokens, used.output_tokens) if used else Usage()
    watch.recorder.answered(text_of(message.content) if message.content else "", calls, usage=usage)
    failed = step.error is not None
    told = str(step.error.message) if failed else step.observations
    for key, call in zip(keys, calls, strict=True):
        if failed or step.observations is not None:
            watch.recorder.tool_started(key, call.name, call.arguments, call.id)
            watch.recorder.tool_ended(key, told, error=failed, ms=None)
