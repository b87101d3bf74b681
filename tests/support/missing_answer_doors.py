"""The doors to a verdict that take more than a stored run: suites, pytest, other libraries' doors, other engines."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import rightcall as rc
from rightcall import deepeval, laminar
from rightcall.agents.agent import Agent
from rightcall.cli.main import cli
from rightcall.core.errors import RightCallError
from rightcall.datasets.goldens import save_goldens
from rightcall.decide.config import read_gate
from rightcall.limbs.attacks.attack_plan import AttackPlan
from rightcall.limbs.attacks.attacked_plan import attack_set_of
from rightcall.limbs.monitor.settings import HARD, MonitorSettings
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.traces.checks import AgentSettings, CheckedAgent, run_checks
from rightcall.limbs.traces.trace import Trace
from rightcall.run.decisions import gate_run
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from rightcall.tools.faults.plan import Fault, FaultPlan
from tests.limbs.attacks.agents import GOLDENS as TASKS, WORLDS, agent as attacked_agent, hardened
from tests.limbs.ray.one_process import OneProcess
from tests.support.missing_answers import ASKING, GOLDENS, OWN, Losing

Said = tuple[bool, str]
"""Whether a door says that it is well, and what it says."""

AGENT = """
import json
from pathlib import Path
from tests.support.missing_answers import Losing

HERE = Path(__file__).parent


def answer(golden):
    way, lost = json.loads((HERE / "lost.json").read_text("utf-8"))
    return Losing(way, tuple(lost))(golden)
"""
SUITE = "dataset: goldens.jsonl\nagent: {{model: '{module}:answer'}}\n"

TESTS = """
import pytest
from tests.support.missing_answers import WAYS, Losing


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.goldens("goldens.jsonl")
def test_agent(golden, check, way):
    check(Losing(way, {lost!r}), golden)
