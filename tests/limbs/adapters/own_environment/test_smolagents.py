"""The adapter `smolagents` with the real framework."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from smolagents import CodeAgent, ToolCallingAgent, tool
from smolagents.local_python_executor import CodeOutput, PythonExecutor
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, Model
from smolagents.monitoring import LogLevel, TokenUsage

import rightcall as rc
from rightcall.core.errors import ConfigError
from tests.limbs.adapters.contract import AdapterContract, Kit, made, performed
from tests.limbs.adapters.script import USAGE, Journal, book_room, respond, weather_of


class ScriptedModel(Model):
    """Answers by `script.respond`; says its last words with the pseudo-tool `final_answer`."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(model_id="scripted")
        self._journal = journal

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        self._journal.note(messages)
        said = ""
        turn = 0
        for message in messages:
            text = message.content if isinstance(message.content, str) else "".join(
                part.get("text", "") for part in message.content or ()
            )  # fmt: skip
            if message.role == "user" and "task:\n" in text.lower():
                said = text.partition("ask:\n")[2].strip()
                turn = 0
            turn += message.role == "tool-response"  # one for every step, failed or not
        answer = respond(said, turn)
        calls = [(c.name, c.arguments, c.id) for c in answer.calls] or [
            ("final_answer", {"answer": answer.text}, "f")
        ]
        made = [ChatMessageToolCall(ChatMessageToolCallFunction(a, n), i, "function") for n, a, i in calls]
        return ChatMessage("assistant", None, made, token_usage=TokenUsage(*USAGE))


@tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: which city
    """
    return weather_of(city)


@tool
def book(city: str, nights: int) -> str:
    """Book a room.

    Args:
        city: which city
        nights: how many
    """
    return book_room(city, nights)


@tool
def wait(seconds: int) -> str:
    """Wait.

    Args:
        seconds: how long
    """
    time.sleep(3)
    return "waited"


class SmolagentsKit(Kit):
    name = "smolagents"

    malformed = None
    starts_threads = True

    def agent(self, journal: Journal) -> Any:
        return ToolCallingAgent(
            tools=[get_weather, book, wait],
            model=ScriptedModel(journal),
            max_steps=6,
            verbosity_level=LogLevel.OFF,
        )

    async def plain(self, agent: Any, text: str) -> str:
        return str(await asyncio.to_thread(agent.run, text))


class TestSmolagents(AdapterContract):
    kit = SmolagentsKit()


@tool
def plan(stops: list[dict[str, Any]], note: Any) -> str:
    """Plan a route.

    Args:
        stops: Places to visit.
        note: A wish.
    """
    return f"{len(stops)} stops"


def test_an_agent_runs_whose_tools_have_parameters_of_any_type(tmp_path):
    agent = ToolCallingAgent([get_weather, plan], ScriptedModel(Journal()), verbosity_level=LogLevel.OFF)
    golden = rc.Golden(
        "weather Hanoi", id="any", expected_calls=(rc.ExpectedCall("get_weather", {"city": "Hanoi"}),)
    )
    run = rc.evaluate(rc.observe(agent), [golden], metrics=["tool_selection"], store=str(tmp_path / "s.db"))
    assert [result.passed for result in run.results] == [True]


class CodeModel(Model):
    """Writes these programs, one an answer."""

    def __init__(self, *programs: str) -> None:
        super().__init__(model_id="scripted")
        self.programs = list(programs)

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        text = f"Thought: now.\n<code>\n{self.programs.pop(0)}\n</code>"
        return ChatMessage("assistant", text, None, token_usage=TokenUsage(*USAGE))


TRIP = """
here = get_weather("Hanoi")
try:
    book(city="Hanoi", nights=2)
except Exception as error:
    print(error)
"""


def coder(*programs: str, **options: Any) -> CodeAgent:
    model = CodeModel(*programs)
    return CodeAgent([get_weather, book], model, verbosity_level=LogLevel.OFF, max_steps=4, **options)


def test_tools_that_code_calls_are_calls_in_the_order_of_the_program():
    agent = coder(TRIP, "final_answer(get_weather(city='Hue'))")
    (trajectory,) = performed(rc.observe(agent), "trip")
    assert made(trajectory) == [
        ("get_weather", {"city": "Hanoi"}, 0, "ok"),
        ("book", {"city": "Hanoi", "nights": 2}, 1, "error"),
        ("get_weather", {"city": "Hue"}, 2, "ok"),
    ]
    assert [call.output for call in trajectory.calls][::2] == ["31 in Hanoi", "31 in Hue"]
    assert (trajectory.output, trajectory.usage.input_tokens) == ("31 in Hue", 200)
    assert trajectory.messages[0].content == "New task:\ntrip"


def test_a_function_that_runs_a_code_agent_is_heard():
    def ask(golden: rc.Golden) -> str:
        return str(coder("final_answer(get_weather('Hue'))").run(golden.input))

    (trajectory,) = performed(rc.observe(ask), "weather")
    assert made(trajectory) == [("get_weather", {"city": "Hue"}, 0, "ok")]


@pytest.mark.parametrize(("calls", "names"), [("auto", ["expert"]), ("all", ["expert", "get_weather"])])
def test_an_agent_that_code_calls_is_a_call_with_calls_inside(calls, names):
    expert = coder("final_answer(get_weather('Hue'))", name="expert", description="Knows the weather.")
    boss = coder("final_answer(expert('weather in Hue'))", managed_agents=[expert])
    (trajectory,) = performed(rc.observe(boss, calls=calls), "weather")
    assert [call.name for call in trajectory.calls] == names


class ElsewhereExecutor(PythonExecutor):
    """Stands for an executor in a container, where tools are copies."""

    def send_tools(self, tools: Any) -> None: ...

    def send_variables(self, variables: Any) -> None: ...

    def __call__(self, code_action: str) -> CodeOutput:
        return CodeOutput(output="31", logs="", is_final_answer=True)


def test_an_agent_whose_code_runs_elsewhere_is_refused_before_a_request():
    agent = coder("final_answer(1)", executor=ElsewhereExecutor(), name="expert", description="Knows.")
    boss = coder("final_answer(2)", managed_agents=[agent])

    def ask(golden: rc.Golden) -> str:
        return str(agent.run(golden.input))

    for observed in (rc.observe(agent), rc.observe(ask), rc.observe(boss)):
        with pytest.raises(
            ConfigError, match="runs in a ElsewhereExecutor, where calls of tools cannot be heard"
        ):
            performed(observed, "weather")
    assert (len(agent.model.programs), len(boss.model.programs)) == (1, 1)
