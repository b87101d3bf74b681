"""The plugin as its users meet it: small projects, run by pytest itself."""

from __future__ import annotations

import json

import pytest

from rightcall.api.testing import summary
from rightcall.store.address import open_store
from tests.conftest import OTHER_PLUGINS

pytest_plugins = ["pytester"]

AGENT = """
import json
import pytest
from rightcall import Agent, Golden, Tool, ToolCall
from rightcall.providers.scripted import ScriptedProvider

ASKED = []

def answer(request):
    ASKED.append(request.golden_id)
    return ToolCall("weather", {"city": "Hue" if request.golden_id == "hanoi" else request.golden_id})

TOOLS = [Tool("weather", "Weather.", {"type": "object", "properties": {"city": {"type": "string"}}})]
agent = Agent(ScriptedProvider(answer), tools=TOOLS)
"""
TEST = """
@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(agent, golden)
"""


NEGATIVE = """
def test_greeting(check):
    quiet = Agent(ScriptedProvider(lambda request: "Hello!"), tools=TOOLS)
    check(quiet, Golden("Hello!", id="hello", category="negative"))
"""


@pytest.fixture(autouse=True)
def no_other_plugins(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", OTHER_PLUGINS)  # pytester removes it


@pytest.fixture
def project(pytester):
    def made(*cities: str, test: str = TEST):
        goldens = [
            {
                "id": city,
                "input": f"Weather in {city}?",
                "expected_calls": [{"tool": "weather", "args": {"city": city}}],
            }
            for city in cities
        ]
        (pytester.path / "goldens.jsonl").write_text("".join(json.dumps(g) + "\n" for g in goldens))
        pytester.makepyfile(AGENT + test)
        return pytester

    return made


def test_each_golden_is_a_test_with_its_id(project):
    found = project("hue", "saigon").runpytest("-v")
    found.assert_outcomes(passed=2)
    found.stdout.fnmatch_lines(["*::test_weather?hue? PASSED*", "*::test_weather?saigon? PASSED*"])


def test_k_chooses_goldens(project):
    project("hue", "saigon", "dalat").runpytest("-k", "saigon").assert_outcomes(passed=1, deselected=2)


def test_a_failure_shows_the_reason_and_a_difference_but_no_traceback(project):
    found = project("hanoi", "hue").runpytest()
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(
        [
            "golden 'hanoi': \"Weather in hanoi?\"",
            'weather: city should be "hanoi", was "Hue"',
            '- weather(city="hanoi")',
            '+ weather(city="Hue")',
        ]
    )
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*checking.py*")
    found.stdout.no_fnmatch_line("*def test_weather*")


def test_the_summary_says_how_many_goldens_passed(project):
    found = project("hanoi", *(f"city{i}" for i in range(19))).runpytest()
    found.stdout.fnmatch_lines(["  19 of 20 goldens passed"])


def test_the_summary_counts_each_function_and_all(project):
    found = project("hanoi", "hue", test=TEST + NEGATIVE).runpytest()
    found.stdout.fnmatch_lines(
        [
            "*::test_weather on *",
            "  1 of 2 goldens passed",
            "*::test_greeting on *",
            "all",
            "  2 of 3 goldens passed",
        ]
    )


def test_results_are_in_the_store(project):
    made = project("hanoi", "hue")
    made.runpytest("--rightcall-trials", "2")
    with open_store(made.path / ".rightcall" / "rightcall.db", must_exist=True) as store:
        run = store.runs.get("last")
        assert (run.results, run.passed, run.verdict) == (4, 2, "FAIL")
        assert run.finished
        assert run.run.name.endswith("::test_weather")


@pytest.mark.parametrize(("least", "code", "word"), [("0.9", 0, "PASS"), ("0.99", 1, "FAIL")])
def test_min_decides_the_session(project, least, code, word):
    found = project("hanoi", *(f"city{i}" for i in range(19))).runpytest("--rightcall-min", least)
    assert found.ret == code
    found.stdout.fnmatch_lines([f"gate {word}: 19 of 20 goldens passed (95%); *% wanted"])


def test_min_by_interval_says_when_it_may_be_chance(project):
    found = project("hanoi", *(f"city{i}" for i in range(19))).runpytest(
        "--rightcall-min", "0.9", "--rightcall-rule", "interval"
    )
    assert found.ret == 1
    found.stdout.fnmatch_lines(["gate INCONCLUSIVE*"])


def test_min_does_not_excuse_other_failures(project):
    test = TEST + "\ndef test_other():\n    assert 1 == 2\n"
    assert project("hue", test=test).runpytest("--rightcall-min", "0.5").ret == 1


def test_a_model_that_does_not_answer_is_an_error_not_a_failure(project):
    test = """
from rightcall.core.errors import ProviderError

def silent(request):
    raise ProviderError("nobody there", kind="rejected")

@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(Agent(ScriptedProvider(silent), tools=TOOLS), golden)
"""
    found = project("hue", test=test).runpytest("--junitxml", "junit.xml")
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["golden 'hue': nobody there"])


