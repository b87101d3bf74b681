"""Beside every pass rate of a run stands what trivial agents pass: the same law for every output."""

from __future__ import annotations

import io
import json
import re
from html import unescape

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.api.testing.summary import group_notes, summary_lines
from rightcall.cli.main import cli
from rightcall.core.codec import encode
from rightcall.decide.check_result import CheckResult
from rightcall.model import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.show.check_comment import check_markdown
from rightcall.show.dashboard.server import make_app
from rightcall.show.formats import writer_of
from rightcall.show.github import publish
from rightcall.wings.assistant.run_tools import overview

TOOLS = [Tool("get_order", "Reads an order."), Tool("cancel_order", "Cancels an order.")]
GOLDENS = [
    *(Golden(f"order {n}?", id=f"order-{n}", expected_calls=[ExpectedCall("get_order", {"id": n})]) for n in range(12)),
    *(Golden("Hello!", id=f"hello-{n}", category="negative") for n in range(8)),
]  # fmt: skip
SENTENCE = "an agent that does nothing passes 40% (negatives 8 of 8)"
SHORT = "floor 40.0% (nothing)"


def answer(golden: Golden) -> Trajectory:
    number = int(golden.id.rpartition("-")[2])
    called = [ToolCall("get_order", {"id": number})] if golden.expected_calls and number < 11 else []
    return Trajectory(calls=called, output="done", latency_ms=3.0)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("floor")
    result = rc.evaluate(Agent(answer, tools=TOOLS), GOLDENS, store=folder / "runs.db", name="shop")
    yield result
    result.store.close()


def command(run, *words: str) -> str:
    shown = CliRunner().invoke(cli, [*words, "--store", str(run.store.name)], env={"COLUMNS": "300"})
    return shown.stdout


def report(run, kind: str) -> str:
    out = io.BytesIO()
    writer_of(kind)(run.store, run.id, out)
    return out.getvalue().decode()


def page(run, path: str) -> str:
    text = TestClient(make_app(run.store), base_url="http://localhost").get(path).text
    return unescape(re.sub("<[^>]*>", "", text))


def scored(run, tmp_path, *words: str) -> str:
    goldens, trajectories, tools = (tmp_path / f"{name}.jsonl" for name in ("goldens", "said", "tools"))
    goldens.write_bytes(b"\n".join(map(encode, GOLDENS)))
    said = [{"golden_id": golden.id, "calls": [{"name": call.name, "arguments": call.arguments} for call in answer(golden).calls]} for golden in GOLDENS]  # fmt: skip
    trajectories.write_bytes(b"\n".join(map(encode, said)))
    tools.write_bytes(encode(TOOLS))
    tools = tools.rename(tmp_path / "tools.json")
    files = [str(goldens), str(trajectories), "--tools", str(tools)]
    return CliRunner().invoke(cli, ["score", *files, *words], env={"COLUMNS": "300"}).stdout


def pytest_summary(run) -> str:
    marks = [["golden", "0000000"], ["negative", "1111111"]]
    notes = [
        {
            "test": "test_shop", "agent": "a", "run": run.id, "golden": golden.id, "category": golden.category or "golden",
            "cluster": None, "passes": [True], "answered": True, "errors": 0, "unchecked": 0, "codes": {}, "judges": [], "failed": [],
            "floor": [marks[golden.category == "negative"]],
        }
        for golden in GOLDENS
    ]  # fmt: skip
    return "\n".join(summary_lines(group_notes(notes), None, "runs.db"))


def check_comment(run) -> str:
    return check_markdown(CheckResult("shop", "PASS", "PASS: fine", floor=run.summary.floor)).replace(
        "\\", ""
    )


