"""Danger first, and the trials of a golden in one row: the same law for every output that lists failures."""

from __future__ import annotations

import base64
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable
from html import unescape

import pytest
from starlette.testclient import TestClient

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.limbs.dashboard.server import make_app
from rightcall.records import Annotations, ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.show.formats import writer_of
from rightcall.show.github import publish
from rightcall.show.view.columns import INDEX_COLUMNS
from rightcall.show.view.grouped_trials import failed_goldens

TOOLS = [
    Tool("get_order", input_schema={"type": "object", "properties": {"id": {"type": "integer"}}}),
    Tool("delete_user"),
    Tool("wipe_disk", annotations=Annotations(destructive=True)),
]
GET = ExpectedCall("get_order", {"id": 1})
GOLDENS = [
    Golden("which order?", id="a-wrong-value", expected_calls=[GET]),
    Golden("which order, again?", id="b-sometimes", expected_calls=[GET]),
    Golden("tidy up", id="m-destructive", expected_calls=[GET]),
    Golden("my order", id="p-passes", expected_calls=[GET]),
    Golden("pause my account", id="z-forbidden", expected_calls=[GET], forbidden_calls=["delete_user"]),
]
FAILED = {"a-wrong-value", "b-sometimes", "m-destructive", "z-forbidden"}
DANGEROUS = {"m-destructive": "DANGER destructive mistake", "z-forbidden": "DANGER forbidden call"}
WRONG = {
    "a-wrong-value": [ToolCall("get_order", {"id": 2})],
    "b-sometimes": [ToolCall("get_order", {"id": 3})],
    "m-destructive": [ToolCall("wipe_disk", {})],
    "z-forbidden": [ToolCall("get_order", {"id": 1}), ToolCall("delete_user", {})],
}
ALWAYS = {"a-wrong-value", "m-destructive"}


def misbehave() -> Callable[[Golden], Trajectory]:
    """Fails two of three trials of goldens that sometimes pass, in whatever order they are asked."""
    asked: Counter[str] = Counter()

    def answer(golden: Golden) -> Trajectory:
        asked[golden.id] += 1
        right = golden.id not in WRONG or (golden.id not in ALWAYS and asked[golden.id] == 3)
        calls = [ToolCall("get_order", {"id": 1})] if right else WRONG[golden.id]
        return Trajectory(calls=tuple(calls), output="done", latency_ms=5.0)

    return answer


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("danger")
    agent = Agent(misbehave(), tools=TOOLS)
    result = rc.evaluate(agent, GOLDENS, store=folder / "runs.db", name="danger", trials=3)
    yield result
    result.store.close()


def report(run, kind: str) -> str:
    out = io.BytesIO()
    writer_of(kind)(run.store, run.id, out)
    return out.getvalue().decode()


def markdown(run) -> list[str]:
    text = report(run, "markdown")
    assert text.index("DANGER") < text.index("| category")
    lists = (text.split("| golden | why |")[part].split("\n\n")[0] for part in (1, 2))
    return [line for part in lists for line in part.splitlines() if line.startswith("| `")]


def html(run) -> list[str]:
    """The rows of the list, put together as `assets/cases.js` does."""
    packed = re.search('id="index">([^<]*)<', report(run, "html"))[1]
    index = json.loads(zlib.decompress(base64.b64decode(packed)))
    assert index["columns"] == list(INDEX_COLUMNS)
    by_id: dict[str, list[dict]] = {}
    for values in index["rows"]:
        trial = dict(zip(index["columns"], values, strict=True))
        by_id.setdefault(trial["id"], []).append(trial)
    rows = []
    for golden_id, trials in by_id.items():
        failed = [trial for trial in trials if trial["outcome"] == "failed"]
        sorts = [sort for trial in trials for sort in trial["danger"]]
        text = f"{golden_id} DANGER {', '.join(dict.fromkeys(sorts))}" if sorts else golden_id
        if failed:
            rows.append((not sorts, f"{text} {len(failed)} of {len(trials)} trials failed"))
    return [row for _, row in sorted(rows, key=lambda row: row[0])]


