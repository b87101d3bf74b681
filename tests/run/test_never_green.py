"""No way to exit 0 when a check that was asked for failed or broke: suites with metrics that do anything."""

from __future__ import annotations

import contextlib
import json

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings, strategies as st

from rightcall.cli.run import run
from rightcall.cli.runs import runs
from rightcall.cli.score import score
from rightcall.datasets.goldens import save_goldens
from rightcall.datasets.trajectories import save_trajectories
from rightcall.metrics import score_case
from rightcall.records import ExpectedCall, Golden, RecordedTrajectory, ToolCall, Trajectory
from tests.support.own_metrics import MOODS

MOODY = "tests.support.own_metrics:moody"
CALL = ToolCall("weather", {})


def agent(golden: Golden) -> list[ToolCall]:
    return [CALL]


moods = st.lists(st.sampled_from(sorted(MOODS)), min_size=1, max_size=30) | st.integers(1, 40).flatmap(
    lambda n: st.sampled_from(sorted(MOODS)).map(lambda mood: ["good"] * n + [mood])
)


@pytest.mark.stories
@given(moods, st.booleans())
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_check_that_failed_or_broke_is_never_green(tmp_path_factory, wanted, observed):
    folder = tmp_path_factory.mktemp("suite")
    goldens = [
        Golden("?", f"g{n}", expected_calls=(ExpectedCall("weather"),), metadata={"mood": mood})
        for n, mood in enumerate(wanted)
    ]
    metric = {"observe": MOODY} if observed else MOODY
    suite = {
        "dataset": "goldens.jsonl",
        "agent": {"model": "tests.run.test_never_green:agent"},
        "metrics": [metric],
        "limits": {"seconds": 0.05},
    }
    good = observed or all(MOODS[mood] == "passed" for mood in wanted)
    save_goldens(goldens, folder / "goldens.jsonl")
    save_trajectories(
        [RecordedTrajectory(g.id, Trajectory(calls=(CALL,))) for g in goldens], folder / "done.jsonl"
    )
    (folder / "suite.json").write_text(json.dumps(suite))
    option = "--observe" if observed else "--metric"
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_case, "LEAST", 0.05)
        assert (CliRunner().invoke(run, ["suite.json"]).exit_code == 0) is good
        if "hangs" not in wanted:  # only suites say how long a metric may take
            assert (CliRunner().invoke(runs, ["rescore", option, MOODY]).exit_code == 0) is good
            scored = CliRunner().invoke(score, ["goldens.jsonl", "done.jsonl", option, MOODY])
            assert (scored.exit_code == 0) is good
