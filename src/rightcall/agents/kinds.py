"""Which kind an agent is, and what keeps it from running, found before anything is spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rightcall.agents.agent import (
    Agent,
    as_settings,
    as_tools,
    is_address,
    is_function,
    other_provider,
    tools_of,
    with_endpoint,
)
from rightcall.agents.conversation.dialogue_loop import Users
from rightcall.agents.conversation.model_user import UserSetup
from rightcall.agents.model_retries import Patience
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.open_agent import OpenAgent
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.providers.base import Settings
from rightcall.tools.definitions.offer import tool_set_problems
from rightcall.tools.runtime.toolbox import Toolbox


def open_problems(
    agent: Agent, *, concurrency: int = 32, seed: int = 0, user: UserSetup | Users | None = None
) -> tuple[OpenAgent | None, list[str]]:
    """The agent, not opened yet; or None and every problem that prevents one."""
    try:
        opened = agent_of_kind(agent, concurrency=concurrency, seed=seed, user=user)
    except RightCallError as error:
        own = list(error.problems) if isinstance(error, ConfigError) else [str(error)]
        return None, agent_problems(agent) or own
    problems = tool_set_problems(agent.tool_sets, list(opened.tools)) if agent.tool_sets else []
    return (None, problems) if problems else (opened, [])


def actions_of_replay(opened: OpenAgent) -> str:
    """What a replay of this agent does besides replaying; empty when it acts on nothing."""
    agent = opened.agent
    reason = opened.acts_in_replay
    recordings = agent.recordings
    if recordings is None or not recordings.replays_only or not reason:
        return ""
    if recordings.settings.level == "trajectory":
        return ""  # what it returned is recorded: it is neither called nor started
    remedy = "record: {level: trajectory} replays what it returned without running it"
    return (
        f"a replay runs {agent.name}: {reason}, so only its requests are answered from the recording,"
        f" and whatever else it does happens again; {remedy}"
    )


def agent_problems(agent: Agent) -> list[str]:
    """Problems in an agent's definition: tools and mocks, settings, the model's name."""
    problems: list[str] = []
    watched = isinstance(agent.model, ObservedAgent)  # its framework knows its tools
    for part in (
        lambda: Toolbox(tools_of(agent), mocks=agent.mocks, execute=agent.tool_execution, **agent.layers),
        lambda: as_settings(agent.settings),
        lambda: _check_sets(agent),
        lambda: agent_of_kind(
            agent
            if watched
            else replace(
                agent, tools=(), mocks={}, faults=None, guard=agent.guard and "auto", settings=Settings()
            )
        ),
    ):
        try:
            part()
        except ConfigError as error:
            problems += error.problems
        except RightCallError as error:
            problems.append(str(error))
    return problems


async def model_problems(agent: Agent, models: Iterable[str]) -> list[str]:
    """Problems with the models that goldens name: an unknown provider, a missing key."""
    problems: list[str] = []
    for model in sorted(models):
        try:
            provider = other_provider(agent, model, 1)
            async with provider:
                problems += await provider.check()
        except ConfigError as error:
            problems += error.problems
    return list(dict.fromkeys(problems))


def _check_sets(agent: Agent) -> None:
    if not agent.tool_sets:
        return
    tools = Toolbox(
        as_tools(agent.tools), mocks=agent.mocks, execute=agent.tool_execution, faults=agent.faults
    ).tools
    if problems := tool_set_problems(agent.tool_sets, [tool.name for tool in tools]):
        raise ConfigError(*problems)


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
