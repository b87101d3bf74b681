"""A user played by a model."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from rightcall.agents.agent import as_settings
from rightcall.agents.conversation.dialogue_loop import SimulatedUser, UserFault, UserTurn
from rightcall.agents.conversation.personas import (
    DEFAULT_PERSONAS,
    Persona,
    facts_beyond,
    flip_roles,
    prompt_hash,
    read_persona,
    read_reply,
    system_text,
    who_is,
)
from rightcall.agents.limits import Deadline
from rightcall.agents.model_retries import Asker, Patience
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError
from rightcall.providers.base import ModelRequest, Prompt, Provider, Settings
from rightcall.providers.catalog import ModelCatalog, project_models
from rightcall.providers.endpoint import ModelEndpoint, overlaid
from rightcall.providers.hosts import server_of
from rightcall.providers.http import Network
from rightcall.providers.recorded import RecordedProvider
from rightcall.providers.resolver import endpoint_of, resolve
from rightcall.recording.library import Recordings
from rightcall.records.golden import ConversationalGolden
from rightcall.records.message import Message
from rightcall.records.trajectory import Usage

UserModel = str | ModelEndpoint | Provider

ATTEMPTS = 3
"""How often a model may try to say something usable."""

SECONDS = 120.0
"""How long a user may think about one turn."""

AGAIN = (
    "(That cannot be sent: {problem}. Write what the user says instead, by what you were told at the start.)"
)


@dataclass(frozen=True)
class UserSetup:
    """The simulated users of a run: the model that plays them, personas and limits.

    `personas` are names of built-in personas or `{name, characteristics}`; those of a golden take precedence.
    A model may be a name of the project's `models`; without one, `default_user` plays.
    """

    model: UserModel | None = None
    personas: Sequence[str | Mapping[str, Any] | Persona] = DEFAULT_PERSONAS
    max_turns: int = 10
    stopping_criteria: str = ""
    language: str = ""
    settings: Settings | Mapping[str, Any] = field(default_factory=Settings)

    def __post_init__(self) -> None:
        if not self.personas or self.max_turns < 1:
            raise ConfigError("user: needs at least one persona and max_turns of at least 1")
        self.manners  # noqa: B018  an unknown name is reported now

    @property
    def manners(self) -> list[Persona]:
        return [read_persona(persona, "user.personas") for persona in self.personas]

    def bound(self, catalog: ModelCatalog | None = None) -> UserSetup:
        """The setup with an endpoint in place of a name [default: of the project's models].

        The settings of the setup come before those of what the name stands for.
        """
        model = self.model
        if model is None:
            model = (catalog or project_models()).require_default("user", "a simulated user")
        if isinstance(model, str | ModelEndpoint):
            own = as_settings(self.settings, "user.settings")
            endpoint = endpoint_of(model, catalog=catalog)
            model = msgspec.structs.replace(endpoint, settings=overlaid(endpoint.settings, own))
        return replace(self, model=model)

    @property
    def name(self) -> str:
        """The name of the model; empty where that is the default."""
        plain = self.model.model if isinstance(self.model, ModelEndpoint) else self.model
        return plain if isinstance(plain, str) else plain.name if plain is not None else ""

    @property
    def fingerprint(self) -> str:
        """A hash of what two runs with the same simulated users have in common."""
        own = as_settings(self.settings, "user.settings")
        named = self.model.settings if isinstance(self.model, ModelEndpoint) else own
        where = server_of(self.model) if self.model is not None else ""
        text = msgspec.json.encode([
            self.name, [msgspec.to_builtins(persona) for persona in self.manners], self.max_turns,
            self.stopping_criteria, self.language, own, where, prompt_hash(), named,
        ])  # fmt: skip
        return hex_digest(text)


class ModelUsers:
    """The users of a run, played by a model that is opened with it."""

    def __init__(
        self,
        setup: UserSetup,
        *,
        concurrency: int = 32,
        seed: int = 0,
        patience: Patience | None = None,
        recordings: Recordings | None = None,
    ) -> None:
        setup = setup.bound()
        self.setup = setup
        self._seed = seed
        self.max_turns = setup.max_turns
        self.settings = as_settings(setup.settings, "user.settings")
        assert setup.model is not None
        provider = resolve(setup.model, network=Network(connections=concurrency))
        self._provider = RecordedProvider(provider, recordings) if recordings else provider
        self.asker = Asker(self._provider, concurrency, patience=patience, seed=seed)

    async def open_models(self, stack: AsyncExitStack) -> None:
        """Open the model; `stack` closes it."""
        await stack.enter_async_context(self._provider)

    async def check(self) -> list[str]:
        """What would keep every user from speaking."""
        return [f"user: {problem}" for problem in await self._provider.check()]

    def user(self, golden: ConversationalGolden, trial: int) -> SimulatedUser:
        persona = read_persona(golden.personas[0]) if golden.personas else self.setup.manners[0]
        text = system_text(
            golden, persona, language=self.setup.language, criteria=self.setup.stopping_criteria
        )
        prompt = Prompt(text, (), self.settings)
        seed = zlib.crc32(f"user/{self._seed}/{golden.id}/{trial}".encode()) & 0x7FFFFFFF
        facts = (golden.scenario, who_is(golden), *(golden.context or ()), *(t.content for t in golden.turns))
        told = prompt_hash(persona.characteristics, self.setup.language, self.setup.stopping_criteria)

        def request(messages: tuple[Message, ...]) -> ModelRequest:
            return ModelRequest(prompt, messages, f"{golden.id}#user", trial, seed=seed)

        return ModelUser(self.asker, request, facts, f"{self.setup.name} as {persona.name}", prompt_hash=told)


class ModelUser:
    """One conversation's user. What it says is checked: no empty turns, and no facts it was not given."""

    def __init__(
        self,
        asker: Asker,
        request: Callable[[tuple[Message, ...]], ModelRequest],
        facts: Sequence[str],
        name: str,
        prompt_hash: str,
    ) -> None:
        self._asker = asker
        self._request = request
        self._known = facts
        self.name = name
        self.prompt_hash = prompt_hash

    async def reply(self, messages: Sequence[Message]) -> UserTurn:
        spent = Usage()
        seen = flip_roles(messages)
        heard = [message.content for message in messages]
        problem = ""
        for _ in range(ATTEMPTS):
            reply = await self._asker.ask(self._request(seen), Deadline(SECONDS))
            spent = spent.plus(reply.usage)
            user_turn = read_reply(reply.message.content)
            problem = self._problem(user_turn, heard)
            if not problem:
                return msgspec.structs.replace(user_turn, usage=spent)
            if user_turn.ended:
                break
            again = Message("user", AGAIN.format(problem=problem))
            seen = (*seen, Message("assistant", reply.message.content), again)
        raise UserFault(problem, spent)

    def _problem(self, user_turn: UserTurn, heard: Sequence[str]) -> str:
        """Why this text cannot be the user's; empty when it can."""
        if user_turn.ended == "user_error":
            return "the scenario does not say how to go on" + (f" ({user_turn.why})" if user_turn.why else "")
        if user_turn.ended is not None:
            return ""
        if not user_turn.text:
            return "it said nothing"
        made_up = facts_beyond(user_turn.text, (*self._known, *heard))
        return f"it made up {', '.join(made_up[:3])}" if made_up else ""
