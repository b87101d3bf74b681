"""What every adapter must show, with the real framework: a kit makes its agents, these tests watch them."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.api.tool_lint import definitions_given
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, Trajectory, Turn
from tests.limbs.adapters.script import Journal

TRIP = [
    ("get_weather", {"city": "Hanoi"}, 0, "ok"),
    ("get_weather", {"city": "Hue"}, 0, "ok"),
    ("book", {"city": "Hanoi", "nights": 2}, 1, "error"),
]


TALKS = [
    ConversationalGolden(
        "Weather",
        id=name,
        turns=tuple(
            Turn(
                "user",
                f"weather {place}{name}",
                expected_calls=(ExpectedCall("get_weather", {"city": f"{place}{name}"}),),
            )
            for place in ("City", "Town")
        ),
    )
    for name in "ABC"
]


class Kit:
    """How to make an agent of one framework with the scripted model of `script.respond`."""

    name: ClassVar[str]
    tool_errors_raise: ClassVar[bool] = False
    """Whether an exception in a tool ends the agent."""
    ids: ClassVar[bool] = True
    functions: ClassVar[bool] = True
    unknown_tool: ClassVar[str | None] = "error"
    """What the call of a tool that does not exist becomes; `raises` when it ends the agent, None when there is none."""
    malformed: ClassVar[str | None] = "error"
    """What a call with arguments that are not JSON becomes; None when the framework's clients let none through."""
    malformed_raw: ClassVar[str | None] = '{"city": "Hano'
    parallel: ClassVar[bool] = True
    """Whether one answer may hold several calls."""
    own_limit: ClassVar[bool] = True
    """Whether the framework reports that it stopped at its own limit."""
    slow_tool: ClassVar[str | None] = "error"
    """What a tool becomes that runs when time is over; None when the framework tells of it only afterwards."""
    requests: ClassVar[int | None] = 2
    """How often `weather …` asks the model; None when the framework asks for more than the script knows."""
    answers: ClassVar[int] = 2
    """How many answers of the model `weather …` takes: the call, and what ends the turn."""
    at_once: ClassVar[int] = 32
    usage: ClassVar[bool] = True
    starts_threads: ClassVar[bool] = False
    shows_tools: ClassVar[bool] = True
    """Whether an agent shows the definitions of its tools."""

    def agent(self, journal: Journal) -> Any:
        raise NotImplementedError

    def limited(self, journal: Journal) -> Any:
        """An agent with its own limit, which the endless script reaches."""
        return self.agent(journal)

    async def plain(self, agent: Any, text: str) -> str:
        """The agent run without being watched."""
        raise NotImplementedError

    def asked(self, text: str) -> Any:
        """The framework's input of a turn, as `observe(agent, input=…)` gives it."""
        return text

    def function(self, journal: Journal) -> Any:
        """A function of a golden that makes and runs its own agent."""

        async def ask(golden: Golden) -> str:
            return await self.plain(self.agent(journal), golden.input)

        return ask


def performed(agent: Any, *texts: str, limits: Limits | None = None, **options: Any) -> list[Trajectory]:
    """What an agent did for each text, all at once, as trials of a run."""

    async def run() -> list[Trajectory]:
        async with agent_of_kind(Agent(agent, limits=limits or Limits(), **options)) as session:
            goldens = [Golden(text, id=f"g{number}") for number, text in enumerate(texts)]
            return list(await asyncio.gather(*(session.performer.perform(g, 0) for g in goldens)))

    return asyncio.run(run())


