"""The adapter `dspy` with the real framework."""

from __future__ import annotations

import asyncio
import json
import re
from types import SimpleNamespace
from typing import Any

import dspy
import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError
from tests.limbs.adapters.contract import AdapterContract, Kit, performed
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import USAGE, Answer, Journal, book_room, respond, weather_of


class ScriptedLM(dspy.BaseLM):
    """Answers by `script.respond` in the form of DSPy's chat adapter, one call at a time."""

    def __init__(self, journal: Journal) -> None:
        super().__init__(model="scripted", cache=False)
        self._journal = journal

    def forward(self, prompt: Any = None, messages: Any = None, **_: Any) -> Any:
        self._journal.note(messages)
        text = messages[-1]["content"]
        said = re.search(r"\[\[ ## question ## \]\]\n(.*?)\n", text)[1]
        done = len(re.findall(r"\[\[ ## observation_\d+ ## \]\]", text))
        plan = []
        for turn in range(10):
            answer = respond(said, turn)
            plan += [(c.name, c.arguments) for c in answer.calls]
            if not answer.calls:
                break
        if "next_tool_name" in messages[0]["content"]:
            name, given = plan[done] if done < len(plan) else ("finish", {})
            made = {"next_thought": "…", "next_tool_name": name, "next_tool_args": json.dumps(given)}
        else:
            made = {"reasoning": "…", "answer": respond(said, 9).text}
        content = (
            "".join(f"[[ ## {key} ## ]]\n{value}\n\n" for key, value in made.items())
            + "[[ ## completed ## ]]"
        )
        message = SimpleNamespace(content=content, tool_calls=None, reasoning_content=None)
        choice = SimpleNamespace(message=message, finish_reason="stop", index=0)
        usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
        return SimpleNamespace(choices=[choice], usage=usage, model="scripted", id="x")

    async def aforward(self, prompt: Any = None, messages: Any = None, **more: Any) -> Any:
        await asyncio.sleep(0)
        return self.forward(prompt, messages, **more)


async def get_weather(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


async def book(city: str, nights: int) -> str:
    """Book a room."""
    return book_room(city, nights)


async def wait(seconds: int) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


class DSPyKit(Kit):
    name = "dspy"
    functions = False
    ids = False
    parallel = False
    malformed = None
    unknown_tool = None
    usage = False
    requests = 3
    answers = 3

    def agent(self, journal: Journal) -> Any:
        react = dspy.ReAct(
            "question, history: dspy.History -> answer", tools=[get_weather, book, wait], max_iters=6
        )
        react.set_lm(ScriptedLM(journal))
        return react

    async def plain(self, agent: Any, text: str) -> str:
        return str((await agent.acall(question=text, history=dspy.History(messages=[]))).answer)

    def asked(self, text: str) -> Any:
        return {"question": text}


class TestDSPy(AdapterContract):
    kit = DSPyKit()


class Code:
    """An interpreter in this process, for programs of the tests."""

    def __init__(self) -> None:
        self.tools: dict[str, Any] = {}
        self.output_fields: Any = None

    def start(self) -> None: ...

    def shutdown(self) -> None: ...

    def execute(self, code: str, variables: Any = None) -> Any:
        exec(code, {**self.tools, **(variables or {})})
        return "no output"


class Programmer(ScriptedLM):
    """Writes one program that calls tools, then answers."""

    def forward(self, prompt: Any = None, messages: Any = None, **_: Any) -> Any:
        self._journal.note(messages)
        code = "for city in ('Hue', 'Hanoi'): now(city=city)"
        made = {"reasoning": "…", "code": code, "answer": "31"}
        content = "".join(f"[[ ## {key} ## ]]\n{value}\n\n" for key, value in made.items())
        message = SimpleNamespace(
            content=f"{content}[[ ## completed ## ]]", tool_calls=None, reasoning_content=None
        )
        usage = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
        choice = SimpleNamespace(message=message, finish_reason="stop", index=0)
        return SimpleNamespace(choices=[choice], usage=usage, model="scripted", id="x")


def now(city: str) -> str:
    """The weather in a city."""
    return weather_of(city)


def test_tools_that_the_code_of_rlm_calls_are_calls():
    module = dspy.RLM("question -> answer", tools=[now], max_iters=1, interpreter_factory=Code)
    module.set_lm(Programmer(Journal()))
    (trajectory,) = performed(rc.observe(module), "weather")
    made = [(call.arguments, call.step, call.status) for call in trajectory.calls]
    assert made == [({"city": "Hue"}, 0, "ok"), ({"city": "Hanoi"}, 1, "ok")]


class Desk(dspy.Module):
    """A module of a user, which only has `forward`."""

    def __init__(self, journal: Journal) -> None:
        super().__init__()
        self.react = dspy.ReAct("question -> answer", tools=[dspy.Tool(now, name="get_weather")])
        self.react.set_lm(ScriptedLM(journal))

    def forward(self, question: str, region: str, most: int = 3) -> Any:
        return self.react(question=question)


def test_a_module_of_a_user_is_given_the_text_beside_what_with_states():
    desk = rc.observe(Desk(Journal()))
    (trajectory,) = performed(desk, "weather Hue", with_={"inputs": {"region": "Asia"}})
    made = [(call.name, call.arguments, call.output) for call in trajectory.calls]
    assert made == [("get_weather", {"city": "Hue"}, weather_of("Hue"))]
    assert [tool.name for tool in desk.tools()] == ["get_weather"]


@pytest.mark.parametrize("stated", [{}, {"inputs": {}}, {"inputs": {"region": "", "question": ""}}])
def test_a_module_needs_all_inputs_but_the_one_that_is_the_text_before_a_request(stated):
    journal = Journal()
    with pytest.raises(ConfigError, match="question, region"):
        performed(rc.observe(Desk(journal)), "Hue", with_=stated)
    assert journal.requests == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_code_act_is_refused_before_a_request():
    journal = Journal()
    module = dspy.CodeAct("question -> answer", tools=[now])
    module.set_lm(Programmer(journal))
    with pytest.raises(ConfigError, match="CodeAct copies its tools into a sandbox"):
        performed(rc.observe(module), "weather")
    assert journal.requests == []


def test_answers_from_the_cache_are_no_requests_and_the_run_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    journal = Journal()
    dspy.configure_cache(disk_cache_dir=str(tmp_path))
    module = dspy.Predict("question -> answer")
    with model_server(journal, lambda said, turn: Answer(CACHED)) as address:
        module.set_lm(dspy.LM("openai/gpt-4o", api_base=f"{address}/v1", api_key="k"))
        observed = rc.observe(module)
        done = [performed(observed, "weather")[0] for _ in range(3)]
    assert len(journal.requests) == 1 and [trajectory.output for trajectory in done] == ["31"] * 3
    noted = [trajectory.messages[-1].note for trajectory in done]
    assert noted == ["", "from a cache, not the model", "from a cache, not the model"]
    assert [trajectory.usage.input_tokens for trajectory in done] == [USAGE[0], 0, 0]
    assert "2 of 3 answers came from the framework's cache" in observed.notices()[0]


CACHED = "[[ ## answer ## ]]\n31\n\n[[ ## completed ## ]]"
