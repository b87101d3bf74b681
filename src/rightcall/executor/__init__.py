"""Runs agents: from a golden to a trajectory.

agent         Agent: what is tested
agent_endpoint  where its model is asked
session       an agent ready to run; setup_problems: what keeps one from running
agent_loop    ask, run tools, return results, until done or a limit is reached; or one request, nothing run
conversation/ live conversations: both sides, scripted and simulated users
performers    goldens that name another model; trials recorded and replayed
callable_agent  a user-defined agent, and what it may return
first_request   the first request of a trial of such an agent: kept, or captured without running the trial
agent_session   agents with sessions: observed frameworks, services, commands; their tools, mocked
span_receiver   spans of services and commands, received while a run lasts
traced_agent    observe: by the hooks of a framework, or by the spans of instrumented code
retrying_client  retries with jitter; concurrency that adapts to the provider
limits        limits of a case and of a run
pool          concurrent cases
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.executor.agent import (
        Agent as Agent,
        as_settings as as_settings,
        confirm_problem as confirm_problem,
    )
    from rightcall.executor.agent_endpoint import (
        other_endpoint as other_endpoint,
        own_endpoint as own_endpoint,
        own_prices as own_prices,
        with_endpoint as with_endpoint,
    )
    from rightcall.executor.agent_loop import (
        AgentLoop as AgentLoop,
        Prompts as Prompts,
        SingleTurn as SingleTurn,
        settings_of as settings_of,
    )
    from rightcall.executor.callable_agent import as_trajectory as as_trajectory
    from rightcall.executor.conversation import (
        DEFAULT_PERSONAS as DEFAULT_PERSONAS,
        SimulationNode as SimulationNode,
        Users as Users,
        UserSetup as UserSetup,
        played_by as played_by,
        turn_parameters as turn_parameters,
    )
    from rightcall.executor.first_request import (
        capturable as capturable,
        capture_first_request as capture_first_request,
        perform_watched as perform_watched,
    )
    from rightcall.executor.limits import (
        Deadline as Deadline,
        Limits as Limits,
        RunLimits as RunLimits,
        spent as spent,
        total as total,
    )
    from rightcall.executor.pool import Pool as Pool
    from rightcall.executor.retrying_client import Asker as Asker, Patience as Patience
    from rightcall.executor.session import Performer as Performer, Session as Session
    from rightcall.executor.setup_problems import (
        agent_problems as agent_problems,
        model_problems as model_problems,
        open_problems as open_problems,
    )
    from rightcall.executor.span_receiver import (
        SpanReceiver as SpanReceiver,
        listen_problem as listen_problem,
    )
    from rightcall.executor.traced_agent import (
        OTEL as OTEL,
        TracedAgent as TracedAgent,
        observe as observe,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "agent": "Agent as_settings confirm_problem",
            "agent_endpoint": "other_endpoint own_endpoint own_prices with_endpoint",
            "agent_loop": "AgentLoop Prompts SingleTurn settings_of",
            "callable_agent": "as_trajectory",
            "conversation": "DEFAULT_PERSONAS SimulationNode UserSetup Users played_by turn_parameters",
            "first_request": "capturable capture_first_request perform_watched",
            "limits": "Deadline Limits RunLimits spent total",
            "pool": "Pool",
            "retrying_client": "Asker Patience",
            "session": "Performer Session",
            "setup_problems": "agent_problems model_problems open_problems",
            "span_receiver": "SpanReceiver listen_problem",
            "traced_agent": "OTEL TracedAgent observe",
        },
    )
