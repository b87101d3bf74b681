"""The calling rule as one table: kinds of signatures, through every door, observed or not, in one turn and in many."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import msgspec
import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall import deepeval, laminar
from rightcall.agents.agent_function import AgentFunction
from rightcall.cli.main import MENU, cli
from rightcall.core.errors import RightCallError
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.providers.provider_kinds import AGENTS as ADDRESSED
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records.golden import AnyGolden, ConversationalGolden
from rightcall.records.message import Message
from tests.providers.test_http_agent import service

TEXT = "Weather in Hue?"
NEXT = "And tomorrow?"
GOLDEN = rc.Golden(
    TEXT,
    id="hue",
    expected_calls=[rc.ExpectedCall("get_weather", {"city": "Hue"})],
    forbidden_calls=["shut_down"],
)
TALK = rc.ConversationalGolden(
    "Somebody plans a trip",
    id="trip",
    turns=[rc.Turn("user", TEXT), rc.Turn("user", NEXT)],
    forbidden_calls=["shut_down"],
)
EARLIER = [{"role": "user", "content": TEXT}, {"role": "assistant", "content": "Sunny."}]

SIGNATURES = {
    "text": ("question: str", {"question": "text"}),
    "untyped": ("asked", {"asked": "text"}),
    "by_place": ("asked, /", {"asked": "text"}),
    "by_name": ("*, asked", {"asked": "text"}),
    "optional": ("asked='', temperature=0.5", {"asked": "text", "temperature": 0.5}),
    "starred": ("*asked, **others", {"asked": "texts", "others": "nothing"}),
    "alone": ("messages", {"messages": "text"}),
    "history": ("asked, history", {"asked": "text", "history": "earlier"}),
    "messages": ("asked, messages=None", {"asked": "text", "messages": "earlier"}),
    "history_first": ("history, asked", {"asked": "text", "history": "earlier"}),
    "turns": ("asked, turns, session_id", {"asked": "text", "turns": "turns", "session_id": "id"}),
    "thread": ("asked, thread_id", {"asked": "text", "thread_id": "id"}),
    "golden": ("golden", {"golden": "golden"}),
    "annotated": ("case: rc.Golden", {"case": "golden"}),
    "quoted": ("case: 'Golden | None'", {"case": "golden"}),
    "both": ("asked, golden", {"asked": "text", "golden": "golden"}),
    "golden_history": ("golden, history", {"golden": "golden", "history": "earlier"}),
}
"""Parameters of functions, and what each gets."""

FUNCTION = "def {name}({words}):\n    return note('{name}', locals())\n"
OBJECT = "class Of_{name}:\n    def {method}(self, {words}):\n        return note('{name}', locals())\n{name} = {made}\n"
COROUTINE = "async " + FUNCTION.replace("note(", "await asyncio.to_thread(note, ")
KINDS = {
    "coroutine": COROUTINE,
    "generator": FUNCTION.replace("return", "yield"),
    "stream": COROUTINE.replace("return", "yield"),
    "a_class": OBJECT.replace("{method}", "__call__").replace("{made}", "Of_{name}"),
    "instance": OBJECT.replace("{method}", "__call__").replace("{made}", "Of_{name}()"),
    "method": OBJECT.replace("{method}", "answer").replace("{made}", "Of_{name}().answer"),
}
"""What else can be called, each with the parameters of `turns`."""

AGENTS = SIGNATURES | dict.fromkeys(KINDS, SIGNATURES["turns"])
SOURCE = """
import asyncio, json, os
import rightcall as rc
from pathlib import Path
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

LOG = Path(__file__).with_name("log.jsonl")

def kind(value):
    if isinstance(value, (rc.Golden, rc.ConversationalGolden)):
        return "golden"
    if isinstance(value, list):
        return [{"role": v.role, "content": v.content} if isinstance(v, rc.Turn) else v for v in value]
    return "id" if isinstance(value, str) and len(value) == 32 else value

def note(name, values):
    values.pop("self", None)
    with LOG.open("a") as log:
        log.write(json.dumps([name, {word: kind(value) for word, value in values.items()}]) + "\\n")
    if "OBSERVED" not in os.environ:
        return "Sunny."
    return asyncio.run(Agent(TestModel(custom_output_text="Sunny.")).run("Weather?")).output

