"""A case whose id was generated is named by its request and description in every output; a chosen id says enough."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.limbs.dashboard.server import make_app
from rightcall.records import RecordedTrajectory
from rightcall.records.golden import with_id
from rightcall.records.golden_id import is_generated, with_persona
from rightcall.show.github import publish
from rightcall.show.html import write_html
from rightcall.show.junit import write_junit
from rightcall.show.markdown import write_markdown
from rightcall.show.view.failures import case_name
from rightcall.show.view.run import run_view

REQUEST = "Read README.md"
DESCRIPTION = "A direct request"
NAME = f'"{REQUEST}" ({DESCRIPTION})'
ITEMS = [
    {
        "data": {"prompt": REQUEST},
        "target": {"expectedTools": ["read"]},
        "metadata": {"description": DESCRIPTION},
    },
    {"id": "chosen", "data": {"prompt": "List it"}, "target": {"expectedTools": ["list"]}},
]


def agent(golden):
    return [rc.ToolCall("write", {})]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, ITEMS)))
    return rc.evaluate(agent, "items.jsonl")


def written(write, run):
    out = io.BytesIO()
    write(run.store, run.id, out)
    return out.getvalue().decode().replace("&quot;", '"').replace("&#34;", '"')


def by_command(*words):
    return CliRunner().invoke(cli, list(words)).output


def by_score(run):
    goldens = list(load_goldens("items.jsonl"))
    save_trajectories(
        [RecordedTrajectory(one.id, rc.Trajectory(calls=(rc.ToolCall("write"),))) for one in goldens],
        "done.jsonl",
    )
    return by_command("score", "items.jsonl", "done.jsonl")


def by_run(run):
    suite = {"dataset": "items.jsonl", "agent": {"model": f"{__name__}:agent"}}
    Path("suite.json").write_text(json.dumps(suite), encoding="utf-8")
    return by_command("run", "suite.json")


def by_summary(run, tmp_path):
    lines = publish(run.store, run.id, {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")})
    return "\n".join(lines).replace("%22", '"') + (tmp_path / "summary.md").read_text()


def by_dashboard(run):
    with TestClient(make_app(run.store), base_url="http://127.0.0.1:8001") as client:
        page = client.get(f"/runs/{run.id}").text
    return page.replace("&#34;", '"').replace("&quot;", '"')


OUTPUTS = {
    "run": lambda run, folder: by_run(run),
    "runs show": lambda run, folder: by_command("runs", "show", run.id),
    "score": lambda run, folder: by_score(run),
    "markdown": lambda run, folder: written(write_markdown, run),
    "junit": lambda run, folder: written(write_junit, run),
    "html": lambda run, folder: written(write_html, run),
    "github": by_summary,
    "notebook run": lambda run, folder: run._repr_html_().replace("&quot;", '"'),
    "notebook results": lambda run, folder: run.results._repr_html_().replace("&quot;", '"'),
    "dashboard": lambda run, folder: by_dashboard(run),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_generated_id_comes_with_request_and_description(output, run, tmp_path):
    text = " ".join(OUTPUTS[output](run, tmp_path).split())
    assert NAME in text, text[:3000]
    assert "chosen" in text


def test_a_case_shows_its_description(run):
    generated = next(result.golden_id for result in run.results if is_generated(result.golden_id))
    assert DESCRIPTION in by_command("runs", "show", run.id, generated)


@pytest.mark.parametrize(
    ("golden", "name"),
    [
        (rc.Golden("Hi", id="greeting"), "greeting"),
        (rc.Golden("Hi", id="g-greeting"), "g-greeting"),
        (rc.Golden("Hi", id="g-0123456789ab"), 'g-0123456789ab "Hi"'),
        (rc.Golden("Hi", id="g-0123456789ab", name="A greeting"), 'g-0123456789ab "Hi" (A greeting)'),
        (rc.Golden("a\n b", id="g-0123456789ab-2"), 'g-0123456789ab-2 "a b"'),
        (rc.Golden("x" * 99, id="g-0123456789ab"), f'g-0123456789ab "{"x" * 59}…"'),
        (rc.Golden("Hi", id="g-0123456789ab", metadata={"description": 7}), 'g-0123456789ab "Hi"'),
        (rc.ConversationalGolden("A refund", id="g-0123456789ab@shy"), 'g-0123456789ab@shy "A refund"'),
    ],
)
def test_the_name_of_a_case(golden, name):
    assert case_name(golden.id, golden) == name
    assert case_name(golden.id, None) == golden.id


def test_ids_of_simulated_conversations_are_generated_with_their_golden():
    golden = with_id(rc.ConversationalGolden("A refund"))
    assert is_generated(golden.id) and is_generated(with_persona(golden, "unsure").id)


def test_examples_of_failures_have_the_name(run):
    names = [example.name for group in run_view(run.store, run.id).failures for example in group.examples]
    assert any(NAME in name for name in names)
