"""The kind of agent that is a model asked here: once, or in a loop with its tools."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rightcall.agents.agent import other_provider, own_endpoint, with_recordings
from rightcall.agents.agent_loop import AgentLoop, Prompts, SingleTurn
from rightcall.agents.conversation.agent_side import ModelSession
from rightcall.agents.model_retries import Asker
from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.performers import Performer
from rightcall.providers.base import Provider
from rightcall.providers.http import Network
from rightcall.providers.resolver import resolve
from rightcall.tools.runtime.toolbox import Toolbox


class OpenModel(OpenAgent):
    """A provider, and the prompt that all its requests share."""

    asks_model = True
    asker: Asker
    _provider: Provider
    _prompts: Prompts

    def _connect(self) -> None:
        agent = self.agent
        network = Network(connections=self._concurrency)
        provider = resolve(own_endpoint(agent), network=network, model=agent.model_name)
        self._provider = with_recordings(provider, agent)
        self.asker = self._asker_of(self._provider)

    def _toolbox_of(self, tools: Sequence[Any]) -> Toolbox:
        toolbox = super()._toolbox_of(tools)
        own_tools = {tool.name: tool for tool in toolbox.tools}
        self._prompts = Prompts(self.agent.system, own_tools, self.settings, self._seed)
        self._provider.prepare(self._prompts.common)
        return toolbox

    def _perform(self) -> None:
        loop = self._loop(self.asker)
        self._perform_turns(self._single_turn(self.asker), partial(ModelSession, loop), self._named_model)

    def _single_turn(self, asker: Asker) -> Performer:
        if self.agent.mode == "loop":
            return self._loop(asker)
        return SingleTurn(asker, self._prompts, self.agent.limits, self.toolbox)

    def _loop(self, asker: Asker) -> AgentLoop:
        return AgentLoop(asker, self._prompts, self.agent.limits, self.toolbox, run_id=self._run_id)

    async def _named_model(self, model: str) -> Performer:
        """The same agent with the model that a golden names."""
        provider = other_provider(self.agent, model, self._concurrency)
        provider.prepare(self._prompts.common)
        await self._stack.enter_async_context(provider)
        asker = Asker(provider, self._concurrency, patience=self._patience, seed=self._seed, rate=self._rate)
        return self._single_turn(asker)

    async def _check(self) -> list[str]:
        return await self._provider.check()

    async def _open(self) -> None:
        await self._stack.enter_async_context(self._provider)
