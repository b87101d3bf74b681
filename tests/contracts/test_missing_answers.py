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
from rightcall.cli.main import cli
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.model import RecordedTrajectory
from tests.support.missing_answers import GOLDENS, OWN, WAYS, agent_that

GATE = {"min": 0.92}
"""What 40 of 40 reach, and 39 do not."""

Said = tuple[bool, str]
"""Whether a door says that it is well, and what it says."""


class Ran:
    """One run with goldens that were lost in one way, and a run before it without any."""

    def __init__(self, folder: Path, way: str, lost: Sequence[str]) -> None:
        self.folder, self.way, self.lost = folder, way, lost
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
    "run": "tests/run: the same runner and verdict as rc.evaluate",
    "test": "rc.assert_test for each golden, and rc.gate over them",
    "score": by_score,
    "check": "tests/decide/test_check_rule.py: the rule, in both versions",
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
    "monitor check": "counts production traces",
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
    "audit": "about goldens and metrics",
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
    "rc.audit": "about goldens and metrics",
    "rc.check": "the command check",
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
    "rc.run_suite": "the command run",
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


@pytest.mark.stories
@pytest.mark.parametrize("lost", [1, 2, 40])
@pytest.mark.parametrize("way", WAYS)
def test_no_answer_is_no_pass_through_any_door(way: str, lost: int, tmp_path: Path):
    try:
        ran = Ran(tmp_path, way, [golden.id for golden in GOLDENS[-lost:]])
    except rc.errors.ConfigError as stopped:  # the first two goldens show that nothing works
        assert (
            lost == 40
            and "stopped after 2 goldens" in str(stopped)
            and way in ("None", "{}", "7", "exception")
        )
        return
    except rc.errors.InfrastructureError as stopped:  # every request was rejected in the same way
        assert lost == 40 and "were all rejected with the same error" in str(stopped)
        return
    green = {}
    for name, door in RUNNING.items():
        well, text = door(ran)
        code = OWN.get(way, "")
        named = (
            rf"\b{lost} of 40\b|\b{code} {lost}\b"
            if code
            else rf"\b{lost} of 40\b|in any of 40|(\d+) of \1 cases got no answer"
        )
        if well or not re.search(named, text):
            green[name] = text
    assert not green
