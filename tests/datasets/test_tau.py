"""τ-bench and τ²-bench results as goldens, trajectories and pass^k."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.dataset import dataset
from rightcall.core.errors import InputError
from rightcall.datasets.importers.tau import import_tau
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.expectation import missing_content
from rightcall.run.recorded_scores import score_recorded
from rightcall.stats.pass_k import suite_pass_hat_k

SMALL = Path(__file__).parent / "data" / "tau2_small.json"


def test_tasks_become_goldens():
    refuse, status = import_tau(SMALL).goldens
    assert (refuse.id, refuse.user_description) == ("0", "Impatient traveller")
    assert "reason_for_call: Cancel reservation EHGLP3" in refuse.scenario
    assert [call.tool for call in refuse.expected_calls] == [
        "get_reservation_details",
        "transfer_to_human_agents",
    ]
    assert refuse.output_contains == ({"tau": "EHGLP3"},)
    assert status.expected_calls[0].args == {"flight_number": {"exact": "HAT001"}}


def test_trials_become_trajectories_of_the_agents_side():
    first, second, _, last = import_tau(SMALL).trajectories
    assert [call.name for call in first.trajectory.calls] == [
        "get_reservation_details",
        "transfer_to_human_agents",
    ]
    assert first.trajectory.calls[0].output == '{"status": "flown"}'
    assert first.trajectory.usage.input_tokens == 250
    assert second.trajectory.stop_reason == "limit"
    assert last.trajectory.stop_reason == "infra_error"


def test_the_action_check_is_the_benchmarks(tmp_path):
    (tmp_path / "g.jsonl").write_bytes(b"")
    words = ["convert", "--from", "tau2", str(SMALL), "-o", str(tmp_path / "g.jsonl")]
    made = CliRunner().invoke(
        dataset, [*words, "--trajectories", str(tmp_path / "t.jsonl")], catch_exceptions=False
    )
    assert "pass^1  0.500  over 2 tasks" in made.output
    results = list(score_recorded(tmp_path / "g.jsonl", tmp_path / "t.jsonl"))
    assert [(r.golden_id, r.trial, r.passed) for r in results] == [
        ("0", 0, True), ("0", 1, False), ("1", 0, True), ("1", 1, False),
    ]  # fmt: skip
    assert results[3].error  # the simulated user's fault is not the agent's


def with_broken(tmp_path: Path, *tasks: str) -> Path:
    """The small file with a trial more of each task, broken by the infrastructure."""
    document = json.loads(SMALL.read_bytes())
    for task in tasks:
        broken = {"task_id": task, "trial": 9, "termination_reason": "infrastructure_error", "messages": []}
        document["simulations"].append(broken)
    (tmp_path / "results.json").write_text(json.dumps(document))
    return tmp_path / "results.json"


def test_trials_that_the_infrastructure_broke_are_in_no_pass_k(tmp_path):
    found = import_tau(with_broken(tmp_path, "0"))
    assert found.counts() == import_tau(SMALL).counts()
    assert (found.dropped, found.unscored) == (("0",), [])
    assert found.trajectories[-1].trajectory.stop_reason == "infra_error"


def test_a_task_whose_every_trial_broke_is_named(tmp_path):
    path = with_broken(tmp_path, "1")
    document = json.loads(path.read_bytes())
    document["simulations"] = [s for s in document["simulations"] if s["task_id"] == "0" or s["trial"] == 9]
    path.write_text(json.dumps(document))
    assert import_tau(path).unscored == ["1"]
    words = ["convert", "--from", "tau2", str(path), "-o", str(tmp_path / "g.jsonl")]
    assert "tasks without a scored trial: 1" in CliRunner().invoke(dataset, words).output


@pytest.mark.parametrize(
    ("answer", "told"), [("It costs $1,094.", True), ("1 094", False), ("ehglp3: 1094", True)]
)
def test_commas_in_answers_are_ignored_as_the_checker_does(answer, told):
    assert (missing_content([{"tau": "1094"}], answer, Scope()) == []) is told


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"tasks": [], "simulations": []}, "contains 1 τ²-bench results in a list"),
        ({"id": "0", "user_scenario": {}, "evaluation_criteria": {}}, "contains the tasks of τ²-bench"),
        (
            {"task_id": "0", "termination_reason": "user_stop", "messages": []},
            "τ²-bench simulations without their tasks",
        ),
    ],
)
def test_lists_of_tau2_are_distinguished(tmp_path, item, problem):
    (tmp_path / "list.json").write_text(json.dumps([item]))
    with pytest.raises(InputError, match=problem):
        import_tau(tmp_path / "list.json")


def published() -> list[dict]:
    """200 trials whose successes by task are those behind the published figures of gpt-4o on airline.

    pass^1 = .420, pass^2 = .273, pass^3 = .220, pass^4 = .200 over 50 tasks × 4 trials (τ-bench, arXiv:2406.12045)
    leave one solution: 10 tasks solved four times, 4 thrice, 10 twice, 12 once, 14 never.
    """
    successes = [4] * 10 + [3] * 4 + [2] * 10 + [1] * 12 + [0] * 14
    return [
        {
            "task_id": task,
            "trial": trial,
            "reward": 1.0 if trial < won else 0.0,
            "info": {"task": {"instruction": f"task {task}", "actions": [{"name": "f", "kwargs": {"x": task}}]}},
            "traj": [
                {"role": "system", "content": "policy"},
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": None, "function_call": None, "audio": None, "tool_calls": [
                    {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps({"x": task})}}]},
                {"role": "tool", "tool_call_id": "c", "name": "f", "content": "done"},
                {"role": "assistant", "content": "There you are."},
            ],
        }
        for task, won in enumerate(successes)
        for trial in range(4)
    ]  # fmt: skip


def test_pass_hat_k_gives_the_published_figures(tmp_path):
    (tmp_path / "gpt-4o-airline.json").write_text(json.dumps(published()))
    found = import_tau(tmp_path / "gpt-4o-airline.json")
    assert [round(suite_pass_hat_k(found.counts(), k).value, 3) for k in (1, 2, 3, 4)] == [
        0.42,
        0.273,
        0.22,
        0.2,
    ]
    assert found.trajectories[0].trajectory.calls[0].arguments == {"x": 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tasks": []}', "expected a list of trials"),
        (
            '{"tasks": [], "simulations": [{"task_id": "9"}]}',
            "simulations[0]: task_id '9' is not among the tasks",
        ),
        ('[{"task_id": 1, "reward": "1", "traj": []}]', "[0].reward: must be a number, got str"),
    ],
)
def test_another_file_is_refused_with_the_place(tmp_path, text, message):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError) as caught:
        import_tau(tmp_path / "x.json")
    assert message in str(caught.value)
