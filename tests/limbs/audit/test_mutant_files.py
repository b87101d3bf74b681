"""Mutants as `score` sees them, and what a suite says about its audit."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.limbs.audit.suite_audit import AuditCall
from rightcall.metrics.case_result import result_of
from rightcall.records import Run
from rightcall.records.trajectory import RecordedTrajectory
from rightcall.store.address import open_store
from tests.limbs.audit.shop import TOOLS, call, judged_mutants, trajectory
from tests.limbs.audit.test_command import SUITE, dataset

__all__ = ["dataset"]


def test_mutants_get_the_same_verdicts_from_score(dataset: Path) -> None:
    """Law: for every mutant, `score` says passed exactly where the audit says that it survives."""
    judged = judged_mutants(AuditCall(dataset / "goldens.jsonl", tools=dataset / "tools.json"))
    path = dataset / "mutants.jsonl"
    save_trajectories(
        (
            RecordedTrajectory(mutant.golden_id, mutant.trajectory, number)
            for number, (mutant, _) in enumerate(judged)
        ),
        path,
    )
    scored = rc.score(dataset / "goldens.jsonl", path, tools=dataset / "tools.json")
    assert {case.trial: case.passed for case in scored} == {
        number: judgement == "passed" for number, (_, judgement) in enumerate(judged)
    }


def test_a_suite_says_what_is_planted(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(dataset)
    plain = {"dataset": "goldens.jsonl", "agent": SUITE["agent"], "tools": "tools.json"}

    def audited(**settings: object) -> rc.AuditResult:
        Path("suite.json").write_text(json.dumps({**plain, "audit": settings}), encoding="utf-8")
        return rc.audit("suite.json")

    whole = audited()
    assert set(audited(operators=["drop_call", "repeat_call"]).by_operator) == {"drop_call", "repeat_call"}
    assert set(audited(operators=["!drop_call"]).by_operator) == set(whole.by_operator) - {"drop_call"}
    named = audited(equivalent=list(whole.survivors[0].mutants))
    assert named.equivalent == len(whole.survivors[0].mutants)
    with pytest.raises(ConfigError, match="no operator is called 'dropcall'; did you mean"):
        audited(operators=["!dropcall"])


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
