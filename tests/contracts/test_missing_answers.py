"""No answer is no pass: every way of not answering, through every door that gives a verdict."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall import deepeval, laminar
from rightcall.cli.main import cli
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.records import RecordedTrajectory
from tests.support.missing_answer_doors import OTHERS, SUITES, by_postgresql, by_pytest
from tests.support.missing_answers import GOLDENS, OWN, WAYS, agent_that
from tests.support.postgres import postgres_server

GATE = {"min": 0.92}
"""What 40 of 40 reach, and 39 do not."""

Said = tuple[bool, str]
"""Whether a door says that it is well, and what it says."""


class Ran:
    """One run with goldens that were lost in one way, and a run before it without any."""

    def __init__(self, folder: Path, way: str, lost: Sequence[str]) -> None:
        self.folder = folder
        self.way = way
        self.lost = lost
        self.store = folder / "s.db"
        self.agent = agent_that(way, lost)
        answering = rc.evaluate(agent_that(way, ()), GOLDENS, store=self.store)
        assert answering.passed, answering.verdict
        self.before = answering.id
        self.run = rc.evaluate(self.agent, GOLDENS, store=self.store)

    def typed(self, *words: str) -> Said:
        done = CliRunner().invoke(cli, ["--store", str(self.store), *words])
        return done.exit_code == 0, done.output


def by_evaluate(ran: Ran) -> Said:
    return ran.run.passed, f"{ran.run.verdict.sentence} {ran.run.summary}"


def by_aevaluate(ran: Ran) -> Said:
    run = asyncio.run(rc.aevaluate(ran.agent, GOLDENS, gate=GATE, store=ran.store))
    return run.passed, f"{run.verdict.sentence} {run.summary}"


def by_gate(ran: Ran) -> Said:
    verdict = rc.gate(ran.run.id, GATE, store=ran.store)
    return verdict.word == "PASS", f"{verdict.sentence} {ran.run.summary}"


def by_compare(ran: Ran) -> Said:
    (comparison,) = rc.compare(ran.before, ran.run.id, margin=0.1, store=ran.store)
    found = comparison.comparison
    assert set(ran.lost) <= set(found.broken)
    return found.exit_code == 0, f"{found.sentence} {ran.run.summary}" if ran.way in OWN else found.sentence


def by_rescore(ran: Ran) -> Said:
    run = rc.rescore(ran.run.id, store=ran.store)
    return run.passed, f"{run.verdict.sentence} {run.summary}"


def by_score_cases(ran: Ran) -> Said:
    by_id = {result.golden_id: result for result in ran.run.results}
    cases = [rc.TestCase(golden, by_id[golden.id].trajectory) for golden in GOLDENS]
    run = rc.score_cases(cases, store=ran.store)
    return run.passed, f"{run.verdict.sentence} {run.summary}"


def by_assert_test(ran: Ran) -> Said:
    try:
        rc.assert_test(golden=next(g for g in GOLDENS if g.id == ran.lost[0]), agent=ran.agent)
    except (rc.errors.CheckFailed, rc.errors.CheckError) as error:
        return False, f"{len(ran.lost)} of 40: {error} {OWN.get(ran.way, '')} {len(ran.lost)}"
    return True, ""


def by_gate_command(ran: Ran) -> Said:
    passed, text = ran.typed("gate", ran.run.id, "--min", "0.92")
    return passed, f"{text} {ran.run.summary}"


def by_compare_command(ran: Ran) -> Said:
    passed, text = ran.typed("compare", ran.before, ran.run.id, "--margin", "0.1")
    return passed, f"{text} {ran.run.summary}" if ran.way in OWN else text


def by_rescore_command(ran: Ran) -> Said:
    return ran.typed("runs", "rescore", ran.run.id)


def by_score(ran: Ran) -> Said:
    save_goldens(GOLDENS, ran.folder / "goldens.jsonl")
    recorded = [RecordedTrajectory(r.golden_id, r.trajectory) for r in ran.run.results if r.trajectory]
    save_trajectories(recorded, ran.folder / "done.jsonl")
    done = CliRunner().invoke(
        cli, ["score", str(ran.folder / "goldens.jsonl"), str(ran.folder / "done.jsonl")]
    )
    return done.exit_code == 0, done.output


DOORS: dict[str, Callable[[Ran], Said] | str] = {
    "run": "below: a suite",
    "test": "below: pytest",
    "score": by_score,
    "check": "below: a suite",
    "gate": by_gate_command,
    "compare": by_compare_command,
    "analyze": "explains failures, gives no verdict",
    "improve": "proposes; its proof compares as rc.compare does",
    "judge export": "labels",
    "judge import": "labels",
    "judge label": "labels",
    "judge rate": "labels",
    "judge status": "labels",
    "traces export": "copies",
    "traces import": "copies",
    "traces list": "shows",
    "traces promote": "makes goldens",
    "traces show": "shows",
    "monitor baseline": "counts production traces",
    "monitor check": "below: another door",
    "monitor serve": "counts production traces",
    "monitor status": "counts production traces",
    "init": "writes a suite",
    "generate expected": "makes goldens",
    "generate goldens": "makes goldens",
    "generate review": "makes goldens",
    "dataset check": "about goldens alone",
    "dataset convert": "about goldens alone",
    "dataset diff": "about goldens alone",
    "dataset list": "about goldens alone",
    "dataset pull": "about goldens alone",
    "dataset push": "about goldens alone",
    "dataset split": "about goldens alone",
    "attacks guard": "about tools alone",
    "attacks list": "shows",
    "attacks make": "makes goldens",
    "attacks worst-case": "a replay without a model",
    "audit": "below: another door",
    "lint": "about tools alone",
    "list": "shows",
    "mcp call": "one call",
    "mcp record": "records",
    "mcp serve": "answers",
    "mcp verify": "replays a recording of tools",
    "view": "shows",
    "demo": "shows",
    "runs delete": "removes",
    "runs export": "copies",
    "runs list": "shows",
    "runs move": "copies",
    "runs report": "shows the verdict of a run",
    "runs rescore": by_rescore_command,
    "runs show": "shows the verdict of a run",
    "runs tag": "marks",
    "rc.aevaluate": by_aevaluate,
    "rc.analyze": "explains failures, gives no verdict",
    "rc.assert_test": by_assert_test,
    "rc.attacks": "makes goldens",
    "rc.audit": "below: another door",
    "rc.check": "below: a suite, as the command",
    "rc.compare": by_compare,
    "rc.evaluate": by_evaluate,
    "rc.gate": by_gate,
    "rc.guard": "about tools alone",
    "rc.improve": "proposes; its proof compares as rc.compare does",
    "rc.judged_rate": "tests/decide/test_judged_gate.py",
    "rc.label_plan": "labels",
    "rc.lint": "about tools alone",
    "rc.load_dataset": "reads",
    "rc.load_tools": "reads",
    "rc.load_traces": "reads",
    "rc.observe": "wraps an agent",
    "rc.rescore": by_rescore,
    "rc.run_suite": "below: a suite",
    "rc.score": "measures one case",
    "rc.score_cases": by_score_cases,
    "rc.score_trajectory": "measures one case",
    "rc.scripted": "a model for tests",
    "rc.tool": "wraps a tool",
    "rc.trend": "shows rates",
    "rc.worst_case": "a replay without a model",
}
"""Every command and every function of the package: a door with a verdict, or why it is none."""

RUNNING = {name: door for name, door in DOORS.items() if not isinstance(door, str)}


def commands(command: click.Command, path: str = "") -> Iterator[str]:
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from commands(inner, f"{path} {name}".strip())


def test_every_command_and_function_is_a_door_or_says_why_it_is_none():
    functions = [name for name in rc.__all__ if inspect.isfunction(getattr(rc, name))]
    assert {*commands(cli), *(f"rc.{name}" for name in functions)} == set(DOORS)


def is_named(way: str, lost: int, text: str) -> bool:
    """Whether a text has how many got no answer, or how many failed by the code of the way."""
    code = OWN.get(way, "")
    failed = rf"\b{40 - lost} of 40 goldens passed|\b{code} {lost}\b"
    silent = r"(\d+) of \1 (cases|goldens) got no answer"
    return re.search(rf"\b{lost} of 40\b|in any of 40|{failed if code else silent}", text) is not None


def is_setup(way: str, lost: int, stopped: Exception) -> bool:
    """Whether a run rightly stopped: the first goldens, or the first requests, show that nothing works."""
    if lost < len(GOLDENS):
        return False
    if isinstance(stopped, rc.errors.ConfigError):
        return "stopped after 2 goldens" in str(stopped) and way in ("None", "{}", "7", "exception")
    return "were all rejected with the same error" in str(stopped)


@pytest.mark.stories
@pytest.mark.parametrize("lost", [1, 2, 40])
@pytest.mark.parametrize("way", WAYS)
def test_no_answer_is_no_pass_through_any_door(way: str, lost: int, tmp_path: Path):
    try:
        ran = Ran(tmp_path, way, [golden.id for golden in GOLDENS[-lost:]])
    except (rc.errors.ConfigError, rc.errors.InfrastructureError) as stopped:
        assert is_setup(way, lost, stopped), stopped
        return
    green = {}
    for name, door in RUNNING.items():
        well, text = door(ran)
        if well or not is_named(way, lost, text):
            green[name] = text
    assert not green


QUICK = ("429", "None", "outcome unknown")
CELLS = [
    pytest.param(way, lost, marks=() if way in QUICK and lost == 2 else pytest.mark.stories)
    for way in WAYS
    for lost in (1, 2, 40)
]


@pytest.mark.parametrize(("way", "lost"), CELLS)
@pytest.mark.parametrize("door", [*SUITES, *OTHERS])
def test_no_answer_is_no_pass_in_a_suite_in_another_library_or_in_any_kind_of_run(
    door: str, way: str, lost: int, tmp_path: Path
):
    try:
        well, text = {**SUITES, **OTHERS}[door](
            tmp_path / "run", way, [golden.id for golden in GOLDENS[-lost:]]
        )
    except (rc.errors.ConfigError, rc.errors.InfrastructureError) as stopped:
        assert is_setup(way, lost, stopped), stopped
        return
    assert not well and is_named(way, lost, text), text


@pytest.mark.stories
@pytest.mark.parametrize("words", [(), ("-n2",), ("--min", "0.96"), ("-x",)], ids=str)
@pytest.mark.parametrize("lost", [1, 2, 40])
def test_no_answer_is_no_pass_in_pytest(lost: int, words: tuple[str, ...], tmp_path: Path):
    """One test for each way: its failures and errors are counted, and the session says what got no answer."""
    code, said = by_pytest(tmp_path / "run", [golden.id for golden in GOLDENS[-lost:]], *words)
    assert code == 1, said
    if "-x" in words:
        return
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (failed|errors?)\b", said)}
    assert sum(counts.values()) == lost * len(WAYS), said
    assert f"{lost * (len(WAYS) - len(OWN))} of the trials got no answer" in said or lost == 40


@pytest.mark.stories
@pytest.mark.parametrize("way", WAYS)
def test_no_answer_is_no_pass_in_postgresql(way: str, postgres: str):
    for well, text in by_postgresql(postgres, way, [golden.id for golden in GOLDENS[-2:]]):
        assert not well and is_named(way, 2, text)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server() as url:
        yield url


def test_every_function_of_other_libraries_is_a_door_or_says_why_it_is_none():
    functions = {
        f"{module.__name__.removeprefix('rightcall.')}.{name}"
        for module in (laminar, deepeval)
        for name in module.__all__
    }
    same = {
        "laminar.aevaluate": "laminar.evaluate", "deepeval.aevaluate": "deepeval.evaluate",
        "deepeval.assert_test": "rc.assert_test", "deepeval.log_hyperparameters": "decides nothing",
    }  # fmt: skip
    assert functions == {"laminar.evaluate", "deepeval.evaluate", *same}
