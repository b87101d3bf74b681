"""Any function is an agent: its parameters say what it is called with, through every door and in every turn."""

import asyncio
import contextlib
import inspect
import json
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

import rightcall as rc
from rightcall import laminar
from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.first_request import holds_expectations
from rightcall.cli.check import check
from rightcall.cli.run import run
from rightcall.core.errors import RightCallError
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.model.message import Message
from rightcall.wings.generate.simulator import SimulationNode

TEXT, NEXT = "Weather in Hue?", "And tomorrow?"
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
    "text": ("question", {"question": "text"}),
    "typed": ("asked: str", {"asked": "text"}),
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
"""Parameters, and what each gets."""

AGENTS = """
import json
import rightcall as rc
from pathlib import Path

LOG = Path(__file__).with_name("log.jsonl")

def kind(value):
    if isinstance(value, (rc.Golden, rc.ConversationalGolden)):
        return "golden"
    if isinstance(value, list):
        return [{"role": v.role, "content": v.content} if isinstance(v, rc.Turn) else v for v in value]
    return "id" if isinstance(value, str) and len(value) == 32 else value

def note(values):
    with LOG.open("a") as log:
        log.write(json.dumps({name: kind(value) for name, value in values.items()}) + "\\n")
    return ANSWER()

def ANSWER():
    return "Sunny."
"""


@pytest.fixture
def agents(tmp_path, monkeypatch):
    functions = (
        f"def {name}({words}):\n    return note(locals())\n" for name, (words, _) in SIGNATURES.items()
    )
    (tmp_path / "signatures.py").write_text("\n".join([AGENTS, *functions]))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "signatures", raising=False)
    import signatures

    return signatures


def heard(folder):
    log = folder / "log.jsonl"
    lines = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    log.unlink(missing_ok=True)
    return lines


def by_evaluate(agents, name):
    rc.evaluate(getattr(agents, name), [GOLDEN])


def by_aevaluate(agents, name):
    asyncio.run(rc.aevaluate(getattr(agents, name), [GOLDEN]))


def by_observation(agents, name):
    agents.ANSWER = observed_answer
    rc.evaluate(rc.observe(getattr(agents, name)), [GOLDEN])


def observed_answer():
    return Agent(TestModel(custom_output_text="Sunny.")).run_sync("Weather?").output


def by_assert_test(agents, name):
    with contextlib.suppress(AssertionError):
        rc.assert_test(golden=GOLDEN, agent=rc.Agent(getattr(agents, name)))


def by_laminar(agents, name):
    laminar.evaluate(
        data=[GOLDEN], executor=getattr(agents, name), evaluators={"any": lambda output, target: 1}
    )


def suite(name):
    golden = {
        "id": "hue",
        "input": TEXT,
        "expected_calls": [{"tool": "get_weather"}],
        "forbidden_calls": ["shut_down"],
    }
    Path("goldens.jsonl").write_text(json.dumps(golden), encoding="utf-8")
    Path("suite.json").write_text(
        json.dumps({"dataset": "goldens.jsonl", "agent": {"model": f"signatures:{name}"}}), encoding="utf-8"
    )


def by_run(agents, name):
    suite(name)
    done = CliRunner().invoke(run, ["suite.json"])
    assert done.exit_code == 1, done.output


def by_check(agents, name):
    by_run(agents, name)
    agents.LOG.unlink()
    done = CliRunner().invoke(check, ["suite.json", "--full", "--again", "--baseline", "last"])
    assert done.exit_code in (0, 3), done.output


DOORS = [by_evaluate, by_aevaluate, by_observation, by_assert_test, by_laminar, by_run, by_check]


def wanted(name, text, earlier):
    values = {"text": text, "texts": [text], "earlier": earlier, "turns": earlier, "nothing": {}}
    return {word: values.get(role, role) for word, role in SIGNATURES[name][1].items()}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_parameter_gets_what_its_name_and_annotation_ask_for(name, agents, tmp_path):
    function = AgentFunction.of(getattr(agents, name))
    earlier = [Message(**message) for message in EARLIER]
    asyncio.run(function.call(NEXT, GOLDEN, earlier=earlier))
    assert heard(tmp_path) == [wanted(name, NEXT, EARLIER)]


