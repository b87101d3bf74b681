"""Stored runs show the linter the cost of its findings."""

from __future__ import annotations

import json

import msgspec
import pytest

from rightcall.lint.rule import find_rule
from rightcall.metrics.case_result import result_of
from rightcall.model import ConversationalGolden, ExpectedCall, Golden, ToolCall, Trajectory, Turn
from rightcall.run.tool_evidence import read_evidence
from rightcall.show.view.call_pairs import pairing_of
from rightcall.show.view.tools import ToolTally
from rightcall.store.address import open_store
from tests.lint.clean import spoiled
from tests.store.builders import a_run

ALIKE = ("get_city_forecast", "get_town_forecast")
STATIONS = {
    "name": "list_weather_stations",
    "description": "Returns the ids of the stations near a place, nearest first. Use it when an id is asked for. "
    "Fails with not_found for a place it does not know.",
    "input_schema": {
        "type": "object",
        "properties": {"place": {"type": "string", "description": "A town or a mountain, such as Fansipan."}},
        "required": ["place"],
        "additionalProperties": False,
    },
    "annotations": {"readOnlyHint": True},
}


def a_golden(number: int, tool: str, **args) -> Golden:
    return Golden("?", id=f"{tool}-{number}", expected_calls=(ExpectedCall(tool, args),))


def answered(golden: Golden, tool: str = "", **args):
    wanted = golden.expected_calls[0]
    call = ToolCall(tool or str(wanted.tool), {**(wanted.args or {}), **args})
    return result_of(golden, 0, Trajectory(calls=(call,)), {})


@pytest.fixture
def store_url(tmp_path):
    """Of 20 forecasts 4 are asked of the wrong tool, of 20 stations 5 have the wrong place."""
    goldens = [a_golden(n, name, city="Hue") for name in ALIKE for n in range(10)]
    stations = [a_golden(n, "list_weather_stations", place="Fansipan") for n in range(20)]
    results = [answered(golden, ALIKE[1] if n < 4 else "") for n, golden in enumerate(goldens)]
    results += [answered(g, **({"place": "Hue"} if n < 5 else {})) for n, g in enumerate(stations)]
    with open_store(tmp_path / "runs.db") as store:
        writer = store.runs.begin(a_run("r-17"))
        writer.add_goldens([*goldens, *stations])
        writer.add(results)
        return store.name


@pytest.fixture
def tools(tmp_path):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([*spoiled(find_rule("confusable-pair").bad)[:2], STATIONS]))
    return path


def test_a_run_tells_what_was_confused_and_what_was_filled_wrongly(store_url):
    with open_store(store_url) as store:
        seen = read_evidence(store, "r-17")
    (confusion,) = seen.confusions()
    assert (confusion.wanted, confusion.called, confusion.confused, confusion.trials) == (*ALIKE, 4, 10)
    (misfilled,) = seen.misfilled()
    assert (misfilled.tool, misfilled.parameter) == ("list_weather_stations", "place")
    assert (misfilled.wrong, misfilled.trials, misfilled.run) == (5, 20, "r-17")


def test_a_confusable_pair_carries_how_often_it_was_confused(rightcall, tools, store_url):
    told = json.loads(rightcall("lint", tools, "--run", "r-17", "--store", store_url, "--json").out)
    found = next(each for each in told["diagnostics"] if each["code"] == "TD502")
    assert (
        found["evidence"]
        == "get_town_forecast was called for get_city_forecast 4 times in 10 trials of run r-17"
    )


def test_a_finding_on_a_parameter_carries_how_often_it_was_wrong(rightcall, tools, store_url):
    definitions = json.loads(tools.read_text())
    del definitions[2]["input_schema"]["properties"]["place"]["description"]
    tools.write_text(json.dumps(definitions))
    shown = rightcall("lint", tools, "--run", "r-17", "--store", store_url, "--show", "info").out
    assert "measured: place was wrong in 5 of 20 trials of run r-17" in shown


def test_without_runs_nothing_is_measured(rightcall, tools):
    assert "measured" not in rightcall("lint", tools).out


def test_tools_expected_in_turns_count_too(tmp_path):
    turn = Turn("user", "?", expected_calls=(ExpectedCall("get_time", {}),))
    golden = ConversationalGolden("asks the time", id="c", turns=(turn,))
    with open_store(tmp_path / "runs.db") as store:
        writer = store.runs.begin(a_run("r-1"))
        writer.add_goldens([golden])
        writer.add([answered(Golden("?", id="c", expected_calls=(ExpectedCall("get_time", {}),)))])
        assert read_evidence(store, "r-1").expected == {"get_time": 1}


def test_the_linter_and_the_report_count_the_same_confusions(tmp_path):
    golden = Golden("?", id="g", expected_calls=(ExpectedCall("a"), ExpectedCall("a"), ExpectedCall("b")))
    done = Trajectory(calls=(ToolCall("x"), ToolCall("x"), ToolCall("b")))
    result = msgspec.structs.replace(result_of(golden, 0, done, {}), trajectory=done)
    with open_store(tmp_path / "runs.db") as store:
        writer = store.runs.begin(a_run("r-18"))
        writer.add_goldens([golden])
        writer.add([result])
        (confusion,) = read_evidence(store, "r-18").confusions()
    tally = ToolTally()
    tally.add(pairing_of(golden, result), result)
    (cell,) = [cell for cell in tally.cells() if cell.called not in (None, cell.expected)]
    assert (confusion.wanted, confusion.called, confusion.confused) == ("a", "x", 2)
    assert (cell.expected, cell.called, cell.count) == ("a", "x", 2)
