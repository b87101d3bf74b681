"""An agent under test: a model with tools and instructions, or a user's own callable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from rightcall.errors import ConfigError, InputError, RightCallError
from rightcall.executor.agent_loop import AgentLoop
from rightcall.executor.callable_agent import UserAgent
from rightcall.executor.conversation.agent_side import ModelSession, Opened
from rightcall.executor.conversation.model_user import ModelUsers, UserSetup
from rightcall.executor.conversation.turn_function import FunctionSession, one_turn, turn_parameters
from rightcall.executor.conversation.turn_taking import ConversationPerformer, OnTurn
from rightcall.executor.conversation.user_side import Users
from rightcall.executor.lag import LagMeter
from rightcall.executor.limits import Limits
from rightcall.executor.models import PerModel, full_name
from rightcall.executor.prompts import Prompts
from rightcall.executor.retrying_client import Asker, Patience
from rightcall.executor.single_turn import SingleTurn
from rightcall.model.dialects import read_tool
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.providers import Network, Provider, Settings, resolve
from rightcall.tools.definitions import ToolSets, tool_set_problems
from rightcall.tools.faults import FaultPlan
from rightcall.tools.idempotency import Idempotency, sqlite_store
from rightcall.tools.mcp import McpAddress, McpServer
from rightcall.tools.runtime import Rules, Toolbox


@dataclass(frozen=True)
class Agent:
    """A model with tools and instructions.

    `model` is `provider:model`, a provider, an SDK client (with `model_name`), or any callable
    `(golden) -> Trajectory | list[ToolCall] | messages | text`. In mode `single_turn` the model is asked once and
    its choice recorded; in mode `loop` tools are run and told until it answers. Tools are mocked unless
    `execute="real"`; then those of an MCP server at `mcp` are called there. `faults` break tools on purpose.
    `strict` stops the agent when a tool is not permitted to act, loses a connection or breaks unexpectedly.
    `model_name` says which model to ask an SDK client for; `record` is a cassette to write to. `tool_sets` are names of
    tools under a name, `{"files": ["read_file", "list_files"]}`, of which a golden gets one by its `tool_set`.
    """

    model: str | Provider | Callable[[Golden], Any]
    tools: Sequence[Any] = ()
    system: str = ""
    mode: Literal["single_turn", "loop"] = "single_turn"
    settings: Settings | Mapping[str, Any] = field(default_factory=Settings)
    base_url: str | None = None
    limits: Limits = field(default_factory=Limits)
    mocks: Mapping[str, Any] = field(default_factory=dict)
    execute: Literal["mock", "real"] = "mock"
    faults: FaultPlan | None = None
    mcp: McpAddress | None = None
    model_name: str | None = None
    record: str | None = None
    tool_sets: ToolSets = field(default_factory=dict)
    strict: bool = False

    @property
    def name(self) -> str:
        """What the agent is called in results."""
        if isinstance(self.model, str):
            return self.model
        name = getattr(self.model, "name", None) or getattr(self.model, "__name__", None)
        return str(name or type(self.model).__name__)


class Performer(Protocol):
    """Does one trial of one golden. Failing is data; only a broken setup raises."""

    async def perform(self, golden: Golden, trial: int) -> Trajectory: ...


class AnyPerformer(Protocol):
    """The same for goldens of either kind."""

    async def perform(self, golden: AnyGolden, trial: int) -> Trajectory: ...


class EitherPerformer:
    """One turn, or a conversation."""

    def __init__(self, one: Performer, talk: ConversationPerformer) -> None:
        self._one, self._talk = one, talk

    async def perform(self, golden: AnyGolden, trial: int) -> Trajectory:
        performer: Any = self._one if isinstance(golden, Golden) else self._talk
        made: Trajectory = await performer.perform(golden, trial)
        return made


class Session:
    """An agent made ready for a run: provider opened, tools checked, prompts shared.

    `async with Session(agent, …) as session: trajectory = await session.performer.perform(golden, 0)`
    `keys` outlive the process, so that a run that was killed goes on without doing an effect twice. `user` plays the
    users of conversations that are not scripted to their end.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        concurrency: int = 32,
        seed: int = 0,
        run_id: str = "",
        patience: Patience | None = None,
        keys: Idempotency | None = None,
        user: UserSetup | Users | None = None,
    ) -> None:
        self.agent, self._seed, self._run_id = agent, seed, run_id
        self._keys = keys
        self.users: Users | None = (
            ModelUsers(user, concurrency=concurrency, seed=seed, patience=patience)
            if isinstance(user, UserSetup)
            else user
        )
        self._concurrency, self._patience = concurrency, patience
        self.settings = as_settings(agent.settings)
        self.provider = self._provider(concurrency)
        self.asker: Asker | None = None
        self.lag = LagMeter()
        self._stack = AsyncExitStack()
        if self.provider is not None:
            at_once = min(concurrency, getattr(self.provider, "at_once", concurrency))
            self.asker = Asker(self.provider, at_once, patience=patience, seed=seed, lag=self.lag)
        self._equip(agent.tools)

    def _equip(self, tools: Sequence[Any]) -> None:
        """Make everything that depends on the tools."""
        agent = self.agent
        self.toolbox = Toolbox(
            as_tools(tools),
            mocks=agent.mocks,
            execute=agent.execute,
            rules=Rules(strict=agent.strict),
            idempotency=Idempotency(sqlite_store(), live=self._keys),
            faults=agent.faults,
            seed=self._seed,
        )
        self.tools: dict[str, Tool] = {tool.name: tool for tool in self.toolbox.tools}
        if self.provider is None or self.asker is None:
            assert callable(agent.model)
            self.performer: AnyPerformer = self._of_function(agent.model)
            return
        prompts = Prompts(agent.system, self.tools, self.settings, self._seed)
        self.provider.prepare(prompts.common)
        one = PerModel(self._performer(self.asker, prompts), partial(self._opened, prompts))
        loop = AgentLoop(self.asker, prompts, agent.limits, self.toolbox, self._run_id)
        self._opened_talk: Opened | None = partial(ModelSession, loop)
        self.performer = EitherPerformer(one, self.conversations())

    def conversations(
        self, users: Users | None = None, on_turn: OnTurn | None = None
    ) -> ConversationPerformer:
        """Holds conversations with this agent, with users other than the session's, or watched turn by turn."""
        if self._opened_talk is None:
            raise ConfigError(
                f"{self.agent.name} is given whole goldens; a conversation needs agent(input, history)"
            )
        return ConversationPerformer(self._opened_talk, self.agent.limits, users or self.users, on_turn)

    def _of_function(self, function: Callable[..., Any]) -> AnyPerformer:
        """A function of a golden holds conversations itself; one of a turn is led through them."""
        self._opened_talk = None
        if not turn_parameters(function):
            return UserAgent(function, self.agent.limits, self.lag)
        one = UserAgent(one_turn(function), self.agent.limits, self.lag)
        self._opened_talk = lambda golden, *_: FunctionSession(function, golden)
        return EitherPerformer(one, self.conversations())

    def _performer(self, asker: Asker, prompts: Prompts) -> Performer:
        agent = self.agent
        if agent.mode == "loop":
            return AgentLoop(asker, prompts, agent.limits, self.toolbox, self._run_id)
        return SingleTurn(asker, prompts, agent.limits)

    async def _opened(self, prompts: Prompts, model: str) -> Performer:
        """The same agent with another model, which a golden names."""
        provider = other_provider(self.agent, model, self._concurrency)
        provider.prepare(prompts.common)
        await self._stack.enter_async_context(provider)
        at_once = min(self._concurrency, getattr(provider, "at_once", self._concurrency))
        return self._performer(Asker(provider, at_once, patience=self._patience, seed=self._seed), prompts)

    async def check(self) -> list[str]:
        """What would keep every case from succeeding: a missing key, a host that cannot be reached."""
        found = await self.provider.check() if self.provider else []
        return found + (await self.users.check() if isinstance(self.users, ModelUsers) else [])

    async def __aenter__(self) -> Self:
        self.lag.start()
        self._stack.callback(self.lag.stop)
        if self.provider is not None:
            await self._stack.enter_async_context(self.provider)
        if isinstance(self.users, ModelUsers):
            await self.users.opened(self._stack)
        agent = self.agent
        if agent.mcp is not None and agent.mode == "loop" and agent.execute == "real":
            server = await self._stack.enter_async_context(McpServer(agent.mcp))
            self._equip(list(server.entries()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    def _provider(self, concurrency: int) -> Provider | None:
        model = self.agent.model
        if not isinstance(model, str) and not hasattr(model, "complete") and callable(model):
            return None
        network = Network(connections=concurrency)
        return resolve(
            model,
            base_url=self.agent.base_url,
            network=network,
            model=self.agent.model_name,
            record=self.agent.record,
        )


def agent_problems(agent: Agent) -> list[str]:
    """What is wrong with an agent as it is written down: tools and mocks, settings, the model's name."""
    problems: list[str] = []
    for part in (
        lambda: Toolbox(as_tools(agent.tools), mocks=agent.mocks, execute=agent.execute, faults=agent.faults),
        lambda: as_settings(agent.settings),
        lambda: _check_sets(agent),
        lambda: Session(replace(agent, tools=(), mocks={}, faults=None, settings=Settings())),
    ):
        try:
            part()
        except ConfigError as error:
            problems += error.problems
        except RightCallError as error:
            problems.append(str(error))
    return problems


async def model_problems(agent: Agent, models: Iterable[str]) -> list[str]:
    """What is wrong with the models that goldens name: no such provider, a missing key."""
    problems: list[str] = []
    for model in sorted(models):
        try:
            provider = other_provider(agent, model, 1)
            async with provider:
                problems += await provider.check()
        except ConfigError as error:
            problems += error.problems
    return list(dict.fromkeys(problems))


def other_provider(agent: Agent, model: str, concurrency: int) -> Provider:
    """The provider of a model that a golden names; the agent's address is for models of its provider alone."""
    name = full_name(model, agent.model)
    same = isinstance(agent.model, str) and name.partition(":")[0] == agent.model.partition(":")[0]
    return resolve(
        name,
        base_url=agent.base_url if same else None,
        network=Network(connections=concurrency),
        record=agent.record,
    )


def _check_sets(agent: Agent) -> None:
    if not agent.tool_sets:
        return
    tools = Toolbox(
        as_tools(agent.tools), mocks=agent.mocks, execute=agent.execute, faults=agent.faults
    ).tools
    if problems := tool_set_problems(agent.tool_sets, [tool.name for tool in tools]):
        raise ConfigError(*problems)


def as_tools(tools: Sequence[Any]) -> list[Any]:
    """Tools as they are, and plain definitions in any provider's spelling as tools."""
    return [read_tool(one, f"tools[{i}]") if isinstance(one, dict) else one for i, one in enumerate(tools)]


def as_settings(settings: Settings | Mapping[str, Any]) -> Settings:
    """Settings from a plain mapping, with a clear error for a misspelt one."""
    if isinstance(settings, Settings):
        return settings
    from rightcall.model.codec import convert

    try:
        return convert(dict(settings), Settings, "settings")
    except InputError as error:
        raise ConfigError(str(error)) from None