@pytest.mark.stories
@pytest.mark.parametrize("door", DOORS)
def test_every_door_calls_an_agent_by_its_signature(door, agents, tmp_path):
    for name in SIGNATURES:
        door(agents, name)
        lines = heard(tmp_path)
        assert lines
        assert all(line == wanted(name, TEXT, []) for line in lines), lines


@pytest.mark.stories
@pytest.mark.parametrize("observed", [False, True])
def test_each_turn_gets_its_text_and_what_was_said_before(observed, agents, tmp_path):
    for name, (_, roles) in SIGNATURES.items():
        function = getattr(agents, name)
        agents.ANSWER = observed_answer if observed else agents.ANSWER
        rc.evaluate(rc.observe(function) if observed else function, [TALK])
        whole = {*roles.values()} == {"golden"} and not observed
        turns = [wanted(name, TEXT, []), wanted(name, NEXT, EARLIER)]
        assert heard(tmp_path) == (turns[:1] if whole else turns), name


def test_the_simulator_of_deepeval_calls_a_function_the_same_way(agents, tmp_path):
    for name in ("text", "messages", "turns", "thread"):
        simulator = ConversationSimulator(getattr(agents, name), SimulationNode(say=TEXT, terminal=True))
        simulator.simulate([rc.ConversationalGolden("A trip")])
        assert heard(tmp_path) == [wanted(name, TEXT, [])]


class Counter:
    def __init__(self):
        self.questions = 0

    def __call__(self, question, history):
        self.questions += 1
        return f"{question} {len(history)} {self.questions}"


def test_a_class_is_an_agent_that_begins_anew_in_each_trial(tmp_path):
    results = rc.evaluate(Counter, [TALK], trials=2, store=tmp_path / "s.db").results
    assert [result.trajectory.output for result in results] == ["And tomorrow? 2 2"] * 2


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (
            lambda question, account, db: "",
            "<lambda>(question, account, db) needs 'account' and 'db', which nothing provides: an agent is called with the"
            " text, and with what it names of golden, history or messages, and thread_id or session_id; give the others"
            " a default, or a value: with: {account: MODULE:FUNCTION, db: MODULE:FUNCTION}",
        ),
        (lambda: "", "<lambda> takes no text; an agent is called with what the user says"),
        (rc.Golden, "Golden is a class whose instances cannot be called; add __call__"),
    ],
)
@pytest.mark.parametrize("observed", [False, True])
def test_a_parameter_that_nothing_provides_is_named_before_anything_is_asked(agent, problem, observed):
    model = rc.observe(agent) if observed else agent
    for goldens in ([GOLDEN], [TALK]):
        with pytest.raises(RightCallError) as refused:
            rc.evaluate(model, goldens)
        assert str(refused.value) == problem.replace("<lambda>", agent.__qualname__)


def repeating(text):
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "Sunny."}]


@pytest.mark.parametrize("write", [repr, lambda golden: json.dumps(msgspec.to_builtins(golden))])
def test_an_agent_that_sends_what_is_expected_is_a_broken_setup(write):
    def leaky(golden):
        return repeating(write(golden))

    with pytest.raises(RightCallError, match="leaky: a message that it sent holds what is expected of it"):
        rc.evaluate(leaky, [GOLDEN])


words = st.text(st.characters(codec="utf-8", exclude_characters="{}"), min_size=1, max_size=20)


@given(words, words, words, st.sampled_from(["{}", "Q: {}", "{!s}", "{:s}", "{:>40}"]))
def test_a_golden_as_text_is_what_it_asks_and_nothing_that_is_expected(asked, tool, value, template):
    golden = rc.Golden(
        asked, id="g", expected_calls=[rc.ExpectedCall(tool, {"name": value})], output_contains=[value]
    )
    talk = rc.ConversationalGolden(asked, id="g", expected_outcome=value, forbidden_calls=[tool])
    for case in (golden, talk):
        assert template.format(case) == template.format(asked)
        assert "%s" % case == asked  # noqa: UP031
        assert not holds_expectations(str(case), case)


def test_a_builtin_gets_the_text():
    assert asyncio.run(AgentFunction.of(str.upper).call("hue", GOLDEN)) == "HUE"
    assert inspect.signature(AgentFunction.of(print).function)