OUTPUTS = {
    "runs show": lambda run, tmp_path: command(run, "runs", "show", run.id),
    "gate": lambda run, tmp_path: command(run, "gate", run.id, "--min", "0.9"),
    "score": scored,
    "markdown": lambda run, tmp_path: report(run, "markdown"),
    "report.html": lambda run, tmp_path: report(run, "html"),
    "notebook": lambda run, tmp_path: run._repr_html_(),
    "dashboard": lambda run, tmp_path: page(run, f"/runs/{run.id}"),
    "check comment": lambda run, tmp_path: check_comment(run),
    "pytest": lambda run, tmp_path: pytest_summary(run),
}
SHORT_OUTPUTS = {
    "report line": lambda run, tmp_path: command(run, "runs", "report", run.id, "-o", str(tmp_path / "r.md")),
    "report.html, beside the number": lambda run, tmp_path: report(run, "html"),
    "dashboard, beside the number": lambda run, tmp_path: page(run, f"/runs/{run.id}"),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_output_with_a_pass_rate_says_what_trivial_agents_pass(run, tmp_path, output):
    assert SENTENCE in unescape(OUTPUTS[output](run, tmp_path))


@pytest.mark.parametrize("output", SHORT_OUTPUTS)
def test_where_there_is_little_room_the_floor_is_a_number(run, tmp_path, output):
    assert SHORT in SHORT_OUTPUTS[output](run, tmp_path)


def test_lists_of_runs_have_a_column_and_a_mark(run):
    (row,) = (line for line in command(run, "runs", "list").splitlines() if line.startswith(run.id))
    assert "95.0%  40.0%" in row
    html = TestClient(make_app(run.store), base_url="http://localhost").get("/runs").text
    assert '<title>floor 40.0%: the best trivial agent</title><rect x="40.00"' in html


@pytest.mark.parametrize("kind", ["report", "dashboard", "notebook"])
def test_every_rate_bar_of_a_run_has_a_mark(run, kind):
    if kind == "report":
        assert (
            len(re.findall('class="floor" x="40.00"', report(run, "html"))) == 2
        )  # the card, and the row of all
        assert 'class="floor" x="99.00"' in report(run, "html")  # negatives
    elif kind == "notebook":
        assert run._repr_html_().count("title='floor ") == 3
    else:
        html = TestClient(make_app(run.store), base_url="http://localhost").get(f"/runs/{run.id}").text
        assert html.count(": the best trivial agent</title>") == 3


def test_programs_read_numbers(run):
    view = json.loads(report(run, "json"))["view"]["summary"]
    stored = json.loads(command(run, "runs", "show", run.id, "--json"))["run"]["summary"]
    verdict = json.loads(command(run, "gate", run.id, "--min", "0.9", "--json"))
    for floor in (
        view["floor"],
        stored["floor"],
        verdict["floor"],
        overview(run.store.runs.get(run.id))["floor"],
    ):
        assert (floor["nothing"], floor["best"], floor["best_name"]) == (0.4, 0.4, "nothing")
    assert view["floor"]["agents"]["nothing"]["categories"]["negative"] == {"passed": 8, "judged": 8}
    properties = dict(re.findall('<property name="(floor[^"]*)" value="([^"]*)"', report(run, "junit")))
    assert properties == {"floor": "40.0%", "floor.agent": "nothing", "floor.nothing": "40.0%"}


def test_annotations_of_a_pull_request_name_it_where_they_name_a_rate(run, tmp_path):
    def fail(golden: Golden) -> Trajectory:
        return Trajectory(calls=[ToolCall("cancel_order", {})], latency_ms=1.0)

    failing = rc.evaluate(Agent(fail, tools=TOOLS), GOLDENS, store=run.store.name, name="failing")
    assert SHORT in publish(failing.store, failing.id, {})[-1].replace("%25", "%")
    failing.store.close()


def test_rescored_and_recorded_cases_have_a_floor(run, tmp_path):
    again = rc.rescore(run.id, store=run.store.name)
    assert again.summary.floor == run.summary.floor
    tools = {tool.name: tool for tool in TOOLS}
    cases = [rc.TestCase(golden, answer(golden), tools) for golden in GOLDENS]
    kept = rc.score_cases(cases, store=tmp_path / "kept.db", gate={"above_floor": 10})
    assert kept.summary.floor == run.summary.floor
    assert kept.verdict.word == "PASS"
    again.store.close()
    kept.store.close()


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A suite whose agent is no model, in a folder with its store."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "goldens.jsonl").write_bytes(b"\n".join(map(encode, GOLDENS)))
    (folder / "tools.json").write_bytes(encode(TOOLS))
    settings = {
        "name": "shop",
        "dataset": "goldens.jsonl",
        "tools": "tools.json",
        "agent": {"model": "keyword:"},
    }
    (folder / "suite.json").write_bytes(encode(settings))
    return folder


def of_suite(folder, *words: str) -> str:
    where = [str(folder / "suite.json"), "--store", str(folder / "runs.db")]
    return CliRunner().invoke(cli, [*words, *where], env={"COLUMNS": "300"}).stdout


def test_run_and_check_say_it_too(suite):
    assert SENTENCE in of_suite(suite, "run")
    last = json.loads(of_suite(suite, "run", "--json").splitlines()[-1])
    assert last["summary"]["floor"]["nothing"] == 0.4
    (suite / "tools.json").write_bytes(encode([Tool("get_order", "Reads one order."), *TOOLS[1:]]))
    assert SENTENCE in of_suite(suite, "check", "--baseline", "last")
    checked = json.loads(of_suite(suite, "check", "--baseline", "last", "--again", "--json"))
    assert checked["floor"]["best"] >= 0.4


def test_a_gate_of_a_suite_demands_points_above_the_floor(suite):
    settings = json.loads((suite / "suite.json").read_bytes()) | {"audit": {"above_floor": 20}}
    (suite / "suite.json").write_bytes(encode(settings))
    shown = of_suite(suite, "run")
    assert "FAIL" in shown or "INCONCLUSIVE" in shown
    assert "20 points above the floor of 40% (an agent that does nothing)" in shown
