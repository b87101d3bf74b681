"""LangChain's tools answered by our desk: `BaseTool.run` and `arun` ask it first, inside a trial that has one."""

from __future__ import annotations

from typing import Any

from rightcall.agents.observed.adapter import Watch
from rightcall.agents.observed.hooks import watch_of
from rightcall.agents.observed.values import plain, text_of
from rightcall.core.event_loop import run_apart
from rightcall.wings.adapters.langchain_interrupts import is_interrupt, note_interrupt
from rightcall.wings.adapters.langchain_messages import definition

NAME = "langchain"


def desk_arun(original: Any) -> Any:
    async def arun(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or watch.desk is None or _inside(watch, options):
            return await original(self, tool_input, *args, **options)

        async def real() -> Any:
            return _unwrap(await original(self, tool_input, *args, **options))

        return await _at_the_desk(self, tool_input, options, watch, real)

    return arun


def desk_run(original: Any) -> Any:
    def run(self: Any, tool_input: Any, *args: Any, **options: Any) -> Any:
        watch = watch_of(NAME)
        if watch is None or watch.desk is None or _inside(watch, options):
            return original(self, tool_input, *args, **options)

        async def real() -> Any:
            return _unwrap(original(self, tool_input, *args, **options))

        return run_apart(_at_the_desk(self, tool_input, options, watch, real))

    return run


def _inside(watch: Watch, options: dict[str, Any]) -> bool:
    """Whether the desk runs this very call for real: then it is the framework's turn."""
    return options.get("tool_call_id") in watch.memory.get("at_desk", ())


async def _at_the_desk(tool: Any, tool_input: Any, options: dict[str, Any], watch: Watch, real: Any) -> Any:
    from langchain_core.messages import ToolMessage

    assert watch.desk is not None
    call_id = str(options.get("tool_call_id") or "")
    parameters = definition(tool).parameters
    inputs = tool_input if isinstance(tool_input, dict) else {next(iter(parameters), "input"): tool_input}
    arguments = {name: plain(value) for name, value in inputs.items() if name in parameters}
    key = object()
    busy = watch.memory.setdefault("at_desk", set())
    busy.add(call_id)
    try:
        watch.recorder.tool_started(key, tool.name, arguments, call_id)
        interrupts: list[BaseException] = []
        answer = await watch.desk.run(tool.name, arguments, call_id, _interruptible(real, interrupts))
        if interrupts:  # the graph stops here until somebody answers
            note_interrupt(watch, watch.recorder.call_of_key(key))
            raise interrupts[0]
        watch.recorder.tool_ended(key, answer.output, error=answer.failed)
    finally:
        busy.discard(call_id)
    if not call_id:
        return answer.output
    status = "error" if answer.failed else "success"
    return ToolMessage(text_of(answer.output), tool_call_id=call_id, name=tool.name, status=status)


def _interruptible(real: Any, interrupts: list[BaseException]) -> Any:
    """The real tool; the desk would take its interrupt for a failure, so it is kept."""

    async def run() -> Any:
        try:
            return await real()
        except Exception as error:
            if is_interrupt(error):
                interrupts.append(error)
            raise

    return run


def _unwrap(output: Any) -> Any:
    """What the tool gave, out of the message made for the model; one that reports a failure is raised again."""
    if not hasattr(output, "content"):
        return output
    if getattr(output, "status", "") == "error":
        raise RuntimeError(text_of(output.content))
    return plain(output.content)
