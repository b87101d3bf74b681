"""smolagents: the steps of agents and the tools they execute, noted inside a trial.

The memory of an agent belongs to the object, so one trial runs at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar, copy_context
from functools import partial
from time import perf_counter
from typing import Any, Literal

from rightcall.agents.observed.adapter import (
    Adapter,
    ExclusiveTalk,
    LimitReachedError,
    Watch,
    all_replaced,
    watch_of,
)
from rightcall.agents.observed.model_answers import ModelAnswer
from rightcall.agents.observed.values import arguments_of, framework_usage, plain, text_of
from rightcall.core.event_loop.worker_threads import in_thread
from rightcall.records.call import ToolCall
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import UNKNOWN_USAGE

NAME = "smolagents"
JSON_TYPES = frozenset(("string", "boolean", "integer", "number", "array", "object", "null"))
FINAL = "final_answer"
"""The pseudo-tool by which an agent answers."""

_INSIDE: ContextVar[tuple[int, str, bool]] = ContextVar("rightcall_smolagents", default=(0, "", False))
"""How deep an agent is that runs here, the id of the call that runs it, and whether that call runs nothing deeper."""


class _AgentTalk(ExclusiveTalk):
    """Turns with one agent: the first resets its memory, the others continue with it."""

    _begun = False
    _work: asyncio.Future[Any] | None = None

    async def say(self, text: str) -> Any:
        first = not self._begun
        watch = self._watch
        task = watch.given(text)
        self._begun = True
        self._work = asyncio.ensure_future(
            in_thread(partial(self._agent.run, task, reset=first, return_full_result=True))
        )
        result = await asyncio.shield(self._work)
        if result.state == "max_steps_error":
            raise LimitReachedError("the agent's max_steps")
        return watch.output(result) if watch.output else text_of(result.output)

    async def give_back(self) -> None:
        # Its memory is in use until its thread has ended.
        if self._work is not None and not self._work.done():
            self._agent.interrupt()
            await asyncio.wait([self._work])
            self._work.exception()


class Smolagents(Adapter):
    """Watches the steps of a ToolCallingAgent or a CodeAgent, and of those they manage."""

    conversation = _AgentTalk

    def install(self) -> Callable[[], None]:
        from smolagents import CodeAgent, MultiStepAgent, ToolCallingAgent
        from smolagents.local_python_executor import LocalPythonExecutor

        return all_replaced(
            (MultiStepAgent, "run", _watch_run),
            (LocalPythonExecutor, "send_tools", _watch_tools_of_code),
            (ToolCallingAgent, "_step_stream", _watch_step),
            (CodeAgent, "_step_stream", _watch_step),
            (ToolCallingAgent, "execute_tool_call", _watch_tool),
            (MultiStepAgent, "__call__", _watch_managed_agent),
        )

    def unheard(self, agent: Any) -> str:
        from smolagents.local_python_executor import LocalPythonExecutor

        executor = getattr(agent, "python_executor", None)
        if executor is not None and not isinstance(executor, LocalPythonExecutor):
            return (
                f"its code runs in a {type(executor).__name__}, where calls of tools cannot be heard; test it with"
                ' CodeAgent(…, executor_type="local"), or as a ToolCallingAgent'
            )
        reasons = (
            self.unheard(managed) for managed in (getattr(agent, "managed_agents", None) or {}).values()
        )
        return next(filter(None, reasons), "")

    def tools(self, agent: Any) -> list[Tool]:
        tools = {**getattr(agent, "tools", {}), **getattr(agent, "managed_agents", {})} or {"": agent}
        return [
            Tool(tool.name, tool.description, input_schema(plain(tool.inputs)))
            for tool in tools.values()
            if hasattr(tool, "inputs") and tool.name != FINAL
        ]


ADAPTER = Smolagents()


def _watch_step(original: Any) -> Any:
    def _step_stream(self: Any, memory_step: Any) -> Iterator[Any]:
        watch = watch_of(NAME)
        if watch is None:
            yield from original(self, memory_step)
            return
        step = _Step(watch, self, memory_step)
        try:
            for output in original(self, memory_step):
                step.note()
                yield output
        except Exception as error:
            step.note()
            step.broke(error)
            raise
        finally:
            step.note()
            watch.recorder.unanswered(step.voice)

    return _step_stream


def _watch_run(original: Any) -> Any:
    def run(self: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None:
            return original(self, *args, **options)
        if reason := ADAPTER.unheard(self):
            watch.refuse(reason)
        with watch.recorder.run():  # plans too are asked for
            return original(self, *args, **options)

    return run


def _watch_tools_of_code(original: Any) -> Any:
    """The tools that code calls by their names. It may run in a thread without the context of its step."""

    def send_tools(self: Any, tools: Mapping[str, Any]) -> Any:
        watch = watch_of(NAME)
        if watch is not None:
            tools = {
                name: tool if name == FINAL else partial(_call_in_code, watch, id(self), name, tool)
                for name, tool in tools.items()
            }
        return original(self, tools)

    return send_tools


def _call_in_code(watch: Watch, executor: int, name: str, tool: Any, *args: Any, **options: Any) -> Any:
    step: _Step | None = watch.memory.get(executor)
    if step is None:
        return tool(*args, **options)
    return step.context.copy().run(step.run_tool, name, tool, args, options)


class _Step:
    """One step of an agent: the model's answer is noted as soon as the agent remembers it, before its tools run."""

    def __init__(self, watch: Watch, agent: Any, memory: Any) -> None:
        self._watch = watch
        self._memory = memory
        self._agent = str(getattr(agent, "name", None) or "")
        self._started = perf_counter()
        self._noted = False
        self._calls: list[ToolCall] = []
        self._answer: ModelAnswer | None = None
        self.voice = watch.recorder.asked(_sent_texts(watch, agent))
        self.context = copy_context()
        watch.memory[id(getattr(agent, "python_executor", None))] = self

    def note(self) -> None:
        message = getattr(self._memory, "model_output_message", None)
        if self._noted or message is None:
            return
        self._noted = True
        with self._watch.guarded("reading a step"):
            for tool_call in message.tool_calls or ():
                if tool_call.function.name != FINAL:
                    arguments, raw = arguments_of(tool_call.function.arguments)
                    self._calls.append(
                        ToolCall(tool_call.function.name, arguments, str(tool_call.id or ""), raw=raw)
                    )
            used = self._memory.token_usage
            (depth, parent, _) = _INSIDE.get()
            usage = framework_usage(used.input_tokens, used.output_tokens) if used else UNKNOWN_USAGE
            self._answer = self._watch.recorder.answered(
                text_of(message.content) if message.content else "", self._calls, usage=usage,
                ms=round((perf_counter() - self._started) * 1000, 3), agent=self._agent, depth=depth,
                parent=parent,
            )  # fmt: skip

    def run_tool(self, name: str, tool: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """A tool that the code of this step calls."""
        self.note()
        call_id = f"code-{self._watch.recorder.shared.moment()}"
        with self._watch.guarded("reading a call in code"):
            if self._answer is not None:
                arguments = {**dict(zip(getattr(tool, "inputs", None) or (), args, strict=False)), **options}
                self._watch.recorder.run_by_code(self._answer, ToolCall(name, plain(arguments), call_id))
        return _run_and_note(self._watch, name, options, call_id, run=lambda: tool(*args, **options))

    def broke(self, error: Exception) -> None:
        """The model is told the error for the whole step: calls whose tools never ran have failed."""
        with self._watch.guarded("reading a step"):
            for call in self._calls:
                key = object()
                if self._watch.recorder.tool_started(key, call.name, call.arguments):
                    self._watch.recorder.tool_ended(key, str(error), error=True)


def _sent_texts(watch: Watch, agent: Any) -> list[Message]:
    """The instructions and the task that an agent is about to send."""
    sent: list[Message] = []
    with watch.guarded("reading a request"):
        for message in agent.write_memory_to_messages():
            role: Literal["system", "user"] = "user" if message.role == "user" else "system"
            if message.role in {"system", "user"}:
                parts = [message.content] if isinstance(message.content, str) else message.content or ()
                texts = [part if isinstance(part, str) else part.get("text") or "" for part in parts]
                sent.append(Message(role, "\n".join(texts)))
    return sent


def _watch_tool(original: Any) -> Any:
    def execute_tool_call(self: Any, tool_name: str, arguments: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or tool_name == FINAL:
            return original(self, tool_name, arguments)
        return _run_and_note(
            watch, tool_name, arguments, "", run=lambda: original(self, tool_name, arguments)
        )

    return execute_tool_call


def _run_and_note(watch: Watch, name: str, arguments: Any, call_id: str, run: Callable[[], Any]) -> Any:
    key = object()
    with watch.guarded("running a tool"):
        watch.recorder.tool_started(key, name, plain(arguments), call_id)
    token = _INSIDE.set((_INSIDE.get()[0] + 1, watch.recorder.call_id_of_key(key), True))
    try:
        output = run()
    except Exception as error:
        with watch.guarded("running a tool"):
            watch.recorder.tool_ended(key, str(error), error=error)
        raise
    finally:
        _INSIDE.reset(token)
    with watch.guarded("running a tool"):
        watch.recorder.tool_ended(key, plain(output))
    return output


def _watch_managed_agent(original: Any) -> Any:
    def __call__(self: Any, task: str, **options: Any) -> Any:  # noqa: N807
        depth, parent, by_call = _INSIDE.get()
        token = _INSIDE.set((depth, parent, False) if by_call else (depth + 1, parent, False))
        try:
            return original(self, task, **options)
        finally:
            _INSIDE.reset(token)

    return __call__


def input_schema(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of a tool as JSON Schema.

    smolagents adds the types `any`, `image` and `audio`, at any depth, which allow any value, and marks what may be
    null by `nullable`.
    """
    required = [name for name, schema in inputs.items() if not schema.get("nullable")]
    return {"type": "object", "properties": _standard_each(inputs), "required": required}


def _standard_each(schemas: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _standard(schema) for name, schema in schemas.items()}


def _standard(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_standard(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    standard = {
        key: _standard_each(value) if key == "properties" and isinstance(value, dict) else _standard(value)
        for key, value in schema.items()
        if key not in ("type", "nullable")
    }
    kinds = schema["type"] if isinstance(schema.get("type"), list) else [schema.get("type")]
    if JSON_TYPES.issuperset(kinds):
        nullable = schema.get("nullable") is True and "null" not in kinds
        standard["type"] = [*kinds, "null"] if nullable else schema["type"]
    return standard
