"""Any function is an agent: what begins anew in each trial, what is refused, and what it may not send."""

import asyncio
import inspect
import json
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.agents.agent_function import AgentFunction, with_cause
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.watched_trial import holds_expectations
from rightcall.core.errors import RightCallError
from tests.providers.test_http_agent import service
from tests.support.examples import examples
from tests.support.one_server import one_server

GOLDEN = rc.Golden(
    "Weather in Hue?", id="hue", expected_calls=[rc.ExpectedCall("get_weather", {"city": "Hue"})]
)
TALK = rc.ConversationalGolden(
    "Somebody plans a trip",
    id="trip",
    turns=[rc.Turn("user", "Weather in Hue?"), rc.Turn("user", "And tomorrow?")],
)


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


CALLS = {
    "plain": lambda value: value,
    "nested": lambda value: {"where": [value]},
    "number": lambda value: int(value, 36),
    "choice": lambda value: {"any_of": [value, "other"]},
    "pattern": lambda value: {"regex": value},
}
"""How a golden may state a value of an argument."""

secrets = st.from_regex(r"[a-z][a-z0-9]{9}", fullmatch=True)


@st.composite
def golden_and_values(draw):
    """A golden of one turn or many, and the values that it expects; its texts may quote some of them."""
    values = draw(st.lists(secrets, min_size=6, max_size=6, unique=True))
    quoted = draw(st.lists(st.sampled_from(values), max_size=2))
    text = " ".join([draw(words), *quoted])
    args = {"city": draw(st.sampled_from([*CALLS.values()]))(values[0])}
    calls = [rc.ExpectedCall("get_weather", args, notes={"why": values[1]})]
    more: Any = {"output_contains": [values[2]], "expected_state": {"seen": values[3]}, "comments": values[4]}
    if draw(st.booleans()):
        return rc.Golden(text, expected_calls=calls, expected_output=values[5], **more), values
    turns = [rc.Turn("user", text, expected_calls=calls), rc.Turn("user", "And then?")]
    return rc.ConversationalGolden("A trip", turns=turns, expected_outcome=values[5], **more), values


PROGRAM = """
import json, sys
for line in sys.stdin:
    open("heard.txt", "a").write(line)
    print(json.dumps({"calls": [], "output": "Sunny."}), flush=True)
"""
TOOLS = [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {}}}}]


@pytest.fixture(scope="module")
def listeners(tmp_path_factory):
    """Agents of every kind, and what each was sent: a function, a model, a service, a program."""
    folder = tmp_path_factory.mktemp("listeners")
    told = []
    (folder / "agent.py").write_text(PROGRAM)
    (folder / "heard.txt").touch()

    def function(question, history, session_id):
        told.append([question, history])
        return "Sunny."

    program = rc.Agent(f"exec:{sys.executable} agent.py", exchange=Exchange(folder=str(folder), reuse=True))
    with one_server() as model, service({"calls": [], "output": "Sunny."}) as server:
        mock = {"get_weather": {"result": "Sunny."}}
        asked = rc.Agent("openai:m", base_url=model.url, tools=TOOLS, mode="loop", mocks=mock)
        yield (
            folder,
            [
                (rc.Agent(function), lambda: told),
                (asked, lambda: model.bodies),
                (rc.Agent(f"http:{server.url}"), lambda: server.bodies),
                (
                    program,
                    lambda: [json.loads(line) for line in (folder / "heard.txt").read_bytes().splitlines()],
                ),
            ],
        )


def strings(value):
    """Every text and number of a JSON value, and the names of its fields."""
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return [s for part in parts for s in strings(part)] if isinstance(value, dict | list) else [str(value)]


@pytest.mark.stories
@settings(max_examples=examples(100, few=10))
@given(asked=golden_and_values())
def test_no_text_that_is_sent_holds_what_is_expected_unless_the_user_says_it(listeners, asked):
    (golden, values) = asked
    (folder, agents) = listeners
    said = golden.input if isinstance(golden, rc.Golden) else golden.turns[0].content
    hidden = [form for value in values if value not in said for form in (value, str(int(value, 36)))]
    for agent, heard in agents:
        before = len(heard())
        rc.evaluate(agent, [golden], store=folder / "s.db", progress=False)
        texts = strings(heard()[before:])
        assert said in texts
        assert [value for value in hidden if any(value in text for text in texts)] == []


def test_a_builtin_gets_the_text():
    assert asyncio.run(AgentFunction.of(str.upper).call("hue", GOLDEN)) == "HUE"
    assert inspect.signature(AgentFunction.of(print).function)


def test_the_place_of_an_exception_is_known_in_a_folder_that_is_gone(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    try:
        raise KeyError("city")
    except KeyError as error:
        ended = with_cause(rc.Trajectory(stop_reason="agent_error"), error)
    assert ended.cause.startswith("KeyError at ")