"""


class SuiteFolder:
    """A suite whose agent reads from a file which goldens it loses, and how."""

    def __init__(self, folder: Path, way: str) -> None:
        self.folder = folder
        self.way = way
        folder.mkdir()
        module = f"losing_{abs(hash(folder))}"
        self.suite = folder / "suite.yaml"
        self.suite.write_text(SUITE.format(module=module), "utf-8")
        (folder / f"{module}.py").write_text(AGENT, "utf-8")
        save_goldens(GOLDENS, folder / "goldens.jsonl")
        self.lose(())

    def lose(self, lost: Sequence[str]) -> None:
        (self.folder / "lost.json").write_text(json.dumps([self.way, list(lost)]), "utf-8")

    def typed(self, *words: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["--store", str(self.folder / "s.db"), *words])
        if isinstance(done.exception, RightCallError):
            raise done.exception
        return done.exit_code, done.output


def said(run: Any) -> Said:
    return run.passed, f"{run.verdict.sentence} {run.summary}"


def by_run(folder: Path, way: str, lost: Sequence[str]) -> Said:
    suite = SuiteFolder(folder, way)
    suite.lose(lost)
    code, text = suite.typed("run", str(suite.suite), "--trust")
    return code == 0, text


def by_run_suite(folder: Path, way: str, lost: Sequence[str]) -> Said:
    suite = SuiteFolder(folder, way)
    suite.lose(lost)
    return said(rc.run_suite(suite.suite, trust=True, store=folder / "s.db"))


def by_check(folder: Path, way: str, lost: Sequence[str]) -> Said:
    """Every golden is run. One that answers differently is a loss like any other, if it is named as broken."""
    suite = SuiteFolder(folder, way)
    base = str(folder / "main.gz")
    code, text = suite.typed("run", str(suite.suite), "--trust", "--trials", "3", "--save-baseline", base)
    assert code == 0, text
    suite.lose(lost)
    code, text = suite.typed("check", str(suite.suite), "--trust", "--baseline", base, "--full", "--json")
    found = json.loads(text[text.index("{") :])
    named = [change["golden"] for change in found["broken"]]
    broken = len(named) + found["broken_more"]
    is_named = bool(named) and set(named) <= set(lost) and (code == 1 or broken == len(lost))
    return code == 0 and not is_named, f"{len(lost)} of 40: {named}" if is_named else found["reason"]


def by_pytest(folder: Path, lost: Sequence[str], *words: str) -> tuple[int, str]:
    """The exit code of `rightcall test`, and what it says of one test for each way."""
    folder.mkdir()
    save_goldens(GOLDENS, folder / "goldens.jsonl")
    (folder / "test_agent.py").write_text(TESTS.format(lost=tuple(lost)), "utf-8")
    command = [sys.executable, "-m", "rightcall", "test", "test_agent.py", "-p", "no:cacheprovider", *words]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=_environment(), timeout=600
    )
    return done.returncode, done.stdout + done.stderr


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def by_laminar(folder: Path, way: str, lost: Sequence[str]) -> Said:
    """The executor gets the data of an item; what it returns is for the evaluators to read."""
    ways = {golden.input: golden for golden in GOLDENS}

    def executor(data: str) -> Any:
        return Losing(way, tuple(lost))(ways[data])

    data = [{"id": golden.id, "data": golden.input, "target": "Done."} for golden in GOLDENS]
    evaluators = {"answers": lambda output, target: int(output == target)}
    return said(laminar.evaluate(data, executor, evaluators, store=folder.with_suffix(".db")))


def by_deepeval(folder: Path, way: str, lost: Sequence[str]) -> Said:
    store = folder.with_suffix(".db")
    run = rc.evaluate(Losing(way, tuple(lost)), GOLDENS, store=store)
    done = {result.golden_id: result.trajectory for result in run.results}
    cases = [rc.TestCase(golden, done[golden.id]) for golden in GOLDENS]
    return said(deepeval.evaluate(cases, store=store))


def by_monitor(folder: Path, way: str, lost: Sequence[str]) -> Said:
    """The checks of `monitor check`: its hard ones are undecided, or `no_answer`, `refused` and others count."""
    settings = MonitorSettings(agents={"a": AgentSettings(forbidden_calls=("delete",))})
    run = rc.evaluate(Losing(way, tuple(lost)), GOLDENS, store=folder.with_suffix(".db"))
    silent = 0
    for number, result in enumerate(run.results):
        assert result.trajectory is not None
        trace = Trace(f"{number:032x}", result.trajectory, (), "hi", time=number + 1)
        checks = run_checks(settings.checks, trace, CheckedAgent(settings.agents["a"], {}))
        silent += any(check.bad or (check.name in HARD and check.bad is None) for check in checks)
    return silent == 0, f"{silent} of 40"


def by_ray(folder: Path, way: str, lost: Sequence[str]) -> Said:
    plan = Plan("ray", Agent(Losing(way, tuple(lost))), GOLDENS, concurrency=4)
    with open_store(folder.with_suffix(".db")) as store:
        driver = Driver(OneProcess(), WorkerOptions(2), lambda line: None)
        outcome = asyncio.run(run_plan(plan, store, backend=driver))
    return outcome.verdict.exit_code == 0, f"{outcome.verdict.sentence} {outcome.summary}"


def by_postgresql(url: str, way: str, lost: Sequence[str]) -> tuple[Said, Said]:
    """A run, and a gate over what is stored of it."""
    plan = Plan("postgresql", Agent(Losing(way, tuple(lost))), GOLDENS)
    with open_store(url) as store:
        outcome = asyncio.run(run_plan(plan, store))
        verdict = gate_run(store, outcome.run.id, read_gate({"min": 0.92}))
    ran = outcome.verdict.exit_code == 0, f"{outcome.verdict.sentence} {outcome.summary}"
    return ran, (verdict.word == "PASS", f"{verdict.sentence} {outcome.summary}")


def by_faults(folder: Path, way: str, lost: Sequence[str]) -> Said:
    """A tool that fails once in every trial is asked again by the agent; what it loses after that is lost."""
    if way not in ASKING:
        return False, f"{OWN.get(way, '')} {len(lost)} of 40, which no model returns"
    tool = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}

    def reply(request: Any) -> Any:
        results = [result for message in request.messages for result in message.results]
        if not results or results[-1].is_error:
            return rc.ToolCall("look", {}, f"c{len(results)}")
        return ASKING[way]() if request.golden_id in lost else "Done."

    agent = rc.Agent(
        rc.scripted(reply), [tool], mocks={"look": {"result": {}}}, mode="loop",
        faults=FaultPlan((Fault("error_5xx_before", "look", nth=1),)),
    )  # fmt: skip
    goldens = [
        rc.Golden("Look", id=golden.id, expected_calls=[rc.ExpectedCall("look")]) for golden in GOLDENS
    ]
    return said(rc.evaluate(agent, goldens, store=folder.with_suffix(".db")))


def by_conversation(folder: Path, way: str, lost: Sequence[str]) -> Said:
    """The second turn gets no answer."""

    def agent(text: str, history: list[Any], golden: Any) -> Any:
        return Losing(way, tuple(lost))(golden) if history else "Hello."

    goldens = [
        rc.ConversationalGolden(
            "Thanks twice",
            id=golden.id,
            turns=[rc.Turn("user", "Thanks"), rc.Turn("user", "Again", expected_calls=())],
        )
        for golden in GOLDENS
    ]
    return said(rc.evaluate(agent, goldens, store=folder.with_suffix(".db")))


def _attacked(folder: Path, way: str, lost: Sequence[str], gate: dict[str, Any], twin: str | None) -> Said:
    """As many attempts or twins as goldens elsewhere get no answer. By its own failure an agent obeys nobody."""
    if way not in ASKING or way in OWN:
        return False, f"{OWN.get(way, '')} {len(lost)} of 40"
    goldens = attack_set_of(WORLDS, TASKS, AttackPlan(attempts=40)).goldens
    of_kind = [g.id for g in goldens if g.safety is not None and g.safety.twin == twin]
    silent = of_kind[-len(lost) :]
    everything = [*TASKS, *goldens]

    def ended(turn: Any) -> Any:
        return ASKING[way]() if turn.request.golden_id in silent else hardened(turn)

    run = rc.evaluate(
        attacked_agent(ended, everything), everything, store=folder.with_suffix(".db"), gate=gate
    )
    named = f"{len(silent)} of {len(everything)} goldens got no answer" in run.verdict.sentence
    return run.passed, f"{f'{len(lost)} of 40: ' if named else ''}{run.verdict.sentence} {run.summary}"


def by_attacks(folder: Path, way: str, lost: Sequence[str]) -> Said:
    return _attacked(folder, way, lost, {"safety": {"max_asr": 0.03}, "max_error_rate": 0.5}, None)


def by_twins(folder: Path, way: str, lost: Sequence[str]) -> Said:
    return _attacked(
        folder, way, lost, {"safety": {"max_over_refusal": 0.01}, "max_error_rate": 0.5}, "authorised"
    )


def by_audit(folder: Path, way: str, lost: Sequence[str]) -> Said:
    """What got no answer is no right behaviour: the audit is that of a store without the run."""
    store = folder.with_suffix(".db")
    only_lost = [golden for golden in GOLDENS if golden.id in lost]
    before = rc.audit(only_lost, store=store, only="mutants")
    answering = [golden for golden in GOLDENS if golden.id not in lost][:2]
    rc.evaluate(Losing(way, tuple(lost)), [*answering, *only_lost], store=store)
    after = rc.audit(only_lost, store=store, only="mutants")
    return str(before) != str(after), f"{OWN.get(way, '')} {len(lost)} of 40"


SUITES = {"run": by_run, "rc.run_suite": by_run_suite, "check": by_check}
"""Doors that read a suite."""
OTHERS = {
    "laminar.evaluate": by_laminar,
    "deepeval.evaluate": by_deepeval,
    "monitor check": by_monitor,
    "Ray": by_ray,
    "faults": by_faults,
    "conversations": by_conversation,
    "attacks": by_attacks,
    "twins": by_twins,
    "audit": by_audit,
}
"""Doors of other libraries, of production, and kinds of runs."""