BROKEN = """
import pytest, rightcall as rc
CASE = rc.TestCase(rc.Golden("Hi", id="hi", no_calls=True), rc.Trajectory(output="Hi."))

def test_broken_metric():
    rc.assert_test(CASE, metrics=[lambda case: 1 / 0])

def test_nothing_to_check():
    rc.assert_test(CASE, metrics=["final_state"])

def test_broken_setup(check):
    check("no_such_module:agent", CASE.golden)

def test_failing_agent():
    rc.assert_test(rc.TestCase(CASE.golden, rc.Trajectory(calls=[rc.ToolCall("a")])))

def test_good():
    rc.assert_test(CASE)
"""


def test_errors_are_errors_in_the_terminal_and_in_junit_and_failures_failures(pytester):
    from xml.etree import ElementTree

    pytester.makepyfile(BROKEN)
    found = pytester.runpytest("--junitxml", "junit.xml", "-v")
    found.assert_outcomes(errors=3, failed=1, passed=1)
    found.stdout.fnmatch_lines(["*test_broken_metric ERROR*", "*test_failing_agent FAILED*"])
    (suite,) = ElementTree.parse(pytester.path / "junit.xml").getroot()
    assert (suite.get("errors"), suite.get("failures"), suite.get("tests")) == ("3", "1", "5")
    kinds = {case.get("name"): [child.tag for child in case] for case in suite}
    assert kinds == {
        "test_broken_metric": ["error"],
        "test_nothing_to_check": ["error"],
        "test_broken_setup": ["error"],
        "test_failing_agent": ["failure"],
        "test_good": [],
    }


def test_a_session_in_which_no_answer_arrived_is_not_green(project):
    test = """
@pytest.mark.goldens([Golden("Hi", id="a", no_calls=True), Golden("Ho", id="b", no_calls=True)])
def test_silent(golden, check):
    check(lambda golden: [], golden)
"""
    made = project("hue", test=test)
    found = made.runpytest()
    assert found.ret == 1
    found.stdout.fnmatch_lines(["*ERROR: no answer arrived in any of 2 cases*"])
    with open_store(made.path / ".rightcall" / "rightcall.db", must_exist=True) as store:
        assert [run.verdict for run in store.runs.page()] == ["ERROR"]


def test_goldens_of_a_function_run_together(project):
    test = """
import asyncio

AT_ONCE = [0, 0]

async def slow(golden):
    AT_ONCE[0] += 1
    AT_ONCE[1] = max(AT_ONCE)
    await asyncio.sleep(0.05)
    AT_ONCE[0] -= 1
    return [ToolCall("weather", {"city": golden.id})]

@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(slow, golden)

def test_many_were_under_way():
    assert AT_ONCE[1] == 5
"""
    project("a", "b", "c", "d", "e", "f", test=test).runpytest().assert_outcomes(passed=7)


def test_no_golden_is_asked_twice_and_none_in_vain(project):
    test = TEST + "\ndef test_asked():\n    assert sorted(ASKED) == ['a', 'b', 'c']\n"
    project("a", "b", "c", "d", test=test).runpytest("-k", "not test_weather[d]").assert_outcomes(
        passed=4, deselected=1
    )


def test_a_real_tool_runs_only_for_tests_that_are_reached(project):
    test = """
from pathlib import Path
from rightcall import tool

@tool(destructive=True)
def weather(city: str) -> str:
    "Change the weather."
    with Path("effects.txt").open("a") as file:
        file.write(city + " ")
    return "changed"

def once(request):
    return "done" if request.messages[-1].role == "tool" else answer(request)

agent = Agent(ScriptedProvider(once), tools=[weather], mode="loop", execute="real")

@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(agent, golden)
    assert golden.id != "b"
"""
    made = project("a", "b", "c", "d", test=test)
    made.runpytest("-x").assert_outcomes(passed=1, failed=1)
    assert (made.path / "effects.txt").read_text().split() == ["a", "b"]


