"""Mutants as trajectories, one mutant on the screen, and what a suite says about its audit."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.core.errors import ConfigError, InputError
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.trajectories import load_trajectories
from rightcall.metrics.case_result import result_of
from rightcall.model import Run
from rightcall.store.address import open_store
from rightcall.wings.audit.command import audit
from rightcall.wings.audit.mutation import mutants
from tests.wings.audit.shop import REFUND, TOOLS, call, trajectory
from tests.wings.audit.test_command import SUITE, dataset, invoke

__all__ = ["dataset"]


def test_written_mutants_get_the_same_verdicts_from_score(dataset: Path) -> None:
    """Law: for every mutant, `score` says passed exactly where the audit says that it survives."""
    path = dataset / "mutants.jsonl"
    result = json.loads(invoke(dataset, "--json", "--write-mutants", str(path)).output)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    scored = {
        (case.golden_id, case.trial): case.passed
        for case in rc.score(dataset / "goldens.jsonl", path, tools=dataset / "tools.json")
    }
    verdicts = {(line["golden_id"], line.get("trial", 0)): line["mutant"]["verdict"] for line in lines}
    assert scored == {key: verdict == "passed" for key, verdict in verdicts.items()}
    counted = ("sure", "invalid", "maybe")
    assert len(lines) == sum(result[kind]["caught"] + result[kind]["survived"] for kind in counted)
    assert {"id", "operator", "certainty", "harm"} <= lines[0]["mutant"].keys()
    assert len(list(load_trajectories(path))) == len(lines)


def test_mutants_are_written_as_lines_only(dataset: Path) -> None:
    with pytest.raises(InputError, match=r"mutants are written as \.jsonl"):
        rc.audit(dataset / "goldens.jsonl", write_mutants=dataset / "mutants.json")


def test_one_mutant_is_shown_with_its_calls_and_score(dataset: Path) -> None:
    survivor = json.loads(invoke(dataset, "--json").output)["survivors"][0]
    shown = invoke(dataset, "--show", survivor["id"][:8])
    assert shown.exit_code == 0
    assert "refund_order twice passes" in shown.output and "survives" in shown.output
    assert "operator repeat_call · double effect · provably wrong" in shown.output
    unknown = CliRunner().invoke(audit, [str(dataset / "goldens.jsonl"), "--show", "zz"])
    assert "no mutant has the id 'zz'" in str(unknown.exception)


def test_a_sample_of_goldens_says_its_share(dataset: Path) -> None:
    shown = invoke(dataset, "--max-mutants", "40")
    assert "A sample of 1 of 2 goldens (50%) was audited." in shown.output
    assert rc.audit(dataset / "goldens.jsonl", max_mutants=1).in_dataset == 2


def test_changes_that_may_be_harmless_are_listed_when_asked_for(dataset: Path) -> None:
    assert "may be harmless:" not in invoke(dataset).output
    shown = invoke(dataset, "--maybe")
    assert "that may be harmless:" in shown.output
    assert shown.output.splitlines()[0] == invoke(dataset).output.splitlines()[0]


def test_a_suite_says_what_is_planted(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dataset)
    plain = {"dataset": "goldens.jsonl", "agent": SUITE["agent"], "tools": "tools.json"}

    def audited(**settings: object) -> rc.AuditResult:
        Path("suite.json").write_text(json.dumps({**plain, "audit": settings}), encoding="utf-8")
        return rc.audit("suite.json")

    whole = audited()
    assert set(audited(operators=["drop_call", "repeat_call"]).by_operator) == {"drop_call", "repeat_call"}
    assert set(audited(exclude=["drop_call"]).by_operator) == set(whole.by_operator) - {"drop_call"}
    named = audited(equivalent=list(whole.survivors[0].mutants))
    assert named.equivalent == len(whole.survivors[0].mutants)
    with pytest.raises(ConfigError, match="no operator is called 'dropcall'; did you mean"):
        audited(exclude=["dropcall"])


def test_mutants_can_be_made_for_checks_of_ones_own() -> None:
    good = trajectory(call("refund_order", order_id="A-17", amount=12.5))
    planted = mutants(REFUND, TOOLS.values(), [good])
    assert {"drop_call", "other_id", "off_by_one", "repeat_call"} <= {mutant.operator for mutant in planted}
    assert mutants(REFUND, TOOLS.values(), []) == []


def test_the_order_of_runs_changes_nothing(dataset: Path) -> None:
    """Law: the same runs, named in any order and twice, give the same bytes; each agent's behaviour is one of them."""
    goldens = list(load_goldens(dataset / "goldens.jsonl"))
    behaviours = {
        "careful": trajectory(call("refund_order", order_id="A-17", amount=12.5)),
        "thorough": trajectory(
            call("find_order", {"id": "A-17"}, order_id="A-17"),
            call("refund_order", order_id="A-17", amount=12.5),
        ),
    }
    with open_store(dataset / "runs.db") as store:
        for number, (agent, behaviour) in enumerate(behaviours.items()):
            run = Run(agent, "shop", f"2027-01-0{number + 1}T00:00:00.000Z", agent=agent)
            writer = store.runs.begin(run, planned=1)
            writer.add_goldens(goldens)
            result = result_of(goldens[0], 0, behaviour, TOOLS)
            writer.add([msgspec.structs.replace(result, trajectory=behaviour)])
    first, second = (
        rc.audit(
            dataset / "goldens.jsonl", tools=dataset / "tools.json", runs=runs, store=dataset / "runs.db"
        )
        for runs in (["careful", "thorough"], ["thorough", "careful", "thorough"])
    )
    assert msgspec.json.encode(first) == msgspec.json.encode(second)
    agents = {survivor.proposal.agents for survivor in first.survivors if survivor.proposal}
    assert agents == {2} and first.survivors