def junit(run) -> list[str]:
    cases = re.findall(r"<testcase.*?(?:/>|</testcase>)", report(run, "junit"), re.DOTALL)
    return [
        case.split("</failure>")[0].split("\n")[0] + case.split("\n")[1]
        for case in cases
        if "<failure" in case
    ]


def dashboard(run) -> list[str]:
    page = TestClient(make_app(run.store), base_url="http://localhost").get(f"/runs/{run.id}").text
    assert page.index("DANGER") < page.index("<h2>Dimensions")
    table = page[page.index('class="stack cases"') :]
    rows = [re.sub("<[^>]*>", " ", row) for row in table.split("<tr data-row>")[1:]]
    return [unescape(row) for row in rows if "p-passes" not in row]


def notebook(run) -> list[str]:
    failures = run._repr_html_().split("<table>")[2]
    return [unescape(re.sub("<[^>]*>", " ", row)) for row in failures.split("<tr>")[2:]]


def annotations(run) -> list[str]:
    return publish(run.store, run.id, {})


def rows_of_view(run) -> list[str]:
    """What tools of assistants return."""
    rows, _ = failed_goldens(run.store, run.id, 10)
    return [f"{row.danger_text} {row.golden_id} {row.why}" for row in rows]


OUTPUTS = [
    markdown, html, junit, dashboard, notebook, annotations, rows_of_view,
]  # fmt: skip


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.__name__)
def test_every_list_names_each_golden_once_and_the_dangerous_ones_first_in_words(run, output):
    rows = output(run)
    ids = [next(golden_id for golden_id in FAILED if golden_id in row) for row in rows]
    assert sorted(ids) == sorted(FAILED)
    assert set(ids[: len(DANGEROUS)]) == set(DANGEROUS)
    for golden_id, row in zip(ids, rows, strict=True):
        assert (DANGEROUS.get(golden_id, "") in row) and ("DANGER" in row) == (golden_id in DANGEROUS)
    sometimes = rows[ids.index("z-forbidden")]
    assert re.search("2 (of 3 )?trials failed|1/3", sometimes)


def test_json_has_a_field(run):
    cases = json.loads(report(run, "json"))["cases"]
    sorts = {case["golden_id"]: case["danger"] for case in cases if "danger" in case}
    assert sorts == {"m-destructive": ["destructive mistake"], "z-forbidden": ["forbidden call"]}
    assert sum("danger" in case for case in cases) == 5


@pytest.mark.parametrize("outcome", ["accepted", "too_few"])
def test_improve_names_danger_that_remains_above_its_outcome(outcome):
    from rightcall.improve.improvement import DangerLeft, Improvement
    from rightcall.improve.proof.judgement import danger_left
    from rightcall.metrics.case_result import result_of
    from rightcall.show.improvement import print_improvement
    from rightcall.show.screen import Screen

    tools = {tool.name: tool for tool in TOOLS}
    results = [
        result_of(golden, 0, Trajectory(calls=tuple(WRONG.get(golden.id, ()))), tools) for golden in GOLDENS
    ]
    mended = [result for result in results if result.golden_id != "m-destructive"]
    left = danger_left(TOOLS, results, mended if outcome == "accepted" else results)
    assert left[0] == DangerLeft("forbidden call", 1, 1, ("z-forbidden",))
    assert (left[1].before, left[1].after) == (1, int(outcome != "accepted"))
    out = io.StringIO()
    print_improvement(Screen(file=out, width=80), Improvement("r1", outcome, "what was shown", danger=left))
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("DANGER forbidden call in 1 trial of ") and "z-forbidden" in lines[0]
    gone = "destructive mistake: 1 → 0 trials of held-out goldens"
    assert (gone in lines) == (outcome == "accepted")
    assert lines[1].startswith("DANGER destructive mistake in 1 trial of r1") == (outcome != "accepted")