@contextmanager
def own_loop() -> Iterator[None]:
    """An event loop for frameworks that make one for sync code in a thread and never close it."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def made(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    return [(call.name, call.arguments, call.step, call.status) for call in trajectory.calls]


def _most(requests: list[str], words: str) -> int:
    """Maximum number of times that one request says something."""
    return max(sent.count(words) for sent in requests)


class AdapterContract:
    """Inherit with `kit` set: every test is then about that framework."""

    kit: ClassVar[Kit]

    def observed(self, journal: Journal | None = None, **options: Any) -> Any:
        return rc.observe(self.kit.agent(journal or Journal()), **options)

    def test_calls_steps_results_and_tokens_are_those_of_the_script(self):
        (trajectory,) = performed(self.observed(), "trip Hanoi")
        assert made(trajectory) == self.trip()
        if self.kit.ids:
            assert [call.id for call in trajectory.calls] == ["c1-Hanoi", "c2-Hanoi", "c3-Hanoi"]
        assert "no room in Hanoi" in str(trajectory.calls[2].output) or "rror" in str(
            trajectory.calls[2].output
        )
        answers = 2 if self.kit.tool_errors_raise else 3
        if self.kit.usage:
            assert (trajectory.usage.input_tokens, trajectory.usage.output_tokens) == (
                100 * answers,
                10 * answers,
            )
        if self.kit.tool_errors_raise:
            assert trajectory.stop_reason == "agent_error" and "no room in Hanoi" in trajectory.error
        else:
            assert (trajectory.stop_reason, trajectory.error, trajectory.output) == (
                "done",
                "",
                "No room in Hanoi.",
            )
        roles = [message.role for message in trajectory.messages]
        assert roles[:5] == ["user", "assistant", "tool", "assistant", "tool"]

    def trip(self, city: str = "Hanoi") -> list[tuple[Any, ...]]:
        """The calls of the script, each in a separate step where the framework makes one at a time."""
        found = []
        for at, (name, arguments, step, status) in enumerate(TRIP):
            given = arguments if arguments["city"] == "Hue" else {**arguments, "city": city}
            found.append((name, given, step if self.kit.parallel else at, status))
        return found

    def test_malformed_arguments_are_kept_as_the_model_wrote_them(self):
        if self.kit.malformed is None:
            pytest.skip("the framework's clients let no malformed arguments through")
        (trajectory,) = performed(self.observed(), "malformed")
        call = trajectory.calls[0]
        assert (call.name, call.raw) == ("get_weather", self.kit.malformed_raw)
        assert call.status == self.kit.malformed
        assert call.arguments is None or self.kit.malformed_raw is None

    def test_a_tool_that_does_not_exist_is_still_a_call(self):
        if self.kit.unknown_tool is None:
            pytest.skip("the framework offers no way to call a tool that does not exist")
        (trajectory,) = performed(self.observed(), "unknown")
        assert [call.name for call in trajectory.calls] == ["get_weather", "no_such_tool"]
        if self.kit.unknown_tool == "raises":
            assert trajectory.stop_reason == "agent_error"
        else:
            assert trajectory.calls[1].status == self.kit.unknown_tool
            assert trajectory.calls[0].status == "ok"

    def test_many_trials_at_once_never_mix(self):
        cities = [f"City{number}" for number in range(self.kit.at_once)]
        agent = self.observed()
        for city, trajectory in zip(cities, performed(agent, *(f"trip {c}" for c in cities)), strict=True):
            assert made(trajectory) == self.trip(city)

    def test_being_observed_changes_neither_the_answer_nor_the_number_of_requests(self):
        apart = Journal()
        watched = Journal()
        plain = asyncio.run(self.kit.plain(self.kit.agent(apart), "weather Hanoi"))
        before = threading.active_count()
        (trajectory,) = performed(self.observed(watched), "weather Hanoi")
        assert trajectory.output == plain == "31 degrees in Hanoi."
        assert len(watched.requests) == len(apart.requests)
        assert self.kit.requests is None or len(apart.requests) == self.kit.requests
        if not self.kit.starts_threads:
            assert threading.active_count() <= before

    def test_what_was_done_before_time_was_over_is_kept(self):
        for seconds in (1.5, 6, 24):  # a busy machine may need more for what comes before the slow tool
            (trajectory,) = performed(self.observed(), "slow", limits=Limits(seconds=seconds))
            if self.kit.slow_tool is None or len(trajectory.calls) == 2:
                break
        if self.kit.slow_tool is not None:
            assert [(c.name, c.status) for c in trajectory.calls] == [
                ("get_weather", "ok"),
                ("wait", "error"),
            ]
        assert trajectory.stop_reason == "limit" and f"{seconds} seconds" in trajectory.error

    def test_an_endless_agent_stops_at_its_limit_with_its_calls(self):
        if not self.kit.own_limit:
            pytest.skip("the framework does not say that it stopped at a limit")
        agent = rc.observe(self.kit.limited(Journal()))
        (trajectory,) = performed(agent, "loop", limits=Limits(seconds=30))
        assert len(trajectory.calls) >= 3
        assert trajectory.stop_reason == "limit" and "seconds" not in trajectory.error

    def test_several_turns_are_one_session(self):
        async def talk() -> Trajectory:
            session = self.observed().session(Golden("weather Hanoi", id="g"))
            await session.turn("weather Hanoi")
            await session.turn("weather Hue")
            await session.aclose()
            return session.trajectory()

        trajectory = asyncio.run(talk())
        assert [call.arguments for call in trajectory.calls] == [{"city": "Hanoi"}, {"city": "Hue"}]
        assert [call.step for call in trajectory.calls] == [0, self.kit.answers]
        after = ["assistant"] * (self.kit.answers - 1)
        roles = [message.role for message in trajectory.messages]
        assert roles == ["user", "assistant", "tool", *after] * 2
        assert trajectory.output == "31 degrees in Hue."

    def test_a_fresh_session_remembers_nothing(self):
        journal = Journal()
        agent = self.observed(journal)
        performed(agent, "weather Hanoi")
        journal.requests.clear()
        performed(agent, "weather Hue")
        assert not any("Hanoi" in sent for sent in journal.requests)

    def test_conversations_of_a_run_have_a_session_of_their_own_for_every_trial(self, tmp_path):
        def held(trials: int) -> list[str]:
            journal = Journal()
            run = rc.evaluate(self.observed(journal), TALKS, trials=trials, store=tmp_path / f"{trials}.db")
            assert run.passed, [(one.error, one.codes) for one in run.results]
            assert run.summary.overall.cases == len(TALKS) * trials
            return journal.requests

        once = held(1)
        often = held(3)
        assert self.kit.requests is None or len(often) == 3 * len(once)
        for sent in often:
            assert sum(f"City{talk.id}" in sent or f"Town{talk.id}" in sent for talk in TALKS) == 1
            assert "Town" not in sent or "City" in sent  # the second turn knows the first
        assert _most(often, "weather CityA") == _most(once, "weather CityA")  # and no other trial's

    def test_what_input_makes_of_the_users_words_is_asked_in_every_turn(self):
        async def talk() -> Trajectory:
            agent = self.observed(input=lambda golden: self.kit.asked(golden.input.replace("wx", "weather")))
            session = agent.session(Golden("wx Hanoi", id="g"))
            for text in ("wx Hanoi", "wx Hue"):
                await session.turn(text)
            await session.aclose()
            return session.trajectory()

        trajectory = asyncio.run(talk())
        assert [call.arguments for call in trajectory.calls] == [{"city": "Hanoi"}, {"city": "Hue"}]

    def test_a_simulated_user_talks_to_the_agent(self):
        said = {0: "weather Hanoi", 1: "weather Hue"}
        user = ScriptedProvider(lambda request: said.get(request.turn, "###STOP###"), "scripted:user")
        expected = tuple(ExpectedCall("get_weather", {"city": city}) for city in ("Hanoi", "Hue"))
        golden = ConversationalGolden(
            "Ask for the weather in Hanoi and Hue", id="sim", expected_calls=expected
        )
        result = rc.assert_test(golden=golden, agent=self.observed(), user=user)
        assert result.trajectory.dialogue.ended == "user_stop"

    def test_no_expectation_reaches_the_model(self):
        journal = Journal()
        golden = Golden(
            "weather Hanoi", id="secret-id", expected_calls=(ExpectedCall("secret_tool"),),
            expected_output="secret output", comments="secret comment", metadata={"why": "secret metadata"},
        )  # fmt: skip

        async def run() -> None:
            async with agent_of_kind(Agent(self.observed(journal))) as session:
                await session.performer.perform(golden, 0)

        asyncio.run(run())
        assert journal.requests and "secret" not in "".join(journal.requests)

    def test_a_function_that_runs_its_own_agent_is_watched(self):
        if not self.kit.functions:
            with pytest.raises(rc.errors.ConfigError):
                performed(rc.observe(self.kit.function(Journal()), via=[self.kit.name]), "weather Hanoi")
            return
        agent = rc.observe(self.kit.function(Journal()), via=[self.kit.name])
        first, second = performed(agent, "weather Hanoi", "weather Hue")
        assert made(first) == [("get_weather", {"city": "Hanoi"}, 0, "ok")]
        assert made(second) == [("get_weather", {"city": "Hue"}, 0, "ok")]
        assert second.output == "31 degrees in Hue."

    def test_tools_are_read_from_the_agent_and_from_a_list_of_them(self):
        names = ["get_weather", "book", "wait"]
        module = sys.modules[type(self.kit).__module__]
        listed = definitions_given([getattr(module, name) for name in names])
        assert [(tool.name, *tool.parameters) for tool in listed] == [
            ("get_weather", "city"), ("book", "city", "nights"), ("wait", "seconds")
        ]  # fmt: skip
        shown = {tool.name for tool in self.observed().tools()}
        assert shown == (set(names) if self.kit.shows_tools else set())

    def test_a_run_scores_the_calls(self, tmp_path):
        goldens = [
            Golden(f"weather {c}", expected_calls=(ExpectedCall("get_weather", {"city": c}),))
            for c in ("Hue", "Dalat")
        ]
        run = rc.evaluate(self.observed(), goldens, store=tmp_path / "runs.db")
        assert run.passed and run.summary.overall.cases == 2


class MockableTools:
    """For frameworks whose tools we can answer ourselves."""

    kit: ClassVar[Kit]

    def test_mocked_tools_never_run(self):
        agent = rc.observe(self.kit.agent(Journal()), tools="mock")
        (trajectory,) = performed(agent, "trip Hanoi", mocks={"book": {"result": {"booked": True}}})
        assert made(trajectory)[2] == ("book", {"city": "Hanoi", "nights": 2}, 1, "ok")
        assert trajectory.calls[2].output == {"booked": True}
        assert trajectory.output == "No room in Hanoi."

    def test_faults_break_the_tools(self):
        from rightcall.tools.faults.plan import read_plan

        plan = read_plan({"faults": [{"tool": "get_weather", "type": "error_5xx_before"}]}, "faults")
        (trajectory,) = performed(rc.observe(self.kit.agent(Journal())), "weather Hanoi", faults=plan)
        assert trajectory.calls[0].status == "error"
        assert "fault" in {entry.phase for entry in trajectory.ledger}

    def test_a_guard_stops_a_call_before_the_framework_runs_it(self):
        from rightcall.tools.guard.policy import read_policy

        policy = read_policy({"base": "none", "rules": [{"tool": "book", "confirm": "tainted"}]}, "guard")
        (trajectory,) = performed(rc.observe(self.kit.agent(Journal())), "trip Hanoi", guard=policy)
        (call,) = [call for call in trajectory.calls if call.name == "book"]
        assert call.status == "error" and "confirmation_required" in str(call.output)
        assert [entry.tool for entry in trajectory.ledger if entry.phase == "guard"] == ["book"]