def extra(question, account):
    note("extra", locals())
"""


@pytest.fixture
def agents(tmp_path, monkeypatch):
    of_kinds = {**dict.fromkeys(SIGNATURES, FUNCTION), **KINDS}
    objects = [of_kinds[name].format(name=name, words=words) for name, (words, _) in AGENTS.items()]
    (tmp_path / "signatures.py").write_text("\n".join([SOURCE, *objects]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "signatures", raising=False)
    import signatures

    return signatures


@dataclass(frozen=True)
class Visit:
    """Agents that a door shall call, and the golden that it shall ask them."""

    module: ModuleType
    names: tuple[str, ...]
    golden: AnyGolden = GOLDEN
    observed: bool = False

    def agents(self) -> Iterator[Any]:
        for name in self.names:
            agent = getattr(self.module, name)
            yield rc.observe(agent) if self.observed else agent

    def suites(self) -> Iterator[str]:
        goldens = {
            "hue": {"input": TEXT, "expected_calls": [{"tool": "get_weather"}]},
            "trip": {"scenario": "A trip", "turns": [{"role": "user", "content": t} for t in (TEXT, NEXT)]},
        }
        golden = {"id": self.golden.id, "forbidden_calls": ["shut_down"], **goldens[self.golden.id]}
        Path("goldens.jsonl").write_text(json.dumps(golden), encoding="utf-8")
        for name in self.names:
            agent = {"model": f"signatures:{name}"} | ({"observe": "auto"} if self.observed else {})
            suite = {"dataset": "goldens.jsonl", "agent": agent}
            Path("suite.json").write_text(json.dumps(suite), encoding="utf-8")
            yield "suite.json"


def by_evaluate(visit):
    for agent in visit.agents():
        rc.evaluate(agent, [visit.golden])


def by_aevaluate(visit):
    for agent in visit.agents():
        asyncio.run(rc.aevaluate(agent, [visit.golden]))


def by_assert_test(visit):
    for agent in visit.agents():
        with contextlib.suppress(AssertionError):
            rc.assert_test(golden=visit.golden, agent=rc.Agent(agent))


def by_laminar(visit):
    for agent in visit.agents():
        laminar.evaluate(data=[GOLDEN], executor=agent, evaluators={"any": lambda output, target: 1})


def by_laminar_in_a_loop(visit):
    for agent in visit.agents():
        asyncio.run(laminar.aevaluate([GOLDEN], agent, {"any": lambda output, target: 1}))


def says_text_and_stops(request):
    return TEXT if len(request.messages) < 2 else "###STOP###"


def by_simulator(visit):
    for agent in visit.agents():
        simulator = ConversationSimulator(agent, ScriptedProvider(says_text_and_stops), personas=["plain"])
        simulator.simulate([rc.ConversationalGolden("A trip")])


def by_run_suite(visit):
    for suite in visit.suites():
        rc.run_suite(suite)


def by_run(visit):
    for suite in visit.suites():
        command("run", suite)


def by_check(visit):
    for suite in visit.suites():
        command("run", suite)
        visit.module.LOG.unlink(missing_ok=True)
        command("check", suite, "--full", "--again", "--baseline", "last")


def by_check_in_python(visit):
    for suite in visit.suites():
        rc.run_suite(suite)
        visit.module.LOG.unlink(missing_ok=True)
        rc.check(suite, baseline="last", full=True, again=True)


TESTS = """
import pytest
import rightcall as rc
import signatures

@pytest.mark.parametrize("name", NAMES)
@pytest.mark.goldens("goldens.jsonl")
def test_agent(name, golden, check):
    agent = getattr(signatures, name)
    check(rc.observe(agent) if OBSERVED else agent, golden)
