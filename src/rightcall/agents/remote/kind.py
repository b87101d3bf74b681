"""The kind of agent that is another program, at an address or behind a command."""

from __future__ import annotations

from collections.abc import Callable

from rightcall.agents.agent_session import SessionPerformer
from rightcall.agents.conversation.agent_side import session_opener
from rightcall.agents.model_retries import Asker
from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.remote.addressed_session import AddressedAgent, Telemetry
from rightcall.agents.remote.remote_agent import agent_at
from rightcall.core.errors import ConfigError
from rightcall.core.seam import load
from rightcall.models.http import Network
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
        if agent.faults is not None:
            raise ConfigError(f"{agent.name} runs its own tools, so faults cannot break them")
        exchange = agent.exchange
        if exchange.spans:
            self._spans = load("services", "span_receiver")(exchange.spans, exchange.settle, exchange.calls)
        self.addressed = agent_at(
            agent.name,
            exchange,
            system=agent.system,
            offered=lambda golden: [t for t in tools_for(golden, self.tools).values() if t.kind == "tool"],
            network=Network(connections=self._concurrency),
            telemetry=self._spans,
        )
        self.asker = self._asker_of(None)

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
