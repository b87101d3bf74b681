"""An agent ready to run, of any kind: what all kinds share. `agents/kinds.py` chooses the kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any, ClassVar, Self

from rightcall.agents.agent import (
    Agent,
    approval_problem,
    as_settings,
    as_tools,
    guard_problem,
    with_problems,
)
from rightcall.agents.conversation.agent_side import Opened
from rightcall.agents.conversation.dialogue_loop import ConversationPerformer, Users
from rightcall.agents.conversation.model_user import ModelUsers, UserSetup
from rightcall.agents.kept_state import StateWatch
from rightcall.agents.model_retries import Asker, Patience
from rightcall.agents.performers import AnyPerformer, EitherPerformer, NamedModel, Performer, TapedAgent
from rightcall.agents.pool import LagMeter
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.providers.base import Provider
from rightcall.providers.rate_limit import TokenBucket, shared_bucket
from rightcall.recording.listener import record_requests
from rightcall.recording.request_digest import RequestDigester
from rightcall.records.dialects.call_text import CallTextWatch
from rightcall.records.score import Note
from rightcall.records.tool import Tool
from rightcall.tools.definitions.behaviour import Behaviour
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.runtime.bound_tool import LOAD_SKILL, BoundTool, RunnableTool, always_ready, skill_loader
from rightcall.tools.runtime.policy import ToolRules
from rightcall.tools.runtime.toolbox import Toolbox


class OpenAgent:
    """An agent whose tools and problems are known at once; `async with` opens what it talks to.

    `async with agent_of_kind(agent, …) as opened: trajectory = await opened.performer.perform(golden, 0)`

    `user` plays the users of conversations that are not fully scripted.
    """

    asks_model: ClassVar[bool] = False
    """Whether a model is asked here, so that the suite owns every request."""
    runs_code: ClassVar[bool] = False
    """Whether the agent is code in this process, which asks its models itself."""

    toolbox: Toolbox
    performer: AnyPerformer
    """Does the trials; with recordings, through them."""

    def __init__(
        self,
        agent: Agent,
        *,
        concurrency: int = 32,
        seed: int = 0,
        patience: Patience | None = None,
        user: UserSetup | Users | None = None,
    ) -> None:
        if isinstance(user, UserSetup):
            user = ModelUsers(
                user, concurrency=concurrency, seed=seed, patience=patience, recordings=agent.recordings
            )
        self.agent = agent
        self.users: Users | None = user
        self.settings = as_settings(agent.settings)
        self.asker: Asker | None = None
        self.lag = LagMeter()
        self.call_text = CallTextWatch()
        self.kept_state = StateWatch()
        self.digester: RequestDigester | None = None
        """Digests first requests, while the agent is open; None when the suite owns every request."""
        self._concurrency = concurrency
        self._seed = seed
        self._patience = patience
        self._rate = TokenBucket(agent.rate) if agent.rate else None
        self._stack = AsyncExitStack()
        self._run_id = ""
        self._run_keys: Callable[[], Idempotency] | None = None
        self._idempotency: Idempotency | None = None
        self._talk: Opened | None = None
        self._connect()
        self.equip(agent.tools)

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
        return not self.asks_model or self.agent.runs_tools

    @property
    def acts_in_replay(self) -> str:
        """Why a replay of its requests acts all the same; empty when it acts on nothing."""
        return ""

    def equip(self, tools: Sequence[Any]) -> None:
        """Build everything that depends on the tools."""
        agent = self.agent
        if problem := approval_problem(agent) or guard_problem(agent):
            raise ConfigError(problem)
        if problems := list(with_problems(agent)):
            raise ConfigError(*problems)
        self.toolbox = self._toolbox_of(tools)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in self.toolbox.definitions}
        self._perform()

    def begin(self, run_id: str, keys: Callable[[], Idempotency] | None = None) -> None:
        """Set the run whose trials follow.

        `keys` makes those that outlive the process, so that a killed run can be resumed without repeating side effects.
        """
        self._run_id = run_id
        self._run_keys = keys
        if self._idempotency is not None:  # of trials before this run
            self._idempotency.live = keys and keys()
        self._perform()

    def conversations(self) -> ConversationPerformer:
        """Holds conversations with this agent."""
        if self._talk is None:
            raise ConfigError(
                f"{self.agent.name} takes whole goldens; a conversation needs agent(text, history)"
            )
        return ConversationPerformer(self._talk, self.agent.limits, self.users)

    def notices(self) -> list[Note]:
        """What a reader of the results should know about how they were observed."""
        texts = {"call_text": self.call_text.notice, "keeps_state": self.kept_state.sentence}
        return [Note(code, text) for code, text in texts.items() if text]

    async def check(self) -> list[str]:
        """Problems that would make every case fail: a missing key, an unreachable host."""
        problems = await self.users.check() if isinstance(self.users, ModelUsers) else []
        return problems + await self._check()

    async def __aenter__(self) -> Self:
        agent = self.agent
        self.lag.start()
        self._stack.callback(self.lag.stop)
        if self._rate is not None and agent.rate is not None:  # judges and users at this server share it
            shared_bucket(f"{agent.name} {agent.server}", agent.rate, self._rate)
        if not self.asks_model and agent.recordings is not None:
            self._stack.enter_context(record_requests(agent.recordings))
        if self.runs_code:  # what recordings ignore is ignored here too
            self.digester = RequestDigester(scrubber(), agent.recordings.ignored if agent.recordings else ())
        await self._open()
        if isinstance(self.users, ModelUsers):
            await self.users.open_models(self._stack)
        if agent.mcp is not None and agent.mode == "loop" and agent.execute == "real":
            entries = await self._server_tools(agent.mcp)
            self.equip([*entries, *(skill for skill in self.toolbox.skills if skill not in agent.skills)])
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()
        live = self._idempotency and self._idempotency.live
        if live is not None and live.store.remote:
            live.store.close()  # a tool that ends later connects again

    def _connect(self) -> None:
        """Make what asks the model or the agent; nothing is opened yet."""

    def _perform(self) -> None:
        """Make what does the trials, of the tools and the run."""
        raise NotImplementedError

    def _asker_of(self, provider: Provider | None) -> Asker:
        return Asker(
            provider,
            self._concurrency,
            patience=self._patience,
            seed=self._seed,
            lag=self.lag,
            rate=self._rate,
        )

    async def _check(self) -> list[str]:
        """Problems of what the agent talks to."""
        return []

    async def _open(self) -> None:
        """Open what the agent talks to."""

    def _toolbox_of(self, tools: Sequence[Any]) -> Toolbox:
        agent = self.agent
        loader = skill_loader(agent.skills) if agent.skills else None
        return Toolbox(
            [*as_tools(tools), *agent.skills, *([loader.tool] if loader else [])],
            mocks={**agent.mocks, loader.tool.name: loader.mock} if loader else agent.mocks,
            execute=agent.tool_execution,
            rules=ToolRules(strict=agent.strict, approvals=agent.approvals),
            idempotency=self._keys,
            seed=self._seed,
            **agent.layers,
        )

    def _keys(self) -> Idempotency:
        """What runs a tool once, made when the first one runs: most models are only offered their tools."""
        if self._idempotency is None:
            self._idempotency = Idempotency(sqlite_store(), live=self._run_keys and self._run_keys())
        return self._idempotency

    def _perform_turns(
        self, single_turn: Performer, talk: Opened, named_model: NamedModel | None = None
    ) -> None:
        """Do goldens of one turn this way, and conversations in sessions that `talk` opens."""
        self._talk = talk
        self._perform_by(EitherPerformer(single_turn, self.conversations, named_model))

    def _perform_by(self, performer: AnyPerformer) -> None:
        """With the agent's recordings, where it has them."""
        recordings = self.agent.recordings
        self.performer = TapedAgent(performer, recordings) if recordings else performer

    async def _server_tools(self, address: McpAddress) -> Sequence[Any]:
        """The tools of an MCP server, which is started unless its results are replayed."""
        recordings = self.agent.recordings
        if recordings is not None and recordings.replays_only and not address.replays:
            return [_replay_entry(tool, address) for tool in self.definitions if tool.kind == "tool"]
        if address.recording:
            from rightcall.tools.mcp.recorded_server import RecordedServer

            return list((await self._stack.enter_async_context(RecordedServer(address))).entries())
        from rightcall.tools.mcp.client import McpServer

        return list((await self._stack.enter_async_context(McpServer(address))).entries())


def _replay_entry(tool: Tool, address: McpAddress) -> BoundTool:
    """A tool of an MCP server that is not started: its results are recorded."""

    async def run(*_: Any) -> Any:
        raise ConfigError(f"{tool.name} was called outside any trial; a replay does not start its server")

    return always_ready(tool, RunnableTool(run, live=True), Behaviour(timeout_s=address.call_s))