"""


def by_pytest(visit):
    next(visit.suites())
    text = TESTS.replace("NAMES", repr(visit.names)).replace("OBSERVED", str(visit.observed))
    Path("test_agents.py").write_text(text, encoding="utf-8")
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        ".",
        "test_agents.py",
    ]
    env = {**os.environ, "PYTHONPATH": "."}
    done = subprocess.run(line, env=env, capture_output=True, text=True, check=False)
    if "nothing provides" in done.stdout:
        raise RightCallError(done.stdout)
    assert done.returncode in (0, 1), done.stdout + done.stderr


def command(*words: str) -> None:
    done = CliRunner().invoke(cli, [*words])
    if isinstance(done.exception, RightCallError):
        raise done.exception
    assert done.exit_code in (0, 1, 3), done.output


DOORS: dict[str, Callable[[Visit], None]] = {
    "rightcall.evaluate": by_evaluate,
    "rightcall.aevaluate": by_aevaluate,
    "rightcall.assert_test": by_assert_test,
    "rightcall.run_suite": by_run_suite,
    "rightcall.check": by_check_in_python,
    "rightcall.laminar.evaluate": by_laminar,
    "rightcall.laminar.aevaluate": by_laminar_in_a_loop,
    "rightcall.deepeval.simulator.ConversationSimulator": by_simulator,
    "rightcall run": by_run,
    "rightcall check": by_check,
    "rightcall test": by_pytest,
}
ONE_TURN = {"rightcall.laminar.evaluate", "rightcall.laminar.aevaluate"}
OWN_TURNS = {"rightcall.deepeval.simulator.ConversationSimulator"}
"""A door whose conversations are another's, and whose functions are not observed."""
SLOW = {"rightcall.check", "rightcall check", "rightcall test"}
FEW = ("text", "history", "golden", "turns", "coroutine", "a_class", "method")
"""The agents of doors that take long."""

ELSEWHERE = {
    "http:": "test_agents_behind_an_address_get_text_and_what_was_said",
    "exec:": "test_agents_behind_an_address_get_text_and_what_was_said",
    "Ray": "tests/limbs/ray/test_ray.py: test_workers_call_an_agent_by_its_signature",
}
"""Doors to other processes, each with the test that goes through it."""

NO_CALLS = {
    "rightcall.audit": "judges goldens by recorded behaviour",
    "rightcall audit": "the same",
    "rightcall.gate": "decides about stored results",
    "rightcall.improve": "calls what a stored run called, by the plan of `evaluate`",
    "rightcall.observe": "names an agent",
    "rightcall attacks make": "reads tools",
}
"""What names an agent or a suite and calls no function of a user by itself."""

AGENT_WORDS = {"agent", "executor", "model_callback", "suite", "suites"}


def python_doors() -> Iterator[str]:
    """Public functions and classes that take an agent or a suite; what two modules show is one door."""
    values: set[Any] = set()
    for module in (rc, deepeval, laminar, sys.modules["rightcall.deepeval.simulator"]):
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            is_record = isinstance(value, type) and issubclass(value, msgspec.Struct)
            if (
                callable(value)
                and not is_record
                and value not in values
                and AGENT_WORDS & parameters_of(value)
            ):
                values.add(value)
                yield f"{module.__name__}.{name}"


def parameters_of(value: Any) -> set[str]:
    try:
        return {*inspect.signature(value).parameters}
    except (TypeError, ValueError):
        return set()


def command_doors(group: click.Group = cli, path: str = "rightcall") -> Iterator[str]:
    context = click.Context(group)
    names = (
        [n for section in MENU.values() for n in section] if group is cli else group.list_commands(context)
    )
    for name in names:
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from command_doors(found, f"{path} {name}")
        elif found is not None and {"suite", "suites"} & arguments_of(found):
            yield f"{path} {name}"


def arguments_of(found: click.Command) -> set[str]:
    return {p.name for p in found.params if isinstance(p, click.Argument) and p.name}


def test_every_door_has_a_row():
    doors = {*python_doors(), *command_doors(), *(f"{prefix}:" for prefix in ADDRESSED)}
    decided_by_files = {door for door in doors if "baseline" in door}  # baselines are files of stored runs
    assert doors - decided_by_files - {*DOORS, *ELSEWHERE, *NO_CALLS} == set()
    assert {*DOORS, *NO_CALLS} - doors == {"rightcall test"}  # takes files of tests


def wanted(name, text, earlier):
    values = {"text": text, "texts": [text], "earlier": earlier, "turns": earlier, "nothing": {}}
    return {word: values.get(role, role) for word, role in AGENTS[name][1].items()}


