"""An unchecked case is in no numerator and no denominator of anything that reads stored runs.

Two groups of runs differ only in goldens that state no check, about which agents, trials and codes differ: every
number that a door shows must be the same for both.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec
import pytest
from benchmarks.planted_suites.provider import ReadingModel
from starlette.testclient import TestClient

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.api.decisions import sample_size
from rightcall.datasets.goldens import save_goldens
from rightcall.decide.config import read_gate
from rightcall.improve.robustness import run_perturbed
from rightcall.improve.run_analysis import analyze_run
from rightcall.improve.run_matrix import golden_matrix, group_runs, run_trend
from rightcall.limbs.dashboard.server import make_app
from rightcall.providers.base import ModelReply
from rightcall.records import Message
from rightcall.run.decisions import flakiness
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.store.base import ResultFilter
from rightcall.store.sql.store import Store
from tests.cli.conftest import rightcall  # noqa: F401  a fixture

LOOK = (rc.ExpectedCall("look", {"q": "x"}),)
CHECKED = [rc.Golden(f"Do {n}", id=f"c{n:02}", expected_calls=LOOK, tags=("t",)) for n in range(12)]
PROMPTS = [rc.Golden(f"Say {n}", id=f"p{n}", tags=("t",)) for n in range(5)]
TOOLS = [rc.Tool("look", "Look.", {"type": "object", "properties": {"q": {"type": "string"}}})]
GROUPS = {"plain": CHECKED, "mixed": [*PROMPTS, *CHECKED]}


def agent_of(better: bool) -> Callable[[rc.Golden], rc.Trajectory]:
    """Right about some goldens, not always; what it does about prompts varies, and part of it is broken."""
    asked = count()

    def agent(golden: rc.Golden) -> rc.Trajectory:
        number = int(golden.id[1:])
        if golden.id.startswith("p"):
            call = rc.ToolCall("gone" if next(asked) % 2 else "look", {"q": 1 if better else "x"})
            return rc.Trajectory(calls=(call,), output="", stop_reason="done" if number else "limit")
        wrong = number < (2 if better else 6)
        return rc.Trajectory(calls=(rc.ToolCall("look", {"q": "y" if wrong else "x"}),), output="Done")

    return agent


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A store with two runs of each group."""
    folder = tmp_path_factory.mktemp("doors")
    with open_store(folder / "s.db") as store:
        for group, goldens in GROUPS.items():
            for better in (False, True):
                plan = Plan(
                    f"{group}-suite", Agent(agent_of(better), tools=TOOLS), goldens, group=group, trials=2
                )
                asyncio.run(run_plan(plan, store, run_id=f"{group}-{better}"))
        yield store


def compared(store: Store, group: str) -> Any:
    return rc.compare(f"{group}-False", f"{group}-True", store=str(store.file), anyway=True)


def gated(store: Store, group: str) -> Any:
    verdict = rc.gate(f"{group}-True", {"min": 0.5, "forbid": ["unknown_tool"]}, store=str(store.file))
    return verdict.word, verdict.checks, verdict.trials


def regressed(store: Store, group: str) -> Any:
    verdict = rc.gate(f"{group}-True", baseline=f"{group}-False", store=str(store.file), anyway=True)
    return verdict.word, verdict.checks


def trend(store: Store, group: str) -> Any:
    return [(p.rate, p.range, p.goldens) for p in run_trend(group_runs(store, group))]


def matrix(store: Store, group: str) -> Any:
    found = golden_matrix(store, [f"{group}-False", f"{group}-True"])
    return found.rows, found.goldens


def flaky(store: Store, group: str) -> Any:
    return msgspec.structs.replace(flakiness(store, f"{group}-False"), run="")


def findings(store: Store, group: str) -> Any:
    found = analyze_run(store, f"{group}-False", against=[])
    causes = [(one.cause, one.goldens, one.trials) for one in found.findings]
    return causes, found.failed, found.trials, found.goldens


def counts(store: Store, group: str) -> Any:
    run = store.runs.get(f"{group}-False")
    codes = store.runs.failures(run.id).code_counts()
    fit = {code: store.runs.count(run.id, ResultFilter(code=code)) for code in [*codes, "unknown_tool"]}
    return run.passed, run.judged, run.errors, codes, fit


