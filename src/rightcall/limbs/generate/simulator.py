"""`ConversationSimulator`: live conversations with simulated users, as test cases.

    simulator = ConversationSimulator(model_callback=agent, simulator_model="openai:gpt-5-mini")
    cases = simulator.simulate(conversational_goldens=goldens)

It creates scenarios too: `user_intentions` say what users want and how many conversations to run about each,
`user_profile_items` what a user must know about themselves. Profiles are generated before the conversation, so that
nothing is made up later.
"""

from __future__ import annotations

import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.agents.agent import Agent
from rightcall.agents.conversation.dialogue_loop import UserFault
from rightcall.agents.conversation.model_user import ModelUsers, UserSetup
from rightcall.agents.conversation.personas import DEFAULT_PERSONAS, by_persona
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Deadline
from rightcall.agents.model_retries import Asker
from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.pool import Pool
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.core.event_loop import run_blocking
from rightcall.providers.base import ModelRequest, Prompt, Provider, Settings
from rightcall.providers.catalog import bare_model, line_to_add, project_models
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.records.case import ConversationalTestCase
from rightcall.records.golden import ConversationalGolden, with_id
from rightcall.records.message import Message
from rightcall.records.trajectory import Dialogue, Trajectory, Usage
from rightcall.tools.definitions.offer import tools_for


@dataclass(frozen=True)
class _Job:
    """One conversation to run; `profile` is the number of the user profile to generate for it."""

    index: int
    golden: ConversationalGolden
    profile: int | None = None


class ConversationSimulator:
    """Runs conversations between an agent and simulated users.

    `model_callback` is a function called for each turn with whichever of `input`, `turns`, `history` and `thread_id` it
    declares, an `Agent`, or a model name. `simulator_model` plays the user [default: the project's `default_user`].
    A golden is played by each of `personas` [default: two], so it gives that many test cases, which record in
    `trajectory.dialogue` why the conversation ended, who played the user, and the hash of their prompt. A fault of the
    simulated user makes its case an error, never a failure of the agent.
    """

    def __init__(  # noqa: PLR0913  the keywords of DeepEval
        self,
        model_callback: Callable[..., Any] | Agent | str | None = None,
        simulator_model: str | ModelEndpoint | Provider | None = None,
        *,
        user_intentions: Mapping[str, int] | Sequence[str] | None = None,
        user_profile_items: Sequence[str] | None = None,
        personas: Sequence[Any] = DEFAULT_PERSONAS,
        max_concurrent: int = 5,
        async_mode: bool = True,
        language: str = "",
        seed: int = 0,
    ) -> None:
        self._agent = model_callback
        self._personas = tuple(personas)
        self._model = _user_model(simulator_model)
        self._intentions = _intention_counts(user_intentions)
        self._items = tuple(user_profile_items or ())
        self._language = language
        self._seed = seed
        self._concurrency = max(1, max_concurrent)

    def simulate(self, *args: Any, **options: Any) -> list[ConversationalTestCase]:
        """The test cases of all conversations, in order; see `a_simulate` for the options."""
        return run_blocking(self.a_simulate(*args, **options))

    async def a_simulate(
        self,
        conversational_goldens: Sequence[ConversationalGolden] | None = None,
        *,
        model_callback: Callable[..., Any] | Agent | str | None = None,
        stopping_criteria: str = "",
        max_turns: int | None = None,
        max_user_simulations: int = 10,
        on_simulation_complete: Callable[[ConversationalTestCase, int], Any] | None = None,
    ) -> list[ConversationalTestCase]:
        """Run every conversation, at most `max_concurrent` concurrently.

        `max_turns` (or `max_user_simulations`) limits the user's turns. `on_simulation_complete` is called with
        each test case and the number of its conversation.
        """
        agent = callback_agent(model_callback if model_callback is not None else self._agent)
        setup = self._setup(stopping_criteria, max_turns or max_user_simulations)
        jobs = list(self._jobs(conversational_goldens, setup))
        cases: dict[int, ConversationalTestCase] = {}
        async with agent_of_kind(
            agent, concurrency=self._concurrency, seed=self._seed, user=setup
        ) as session:
            problems = await session.check()
            if problems:
                raise ConfigError(*problems)

            async def do(job: _Job) -> None:
                cases[job.index] = await self._hold(job, session)
                if on_simulation_complete is not None:
                    await _wait_for(on_simulation_complete(cases[job.index], job.index))

            await Pool(min(self._concurrency, max(1, len(jobs)))).run(iter(jobs), do)
        return [cases[at] for at in sorted(cases)]

    def _setup(self, criteria: str, max_turns: int) -> UserSetup:
        return UserSetup(
            self._model,
            personas=self._personas,
            max_turns=max_turns,
            stopping_criteria=criteria,
            language=self._language,
        )

    def _jobs(self, goldens: Sequence[ConversationalGolden] | None, setup: UserSetup) -> Iterator[_Job]:
        if goldens is None:
            yield from self._intention_jobs(setup)
            return
        numbers = itertools.count()
        for golden in map(_simulated, goldens):
            for variant in by_persona(golden, setup.manners):
                yield _Job(next(numbers), variant)

    def _intention_jobs(self, setup: UserSetup) -> Iterator[_Job]:
        """Conversations about intentions: as many as requested, cycling through the personas."""
        if not self._intentions:
            raise ConfigError(
                "simulate() requires conversational_goldens, or user_intentions on the simulator"
            )
        if not self._items:
            raise ConfigError("user_intentions require user_profile_items")
        index = 0
        for intention, count in self._intentions.items():
            slug = _slug(intention)
            for number in range(count):
                golden = ConversationalGolden(
                    intention, id=f"{slug}-{number}", cluster=slug, extra_calls="allow"
                )
                (golden,) = by_persona(golden, [setup.manners[number % len(setup.manners)]])
                yield _Job(index, _simulated(golden), index)
                index += 1

    async def _hold(self, job: _Job, session: OpenAgent) -> ConversationalTestCase:
        golden = job.golden
        spent = Usage()
        if job.profile is not None and isinstance(session.users, ModelUsers):
            try:
                who, spent = await make_profile(
                    session.users.asker, self._items, self._seed + job.profile, session.users.settings
                )
            except UserFault as fault:
                return ConversationalTestCase(golden, _without_user(str(fault), fault.usage))
            golden = msgspec.structs.replace(golden, user_description=who)

        performer = session.conversations()
        trajectory = await performer.perform(golden, 0)
        if spent != Usage() and trajectory.dialogue is not None:
            paid = msgspec.structs.replace(trajectory.dialogue, usage=trajectory.dialogue.usage.plus(spent))
            trajectory = msgspec.structs.replace(trajectory, dialogue=paid)
        return ConversationalTestCase(golden, trajectory, dict(tools_for(golden, session.tools)))


