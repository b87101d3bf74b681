"""The provider interface: one request in, one reply out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Generic, Literal, Protocol, Self, TypeVar

from rightcall.core.options import described
from rightcall.records import Message, Tool, Usage
from rightcall.records.dialects.endings import Stop
from rightcall.records.record import Record, Sequenced

T = TypeVar("T")


class Settings(Record, frozen=True, metaclass=Sequenced):
    """Model settings; None leaves a setting to the provider.

    `extra` is sent unchanged, for server-specific settings.
    """

    temperature: Annotated[float | None, described("randomness of the answers")] = None
    max_tokens: Annotated[int | None, described("maximum tokens of an answer")] = None
    top_p: Annotated[float | None, described("probability mass to sample from")] = None
    seed: Annotated[int | None, described("seed of the model, where the provider has one")] = None
    stop: Annotated[tuple[str, ...], described("texts that end an answer")] = ()
    tool_choice: Annotated[
        Literal["auto", "required", "none"] | None, described("whether the model must call a tool")
    ] = None
    parallel_calls: Annotated[bool | None, described("whether one answer may have several calls")] = None
    strict: Annotated[
        bool | None,
        described("whether the provider enforces the schemas of tools, where it can (OpenAI's own servers)"),
    ] = None
    extra: Annotated[dict[str, Any], described("further settings, sent unchanged")] = {}


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
    def asked(self) -> str:
        """The first message of the user."""
        return next((message.content for message in self.messages if message.role == "user"), "")

    @property
    def sampling_seed(self) -> int | None:
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

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class ProviderAround(Provider):
    """A provider in front of another one, which it names, checks, prepares and closes."""

    def __init__(self, provider: Provider) -> None:
        self.name = provider.name
        self._inner = provider
        if (at_once := getattr(provider, "at_once", None)) is not None:
            self.at_once = at_once

    def prepare(self, prompt: Prompt) -> None:
        self._inner.prepare(prompt)

    async def check(self) -> list[str]:
        return await self._inner.check()

    async def aclose(self) -> None:
        await self._inner.aclose()


REMEMBERED = 256
"""Prompts: one per run, or one per golden with its own tools."""


class PromptCache(Generic[T]):
    """What is made of prompts, or of their tools, each time the same object is given."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self._entries: dict[int, tuple[Any, T]] = {}

    def get(self, prompt: Any) -> T:
        entry = self._entries.get(id(prompt))
        if entry is None:
            if len(self._entries) >= REMEMBERED:
                self._entries.pop(next(iter(self._entries)))
            # The prompt is stored with it: while it is alive, its id is unique.
            entry = self._entries[id(prompt)] = prompt, self._make(prompt)
        return entry[1]