def pages(store: Store, group: str) -> Any:
    """The rates, fractions and filters on the pages of the dashboard."""
    client = TestClient(make_app(store), base_url="http://127.0.0.1:8765")
    texts = [
        client.get(f"/runs/{group}-True").text,
        client.get(f"/compare?a={group}-False&b={group}-True").text,
    ]
    assert all("<html" in text for text in texts)
    return [
        re.findall(r"\d+(?:\.\d)? ?%|\d+ ?/ ?\d+", re.sub(r"<svg.*?</svg>", "", t, flags=re.S)) for t in texts
    ]


def notebook(store: Store, group: str) -> Any:
    from rightcall.api.run_result import RunResult

    run = store.runs.get(f"{group}-True").run
    html = RunResult(
        run.id, run.summary, rc.gate(run.id, {"min": 0.5}, store=str(store.file)), store
    )._repr_html_()
    return re.findall(r"\d+\.\d%|\d+/\d+", html)


DOORS = [compared, gated, regressed, trend, matrix, flaky, findings, counts, pages, notebook]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_unchecked_cases_change_no_number(runs, door):
    assert runs.runs.get("mixed-True").unchecked == 10
    plain, mixed = (door(runs, group) for group in GROUPS)
    assert json.loads(_neutral(plain)) == json.loads(_neutral(mixed)) and plain


def _neutral(shown: Any) -> bytes:
    return re.sub(rb"(plain|mixed)-", b"", msgspec.json.encode(shown, enc_hook=repr))


def test_frames_say_neither_passed_nor_failed(runs):
    from rightcall.show.notebook import result_columns

    columns = result_columns(runs.runs.results("mixed-True", trajectories=True))
    of_prompts = [
        p for name, p in zip(columns["golden_id"], columns["passed"], strict=True) if name[0] == "p"
    ]
    assert of_prompts == [None] * 10


class Chooser(ReadingModel):
    """A model that calls the first tool; about prompts, another one."""

    def __init__(self) -> None:
        pass

    async def complete(self, request: Any) -> ModelReply:
        asked = request.messages[-1].content
        name = request.prompt.tools[-1 if asked.startswith("Say") else 0].name
        return ModelReply(Message("assistant", "", (rc.ToolCall(name, {"q": "x"}),)))


@pytest.mark.stories
def test_perturbed_runs_compare_checked_goldens_alone(tmp_path):
    effects = []
    for group, goldens in GROUPS.items():
        with open_store(tmp_path / f"{group}.db") as store:
            plan = Plan("p", Agent(Chooser(), tools=[*TOOLS, rc.Tool("stop", "Stop.")]), goldens)
            found = asyncio.run(run_perturbed(plan, store, ["order", "distractors"]))
        effects.append([(kind, one.comparison) for kind, one in found.items()])
    assert effects[0] == effects[1]


def test_a_plan_counts_goldens_that_state_a_check(tmp_path):
    plans = []
    for group, goldens in GROUPS.items():
        save_goldens(goldens, tmp_path / f"{group}.jsonl")
        plans.append(sample_size(0.5, 0.9, dataset=tmp_path / f"{group}.jsonl"))
    assert plans[0] == plans[1]


def test_prompts_stop_no_run_early(tmp_path):
    gate = read_gate({"min": 0.8, "target": 0.95, "stop": "evalue"})
    prompts = [rc.Golden(f"Say {n}", id=f"p{n:03}") for n in range(200)]
    with open_store(tmp_path / "s.db") as store:
        plan = Plan("p", Agent(agent_of(True)), prompts, gate=gate, concurrency=4)
        done = asyncio.run(run_plan(plan, store))
        stored = store.runs.get("last")
    assert (stored.results, stored.unchecked, done.verdict.exit_code) == (200, 200, 3)
    assert not done.summary.stopped_early


COMMANDS = [
    ("compare", "a", "b"),
    ("runs", "list", "--flaky", "b"),
    ("analyze", "b"),
    ("runs", "show", "b"),
    ("runs", "list", "--trend", "--group", "alone"),
    ("gate", "b", "--baseline", "a"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_is_green_about_prompts_alone(tmp_path, rightcall, words):  # noqa: F811
    """Either it shows no rate and no word of success, or it is not successful."""
    with open_store(tmp_path / ".rightcall" / "rightcall.db") as store:
        for run_id in ("a", "b"):
            plan = Plan("s", Agent(agent_of(True)), PROMPTS, group="alone")
            asyncio.run(run_plan(plan, store, run_id=run_id))
    done = rightcall(*words)
    assert "Traceback" not in done.err
    told = (done.out + done.err).replace("0 … 100%", "")  # a heading
    green = re.findall(r"\bPASS\b|IMPROVED|NON_INFERIOR|100(?:\.0)? ?%|all .* pass", told)
    assert not green, done
