"""Observes agents of `rightcall_orbit.framework` while they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rightcall.agents.observed.adapter import Adapter, Talk, Watch, replaced, watch_of
from rightcall.agents.observed.catalog import AdapterInfo
from rightcall.records.call import ToolCall

INFO = AdapterInfo(
    "orbit",
    "Orbit",
    package="rightcall-orbit",
    loads="rightcall_orbit.framework",
    modules=("rightcall_orbit.framework",),
    tested="1.0",
    hook="OrbitAgent.call, while a trial runs",
    loses=("tokens are not known",),
    adapter="rightcall_orbit.adapter:ADAPTER",
)


class OrbitAdapter(Adapter):
    def install(self) -> Callable[[], None]:
        from rightcall_orbit.framework import OrbitAgent

        return replaced(OrbitAgent, "call", _observed)

    def talk(self, agent: Any, watch: Watch) -> Talk:
        return _Conversation(agent, watch)


ADAPTER = OrbitAdapter()


class _Conversation(Talk):
    def __init__(self, agent: Any, watch: Watch) -> None:
        self._agent = agent
        self._watch = watch

    async def say(self, text: str) -> Any:
        return self._agent.run(self._watch.given(text))


def _observed(original: Any) -> Any:
    def call(self: Any, name: str, arguments: dict[str, Any]) -> str:
        watch = watch_of("orbit")
        if watch is None:
            return original(self, name, arguments)
        call_id = f"call_{watch.recorder.requests}"
        watch.recorder.asked()
        watch.recorder.answered(calls=[ToolCall(name, arguments, call_id)])
        watch.recorder.tool_started(call_id, name, arguments, call_id)
        output: str = original(self, name, arguments)
        watch.recorder.tool_ended(call_id, output)
        return output

    return call
