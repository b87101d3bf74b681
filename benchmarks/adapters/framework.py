"""What the benchmark needs of a framework: one file in `frameworks/` with a subclass, named like its adapter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from tests.limbs.adapters.script import Answer, Call

import rightcall as rc
from benchmarks.adapters.scenarios import EXPERT, TRAVEL, Scenario, Shape

Client = TypeVar("Client")


@dataclass(frozen=True)
class Setup:
    """What an agent is built from: the server's address, its shape, and how its two models are called."""

    address: str
    shape: Shape
    scenario: Scenario
    timeout: float | None = None
    """Seconds that the model client waits for an answer; None is its own default, of minutes."""

    @property
    def client_options(self) -> dict[str, Any]:
        """For clients of the OpenAI and Anthropic APIs, and for classes that pass options on to one."""
        return {"max_retries": 0, **({} if self.timeout is None else {"timeout": self.timeout})}

    @property
    def base_url(self) -> str:
        """For clients of the OpenAI API."""
        return f"{self.address}/v1"

    def model(self, agent: str = TRAVEL) -> str:
        return f"scripted-{agent}"

    def instructions(self, agent: str = TRAVEL) -> str:
        return f"You are an agent for travellers. [{agent}]"

    @property
    def expert(self) -> str:
        return self.model(EXPERT)


class Framework:
    """How agents of one framework are built, from its own documentation, and how it spells what the script says."""

    name: ClassVar[str]
    """The adapter's."""
    cannot: ClassVar[Mapping[str, str]] = {}
    """Scenarios that the framework has no way to express, and why."""
    limits: ClassVar[Mapping[str, str]] = {}
    """Scenarios whose record differs from the truth, and the adapter's stated limitation that explains it."""

    def agent(self, setup: Setup) -> Any:
        """The agent, as a user writes it: an object of the framework, or a function of a golden."""
        raise NotImplementedError

    def stateless_agent(self, setup: Setup) -> Any:
        """The agent for goldens that run at once; the same unless it is a loop that holds one conversation."""
        return self.agent(setup)

    async def plain(self, agent: Any, says: tuple[str, ...]) -> Any:
        """The same turns without RightCall, as the adapter takes them; returns the final answer."""
        raise NotImplementedError

    def observed(self, agent: Any, **options: Any) -> Any:
        return rc.observe(agent, **options)

    def __init__(self) -> None:
        self._clients: list[Any] = []

    def kept(self, client: Client) -> Client:
        """A client that is closed when the run has ended."""
        self._clients.append(client)
        return client

    async def close(self) -> None:
        """Close the clients of the run."""
        for client in self._clients:
            await client.close()
        self._clients.clear()

    def spelled(self, call: Call) -> Call:
        """A call of the script as the framework's own tools are named; this is what the record must hold."""
        return call

    def scripted(self, answer: Answer) -> list[Answer]:
        """An answer of the script as the answers in which this framework asks for it."""
        return [answer]

    def spoken(self, answer: Answer, body: dict[str, Any]) -> Answer:
        """An answer as this framework's models must write it, where that is more than its calls and text."""
        return answer

    def recorded_name(self, name: str) -> str:
        """The name under which the record has a tool."""
        return name

    def may_call(self, body: dict[str, Any]) -> bool:
        """Whether a request lets the model call tools."""
        return bool(body.get("tools")) and body.get("tool_choice") != "none"

    def ignored(self, body: dict[str, Any]) -> bool:
        """Whether a request is not about the task at all, such as one for the title of the conversation."""
        return False
