"""`ConversationSimulator`: live conversations with simulated users, as test cases.

    simulator = ConversationSimulator(model_callback=agent, simulator_model="openai:gpt-5-mini")
    cases = simulator.simulate(conversational_goldens=goldens)

The older form creates the scenarios too: `user_intentions` say what users want and how many conversations to
run about each, `user_profile_items` what a user must know about themselves.
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
from rightcall.agents.conversation.dialogue_loop import UserFault, Users
from rightcall.agents.conversation.model_user import ModelUsers, UserSetup
from rightcall.agents.conversation.personas import DEFAULT_PERSONAS, by_persona
from rightcall.agents.conversation.user_graph import SimulationNode
from rightcall.agents.pool import Pool
from rightcall.agents.session import Session
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.model.case import ConversationalTestCase, turns_of
from rightcall.model.golden import ConversationalGolden, Turn, with_id
from rightcall.model.trajectory import Dialogue, Trajectory, Usage
from rightcall.models.base import Provider
from rightcall.models.catalog import bare_model, line_to_add, project_models
from rightcall.models.endpoint import ModelEndpoint
from rightcall.tools.definitions.offer import tools_for
from rightcall.wings.generate.control import ControlledUsers, Controller, end, proceed
from rightcall.wings.generate.simulator_setup import callback_agent, graph_users, make_profile

__all__ = ["ConversationSimulator", "SimulationNode", "end", "proceed"]


@dataclass(frozen=True)
class _Job:
    """One conversation to run; `profile` is the number of the user profile to generate for it."""

    index: int
    golden: ConversationalGolden
    profile: int | None = None


class ConversationSimulator:
    """Runs conversations between an agent and simulated users.

    `model_callback` is a function called for each turn with whichever of `input`, `turns`, `history` and `thread_id` it
    declares, an `Agent`, or a model name. `simulator_model` plays the user [default: the project's `default_user`]; a
    `simulation_graph` of exact words needs none. A golden is played by each of `personas` [default: two], so it gives
    that many test cases. Every test case records in `trajectory.dialogue` why the conversation ended, who played the
    user, and the hash of their prompt. A fault of the simulated user makes its case an error, never a failure of the
    agent.
    """

    def __init__(  # noqa: PLR0913  the words of three generations of one interface
        self,
        model_callback: Callable[..., Any] | Agent | str | None = None,
        simulation_graph: SimulationNode | None = None,
        stopping_controller: Controller | None = None,
        simulator_model: str | ModelEndpoint | Provider | None = None,
        *,
        user_intentions: Mapping[str, int] | Sequence[str] | None = None,
        user_profile_items: Sequence[str] | None = None,
        user_profiles: Sequence[str] | None = None,
        opening_message: str | None = None,
        personas: Sequence[Any] = DEFAULT_PERSONAS,
        max_concurrent: int = 5,
        async_mode: bool = True,
        language: str = "",
        seed: int = 0,
        controller: Controller | None = None,
    ) -> None:
        self._agent, self._graph = model_callback, simulation_graph
        self._controller = stopping_controller or controller
        self._model = _user_model(simulator_model, needed=simulation_graph is None)
        self._intentions = _intention_counts(user_intentions)
        self._items, self._profiles = tuple(user_profile_items or ()), tuple(user_profiles or ())
        self._opening, self._personas = opening_message, tuple(personas)
        self._language, self._seed, self._concurrency = language, seed, max(1, max_concurrent)

    def simulate(self, *args: Any, **options: Any) -> list[ConversationalTestCase]:
        """The test cases of all conversations, in order; see `a_simulate` for the options."""
        return run_blocking(self.a_simulate(*args, **options))

    async def a_simulate(
        self,
        conversational_goldens: Sequence[ConversationalGolden] | None = None,
        *,
        model_callback: Callable[..., Any] | Agent | str | None = None,
        stopping_criteria: str = "",
        min_turns: int = 0,
        max_turns: int | None = None,
        max_user_simulations: int = 10,
        on_simulation_complete: Callable[[ConversationalTestCase, int], Any] | None = None,
        on_turn: Callable[[list[Turn], int], Any] | None = None,
    ) -> list[ConversationalTestCase]:
        """Run every conversation, at most `max_concurrent` concurrently.

        `max_turns` (or `max_user_simulations`) limits the user's turns. `on_turn` is called after each answer
        with the conversation so far, `on_simulation_complete` with each test case, both with the number of
        the conversation.
        """
        agent = callback_agent(model_callback if model_callback is not None else self._agent)
        setup = self._setup(stopping_criteria, min_turns, max_turns or max_user_simulations)
        jobs = list(self._jobs(conversational_goldens, setup))
        cases: dict[int, ConversationalTestCase] = {}
        async with Session(agent, concurrency=self._concurrency, seed=self._seed, user=setup) as session:
            problems = await session.check()
            if problems:
                raise ConfigError(*problems)

            async def do(job: _Job) -> None:
                cases[job.index] = await self._hold(job, session, max_turns or max_user_simulations, on_turn)
                if on_simulation_complete is not None:
                    await _wait_for(on_simulation_complete(cases[job.index], job.index))

            await Pool(min(self._concurrency, max(1, len(jobs)))).run(iter(jobs), do)
        return [cases[at] for at in sorted(cases)]

    def _setup(self, criteria: str, min_turns: int, max_turns: int) -> UserSetup | None:
        if self._model is None:
            return None
        if min_turns > 1:
            criteria = (
                f"you have spoken at least {min_turns} times and {criteria or 'you have what you came for'}"
            )
        return UserSetup(
            self._model,
            personas=self._personas,
            max_turns=max_turns,
            stopping_criteria=criteria,
            language=self._language,
        )

    def _jobs(
        self, goldens: Sequence[ConversationalGolden] | None, setup: UserSetup | None
    ) -> Iterator[_Job]:
        if goldens is None:
            yield from self._intention_jobs(setup)
            return
        numbers = itertools.count()
        for golden in map(self._with_opening, goldens):
            for variant in by_persona(golden, setup.manners) if setup else (golden,):
                yield _Job(next(numbers), variant)

    def _intention_jobs(self, setup: UserSetup | None) -> Iterator[_Job]:
        """Conversations about intentions: as many as requested, cycling through the personas."""
        if not self._intentions:
            raise ConfigError(
                "simulate() requires conversational_goldens, or user_intentions on the simulator"
            )
        if not self._items and not self._profiles and self._model is not None:
            raise ConfigError("user_intentions require user_profile_items or user_profiles")
        index = 0
        for intention, count in self._intentions.items():
            manners = setup.manners if setup else []
            for number in range(count):
                who = self._profiles[index % len(self._profiles)] if self._profiles else None
                golden = ConversationalGolden(
                    intention,
                    id=f"{_slug(intention)}-{number}",
                    user_description=who,
                    cluster=_slug(intention),
                    extra_calls="allow",
                )
                if manners:
                    (golden,) = by_persona(golden, [manners[number % len(manners)]])
                yield _Job(index, self._with_opening(golden), None if who or not self._items else index)
                index += 1

    def _with_opening(self, golden: ConversationalGolden) -> ConversationalGolden:
        """The golden as the simulator plays it: starting with the agent's first message, and never only scripted."""
        turns = golden.turns
        if self._opening and not turns:
            turns = (Turn("assistant", self._opening),)
        return with_id(msgspec.structs.replace(golden, turns=turns, simulate=True))

    async def _hold(
        self, job: _Job, session: Session, max_turns: int, on_turn: Callable[[list[Turn], int], Any] | None
    ) -> ConversationalTestCase:
        golden, spent = job.golden, Usage()
        if job.profile is not None and isinstance(session.users, ModelUsers):
            try:
                who, spent = await make_profile(
                    session.users.asker, self._items, self._seed + job.profile, session.users.settings
                )
            except UserFault as fault:
                return ConversationalTestCase(golden, _without_user(str(fault), fault.usage))
            golden = msgspec.structs.replace(golden, user_description=who)

        async def tell(so_far: Trajectory) -> None:
            if on_turn is not None:
                await _wait_for(on_turn(list(turns_of(so_far)), job.index))

        performer = session.conversations(self._users(session, job, max_turns), tell)
        trajectory = await performer.perform(golden, 0)
        if spent != Usage() and trajectory.dialogue is not None:
            paid = msgspec.structs.replace(trajectory.dialogue, usage=trajectory.dialogue.usage.plus(spent))
            trajectory = msgspec.structs.replace(trajectory, dialogue=paid)
        return ConversationalTestCase(golden, trajectory, dict(tools_for(golden, session.tools)))

    def _users(self, session: Session, job: _Job, max_turns: int) -> Users:
        users: Users
        if self._graph is not None:
            models = session.users if isinstance(session.users, ModelUsers) else None
            users = graph_users(self._graph, job.golden, models, max_turns)
        else:
            assert session.users is not None
            users = session.users
        return ControlledUsers(users, self._controller, job.index) if self._controller else users


async def _wait_for(answer: Any) -> None:
    if inspect.isawaitable(answer):
        await answer


def _without_user(problem: str, usage: Usage) -> Trajectory:
    return Trajectory(
        stop_reason="infra_error",
        error=f"the simulated user failed: {problem}",
        dialogue=Dialogue("user_error", problem, usage=usage),
    )


def _user_model(
    model: str | ModelEndpoint | Provider | None, *, needed: bool
) -> str | ModelEndpoint | Provider | None:
    """Who plays the user: the model that is named, else the project's `default_user` if one is needed."""
    if isinstance(model, str):
        return bare_model(model)
    user_model = project_models().default("user") if model is None and needed else model
    if user_model is None and needed:
        raise ConfigError(
            "ConversationSimulator requires a model to play the user: simulator_model='openai:gpt-5-mini', or a"
            f" simulation_graph of exact words; {line_to_add('user')}"
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
