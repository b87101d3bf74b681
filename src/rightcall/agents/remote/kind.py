"""The kind of agent that is another program: `http:URL` or `exec:COMMAND`."""

from __future__ import annotations

from collections.abc import Callable

from rightcall.agents.agent_session import SessionPerformer
from rightcall.agents.conversation.agent_side import session_opener
from rightcall.agents.model_retries import Asker
from rightcall.agents.observed.observed_agent import OTEL
from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.remote.addressed_session import AddressedAgent, Asking, Telemetry
from rightcall.core.errors import ConfigError
from rightcall.core.seam import load
from rightcall.providers.http import Network
from rightcall.tools.definitions.offer import tools_for
from rightcall.tools.idempotency.guard import Idempotency


class OpenRemote(OpenAgent):
    """Asked over a network or a pipe; it runs its own tools."""

    asker: Asker
    addressed: AddressedAgent
    _spans: Telemetry | None = None

    def begin(self, run_id: str, keys: Callable[[], Idempotency] | None = None) -> None:
        super().begin(run_id, keys)
        self.addressed.begin(run_id)

    def _connect(self) -> None:
        agent = self.agent
        exchange = agent.exchange
        if agent.faults is not None:
            raise ConfigError(f"{agent.name} runs its own tools, so faults cannot break them")
        if problems := exchange.problems():
            raise ConfigError(*problems)
        if exchange.spans:
            self._spans = load("receivers", OTEL)(exchange.spans, exchange.settle, exchange.calls)
        self.addressed = self._agent_at(*agent.name.split(":", 1))
        self.asker = self._asker_of(None)

    def _agent_at(self, prefix: str, rest: str) -> AddressedAgent:
        agent = self.agent
        asking = Asking(
            agent.system,
            lambda golden: [t for t in tools_for(golden, self.tools).values() if t.kind == "tool"],
            self._spans,
        )
        if prefix != "exec":
            from rightcall.agents.remote.http_agent import HttpAgent

            url = agent.name if rest.startswith("//") else rest
            return HttpAgent(url, agent.exchange, asking, Network(connections=self._concurrency))
        if agent.exchange.preset:
            preset = agent.exchange.preset
            raise ConfigError(f"agent.preset '{preset}' is for http: agents, not for {prefix}:")
        from rightcall.agents.remote.exec_agent import ExecAgent, command_of

        return ExecAgent(command_of(rest), agent.exchange, asking)

    def _perform(self) -> None:
        single_turn = SessionPerformer(self.addressed, self.agent.limits, asker=self.asker, lag=self.lag)
        self._perform_turns(single_turn, session_opener(self.addressed, asker=self.asker))

    async def _check(self) -> list[str]:
        return await self.addressed.check()

    async def _open(self) -> None:
        if self._spans is not None:
            await self._spans.start()
            self._stack.push_async_callback(self._spans.aclose)
        self._stack.push_async_callback(self.addressed.aclose)
