"""The four kinds of agents: another program, an observed framework, a function, a model."""

from __future__ import annotations

from rightcall.agents.agent import Agent, is_address, is_function, with_endpoint
from rightcall.agents.conversation.dialogue_loop import Users
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.model_retries import Patience
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.open_agent import OpenAgent


def agent_of_kind(
    agent: Agent,
    *,
    concurrency: int = 32,
    seed: int = 0,
    patience: Patience | None = None,
    user: UserSetup | Users | None = None,
) -> OpenAgent:
    """The agent, not opened yet. Nothing is read or asked; a `ConfigError` lists what is wrong with its setup."""
    agent = with_endpoint(agent)
    kind = _kind(agent)
    return kind(agent, concurrency=concurrency, seed=seed, patience=patience, user=user)


def _kind(agent: Agent) -> type[OpenAgent]:
    if is_address(agent.model):
        from rightcall.agents.remote.kind import OpenRemote

        return OpenRemote
    if isinstance(agent.model, ObservedAgent):
        from rightcall.agents.observed.kind import OpenObserved

        return OpenObserved
    if is_function(agent.model):
        from rightcall.agents.function import OpenFunction

        return OpenFunction
    from rightcall.agents.model import OpenModel

    return OpenModel