def heard(folder):
    log = folder / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return {name: [values for called, values in lines if called == name] for name, _ in lines}


def requests_of(name, visit):
    if isinstance(visit.golden, rc.Golden):
        return [wanted(name, TEXT, [])]
    whole = {*AGENTS[name][1].values()} == {"golden"} and not visit.observed
    return [wanted(name, TEXT, [])] + ([] if whole else [wanted(name, NEXT, EARLIER)])


def visits(agents, door):
    """Every golden, observed and not, as far as a door has them; agents of a golden have no turns of DeepEval."""
    if door in SLOW:
        return [Visit(agents, FEW), Visit(agents, FEW, TALK, observed=True)]
    if door in OWN_TURNS:
        names = [name for name, (_, roles) in AGENTS.items() if "golden" not in roles.values()]
        return [Visit(agents, tuple(names))]
    goldens = [GOLDEN] if door in ONE_TURN else [GOLDEN, TALK]
    return [Visit(agents, (*AGENTS,), golden, observed) for golden in goldens for observed in (False, True)]


def parts(visit, door):
    """A check forgets what its baseline called, so it is asked for one agent at a time."""
    return [replace(visit, names=(name,)) for name in visit.names] if "check" in door else [visit]


@pytest.mark.parametrize("name", AGENTS)
def test_a_parameter_gets_what_its_name_and_annotation_ask_for(name, agents, tmp_path):
    async def call():
        function = await AgentFunction.of(getattr(agents, name)).begin(GOLDEN)
        await function.call(NEXT, GOLDEN, earlier=[Message(**message) for message in EARLIER])

    asyncio.run(call())
    assert heard(tmp_path) == {name: [wanted(name, NEXT, EARLIER)]}


@pytest.mark.stories
@pytest.mark.parametrize("door", DOORS)
def test_every_door_calls_an_agent_by_its_signature(door, agents, tmp_path, monkeypatch):
    for visit in visits(agents, door):
        with monkeypatch.context() as patch:
            if visit.observed:
                patch.setenv("OBSERVED", "yes")
            for part in parts(visit, door):
                DOORS[door](part)
                assert heard(tmp_path) == {name: requests_of(name, visit) for name in part.names}, (
                    visit.observed
                )
                agents.LOG.unlink()


@pytest.mark.stories
@pytest.mark.parametrize("door", DOORS)
def test_no_door_calls_an_agent_that_needs_what_nothing_provides(door, agents, tmp_path):
    for visit in visits(agents, door):
        with pytest.raises(
            RightCallError, match=r"extra\(question, account\) needs 'account', which nothing provides"
        ):
            DOORS[door](replace(visit, names=("extra",)))
        assert heard(tmp_path) == {}


PROGRAM = """
import json, sys
ask = json.loads(sys.stdin.readline())
with open("asked.jsonl", "a") as file:
    file.write(json.dumps(ask) + "\\n")
print(json.dumps({"calls": [], "output": "Sunny."}))
"""


@pytest.mark.parametrize("kind", ["http", pytest.param("exec", marks=pytest.mark.stories)])
@pytest.mark.parametrize("golden", [GOLDEN, TALK], ids=["one", "many"])
def test_agents_behind_an_address_get_text_and_what_was_said(kind, golden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if kind == "http":
        with service({"calls": [], "output": "Sunny."}) as server:
            rc.evaluate(rc.Agent(f"http:{server.url}"), [golden])
        asked = server.bodies
    else:
        Path("agent.py").write_text(PROGRAM, encoding="utf-8")
        rc.evaluate(rc.Agent("exec:" + json.dumps([sys.executable, "agent.py"])), [golden])
        asked = [json.loads(line) for line in Path("asked.jsonl").read_text(encoding="utf-8").splitlines()]
    turns = [(TEXT, []), (NEXT, EARLIER)][: 2 if isinstance(golden, ConversationalGolden) else 1]
    said = [[{"role": m["role"], "content": m["content"]} for m in ask["messages"]] for ask in asked]
    assert list(zip([ask["input"] for ask in asked], said, strict=True)) == turns
    assert len({ask["session"] for ask in asked}) == 1
    assert "get_weather" not in json.dumps(asked) and "shut_down" not in json.dumps(asked)
