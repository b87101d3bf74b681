"""Agents of any framework, observed while they run: hook → events → trajectory.

    observed_agent   `observe(agent)`: an agent of a known framework, or a function, ready to be evaluated
    session          one trial: several turns with one agent, and what was observed so far
    recorder         events to a trajectory; the only place that joins calls with their results
    adapter          what an adapter is; hooks: how process-wide hooks stay local to a trial
    catalog          every adapter with the tested versions and its limitations
    values           values of frameworks as plain JSON; why an agent stopped, from what it raised
    provider_outage  whether what ended an agent is an outage of a model's provider
    <framework>.py   one file each: openai_agents, langchain, pydantic_ai, …; sdk_requests: what two SDKs share

To add one: a file with a subclass of `Adapter`, a line in `catalog.ADAPTERS`, a row in the adapter tests. A framework
is imported when its adapter is used, never to find out whether it is needed.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.adapters.adapter import ToolAnswer as ToolAnswer, ToolDesk as ToolDesk
    from rightcall.adapters.catalog import (
        ADAPTERS as ADAPTERS,
        AdapterInfo as AdapterInfo,
        adapter_info as adapter_info,
        adapter_named as adapter_named,
        agent_tools as agent_tools,
        detect as detect,
        hook_problem as hook_problem,
        installed_version as installed_version,
    )
    from rightcall.adapters.observed_agent import (
        ObservedAgent as ObservedAgent,
        observe_by_hooks as observe_by_hooks,
    )
    from rightcall.adapters.provider_outage import is_outage as is_outage
    from rightcall.adapters.recorder import EventRecorder as EventRecorder
    from rightcall.adapters.session import FunctionTalk as FunctionTalk, ObservedSession as ObservedSession
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "adapter": "ToolAnswer ToolDesk",
            "catalog": (
                "ADAPTERS AdapterInfo adapter_info adapter_named agent_tools detect hook_problem installed_version"
            ),
            "observed_agent": "ObservedAgent observe_by_hooks",
            "provider_outage": "is_outage",
            "recorder": "EventRecorder",
            "session": "FunctionTalk ObservedSession",
        },
    )
