"""An agent ready to run: its provider, tools and conversations opened once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from rightcall.agents.agent import (
    Agent,
    approval_problem,
    as_settings,
    as_tools,
    desk_problem,
    guard_problem,
    is_address,
    is_function,
    other_provider,
    own_endpoint,
    tools_of,
    with_endpoint,
    with_problems,
    with_recordings,
)
from rightcall.agents.agent_function import AgentFunction, UserAgent
from rightcall.agents.agent_loop import AgentLoop, Prompts, SingleTurn
from rightcall.agents.agent_session import DeskSetup, SessionPerformer, framework_tool
from rightcall.agents.conversation.agent_side import ModelSession, Opened, session_opener
from rightcall.agents.conversation.dialogue_loop import ConversationPerformer, Users
from rightcall.agents.conversation.model_user import ModelUsers, UserSetup
from rightcall.agents.conversation.turn_function import FunctionSession
from rightcall.agents.model_retries import Asker, Patience
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.agents.performers import (
    AnyPerformer,
    EitherPerformer,
    OpenModel,
    Performer,
    RecordedToolsAgent,
    TapedAgent,
)
from rightcall.agents.pool import LagMeter
from rightcall.agents.remote.remote_agent import agent_at
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.seam import load
from rightcall.model.approval import read_approvals
from rightcall.model.dialects.call_text import CallTextWatch
from rightcall.model.tool import Tool
from rightcall.models.base import Provider
from rightcall.models.http import Network
from rightcall.models.rate_limit import TokenBucket, shared_bucket
from rightcall.models.resolver import resolve
from rightcall.recording.first_requests.kept_state import StateWatch
from rightcall.recording.first_requests.request_digest import RequestDigester
from rightcall.recording.listener import record_requests
from rightcall.tools.definitions.behaviour import Behaviour
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.guard.policy import guard_policy
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.runtime.bound_tool import LOAD_SKILL, BoundTool, RunnableTool, always_ready, skill_loader
from rightcall.tools.runtime.policy import ToolRules, approval_problems
from rightcall.tools.runtime.toolbox import Toolbox

if TYPE_CHECKING:
    from rightcall.agents.remote.addressed_session import AddressedAgent, Telemetry


class Session:
    """An agent ready to run: provider opened, tools checked, prompts shared.

    `async with Session(agent, …) as session: trajectory = await session.performer.perform(golden, 0)`

    `user` plays the users of conversations that are not fully scripted.
    """

    def __init__(
        self,
        agent: Agent,
        *,
        concurrency: int = 32,
        seed: int = 0,
        patience: Patience | None = None,
        user: UserSetup | Users | None = None,
    ) -> None:
        agent = with_endpoint(agent)
        self.agent, self._seed, self._run_id = agent, seed, ""
        self._idempotency: Idempotency | None = None
        self._run_keys: Callable[[], Idempotency] | None = None
        if isinstance(user, UserSetup):
            options: dict[str, Any] = {"patience": patience, "recordings": agent.recordings}
            user = ModelUsers(user, concurrency=concurrency, seed=seed, **options)
        self.users: Users | None = user
        self._opened_talk: Opened | None = None
        self._concurrency, self._patience = concurrency, patience
        self.settings = as_settings(agent.settings)
        self._spans: Telemetry | None = None
        self.addressed: AddressedAgent | None = self._agent_at_address(concurrency)
        self.provider = self._provider(concurrency)
        self.asker: Asker | None = None
        self.lag = LagMeter()
        self.call_text = CallTextWatch()
        self.kept_state = StateWatch()
        self._rate = TokenBucket(agent.rate) if agent.rate else None
        self._stack = AsyncExitStack()
        self.digester: RequestDigester | None = None
        """Digests first requests, while the session is open; None when the suite owns every request."""
        if self.provider is not None or self.addressed is not None:
            self.asker = Asker(
                self.provider, concurrency, patience=patience, seed=seed, lag=self.lag, rate=self._rate
            )
        self._equip(agent.tools)

    @property
    def performer(self) -> AnyPerformer:
        """Does the trials; with recordings, through them."""
        return self._trials

    @performer.setter
    def performer(self, performer: AnyPerformer) -> None:
        recordings, server = self.agent.recordings, self.agent.mcp
        if server is not None and server.recording:
            performer = RecordedToolsAgent(performer)
        self._trials: AnyPerformer = TapedAgent(performer, recordings) if recordings else performer

    @property
    def request_tools(self) -> dict[str, Tool]:
        """What a provider is sent: the tools, without skills and agents that are known by name only."""
        return {tool.name: tool for tool in self.toolbox.tools}

    @property
    def definitions(self) -> list[Tool]:
        """The tools and skills as they were given; the tool that loads skills is made of them."""
        loaded = {LOAD_SKILL} if self.agent.skills else set()
        return [tool for tool in self.toolbox.definitions if tool.name not in loaded]

    @property
    def acts(self) -> bool:
        """Whether a trial may have effects outside: the agent is not a model, or its tools run for real.

        Such a trial is not repeated without an order: one that got no answer may have done its work.
        """
        return self.provider is None or self.agent.runs_tools

    def _equip(self, tools: Sequence[Any]) -> None:
        """Build everything that depends on the tools."""
        agent, self._given_tools = self.agent, tools
        if problem := approval_problem(agent) or guard_problem(agent):
            raise ConfigError(problem)
        if problems := list(with_problems(agent)):
            raise ConfigError(*problems)
        if isinstance(agent.model, ObservedAgent):
            self._observe(replace(agent.model, values=agent.with_), tools)
            return
        loader = skill_loader(agent.skills) if agent.skills else None
        self.toolbox = Toolbox(
            [*as_tools(tools), *agent.skills, *([loader.tool] if loader else [])],
            mocks={**agent.mocks, loader.tool.name: loader.mock} if loader else agent.mocks,
            execute=agent.execute,
            rules=ToolRules(strict=agent.strict, approvals=agent.approvals),
            idempotency=self._keys,
            faults=agent.faults,
            guard=agent.guard,
            seed=self._seed,
        )
        self.tools: dict[str, Tool] = {tool.name: tool for tool in self.toolbox.definitions}
        if self.addressed is not None:
            if agent.faults is not None:
                raise ConfigError(f"{agent.name} runs its own tools, so faults cannot break them")
            single_turn = SessionPerformer(self.addressed, agent.limits, asker=self.asker, lag=self.lag)
            self.performer = self._either(single_turn, session_opener(self.addressed, asker=self.asker))
            return
        if self.provider is None or self.asker is None:
            assert callable(agent.model)
            self.performer = self._of_function(agent.model)
            return
        self.prompts = Prompts(agent.system, self.request_tools, self.settings, self._seed)
        self.provider.prepare(self.prompts.common)
        self._perform(self.asker)

    def _keys(self) -> Idempotency:
        """What runs a tool once, made when the first one runs: most models are only offered their tools."""
        if self._idempotency is None:
            self._idempotency = Idempotency(sqlite_store(), live=self._run_keys and self._run_keys())
        return self._idempotency

    def begin(self, run_id: str, keys: Callable[[], Idempotency] | None = None) -> None:
        """Set the run whose trials follow.

        `keys` makes those that outlive the process, so that a killed run can be resumed without repeating side effects.
        """
        self._run_id, self._run_keys = run_id, keys
        if self._idempotency is not None:  # of trials before this run
            self._idempotency.live = keys and keys()
        if self.addressed is not None:
            self.addressed.begin(run_id)
        if isinstance(self.agent.model, ObservedAgent):
            self._observe(replace(self.agent.model, values=self.agent.with_), self._given_tools)
        elif self.provider is not None and self.asker is not None:
            self._perform(self.asker)

    def _perform(self, asker: Asker) -> None:
        self.performer = self._either(
            self._performer(asker), partial(ModelSession, self._loop(asker)), self._performer_of_model
        )

    def _loop(self, asker: Asker) -> AgentLoop:
        return AgentLoop(asker, self.prompts, self.agent.limits, self.toolbox, self._run_id)

    def _either(
        self, single_turn: Performer, opened: Opened, named_model: OpenModel | None = None
    ) -> AnyPerformer:
        self._opened_talk = opened
        return EitherPerformer(single_turn, self.conversations, named_model)

    def conversations(self) -> ConversationPerformer:
        """Holds conversations with this agent."""
        if self._opened_talk is None:
            raise ConfigError(
                f"{self.agent.name} takes whole goldens; a conversation needs agent(text, history)"
            )
        return ConversationPerformer(self._opened_talk, self.agent.limits, self.users)

    def _of_function(self, function: Callable[..., Any]) -> AnyPerformer:
        """A function of a golden holds conversations itself; any other is led through them."""
        called = AgentFunction.of(function, self.agent.with_)
        single_turn = UserAgent(called, self.agent.limits, self.lag)
        if not called.takes_turns:
            return single_turn
        return self._either(single_turn, lambda golden, *_: FunctionSession(called, golden))

    def _performer(self, asker: Asker) -> Performer:
        if self.agent.mode == "loop":
            return self._loop(asker)
        return SingleTurn(asker, self.prompts, self.agent.limits)

    async def _performer_of_model(self, model: str) -> Performer:
        """The same agent with the model that a golden names."""
        provider = other_provider(self.agent, model, self._concurrency)
        provider.prepare(self.prompts.common)
        await self._stack.enter_async_context(provider)
        asker = Asker(provider, self._concurrency, patience=self._patience, seed=self._seed, rate=self._rate)
        return self._performer(asker)

    def _observe(self, observed: ObservedAgent, tools: Sequence[Any]) -> None:
        """An agent with its own tools: they are only run here when they are mocked or broken by faults."""
        agent, execute = self.agent, observed.tools_run
        if observed.info is None:
            AgentFunction.of(observed.target, observed.values)
        tools_seen = tools_of(replace(agent, tools=tools))
        approvals = read_approvals(agent.approvals)
        guarded = observed.can_mock and any(getattr(tool, "roles", ()) for tool in tools_seen)
        guard = guard_policy(agent.guard)
        at_desk = execute == "mock" or agent.faults is not None or guarded or guard is not None
        if at_desk and (problem := desk_problem(observed, tools_seen)):
            raise ConfigError(problem)
        at_desk = at_desk or (agent.recordings is not None and not desk_problem(observed, tools_seen))
        facts: Any = {"mocks": agent.mocks, "execute": execute, "faults": agent.faults, "seed": self._seed}
        self.toolbox = Toolbox(tools_seen, **facts)
        self.tools = {tool.name: tool for tool in self.toolbox.definitions}
        if approvals and (wrong := approval_problems(approvals, self.tools)):
            raise ConfigError(*wrong)
        desks = None
        if at_desk:  # the framework runs the agent: only its author can stop it
            rules = ToolRules(strict=False, approvals=approvals if guard is not None else None)
            own: Any = {"rules": rules, "idempotency": self._keys, "guard": guard}
            desks = DeskSetup(Toolbox(map(framework_tool, tools_seen), **own, **facts), self._run_id)
        if skills := tuple(tool for tool in self.toolbox.skills if tool.kind == "skill"):
            observed = replace(observed, skills=skills)
        single_turn = SessionPerformer(observed, agent.limits, desks, lag=self.lag, approvals=approvals)
        self.performer = self._either(single_turn, session_opener(observed, desks, approvals=approvals))

    def notices(self) -> list[str]:
        """What a reader of the results should know about how they were observed."""
        observed = self.agent.model.notices() if isinstance(self.agent.model, ObservedAgent) else []
        return [*observed, *filter(None, [self.call_text.notice, self.kept_state.sentence])]

    async def check(self) -> list[str]:
        """Problems that would make every case fail: a missing key, an unreachable host."""
        problems = await self.users.check() if isinstance(self.users, ModelUsers) else []
        if isinstance(self.agent.model, ObservedAgent):
            return problems + self.agent.model.check()
        asked = self.addressed or self.provider
        return problems + (await asked.check() if asked else [])

    async def __aenter__(self) -> Self:
        self.lag.start()
        self._stack.callback(self.lag.stop)
        if self._rate is not None and self.agent.rate is not None:  # judges and users at this server share it
            shared_bucket(f"{self.agent.name} {self.agent.server}", self.agent.rate, self._rate)
        if self.provider is not None:
            await self._stack.enter_async_context(self.provider)
        elif self.agent.recordings is not None:
            self._stack.enter_context(record_requests(self.agent.recordings))
        if self.provider is None and self.addressed is None:
            # What recordings ignore is ignored here too.
            recordings = self.agent.recordings
            self.digester = RequestDigester(scrubber(), recordings.ignored if recordings else ())
        if self._spans is not None:
            await self._spans.start()
            self._stack.push_async_callback(self._spans.aclose)
        if self.addressed is not None:
            self._stack.push_async_callback(self.addressed.aclose)
        if isinstance(self.users, ModelUsers):
            await self.users.open_models(self._stack)
        agent = self.agent
        if agent.mcp is not None and agent.mode == "loop" and agent.execute == "real":
            replays = agent.recordings is not None and agent.recordings.replays_only
            if replays and not agent.mcp.replays:
                known_tools = [tool for tool in self.definitions if tool.kind == "tool"]
                entries: list[Any] = [_replay_entry(tool, agent.mcp) for tool in known_tools]
            elif agent.mcp.recording:
                from rightcall.tools.mcp.recorded_server import RecordedServer

                recorded = await self._stack.enter_async_context(RecordedServer(agent.mcp))
                entries = list(recorded.entries())
            else:
                from rightcall.tools.mcp.client import McpServer

                server = await self._stack.enter_async_context(McpServer(agent.mcp))
                entries = list(server.entries())
            self._equip([*entries, *(skill for skill in self.toolbox.skills if skill not in agent.skills)])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        live = self._idempotency and self._idempotency.live
        if live is not None and live.store.remote:
            live.store.close()  # a tool that ends later connects again

    def _agent_at_address(self, concurrency: int) -> AddressedAgent | None:
        agent = self.agent
        if not isinstance(agent.model, str) or not is_address(agent.model):
            return None
        exchange = agent.exchange
        if exchange.spans:
            self._spans = load("services", "span_receiver")(exchange.spans, exchange.settle, exchange.calls)
        return agent_at(
            agent.model,
            agent.exchange,
            system=agent.system,
            offered=lambda golden: [t for t in tools_for(golden, self.tools).values() if t.kind == "tool"],
            network=Network(connections=concurrency),
            telemetry=self._spans,
        )

    def _provider(self, concurrency: int) -> Provider | None:
        model = self.agent.model
        if isinstance(model, ObservedAgent) or self.addressed is not None:
            return None
        if is_function(model):
            return None
        provider = resolve(
            own_endpoint(self.agent),
            network=Network(connections=concurrency),
            model=self.agent.model_name,
        )
        return with_recordings(provider, self.agent)


def _replay_entry(tool: Tool, address: McpAddress) -> BoundTool:
    """A tool of an MCP server that is not started: its results are recorded."""

    async def run(*_: Any) -> Any:
        raise ConfigError(f"{tool.name} was called outside any trial; a replay does not start its server")

    return always_ready(tool, RunnableTool(run, live=True), Behaviour(timeout_s=address.call_s))
