"""The provider interface: one request in, one reply out."""

from __future__ import annotations

from types import TracebackType
from typing import Annotated, Any, Literal, Protocol, Self

import msgspec

from rightcall.model import Message, Tool, Usage
from rightcall.model.record import Record

Stop = Literal["done", "truncated", "refused"]


class Settings(Record, frozen=True):
    """Model settings; None leaves a setting to the provider.

    `extra` is sent unchanged, for server-specific settings.
    """

    temperature: Annotated[float | None, msgspec.Meta(description="randomness of the answers")] = None
    max_tokens: Annotated[int | None, msgspec.Meta(description="maximum tokens of an answer")] = None
    top_p: Annotated[float | None, msgspec.Meta(description="probability mass to sample from")] = None
    seed: Annotated[int | None, msgspec.Meta(description="seed of the model, where the provider has one")] = (
        None
    )
    stop: Annotated[tuple[str, ...], msgspec.Meta(description="texts that end an answer")] = ()
    tool_choice: Annotated[
        Literal["auto", "required", "none"] | None,
        msgspec.Meta(description="whether the model must call a tool"),
    ] = None
    parallel_calls: Annotated[
        bool | None, msgspec.Meta(description="whether one answer may have several calls")
    ] = None
    extra: Annotated[dict[str, Any], msgspec.Meta(description="further settings, sent unchanged")] = {}


class Prompt(Record, frozen=True):
    """The part of a request that stays the same over a run.

    Make one and use it for every request: providers encode it once and cache it by identity.
    """

    system: str = ""
    tools: tuple[Tool, ...] = ()
    settings: Settings = Settings()


class ModelRequest(Record, frozen=True):
    """One request to a model.

    `golden_id` and `trial` are never sent to a model: scripts and cassettes use them to find answers, so that
    two trials never share one. `seed` is the seed of this trial and overrides the settings.
    """

    prompt: Prompt
    messages: tuple[Message, ...]
    golden_id: str = ""
    trial: int = 0
    seed: int | None = None

    @property
    def turn(self) -> int:
        """Number of the model's earlier answers in this conversation."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def sampling_seed(self) -> int | None:
        """The seed to sample with, if there is one."""
        return self.seed if self.seed is not None else self.prompt.settings.seed


class ModelReply(Record, frozen=True):
    """One answer: the assistant's message with its calls, what it cost, and why it ended.

    `model` is the name reported by the server, `latency_ms` the time from request to complete reply, of which
    up to `lag_ms` may have been added by this machine: the executor measures that.
    """

    message: Message
    usage: Usage = Usage()
    stop: Stop = "done"
    model: str = ""
    latency_ms: float = 0.0
    lag_ms: float = 0.0


class Provider(Protocol):
    """A model. Raises `ProviderError` when there is no usable answer.

    Retries, case deadlines and concurrency are handled by the executor. A provider with an attribute
    `at_once` never gets more than that many concurrent requests.
    """

    name: str

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Ask once."""
        ...

    def prepare(self, prompt: Prompt) -> None:
        """Prepare a prompt that many requests share; `ConfigError` if it is not supported."""
        return

    async def check(self) -> list[str]:
        """Problems that would make every request fail; empty if none are known. Spends nothing."""
        return []

    async def aclose(self) -> None:
        """Release connections, threads and files."""
        return

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