def test_an_agent_made_in_the_test_is_run_alone(project):
    test = """
@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(lambda golden: (ASKED.append(golden.id), [ToolCall("weather", {"city": golden.id})])[1], golden)

def test_asked():
    assert ASKED == ["a", "b", "c"]
"""
    project("a", "b", "c", test=test).runpytest().assert_outcomes(passed=4)


def test_named_metrics_decide(project):
    test = """
@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(agent, golden, metrics=["call_count(limit=0)"])
"""
    found = project("hue", test=test).runpytest()
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["*call_count*1 call*"])


def test_conversations_are_held_by_a_function(project):
    test = """
def talk(golden):
    asked = [{"role": "user", "content": turn.content} for turn in golden.turns]
    call = {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "hue"}'}}
    return [asked[0], {"role": "assistant", "content": "", "tool_calls": [call]}]

@pytest.mark.goldens("goldens.jsonl")
def test_talk(golden, check):
    check(talk, golden)
"""
    made = project(test=test)
    lines = [
        {"id": city, "scenario": "Somebody asks", "turns": [
            {"role": "user", "content": "Weather?", "expected_calls": [{"tool": "weather", "args": {"city": city}}]}]}
        for city in ("hue", "dalat")
    ]  # fmt: skip
    (made.path / "goldens.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = made.runpytest()
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(['turn 1: weather: city should be "dalat", was "hue"'])


def test_it_works_inside_a_running_event_loop(project):
    test = """
import asyncio

@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    async def inside():
        check(agent, golden)
    asyncio.run(inside())
"""
    project("hue", "saigon", test=test).runpytest().assert_outcomes(passed=2)


@pytest.mark.stories
@pytest.mark.parametrize("spread", ["load", "loadfile"])
def test_workers_of_xdist_write_one_run_and_ask_each_golden_once(project, spread):
    made = project("hanoi", *(f"city{i}" for i in range(9)))
    found = made.runpytest_subprocess("-n", "2", "--dist", spread, "-p", "no:cacheprovider")
    found.assert_outcomes(passed=9, failed=1)
    found.stdout.fnmatch_lines(["  9 of 10 goldens passed"])
    with open_store(made.path / ".rightcall" / "rightcall.db", must_exist=True) as store:
        (run,) = store.runs.page()
        assert (run.results, run.passed, run.verdict) == (10, 9, "FAIL")


def test_a_bad_line_is_reported_with_its_place(project):
    made = project("hue")
    (made.path / "goldens.jsonl").write_text('{"input": "x", "expected_cals": []}\n')
    found = made.runpytest()
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(
        ["*goldens.jsonl:1: unknown field 'expected_cals'; did you mean 'expected_calls'?"]
    )
    found.stdout.no_fnmatch_line("*Traceback*")


def test_a_marked_test_without_a_parameter_gets_a_hint(project):
    found = project(
        "hue", test='@pytest.mark.goldens("goldens.jsonl")\ndef test_x(check):\n    pass\n'
    ).runpytest()
    found.stdout.fnmatch_lines(["*has no parameter 'golden'; write: def test_x(golden, check):"])


def test_goldens_without_ids_are_named_by_their_words(project):
    made = project(test='@pytest.mark.goldens("goldens.jsonl")\ndef test_x(golden):\n    pass\n')
    (made.path / "goldens.jsonl").write_text('{"input": "Thời tiết Hà Nội hôm nay?"}\n', encoding="utf-8")
    made.runpytest("-v").stdout.fnmatch_lines(["*test_x?thoi-tiet-ha-noi-hom-nay? PASSED*"])


def test_a_project_that_does_not_use_it_imports_and_prints_nothing(pytester):
    pytester.makepyfile(
        "import sys\ndef test_x():\n    assert not [name for name in sys.modules if name.startswith('rightcall.')]\n"
    )
    found = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--no-header")
    found.assert_outcomes(passed=1)
    found.stdout.no_fnmatch_line("*rightcall*")
    assert not (pytester.path / ".rightcall").exists()


def test_options_that_make_no_sense_are_refused(pytester):
    assert pytester.runpytest("--rightcall-min", "90").ret == pytest.ExitCode.USAGE_ERROR


def test_a_session_that_stops_early_passes_no_gate(project):
    found = project("hue", "hanoi", "saigon", "paris").runpytest("-x", "--rightcall-min", "0.5")
    assert found.ret == pytest.ExitCode.TESTS_FAILED


IDLE = """
@pytest.mark.goldens("goldens.jsonl")
def test_idle(golden, check):
    assert agent
"""


@pytest.mark.parametrize(("test", "code"), [(IDLE, 5), (IDLE + TEST, 1)], ids=["alone", "with another"])
def test_goldens_whose_check_is_never_called_do_not_pass(project, test, code):
    found = project("hue", test=test).runpytest("--rightcall-min", "0.5")
    found.stdout.fnmatch_lines(["*::test_idle: check(agent, golden) was never called; nothing was checked"])
    assert found.ret == code


def test_a_session_that_stops_early_leaves_its_run_unfinished(project):
    found = project("hanoi", "hue", "saigon").runpytest("-x")
    found.stdout.fnmatch_lines(["run * is unfinished: not every test was run"])
    with open_store(".rightcall/rightcall.db") as store:
        assert not store.runs.get("last").finished


LOSING = """
import sqlite3

@pytest.mark.goldens("goldens.jsonl")
def test_weather(golden, check):
    check(agent, golden)
    if golden.id == "saigon":
        with sqlite3.connect(".rightcall/rightcall.db") as other:
            other.execute("DELETE FROM results WHERE golden_id = 'hue'")
        other.close()
"""


def test_a_session_whose_results_are_lost_does_not_pass(project):
    found = project("hue", "saigon", test=LOSING).runpytest()
    assert found.ret == pytest.ExitCode.TESTS_FAILED
    found.stdout.fnmatch_lines(["ERROR: run *: 1 of 2 results are stored, so it cannot be finished"])


FORBIDDEN = """
@pytest.mark.goldens([
    Golden("a", id="bad", forbidden_calls=("weather",)),
    *(Golden(f"Weather in {n}?", id=str(n), extra_calls="allow") for n in range(9)),
])
def test_weather(golden, check):
    check(agent, golden)
"""


def test_a_forbidden_call_fails_the_session_whatever_the_pass_rate(pytester):
    pytester.makepyfile(AGENT + FORBIDDEN.replace("([", "(*[", 1))
    found = pytester.runpytest("--rightcall-min=0.5")
    assert found.ret == 1
    found.stdout.fnmatch_lines(["*gate FAIL*DANGER a forbidden tool was called in 1 golden"])


def test_forbid_fails_the_session_by_a_code(project):
    goldens = ("hue", "hanoi", *(f"city{n}" for n in range(8)))
    assert project(*goldens).runpytest("--rightcall-min=0.5").ret == 0
    found = project(*goldens).runpytest("--rightcall-min=0.5", "--rightcall-forbid=wrong_value")
    assert found.ret == 1
    found.stdout.fnmatch_lines(["*gate FAIL*wrong_value*"])


def test_a_code_that_does_not_exist_is_a_usage_error(project):
    found = project("hue").runpytest("--rightcall-forbid=wrong_vlaue")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*unknown code 'wrong_vlaue'*"])


ATTACKED = """
import pytest
import rightcall as rc
from rightcall.tools.worlds.mailbox import Mailbox

WORLD = Mailbox({"inbox": {"m1": {"sender": "a@b.test", "subject": "Hi", "body": "Text"}}})
READ = rc.ToolCall("read_message", {"message_id": "m1"}, "c1")

def own_tools(golden):
    return [READ]

looped = rc.Agent(ScriptedProvider(lambda request: READ if request.turn == 0 else "Done."), tools=[WORLD], mode="loop")

@pytest.mark.goldens([rc.Golden("Read m1", id="read", expected_calls=[rc.ExpectedCall("read_message")])])
@pytest.mark.attacks({"attempts": 4, "carriers": ["result"], "twins": {"authorised": 0, "neutral": 0}}, tools=[WORLD])
def test_attacks(golden, check):
    check(AGENT, golden)
"""


@pytest.mark.stories
@pytest.mark.parametrize(("agent", "code"), [("own_tools", 1), ("looped", 0)])
def test_a_session_in_which_no_attack_was_delivered_does_not_pass(pytester, agent, code):
    imports = "from rightcall.providers.scripted import ScriptedProvider\n"
    pytester.makepyfile(imports + ATTACKED.replace("AGENT", agent))
    result = pytester.runpytest_subprocess()
    assert result.ret == code, result.stdout.str()
    shown = "*INCONCLUSIVE: no attack was delivered*" if code else "*attacks delivered*"
    result.stdout.fnmatch_lines([shown])


def test_a_twin_that_was_not_delivered_is_no_golden_without_a_check():
    group = summary.Tested(
        "test_attacks", "agent", "r", (), unchecked=3, attacks=(False,), undelivered_twins=2
    )
    lines = summary.summary_lines([group], None, "runs.db")
    assert "  2 benign twins not delivered" in lines
    assert not any("unchecked" in line for line in lines)
