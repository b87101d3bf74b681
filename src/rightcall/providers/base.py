"""What every provider is: one request in, one reply out."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Literal, Protocol, Self

from rightcall.model import Message, Tool, Usage
from rightcall.model.record import Record

Stop = Literal["done", "truncated", "refused"]


class Settings(Record, frozen=True):
    """How the model should answer; None leaves a setting to the provider.

    `extra` is sent to the server as it is, for what only one server knows.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    tool_choice: Literal["auto", "required", "none"] | None = None
    parallel_calls: bool | None = None
    extra: dict[str, Any] = {}


class Prompt(Record, frozen=True):
    """The part of a request that stays the same over a run.

    Make one and use it for every request: providers encode it once and know it by its identity.
    """

    system: str = ""
    tools: tuple[Tool, ...] = ()
    settings: Settings = Settings()


class ModelRequest(Record, frozen=True):
    """One question to a model.

    `golden_id` and `trial` are never sent to a model: scripts and cassettes find their answers by them,
    so that two trials never share one. `seed` is the seed of this trial and wins over the settings' own.
    """

    prompt: Prompt
    messages: tuple[Message, ...]
    golden_id: str = ""
    trial: int = 0
    seed: int | None = None

    @property
    def turn(self) -> int:
        """How many times the model has answered already in this conversation."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def sampling_seed(self) -> int | None:
        """The seed to sample with, if there is one."""
        return self.seed if self.seed is not None else self.prompt.settings.seed


class ModelReply(Record, frozen=True):
    """One answer: the assistant's message with its calls, what it cost, and why it ended.

    `model` is the name the server gave itself, `latency_ms` the time between asking and having it all,
    of which up to `lag_ms` may have been spent by this machine: the executor measures that.
    """

    message: Message
    usage: Usage = Usage()
    stop: Stop = "done"
    model: str = ""
    latency_ms: float = 0.0
    lag_ms: float = 0.0


class Provider(Protocol):
    """A model that can be asked. Raises `ProviderError` when it gives no usable answer.

    Retries, deadlines of a case and concurrency are not its business: the executor has them. A provider with
    an attribute `at_once` is never asked more than so many things at the same time.
    """

    name: str

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask once."""
        ...

    def prepare(self, prompt: Prompt) -> None:
        """Get ready for a prompt that many requests will have; `ConfigError` if it cannot be asked."""
        return

    async def check(self) -> list[str]:
        """What would keep every request from succeeding; empty when nothing is known to. Spends nothing."""
        return []

    async def aclose(self) -> None:
        """Let go of connections, threads and files."""
        return

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