def _simulated(golden: ConversationalGolden) -> ConversationalGolden:
    """The golden as the simulator plays it: never only scripted."""
    return with_id(msgspec.structs.replace(golden, simulate=True))


async def _wait_for(answer: Any) -> None:
    if inspect.isawaitable(answer):
        await answer


def _without_user(problem: str, usage: Usage) -> Trajectory:
    return Trajectory(
        stop_reason="infra_error",
        error=f"the simulated user failed: {problem}",
        dialogue=Dialogue("user_error", problem, usage=usage),
    )


def _user_model(model: str | ModelEndpoint | Provider | None) -> str | ModelEndpoint | Provider:
    """Who plays the user: the model that is named, else the project's `default_user`."""
    if isinstance(model, str):
        return bare_model(model)
    user_model = project_models().default("user") if model is None else model
    if user_model is None:
        raise ConfigError(
            "ConversationSimulator requires a model to play the user: simulator_model='openai:gpt-5-mini'; "
            + line_to_add("user")
        )
    return user_model


def _intention_counts(intentions: Mapping[str, int] | Sequence[str] | None) -> dict[str, int]:
    if intentions is None:
        return {}
    if isinstance(intentions, Mapping):
        return {str(intention): int(count) for intention, count in intentions.items()}
    return dict.fromkeys(intentions, 1)


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.casefold()).strip("-")[:60] or "intention"


def callback_agent(callback: Callable[..., Any] | Agent | str | None) -> Agent:
    """The agent that talks to a simulated user."""
    if callback is None:
        raise ConfigError(
            "simulate() requires an agent: model_callback=a function of (input, turns), or an Agent"
        )
    return callback if isinstance(callback, Agent) else Agent(callback)


ATTEMPTS = 3
SYSTEM = """You make up one fictitious person for a test of a service. Nobody real may be meant.
Answer with one line for each item, in their order, as `item: value`, and with nothing else."""


async def make_profile(
    asker: Asker, items: Sequence[str], seed: int, settings: Settings
) -> tuple[str, Usage]:
    """A fictitious person with a value for each item; `UserFault` when the model gives none."""
    prompt = Prompt(SYSTEM, (), settings)
    spent = Usage()
    missing = list(items)
    for attempt in range(ATTEMPTS):
        wish = Message("user", "Items:\n" + "\n".join(items))
        request = ModelRequest(
            prompt, (wish,), "profile#user", seed, seed=(seed + 1000 * attempt) & 0x7FFFFFFF
        )
        try:
            reply = await asker.ask(request, Deadline(120.0))
        except (ProviderError, TimeoutError) as error:
            raise UserFault(f"cannot generate a profile: {error}", spent) from None
        spent = spent.plus(reply.usage)
        values = read_profile(reply.message.content, items)
        missing = [item for item in items if item not in values]
        if not missing:
            return "\n".join(f"{item}: {values[item]}" for item in items), spent
    raise UserFault(f"cannot generate a profile: nothing for {', '.join(missing[:3])}", spent)


def read_profile(text: str, items: Sequence[str]) -> dict[str, str]:
    """The values of the items in a model's lines; other lines are ignored."""
    items_by_name = {item.casefold(): item for item in items}
    profile: dict[str, str] = {}
    for line in text.splitlines():
        name, colon, value = line.strip(" -*•\t").partition(":")
        item = items_by_name.get(name.strip(" *`\"'").casefold())
        if colon and item and value.strip():
            profile.setdefault(item, value.strip(" *"))
    return profile
